package speech

import (
	"strings"

	"mem/lazy"
)

// SplitSentences splits a text into sentences with their closing marks. A line is at most a sentence,
// but for one that ends in a colon; bullets are taken off.
func SplitSentences(text string) []string {
	var out []string
	for para := range strings.SplitSeq(text, "\n") {
		line := strings.TrimSpace(para)
		for para = strings.TrimSpace(reBullet.Get().ReplaceAllString(line, "")); para != ""; {
			var s string
			s, para = cutSentence(para)
			if n := len(out) - 1; n >= 0 && strings.HasSuffix(out[n], ":") && len(out[n])+len(s) < maxSentence && (!reBullet.Matches(line) || find(lower(out[n]), "opener", "fact").opens) {
				out[n] += " " + s
			} else if s = strings.TrimSpace(s); s != "" {
				out = append(out, s)
			}
		}
	}
	return out
}

// cutSentence cuts off the first sentence with its closing mark.
func cutSentence(s string) (first, rest string) {
	for _, at := range reStop.Get().FindAllStringIndex(s, -1) {
		if end := strings.TrimRight(s[:at[1]], " "); s[at[0]] != '`' && (at[1] == len(s) || !reShort.Matches(s[:at[0]+1])) {
			return end, s[len(end):]
		}
	}
	return s, ""
}

// isSpec reports whether a message describes a piece of work at length, or is a list.
func isSpec(text string) bool {
	return len(text) > 1500 || reTitled.Matches(text) || len(reItem.Get().FindAllStringIndex(text, 4)) > 3
}

var (
	reBullet = lazy.New(`^(?:[-*•]|\d{1,2}[.)])\s+`)
	reItem   = lazy.New(`(?m)^\s*(?:[-*•]|\d{1,2}[.)])\s+`)
	reTitled = lazy.New(`(?m)\A# |^##? |\A(?i:you are (?:an? |\w+ing )|your (?:task|job|role) is |act as |du bist |tu es |eres |você é )`)
	reStop   = lazy.New("`[^`]*(?:`|$)|[.!?][.!?)\"`]*(?: |$)|[。！？]+")
	// reShort matches what ends in a stop that ends no sentence.
	reShort = lazy.New(`(?i)(?:e\.?g|i\.?e|etc|vs|approx|cf| \.|, )\.$`)
)

// FirstSentence returns the first sentence of a text.
func FirstSentence(text string) string {
	s, _ := cutSentence(strings.TrimSpace(text))
	return s
}
