package speech

import (
	"slices"
	"strings"

	"mem/lazy"
)

// ownWords takes from a prompt what a person wrote in their own words: no code
// blocks, no quotes, no pasted output, no attachments.
func ownWords(text string) string {
	text = reFence.Get().ReplaceAllString(text, "\n")
	text = reTag.Get().ReplaceAllString(text, "\n")
	var b strings.Builder
	for l := range strings.Lines(text) {
		t := strings.TrimSpace(l)
		if !rePasted.Matches(t) && len(t) <= 1200 && !strings.HasPrefix(l, "\t") && !strings.HasPrefix(l, "    ") {
			b.WriteString(t)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// splitSentences splits prose. A full stop ends a sentence when a blank follows, so
// that file names and versions stay whole.
func splitSentences(text string) []string {
	var out []string
	for para := range strings.SplitSeq(text, "\n") {
		para = strings.TrimSpace(reBullet.Get().ReplaceAllString(strings.TrimSpace(para), ""))
		for para != "" {
			var s string
			s, para = cutSentence(para)
			if s = strings.TrimSpace(s); s != "" {
				out = append(out, s)
			}
		}
	}
	return out
}

// cutSentence cuts off the first sentence with its closing mark.
func cutSentence(s string) (first, rest string) {
	tick := false
	for i := 0; i < len(s); i++ {
		if s[i] == '`' {
			tick = !tick
		}
		if tick || s[i] != '.' && s[i] != '!' && s[i] != '?' {
			continue
		}
		rest = strings.TrimLeft(s[i+1:], `.!?)"`)
		end := len(s) - len(rest)
		if rest == "" || rest[0] == ' ' && !endsAbbreviated(s[:i+1]) {
			return s[:end], rest
		}
		i = end - 1
	}
	return s, ""
}

// endsAbbreviated reports whether s ends in a stop that ends no sentence.
func endsAbbreviated(s string) bool {
	return slices.ContainsFunc([]string{"e.g.", "i.e.", "etc.", "vs.", "approx.", "eg.", "ie.", " ..", "cf."},
		func(a string) bool { return strings.HasSuffix(strings.ToLower(s), a) })
}

// IsSpec reports whether a prompt describes a piece of work at length.
func IsSpec(text string) bool {
	if len(text) > 1500 || strings.HasPrefix(text, "# ") || strings.Contains(text, "\n## ") || strings.Contains(text, "\n# ") {
		return true
	}
	bullets := 0
	for l := range strings.Lines(text) {
		if reBullet.Matches(strings.TrimSpace(l)) {
			bullets++
		}
	}
	return bullets >= 4
}

// isExplanation reports whether a sentence states how something must be.
func isExplanation(text string) bool {
	return reMust.Matches(text) && !strings.HasSuffix(text, "?") && len(text) < 140 &&
		!matchesAny(text, reUnsure, rePointing, reRude)
}

// Opposes reports whether a person speaks against something that was done.
func Opposes(text string) bool { return reAgainst.Matches(text) }

// FindReason returns the reason for taking something back; "" if there is none.
func FindReason(text string) string {
	for _, s := range splitSentences(ownWords(text)) {
		t := strings.TrimRight(polish(s), " .!")
		if strings.HasSuffix(t, "?") || len(t) > 160 {
			continue
		}
		if m := reReason.Get().FindStringSubmatch(t); m != nil {
			t = m[1]
		} else if !reClaim.Matches(t) || matchesAny(t, reUndo, reUnsure) {
			continue
		}
		if len(strings.Fields(t)) >= 3 && !reRude.Matches(t) {
			return LowerFirst(t)
		}
	}
	return ""
}

var (
	reFence   = lazy.New("(?s)```.*?(?:```|$)")
	reTag     = lazy.New(`(?s)<([a-z][\w-]*)[^>]*>.*?</([a-z][\w-]*)>`)
	rePasted  = lazy.New(`^(>|\||[│┃┌├└─+]|\$ |❯|➜|%|\d+[:→│]|[+-] ?\d+ |[{}\[\]]|//|/\*|#|at \S+\(|https?://\S+$|['"“].*['"”]$|\S+:\d+:\d+)`)
	reBullet  = lazy.New(`^(?:[-*•]|\d{1,2}[.)])\s+`)
	reMust    = lazy.New(`(?i)\b(should|must|needs? to|has to|have to)\b`)
	reAgainst = lazy.New(`(?i)\b(?:revert|undo|undone|roll(?:ed)? ?back|restore|put .{0,30}back|take .{0,30}(?:out|back)|no|not|don't|wrong|leave|keep|shouldn't|broke|breaks?)\b`)
	reReason  = lazy.New(`(?i)\b(?:revert|undo|roll(?:ed)? back|restore|put)\b.*?(?:,| -+| –| —|:|;| because| since| as)\s+(.+)`)
	reUndo    = lazy.New(`(?i)\b(?:revert|undo|roll(?:ed)? back|restore|put .* back)\b`)
	reClaim   = lazy.New(`(?i)\b(is|are|lives?|goes|go|belongs?|needs?|must|should|has|have|uses?|runs?|requires?|only|cannot|can't|works?)\b`)
	reUnsure  = lazy.New(`(?i)(^(i|i'm|oh|hm|maybe|perhaps|it|this|that|they|there|you|what|why|how|who|which|where|and|seems?|looks?)\b|\bi (think|guess|believe|suppose|wonder|see)\b|\bnot sure\b|\bprobably\b)`)
)
