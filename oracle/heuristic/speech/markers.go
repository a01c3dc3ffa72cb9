package speech

import (
	_ "embed" // for the markers
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

//go:embed markers.txt
var markers string

//go:embed pasted.txt
var pastedMarkers string

// A marker is its words, in the parts between "…".
type marker struct {
	opens   bool   // a sentence begins with it
	instead string // of a tool: what stands before the other
	parts   []part
}

// A part is words that stand together: what is before "*" and behind it, and whether they end the sentence.
type part struct {
	before, after string
	wild, last    bool
}

var listMarkers = sync.OnceValue(func() map[string][]marker {
	all := map[string][]marker{}
	for line := range strings.Lines(markers + pastedMarkers) {
		head, list, _ := strings.Cut(strings.TrimSpace(line), ": ")
		kind, _, found := strings.Cut(head, " ")
		if !found || kind == "#" {
			continue
		}
		for one := range strings.SplitSeq(list, " / ") {
			m := marker{opens: !strings.HasPrefix(one, "…")}
			for text := range strings.SplitSeq(strings.TrimPrefix(one, "…"), "…") {
				var p part
				text, p.last = strings.CutSuffix(strings.TrimSpace(text), ".")
				p.before, p.after, p.wild = strings.Cut(text, "*")
				m.parts = append(m.parts, p)
			}
			all[kind] = append(all[kind], m)
			if kind == "swap" && m.opens {
				all["tool"] = append(all["tool"], marker{true, m.parts[1].before, m.parts[:1]})
			}
		}
	}
	return all
})

// A match is a marker that was found.
type match struct {
	marker
	kind string
	end  int // of its first words; 0 if none was found
}

// find returns the marker of some kinds that is in a sentence in small letters: one that opens it
// before others, and the longest.
func find(lower string, kinds ...string) (best match) {
	for _, k := range kinds {
		for _, m := range listMarkers()[k] {
			if end := m.end(lower); end > 0 && (m.opens && !best.opens || m.opens == best.opens && end > best.end) {
				best = match{m, k, end}
			}
		}
	}
	return best
}

func has(text, kind string) bool { return find(lower(text), kind).end > 0 }

// lower writes a text in small letters of the same length.
func lower(text string) string {
	if l := strings.ToLower(text); len(l) == len(text) {
		return l
	}
	return text
}

// end returns where the first words of a marker end in a sentence; 0 if it is not there.
func (m marker) end(s string) (first int) {
	from := 0
	for i, p := range m.parts {
		if from = p.end(s, from, m.opens && i == 0); from < 0 {
			return 0
		}
		if i == 0 {
			first = from
		}
	}
	return first
}

// end returns where words end in s, from a place on or right there; -1 if they are not there.
func (p part) end(s string, from int, here bool) int {
	for at := from; at <= len(s); at++ {
		if here && (at > from || !strings.HasPrefix(s[at:], p.before)) {
			return -1
		}
		i := strings.Index(s[at:], p.before)
		if i < 0 {
			return -1
		}
		at += i
		end := at + len(p.before)
		if p.wild {
			end = p.endOfWord(s, end)
		}
		if end >= 0 && !joins(s, at) && !joins(s, end) && (!p.last || end == len(s)) {
			return end
		}
	}
	return -1
}

// endOfWord returns where a word ends as the part has it; -1 if it does not. "need" and "pass" are not
// forms of a verb, as "used" and "runs" are.
func (p part) endOfWord(s string, at int) int {
	word := s[at : len(s)-len(strings.TrimLeftFunc(s[at:], isLetter))]
	after, next, _ := strings.Cut(p.after, " ") // "* never" is any one word, and never
	stem, ok := strings.CutSuffix(word, after)
	if !ok || after != "" && (stem == "" || len(after) < 3 && stem[len(stem)-1] == after[0]) || after == "" && next != "" && word == "" {
		return -1
	}
	if at += len(word); next != "" && !strings.HasPrefix(s[at:], " "+next) {
		return -1
	}
	return at + len(p.after) - len(after)
}

// joins reports whether a place is in the midst of a word. Scripts that put no spaces between words have none.
func joins(s string, at int) bool {
	before, _ := utf8.DecodeLastRuneInString(s[:at])
	after, _ := utf8.DecodeRuneInString(s[at:])
	return at > 0 && at < len(s) && isLetter(before) && isLetter(after)
}

func isLetter(r rune) bool {
	return (unicode.IsLetter(r) || unicode.IsDigit(r) || r == '-' || r == '_') && !isDense(r)
}

// isDense reports whether a letter is of a script without spaces, or with endings in its words.
func isDense(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul)
}

// isBare reports whether a text is in such a script: these languages have no articles.
func isBare(text string) bool { return strings.IndexFunc(text, isDense) >= 0 }
