// Package decision understands what a person and an agent settled in a talk: what the
// agent asks to be sure of, and how it sums up at the end. Everything is pure.
package decision

import (
	"strings"
	"unicode/utf8"

	"mem/lazy"
	"mem/oracle/heuristic/english"
	"mem/oracle/heuristic/shell"
	"mem/oracle/heuristic/speech"
	"mem/oracle/heuristic/spelling"
)

// Confirm returns what an agent asked to be sure of, as a statement, if the person's answer
// confirms it; "" if it is none of that.
func Confirm(asked, answer string) string {
	m := reToConfirm.Get().FindStringSubmatch(asked)
	if m == nil || !reConfirms.Matches(answer) || speech.TellsDeed(m[1]) || speech.Hangs(m[1]) || len(strings.Fields(m[1])) < 5 {
		return ""
	}
	return english.UpperFirst(m[1])
}

// Decides reports whether a person's words settle what the agent proposed, or had asked.
func Decides(text string, asked bool) bool {
	return !strings.HasSuffix(strings.TrimSpace(text), "?") && (asked && !reRequest.Matches(text) || reDecides.Matches(text))
}

// A recap is a reply that sums up, on its way to be parted into lessons.
type recap struct {
	name    string // of what it is about, with ": "; "" if it has none
	subject string // of the talk
	most    int    // characters of a lesson
	parts   []string
	last    string // clause of the last part; "" if none may be added to it
}

// ReadRecap returns the parts of a reply that sums up what was decided, each of at most so
// many characters and with the name of what it is about; nil if it is not such a reply.
// The subject of the talk names it, if the reply does not.
func ReadRecap(reply, subject string, most int) []string {
	m := reRecap.Get().FindStringSubmatch(reply)
	if m == nil {
		return nil
	}
	r := recap{subject: subject, most: most}
	if name, _, called := strings.Cut(strings.TrimSpace(m[1]), "("); called {
		r.name = shell.Code(name) + ": "
	} else if name != "" {
		r.name = AddSubject(name+": ", subject)
	}
	for _, s := range speech.SplitSentences(m[2]) {
		r.last = ""
		clauses := []string{s}
		if !r.fits(s) || reLeans.Matches(s) {
			clauses = reClause.Get().FindAllString(s, -1)
		}
		for _, c := range clauses {
			r.addClause(strings.TrimRight(strings.TrimSpace(c), " .!;"))
		}
	}
	var out []string
	for _, part := range r.parts {
		if len(strings.Fields(part)) >= 5 {
			out = append(out, r.word(part))
		}
	}
	return out
}

// word words a part as a lesson, with the name of what it is about.
func (r *recap) word(part string) string {
	if r.name == "" {
		return english.UpperFirst(AddSubject(part, r.subject))
	}
	return english.UpperFirst(r.name + english.LowerFirst(part))
}

// fits reports whether a part makes a lesson that is not too long, once it is set with
// marks of code.
func (r *recap) fits(part string) bool {
	return utf8.RuneCountInString(spelling.MarkCode(r.word(part))) <= r.most
}

// addClause adds a clause to the part before it, or begins a new one. What leans on the
// clause before takes it along; what is too long is cut where only a remark follows.
func (r *recap) addClause(c string) {
	open := r.last != ""
	if !isSettled(c) {
		r.last = ""
		return
	}
	at := len(r.parts) - 1
	if open && r.fits(r.parts[at]+"; "+c) {
		r.parts[at] += "; " + c
		r.last = c
		return
	}
	before := ""
	if reLeans.Matches(c) && !strings.HasPrefix(strings.ToLower(c), "otherwise") {
		if before = r.last + "; "; !open {
			return
		}
	}
	kept, rest := r.cutRemark(before + c)
	if kept == "" {
		r.last = ""
		return
	}
	if before != "" {
		r.parts[at] = strings.TrimSuffix(strings.TrimSuffix(r.parts[at], r.last), "; ")
		if r.parts[at] == "" {
			r.parts = r.parts[:at]
		}
	}
	r.parts, r.last = append(r.parts, kept), kept
	if rest != "" {
		r.addClause(rest)
	}
}

// cutRemark cuts a clause that is too long where only a remark follows, and returns also
// what follows if it stands by itself; "" if it can be cut nowhere.
func (r *recap) cutRemark(c string) (kept, rest string) {
	if utf8.RuneCountInString(r.word(c)) <= r.most {
		return c, "" // if need be without marks of code
	}
	for _, at := range reRemark.Get().FindAllStringIndex(c, -1) {
		if !r.fits(c[:at[0]]) {
			break
		}
		kept, rest = c[:at[0]], c[at[1]:]
	}
	if rest = strings.TrimPrefix(rest, "and "); !reStands.Matches(rest) {
		rest = ""
	}
	return kept, rest
}

// isSettled reports whether a part of a recap says what holds, not what the agent does, asks
// or promises.
func isSettled(part string) bool {
	deed := speech.TellsDeed(part) && !reThing.Matches(part)
	return part != "" && !strings.HasSuffix(part, "?") && !deed && (!rePromise.Matches(part) || speech.Lays(reExact.Get().ReplaceAllString(part, "")))
}

var (
	reDecides = lazy.New(`(?i)^(?:no|never|neither|always|only|almost|not quite|hold on|absolutely not|that's only)\b(?: -|[,.;: —–-])|\b(?:never|always|must)\b|\b(?:leave|keep|cap|make|set) (?:it|them) (?:at|to|under|below) \d`)
	// reLeans matches what points at the clause before, reThing what a participle names.
	reLeans     = lazy.New(`(?i)^(?:otherwise|then|the (?:remainder|rest|others?|latter|former))\b|\b(?:beyond|of|from|to|in|with|under|over|for|by|than|on|against) (?:that|those|these) [a-z]+`)
	reThing     = lazy.New(`(?i)^\w+ed [\w ]{0,40}(?:[=:]|->|→|\bis\b|\bare\b|\bmust\b)`)
	rePromise   = lazy.New(`(?i)\b(?:preserves?|ensures?|guarantees?|fixes|solves|prevents?|works|will (?:be|now)|this (?:will|makes|gives|keeps))\b`)
	reExact     = lazy.New(`(?i)\bexactly$`)
	reClause    = lazy.New(`(?:\w'\w|'[^']*'|"[^"]*"|[^;]|;\S)+`)
	reRemark    = lazy.New(`(?i)(?: [–—-]|, (?:and|but|so|per|since|because|which|while|with)) `)
	reStands    = lazy.New(`(?i)^(?:only )?(?:the|an?|no|each|every|all) \S+ .*\b(?:is|are|must|may|can|raises?|gets?|takes?|falls?)\b`)
	reToConfirm = lazy.New(`(?i)(?:^|[.!?:] |\n)(?:so|just to confirm|to confirm)[,:]? ([^.?!\n]+(?:\.\S[^.?!\n]*)*)\?$`)
	reConfirms  = lazy.New(`(?i)^(?:yes[,.:]? )?(?:exactly|correct|confirmed|that's right|that is right|precisely|yes)\b`)
	reRequest   = lazy.New(`(?i)^(?:(?:ok|okay|yes|yeah|well|also|and|then|actually),? )*(?:i think|maybe|can|could|please|let's|lets|why|how|what|i|go|do)\b`)
	// reRecap matches a reply that sums up, with the name of what it is about and the rest.
	reRecap = lazy.New(`(?is)^(?:\*\*)?(?:(?:final |quick |full )?(?:recap|summary)(?: of)?|final(?: (?:shape|rule|policy|version|spec))?(?: of| for)?|settled|agreed|locked in|to (?:sum up|recap)|so the (?:rule|policy) is|(?:understood|got it)[ ,—–-]+(?:amending|updating) the policy)\b ?([^:\n]{0,60}?)(?: then)?:(?:\*\*)?\s+(.+)`)
)
