package index

import (
	"strings"
	"unicode"
)

// Withheld is what an index knows of lessons that sessions are not shown. The
// journal keeps what was once said in their words; StatusOf tells such lines from
// the others. The zero value withholds nothing. It is for one goroutine.
type Withheld struct {
	items []Item
	shown map[string]bool            // keys of lessons that are shown; nil until one is asked for
	short map[string]Status          // keys of withheld lessons of fewer than startWords words
	long  map[string][]withheldWords // the others, by their first startWords words
}

type withheldWords struct {
	key    string
	status Status
}

// startWords is how many words of a lesson find it within a longer line. Of
// fewer, chance would find too many.
const startWords = 3

// Withheld returns what the lines of a journal must be asked about.
func (ix *Index) Withheld() *Withheld {
	w := &Withheld{items: ix.Items, short: map[string]Status{}, long: map[string][]withheldWords{}}
	for i := range ix.Items {
		it := &ix.Items[i]
		if it.IsShown() {
			continue
		}
		key := spokenKey(it.Text)
		if start, whole := firstWords(key); whole {
			w.long[start] = append(w.long[start], withheldWords{key, it.Status})
		} else {
			w.short[key] = it.Status
		}
	}
	return w
}

// IsShown reports whether sessions are shown the lesson, by itself or in a rule.
func (it *Item) IsShown() bool { return it.Status == Active || it.Status == Compiled }

// StatusOf returns the status of the withheld lesson that a line of text says,
// also within a longer sentence; Active if it says none, or one that is shown.
func (w *Withheld) StatusOf(line string) Status {
	key := spokenKey(line)
	status, ok := w.short[key]
	for at := 0; !ok && at < len(key) && len(w.long) > 0; at = nextWord(key, at) {
		start, _ := firstWords(key[at:])
		for _, l := range w.long[start] {
			if strings.HasPrefix(key[at:], l.key) && (len(key) == at+len(l.key) || key[at+len(l.key)] == ' ') {
				status, ok = l.status, true
			}
		}
	}
	if ok && w.isShown(key) {
		return Active
	}
	return status
}

// isShown reports whether a lesson that is shown has the key. Few lines ask.
func (w *Withheld) isShown(key string) bool {
	if w.shown == nil {
		w.shown = map[string]bool{}
		for i := range w.items {
			if it := &w.items[i]; it.IsShown() {
				w.shown[spokenKey(it.Text)] = true
			}
		}
	}
	return w.shown[key]
}

// Drop returns text without the lines that say a withheld lesson.
func (w *Withheld) Drop(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if w.StatusOf(line) == Active {
			b.WriteString(line)
		}
	}
	return b.String()
}

// Mark returns text with its status behind each line that says a withheld lesson.
func (w *Withheld) Mark(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if status := w.StatusOf(line); status != Active {
			said := strings.TrimRight(line, "\r\n")
			line = said + " (" + string(status) + ")" + line[len(said):]
		}
		b.WriteString(line)
	}
	return b.String()
}

// spokenKey is what a lesson says, in whatever punctuation: its words in lower case,
// without "Avoid:".
func spokenKey(text string) string {
	text = strings.TrimLeft(strings.TrimSpace(text), "-*+> ")
	return strings.Join(strings.FieldsFunc(KeyOf(StripAvoid(text)), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsMark(r) && !unicode.IsDigit(r)
	}), " ")
}

// firstWords returns the first startWords words of a key, and whether it has as
// many.
func firstWords(key string) (string, bool) {
	at := 0
	for range startWords {
		if at >= len(key) {
			return key, false
		}
		at = nextWord(key, at)
	}
	return strings.TrimSpace(key[:at]), true
}

// nextWord is where the word behind the one at a place of a key begins.
func nextWord(key string, at int) int {
	if n := strings.IndexByte(key[at:], ' '); n >= 0 {
		return at + n + 1
	}
	return len(key)
}
