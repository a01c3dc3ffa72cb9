package heuristic

import (
	"strings"

	"mem/oracle/heuristic/lazy"
	"mem/session"
)

// A scene is what is known about the moment a person spoke.
type scene struct {
	first     bool  // the first task: only standing rules count
	spec      bool  // a long description of work: the same, and more strictly
	denied    *call // the call that was refused with these words or just before
	no        bool  // a bare no came just before
	weight    int
	rule      string
	committed string   // "commit" or "push" if the agent just did that
	file      string   // what was just edited
	ran       []string // the programs that were just run
	answers   bool     // the agent had asked something
}

// A sentence is one thing a person said.
type sentence struct {
	text  string
	opens bool // begins its paragraph
}

// prose takes from a prompt what a person wrote in their own words: no code
// blocks, no quotes, no pasted output, no attachments.
func prose(text string) string {
	text = reFence.Get().ReplaceAllString(text, "\n")
	text = reTag.Get().ReplaceAllString(text, "\n")
	var b strings.Builder
	for l := range strings.Lines(text) {
		t := strings.TrimSpace(l)
		if t == "" {
			b.WriteString("\n")
			continue
		}
		if rePasted.Get().MatchString(t) || len(t) > 1200 || strings.HasPrefix(l, "\t") || strings.HasPrefix(l, "    ") {
			b.WriteString("\n")
			continue
		}
		b.WriteString(t)
		b.WriteByte('\n')
	}
	return b.String()
}

// sentences splits prose. Line breaks end a sentence, a full stop only when a
// blank follows, so that file names and versions stay whole.
func sentences(text string) []sentence {
	var out []sentence
	for para := range strings.SplitSeq(text, "\n") {
		para = strings.TrimSpace(reBullet.Get().ReplaceAllString(strings.TrimSpace(para), ""))
		opens := true
		for para != "" {
			var s string
			s, para = firstSentence(para)
			if s = strings.TrimSpace(s); s != "" {
				out = append(out, sentence{text: s, opens: opens})
				opens = false
			}
		}
	}
	return out
}

// firstSentence cuts off the first sentence with its closing mark.
func firstSentence(s string) (first, rest string) {
	tick := false
	for i := 0; i < len(s); i++ {
		if s[i] == '`' {
			tick = !tick
		}
		if tick || s[i] != '.' && s[i] != '!' && s[i] != '?' {
			continue
		}
		end := i + 1
		for end < len(s) && (s[end] == '.' || s[end] == '!' || s[end] == '?' || s[end] == ')' || s[end] == '"') {
			end++
		}
		if end == len(s) {
			return s, ""
		}
		if s[end] == ' ' && !abbreviation(s[:i+1]) {
			return s[:end], s[end:]
		}
		i = end - 1
	}
	return s, ""
}

// abbreviation reports whether s ends in a stop that ends no sentence.
func abbreviation(s string) bool {
	for _, a := range []string{"e.g.", "i.e.", "etc.", "vs.", "approx.", "eg.", "ie.", " ..", "cf."} {
		if strings.HasSuffix(strings.ToLower(s), a) {
			return true
		}
	}
	return false
}

// isSpec reports whether a prompt describes a piece of work at length: a
// plan, a ticket, a list of requirements.
func isSpec(text string) bool {
	if len(text) > 1500 || strings.HasPrefix(text, "# ") || strings.Contains(text, "\n## ") || strings.Contains(text, "\n# ") {
		return true
	}
	bullets := 0
	for l := range strings.Lines(text) {
		if reBullet.Get().MatchString(strings.TrimSpace(l)) {
			bullets++
		}
	}
	return bullets >= 4
}

// repeats reports whether a person's line is taken from what the agent or a
// tool said shortly before: people paste what they talk about.
func (s *timeline) repeats(text string, before int) bool {
	text = fold(text)
	if len(text) < 24 {
		return false
	}
	for i := before - 1; i >= 0 && i > before-60; i-- {
		st := s.events[i]
		if st.Kind == session.UserText || st.Kind == session.Compaction || st.Kind == session.BranchSummary {
			continue
		}
		if strings.Contains(fold(st.Text), text) || st.Input != "" && strings.Contains(fold(st.Input), text) {
			return true
		}
	}
	return false
}

// fold makes texts comparable that differ in layout alone.
func fold(s string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(s), func(r rune) bool {
		return r == ' ' || r == '\n' || r == '\t' || r == '`' || r == '*' || r == '│' || r == '|' || r == '"'
	}), " ")
}

var (
	reFence  = lazy.New("(?s)```.*?(?:```|$)")
	reTag    = lazy.New(`(?s)<([a-z][\w-]*)[^>]*>.*?</([a-z][\w-]*)>`)
	rePasted = lazy.New(`^(>|\||[│┃┌├└─+]|\$ |❯|➜|%|\d+[:→│]|[+-] ?\d+ |[{}\[\]]|//|/\*|#|at \S+\(|https?://\S+$|['"“].*['"”]$|\S+:\d+:\d+)`)
	reBullet = lazy.New(`^(?:[-*•]|\d{1,2}[.)])\s+`)
)
