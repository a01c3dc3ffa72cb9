package speech

import (
	"strings"

	"mem/lazy"
	"mem/oracle/heuristic/shell"
)

// Agrees reports whether an agent's reply admits that the person is right.
func Agrees(reply string) bool { return reAgrees.Matches(reply) }

// IsForm reports whether the reason of a refusal was written by the client.
func IsForm(reason string) bool {
	return strings.HasPrefix(strings.TrimSpace(reason), "The user wants to clarify") || strings.Contains(reason, "(No answer provided)")
}

// TakesBack reports whether a person takes back what they said before.
func TakesBack(text string) bool { return reTakesBack.Matches(text) }

// Restate returns what a reply repeats of what a person settled, as one sentence that
// stands by itself; "" if nothing.
func Restate(reply string) string {
	at := reTakenUp.Get().FindStringIndex(reply)
	if at == nil {
		return ""
	}
	said, _ := cutSentence(strings.TrimSpace(firstLine(reply[at[1]:])))
	said = strings.TrimRight(said, " .!")
	said = reYouWant.Get().ReplaceAllString(said, "The user wants ")
	said = reYour.Get().ReplaceAllString(said, "the ")
	if n := len(strings.Fields(said)); n < 4 || n > 45 || strings.HasSuffix(said, "?") || reDeed.Matches(said) || hangs(said) {
		return ""
	}
	return upperFirst(reWanted.Get().ReplaceAllString(said, "use $1"))
}

// readQuestion takes a question for the objection that it is, if the agent agreed to it.
func readQuestion(r remark, sc Scene) (Heard, bool) {
	h := Heard{Standing: true}
	if m := reWhyDo.Get().FindStringSubmatch(r.text); m != nil {
		h.Text = upperFirst(m[1]) + ": do not " + m[2]
	} else if reReminds.Matches(r.text) {
		h.Text, h.FromReply = Restate(sc.Reply), true
	}
	return h, h.Text != "" && !hangs(h.Text) && len(strings.Fields(h.Text)) >= 6
}

// Lays reports whether a text lays down something about a thing that it names, rather than
// saying what is to be done next.
func Lays(text string) bool { return reLays.Matches(text) && reNames.Matches(text) }

// firstLine returns a text up to its first line break.
func firstLine(s string) string {
	s, _, _ = strings.Cut(s, "\n")
	return s
}

var (
	reAgrees    = lazy.New(`(?i)^(?:you(?:'re| are) (?:absolutely |completely |quite )?(?:right|correct)|good (?:point|catch|call)|fair (?:point|enough)|great (?:point|catch)|(?:that )?makes sense|agreed\b|point taken|my (?:mistake|bad)|(?:i )?apologi[sz]e|sorry\b|got it\b|understood\b|noted\b)`)
	reTakesBack = lazy.New(`(?i)(?:^|[.,;!–—-] |\b(?:actually|sorry|oh|ok|okay|no|wait|hm+),? )(?:please )?(?:forget (?:that|it|about (?:that|it)|what i (?:just )?said)|never ?mind|scratch that|on second thoughts?|i take (?:that|it) back|(?:ignore|disregard) (?:that|what i (?:just )?said|my (?:last|previous))|i was wrong|i changed my mind|(?:my (?:mistake|bad)|(?:i )?misspoke)\b)`)
	// reTakenUp matches how a reply begins that says back what was decided.
	reTakenUp = lazy.New(`(?i)^(?:(?:you(?:'re| are) (?:absolutely |completely |quite )?(?:right|correct)|good (?:point|catch|call)|fair (?:point|enough)|(?:that )?makes sense|got it|understood|noted|settled|final|okay|ok)(?:[.,:;!]+| ?[-–—]+)\s*)+(?:so:?,? |that |and )?|^(?:excellent|perfect|great|thanks|thank you)\b[^.!]*[.!] so,? `)
	reYouWant = lazy.New(`(?i)^you want `)
	reWanted  = lazy.New(`^The user wants ((?:the|an?) .+(?:, not |,? rather than |,? instead of ).+)`)
	reYour    = lazy.New(`(?i)\byour `)
	// reDeed matches what says what the agent does or did, not what holds.
	reDeed    = lazy.New(`(?i)^(?:\w+ed|i|i'll|i'm|i've|let me|let's|will|now|doing|done|here|on it|updating|fixing|adding|removing|looking|checking)\b|\b(?:i'll|i will|let me|i'm|i can|i see|i've|i was|my)\b`)
	reLays    = lazy.New(`(?i)\b(?:only|never|always|not|must|exactly|instead|rather|at most|at least|except|unless|means)\b`)
	reNames   = lazy.New("`|\\d| [A-Za-z]*[A-Z][\\w.-]+|\\w_\\w|\\w/\\w")
	reWhyDo   = lazy.New(`(?i)^(.{20,}), why (?:would|do|did|should) (?:you|we) (\w+ .+)`)
	reReminds = lazy.New(`(?i)^(?:didn't|don't|doesn't|isn't|aren't|shouldn't|haven't|wasn't|did(?:n't)? we not|did we not) `)
)

// Confirm returns what an agent asked to be sure of, as a statement, if the person's answer
// confirms it; "" if it is none of that.
func Confirm(asked, answer string) string {
	m := reToConfirm.Get().FindStringSubmatch(asked)
	if m == nil || !reConfirms.Matches(answer) || reDeed.Matches(m[1]) || hangs(m[1]) || len(strings.Fields(m[1])) < 5 {
		return ""
	}
	return upperFirst(m[1])
}

// maxPart is the most bytes that a part of a recap has: marks of code are to follow.
const maxPart = 224

// Decides reports whether a person's words settle what the agent proposed, or had asked.
func Decides(text string, asked bool) bool {
	return !strings.HasSuffix(strings.TrimSpace(text), "?") && (asked && !reRequest.Matches(text) || reDecides.Matches(text))
}

// Recap returns the parts of a reply that sums up what was decided, each a sentence with
// the name of what it is about; nil if it is not such a reply.
func Recap(reply string) []string {
	m := reRecap.Get().FindStringSubmatch(firstLine(reply))
	if m == nil {
		return nil
	}
	name, _, called := strings.Cut(strings.TrimSpace(m[1]), "(")
	if called {
		name = shell.Code(name)
	}
	if name != "" {
		name += ": "
	}
	var out []string
	for _, s := range splitSentences(m[2]) {
		parts := []string{s}
		if len(name+s) > maxPart {
			parts = reClause.Get().FindAllString(s, -1)
		}
		for _, part := range joinLeaning(parts, maxPart-len(name)) {
			if n := len(strings.Fields(part)); n >= 5 && len(name+part) <= maxPart && isSettled(strings.TrimRight(part, " .!;")) {
				out = append(out, upperFirst(name+strings.TrimRight(part, " .!;")))
			}
		}
	}
	return out
}

// isSettled reports whether a part of a recap says what holds, not what the agent does, asks
// or promises.
func isSettled(part string) bool {
	deed := reDeed.Matches(part) && !reThing.Matches(part)
	return !strings.HasSuffix(part, "?") && !deed && (!rePromise.Matches(part) || reLays.Matches(reExact.Get().ReplaceAllString(part, "")))
}

// joinLeaning joins the clauses that lean on the one before to it, leaves them out if that
// would be too long, and says of "anything else" what is none of it.
func joinLeaning(clauses []string, most int) []string {
	var out []string
	for _, c := range clauses {
		c = strings.TrimRight(strings.TrimSpace(c), " .!;")
		last := len(out) - 1
		if m := reExcept.Get().FindStringSubmatch(c); m != nil && last >= 0 && reElse.Matches(out[last]) {
			out[last] += ", except " + m[1]
		} else if reLeans.Matches(c) {
			if last >= 0 && len(out[last]+"; "+c) <= most {
				out[last] += "; " + c
			}
			continue
		}
		out = append(out, c)
	}
	return out
}

var (
	reDecides = lazy.New(`(?i)^(?:no|never|neither|always|only|almost|not quite|hold on|absolutely not|that's only)\b(?: -|[,.;: —–-])|\b(?:never|always|must)\b|\b(?:leave|keep|cap|make|set) (?:it|them) (?:at|to|under|below) \d`)
	// reLeans matches what points at the clause before, reThing what a participle names.
	reLeans     = lazy.New(`(?i)^(?:otherwise|then|the (?:remainder|rest|others?|latter|former))\b|\b(?:beyond|of|from|to|in|with|under|over|for|by|than|on|against) (?:that|those|these) [a-z]+`)
	reThing     = lazy.New(`(?i)^\w+ed [\w ]{2,40}(?:[=:]|\bis\b|\bare\b|\bmust\b)`)
	reExcept    = lazy.New(`(?i)^the (?:only|single|sole|one) exception is (an? [^,]+)`)
	reElse      = lazy.New(`(?i)\b(?:anything|everything) else\b`)
	rePromise   = lazy.New(`(?i)\b(?:preserves?|ensures?|guarantees?|fixes|solves|prevents?|works|will (?:be|now)|this (?:will|makes|gives|keeps))\b`)
	reExact     = lazy.New(`(?i)\bexactly$`)
	reClause    = lazy.New(`(?:\w'\w|'[^']*'|"[^"]*"|[^;]|;\S)+`)
	reToConfirm = lazy.New(`(?i)(?:^|[.!?:] |\n)(?:so|just to confirm|to confirm)[,:]? ([^.?!\n]+(?:\.\S[^.?!\n]*)*)\?$`)
	reConfirms  = lazy.New(`(?i)^(?:yes[,.:]? )?(?:exactly|correct|confirmed|that's right|that is right|precisely|yes)\b`)
	reRequest   = lazy.New(`(?i)^(?:(?:ok|okay|yes|yeah|well|also|and|then|actually),? )*(?:i think|maybe|can|could|please|let's|lets|why|how|what|i|go|do)\b`)
	// reRecap matches a reply that sums up, with the name of what it is about and the rest.
	reRecap = lazy.New(`(?i)^(?:(?:final )?recap(?: of)?|final(?: shape)?(?: of)?|settled|to sum up|so the (?:rule|policy) is|(?:understood|got it)[ ,—–-]+(?:amending|updating) the policy)\b ?([^:]{0,60}?)(?: then)?: +(.+)`)
)
