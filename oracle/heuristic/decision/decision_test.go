package decision

import (
	"testing"

	"github.com/google/go-cmp/cmp"
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
		{"what leans on a clause takes it along", "Final: `fee` is rounded up to whole cents for each of the accounts; the first 25 units of a month are free of any charge; the remainder is billed in blocks of 50", "",
			[]string{"`fee` is rounded up to whole cents for each of the accounts", "The first 25 units of a month are free of any charge; the remainder is billed in blocks of 50"}},
		{"a remark is cut, and what stands by itself kept",
			"Recap of bucket(user): hash the user and the flag with a colon between, as the reports do, and the user is in if the bucket is below the percent - so that nothing leaks", "",
			[]string{"`bucket`: hash the user and the flag with a colon between, as the reports do", "`bucket`: the user is in if the bucket is below the percent - so that nothing leaks"}},
		{"what cannot be cut is left out", "Settled: the `limit` of " + longName + " is 4.", "", nil},
		{"a list on lines of its own", "**Recap:**\n- `limit` is 4 for each of the users\n- I'll write the tests now\n- shall I go on?\n", "",
			[]string{"`limit` is 4 for each of the users"}},
		{"the subject of the talk", "Final policy: digits are written as text; all else is plain, and rows end in CRLF.", "ERP",
			[]string{"ERP: digits are written as text; all else is plain, and rows end in CRLF"}},
		{"a name that is not code", "Recap of the retry rules: only 429 and 408 are tried again; at most 4 times.", "`send`",
			[]string{"`send`, the retry rules: only 429 and 408 are tried again; at most 4 times"}},
		{"a clause that follows a remark is not lost",
			"Recap of bill(day): overlap is taken off only if it was announced a day before the window - short notice counts as downtime - and only the common part is taken off, clamped at zero.", "",
			[]string{"`bill`: overlap is taken off only if it was announced a day before the window - short notice counts as downtime", "`bill`: only the common part is taken off, clamped at zero"}},
		{"no recap", "I changed the limit: it is 4 now.", "", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, ReadRecap(c.reply, c.subject, most)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

const longName = "all of the users and the groups that the directory of the company knows under any of the names which they ever had there"

// A talk is about the first name in code, or an abbreviation that comes up again and again.
func TestFindSubject(t *testing.T) {
	for want, talk := range map[string][]string{
		"`splitWeight`": {"the customs sent it back", "look at splitWeight, the ERP reads it"},
		"ERP":           {"the ERP import is off", "so the ERP wants text", "yes, the ERP does"},
		"":              {"the ERP import is off", "so the ERP wants text", "yes"},
	} {
		if got := FindSubject(talk); got != want {
			t.Errorf("FindSubject(%q) = %q, want %q", talk, got, want)
		}
	}
	if got := AddSubject("never round", "`fee`") + "|" + AddSubject("the `fee` is whole", "`fee`") + "|" + AddSubject("The rule: never round", "`fee`"); got != "`fee`: never round|the `fee` is whole|`fee`, the rule: never round" {
		t.Error(got)
	}
}

// What a recap says again need not stand twice.
func TestCovers(t *testing.T) {
	const recap = "Recap: a duplicate is dropped only if the hash is equal, and another hash raises a conflict; the ledger never overwrites."
	if !Covers(recap, "never drop a duplicate with another hash - that is how we lost June") || Covers(recap, "payloads must never be logged") {
		t.Error("what is covered")
	}
}

func TestDecides(t *testing.T) {
	for text, want := range map[string]bool{"no, 30": true, "30 then": true, "can you also do the other one": false, "what does it cost?": false} {
		if got := Decides(text, true); got != want {
			t.Errorf("Decides(%q) = %v", text, got)
		}
	}
	if got, want := Confirm("Good. To confirm: the cache lives for 30 seconds at most?", "exactly"), "The cache lives for 30 seconds at most"; got != want {
		t.Errorf("Confirm = %q, want %q", got, want)
	}
}
