package heuristic

import (
	"testing"

	"mem/envtest"
)

// A recap becomes lessons that each have a name, in which no clause is lost that fits.
func TestReadRecap(t *testing.T) {
	const most = 120
	for _, c := range []struct {
		name, reply, subject string
		want                 []string
	}{
		{"clauses of a sentence stand together", "Recap of advance(order): open -> paid; paid -> sent only, never back; sent -> closed.", "",
			[]string{"`advance`: open -> paid; paid -> sent only, never back; sent -> closed"}},
		{"what leans on a clause is not said without it", "Final: `fee` is rounded up to whole cents for each of the accounts; the first 25 units of a month are free of any charge; the remainder is billed in blocks of 50", "",
			[]string{"`fee` is rounded up to whole cents for each of the accounts; the first 25 units of a month are free of any charge"}},
		{"a remark is cut",
			"Recap of bucket(user): hash the user and the flag with a colon between them, as the nightly reports do, and in that order - so that nothing leaks", "",
			[]string{"`bucket`: hash the user and the flag with a colon between them, as the nightly reports do, and in that order"}},
		{"what cannot be cut is left out", "Settled: the `limit` of " + longName + " is 4.", "", nil},
		{"a list on lines of its own", "**Recap:**\n- `limit` is 4 for each of the users\n- I'll write the tests now\n- shall I go on?\n", "",
			[]string{"`limit` is 4 for each of the users"}},
		{"the subject of the talk", "Final policy: digits are written as text; all else is plain, and rows end in CRLF.", "`toRow`",
			[]string{"`toRow`: digits are written as text; all else is plain, and rows end in CRLF"}},
		{"a name that is not code", "Recap of the retry rules: only 429 and 408 are tried again; at most 4 times.", "`send`",
			[]string{"`send`, the retry rules: only 429 and 408 are tried again; at most 4 times"}},
		{"no recap", "I changed the limit: it is 4 now.", "", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			envtest.Same(t, c.want, readRecap(c.reply, c.subject, most))
		})
	}
}

const longName = "all of the users and the groups that the directory of the company knows under any of the names which they ever had there"

// TestAddSubject: what names nothing in code is said of what the talk is about.
func TestAddSubject(t *testing.T) {
	envtest.Same(t, "`fee`: never round|the `fee` is whole", addSubject("never round", "`fee`")+"|"+addSubject("the `fee` is whole", "`fee`"))
}

// What a recap says again need not stand twice.
func TestCovers(t *testing.T) {
	const recap = "Recap: a duplicate is dropped only if the hash is equal, and another hash raises a conflict; the ledger never overwrites."
	if !covers(recap, "never drop a duplicate with another hash - that is how we lost June") || covers(recap, "payloads must never be logged") {
		t.Error("what is covered")
	}
}

// TestSaidBack: what the agent says back of the person's words.
func TestSaidBack(t *testing.T) {
	envtest.Same(t, "`page` caps at 50 rows",
		restate("Got it. `page` caps at 50 rows. I'll write it.", "no, cap the page at fifty"), "Restate")
	for _, reply := range []string{"Got it, I'll cap the page.", "`page` caps at 50 rows.", "Understood. Done with all of the page."} {
		envtest.Same(t, "", restate(reply, "no, cap the page at fifty"), reply)
	}
}
