package heuristic

import (
	"strings"
	"unicode"

	"mem/oracle/heuristic/lazy"
)

// hush writes a sentence that is all capitals in small letters. Code and
// names such as DATABASE_URL stay as they are.
func hush(t string) string {
	parts := strings.Split(t, "`")
	spoken := ""
	for i := 0; i < len(parts); i += 2 {
		spoken += parts[i]
	}
	if len(strings.Fields(spoken)) < 2 || strings.ToUpper(spoken) != spoken {
		return t
	}
	for i := 0; i < len(parts); i += 2 {
		words := strings.Split(parts[i], " ")
		for j, w := range words {
			if !strings.ContainsFunc(w, func(r rune) bool { return r == '_' || unicode.IsDigit(r) }) {
				words[j] = strings.ToLower(w)
			}
		}
		parts[i] = strings.Join(words, " ")
	}
	return strings.Join(parts, "`")
}

// ending takes from the end of a sentence what only says how it is meant:
// thanks, "please", "from now on".
func (r *remark) ending(t string) string {
	for range 6 {
		t = strings.TrimRight(t, " ,.!?…:;-–—")
		if strings.HasSuffix(t, ")") && strings.Count(t, "(") < strings.Count(t, ")") {
			t = t[:len(t)-1]
			continue
		}
		if loc := reTail.Get().FindStringIndex(t); loc != nil {
			r.cried = r.cried || strings.HasSuffix(strings.ToLower(t), "please")
			t = t[:loc[0]]
			continue
		}
		loc := reLasting.Get().FindStringIndex(t)
		if loc == nil {
			break
		}
		r.lasting = true
		t = t[:loc[0]]
	}
	return t
}

// place takes out the words for where something holds: "in this repo"
// always, as that is what a lesson is about; "here" and "for this" only beside
// a tool, as they may otherwise point at one spot of the code.
func (r *remark) place(t string) string {
	if reHouse.Get().MatchString(t) {
		return t // "we use pnpm here" reads best whole
	}
	for range 3 {
		u := rePlace.Get().ReplaceAllString(t, "$1")
		r.placed = r.placed || u != t
		if namesTool(u) && reUsing.Get().MatchString(u) {
			u = reLocal.Get().ReplaceAllString(u, "$1")
		}
		if u == t {
			break
		}
		t = u
	}
	return t
}

// ordered reports whether what stands before an instruction makes it a part
// of a task or of somebody else's words: "write a note: never …", "the linter
// says: never …".
func ordered(front string) bool {
	front = reTurn.Get().ReplaceAllString(front, "")
	return isVerb(firstWord(front)) || reReports.Get().MatchString(front)
}

var (
	reTail    = lazy.New(`(?i)[,;.!]? (?:-+ )?(?:please )?(?:stop (?:that|it|doing that)|ok(?:ay)?|though|please|many thanks|thanks(?: a lot| again)?|thank you(?: very much)?|thx|cheers|got it)$`)
	reLasting = lazy.New(`(?i),? (?:from (?:now|here) on(?: out)?|going forward|next time)$`)
	rePlace   = lazy.New(`(?i),? (?:in|for|on|within|throughout|across) (?:this|our) (?:whole |entire )?(?:repo|repository|project|codebase|code base|monorepo)([,;]| instead\b|$)`)
	reLocal   = lazy.New(`(?i),? (?:please|here|in here|over here|for this|(?:ever )?again|in (?:the )?future)([,;]| instead\b| rather than\b| -|$)`)
	reUsing   = lazy.New(`(?i)\b(?:use|using|prefer|with|instead of|rather than|it's)\b|, not\b|^no\b`)
	reHouse   = lazy.New(`(?i)^we\b`)
	reTurn    = lazy.New(`(?i)^(?:(?:now|next|then|first|finally|please|also|and|ok|after that|(?:can|could|would|will) you|you should|(?:let's|let us)|i (?:want|need) you to|we (?:need|have) to)\b,?\s*)+`)
	reReports = lazy.New(`(?i)\b(?:says?|said|reads?|prints?|printed|wrote|writes?|claims?|mentions?|mentioned|states?|shows?|showed|tells? (?:me|us|users)|complains?|told|asked|warned|informed|example|like this|message|warning|error|output|log)(?: (?:this|that|me|us))?$`)
)
