package speech

import (
	"strings"

	"mem/lazy"
	"mem/oracle/heuristic/english"
	"mem/oracle/heuristic/spelling"
)

// Restate returns what a reply repeats of what a person settled, as one sentence that
// stands by itself; "" if nothing. It does not say which file asks for it: that file may
// change.
func Restate(reply string) string {
	at := reTakenUp.Get().FindStringIndex(reply)
	if at == nil {
		return ""
	}
	said := strings.TrimSpace(reply[at[1]:])
	if m := reInstructs.Get().FindStringSubmatch(said); m != nil {
		said = m[1]
	}
	said, _ = cutSentence(strings.TrimSpace(firstLine(said)))
	said = strings.TrimRight(said, " .!")
	said = reYouWant.Get().ReplaceAllString(said, "The user wants ")
	said = reYour.Get().ReplaceAllString(said, "the ")
	if n := len(strings.Fields(said)); n < 4 || n > 45 || strings.HasSuffix(said, "?") || reDeed.Matches(said) || Hangs(said) {
		return ""
	}
	return english.UpperFirst(reWanted.Get().ReplaceAllString(said, "use $1"))
}

// readQuestion takes a question for the objection that it is, if the agent agreed to it.
func readQuestion(r remark, sc Scene) (Heard, bool) {
	h := Heard{Standing: true}
	if m := reWhyDo.Get().FindStringSubmatch(r.text); m != nil {
		h.Text = english.UpperFirst(m[1]) + ": do not " + m[2]
	} else if m := reRather.Get().FindStringSubmatch(r.text); m != nil && english.IsVerb(english.FirstWord(m[1])) && (spelling.HasCode(m[1]) || reWork.Matches(m[1])) {
		h.Text = english.UpperFirst(m[1])
	} else if reReminds.Matches(r.text) {
		h.Text, h.FromReply = Restate(sc.Reply), true
	}
	return h, h.Text != "" && !Hangs(h.Text) && len(strings.Fields(h.Text)) >= 6
}

// Lays reports whether a text lays down something about a thing that it names, rather than
// saying what is to be done next.
func Lays(text string) bool { return reLays.Matches(text) && reNames.Matches(text) }

// TellsDeed reports whether a text says what the agent does or did.
func TellsDeed(text string) bool { return reDeed.Matches(text) }

// firstLine returns a text up to its first line break.
func firstLine(s string) string {
	s, _, _ = strings.Cut(s, "\n")
	return s
}

var (
	// reTakenUp matches how a reply begins that says back what was decided.
	reTakenUp = lazy.New(`(?i)^(?:(?:you(?:'re| are) (?:absolutely |completely |quite )?(?:right|correct)|good (?:point|catch|call)|fair (?:point|enough)|(?:that )?makes sense|got it|understood|noted|settled|final|okay|ok)(?:[.,:;!]+| ?[-–—]+)\s*)+(?:so:?,? |that |and )?|^(?:excellent|perfect|great|thanks|thank you)\b[^.!]*[.!] so,? `)
	reYouWant = lazy.New(`(?i)^you want `)
	reWanted  = lazy.New(`^The user wants ((?:the|an?) .+(?:, not |,? rather than |,? instead of ).+)`)
	// reInstructs matches a reply that says what a document asks for, or quotes it.
	reInstructs = lazy.New(`(?i)^(?:the )?[\w./\x60-]+\.md\x60? says(?: to |:\s+> ?)([^\n]+)`)
	reYour      = lazy.New(`(?i)\byour `)
	// reDeed matches what says what the agent does or did, not what holds.
	reDeed    = lazy.New(`(?i)^(?:\w+ed|i|i'll|i'm|i've|let me|let's|will|now|doing|done|here|on it|updating|fixing|adding|removing|looking|checking)\b|\b(?:i'll|i will|let me|i'm|i can|i would|i'd|i see|i've|i was|my)\b`)
	reLays    = lazy.New(`(?i)\b(?:only|never|always|not|must|exactly|instead|rather|at most|at least|except|unless|means)\b`)
	reNames   = lazy.New("`|\\d| [A-Za-z]*[A-Z][\\w.-]+|\\w_\\w|\\w/\\w")
	reRather  = lazy.New(`(?i)^(?:can|could|would|will|should) (?:you|we) (?:please )?(\w+ .+ (?:instead of|rather than) .+)`)
	reWhyDo   = lazy.New(`(?i)^(.{20,}), why (?:would|do|did|should) (?:you|we) (\w+ .+)`)
	reReminds = lazy.New(`(?i)^(?:didn't|don't|doesn't|isn't|aren't|shouldn't|haven't|wasn't|did(?:n't)? we not|did we not) `)
)
