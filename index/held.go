package index

import (
	"strings"
)

// Against returns the Why of a lesson that waits because of what it is to a known one, such as "replace".
func Against(op, known, why string) string {
	return strings.TrimSuffix(op+" "+known+": "+why, ": ")
}

// heldAs begins the Why of a lesson that is held for something that it lacks.
const heldAs = "held, as "

// HeldFor returns the Why of a lesson that is held, with the doubt about it.
func HeldFor(doubt, why string) string {
	return strings.TrimSuffix(heldAs+doubt+": "+why, ": ")
}

// Doubted returns the doubt for which a lesson is held; "" if it says none.
func (it *Item) Doubted() string {
	rest, isHeld := strings.CutPrefix(it.Why, heldAs)
	if doubt, _, _ := strings.Cut(rest, ": "); isHeld {
		return doubt
	}
	return ""
}

// DropHeld takes the doubt out of the Why of a lesson that is not held any more.
func (it *Item) DropHeld() {
	if rest, isHeld := strings.CutPrefix(it.Why, heldAs); isHeld {
		_, it.Why, _ = strings.Cut(rest, ": ")
	}
}

// Rival returns the id of the known lesson that this one replaces once a person agrees; "" for none.
func (it *Item) Rival() string {
	said := strings.Fields(it.Why)
	if len(said) < 2 || said[0] != "replace" && said[0] != "contradict" || !strings.HasPrefix(said[1], "m-") {
		return ""
	}
	return strings.TrimSuffix(said[1], ":")
}

// Withheld holds the words of the lessons that sessions are not shown, to find them elsewhere, such as in the journal.
// StatusOf recognizes lines that state one. The zero value, and nil, withhold nothing. It is for one goroutine.
type Withheld struct {
	items  []Item
	former map[string]*Item // by the ids of withheld lessons, which their first words give
	said   map[string]*Item // by the keys of withheld lessons, between spaces
	shown  map[string]bool  // keys of lessons that are shown; nil until one is asked for
}

// manyWords is the fewest words with which a lesson is found inside a longer line. Shorter ones would match by chance.
const manyWords = 3

// Withheld returns the words that an index withholds.
func (ix *Index) Withheld() *Withheld {
	w := &Withheld{items: ix.Items, said: map[string]*Item{}, former: map[string]*Item{}}
	for it := range ix.All() {
		if !it.IsShown() {
			said := it.Text
			if it.isHidden() {
				said = it.Key
			}
			w.former[it.ID], w.said[" "+SpokenKey(said)+" "] = it, it
		}
	}
	return w
}

// StatusOf returns the status of the withheld lesson that a line of text says,
// also within a longer sentence; Active if it says none, or one that is shown.
func (w *Withheld) StatusOf(line string) Status {
	if it := w.find(line); it != nil {
		return it.Status
	}
	return Active
}

// find returns the withheld lesson that a line of text says; nil for none, or one that is shown.
func (w *Withheld) find(line string) *Item {
	if w == nil || len(w.said) == 0 {
		return nil
	}
	key := SpokenKey(line)
	it := w.findSaid(key)
	if it == nil {
		it = w.findFormer(line)
	}
	if it != nil && w.isShown(key) {
		return nil
	}
	return it
}

// findSaid returns the withheld lesson that equals a key or is contained in it. Of several it prefers a hidden one.
func (w *Withheld) findSaid(key string) *Item {
	key = " " + key + " "
	it := w.said[key]
	for said, other := range w.said {
		isPart := strings.Contains(key, said) && strings.Count(said, " ") > manyWords
		if isPart && (it == nil || other.isHidden() || !it.isHidden() && other.Status < it.Status) {
			it = other
		}
	}
	return it
}

// findFormer returns the withheld lesson that had a line's words before it was reworded: its id comes of them.
func (w *Withheld) findFormer(line string) *Item {
	text := strings.TrimLeft(strings.TrimSpace(line), "-*+> ")
	for _, said := range []string{text, AddAvoid(text)} {
		if it := w.former[BaseID(KeyOf(said))]; it != nil {
			return it
		}
	}
	return nil
}

// isShown reports whether a lesson that is shown has the key. Few lines ask.
func (w *Withheld) isShown(key string) bool {
	if w.shown == nil {
		w.shown = map[string]bool{}
		for i := range w.items {
			if it := &w.items[i]; it.IsShown() {
				w.shown[SpokenKey(it.Text)] = true
			}
		}
	}
	return w.shown[key]
}

// replace returns text with what show makes of each line that says a withheld lesson; end is how the line ends.
func (w *Withheld) replace(text string, show func(it *Item, line, end string) string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if it := w.find(line); it != nil {
			said := strings.TrimRight(line, "\r\n")
			line = show(it, said, line[len(said):])
		}
		b.WriteString(line)
	}
	return b.String()
}

// Drop returns text without the lines that say a withheld lesson.
func (w *Withheld) Drop(text string) string {
	return w.replace(text, func(*Item, string, string) string { return "" })
}

// CutSubject returns a commit's subject without the lesson behind its fixed words, if the message states a
// withheld lesson: cut short in the subject, the lesson itself would not be recognized.
func (w *Withheld) CutSubject(subject, message string) string {
	const fixed = "chore(memory): "
	before, rest, _ := strings.Cut(subject, fixed)
	kind, _, isNamed := strings.Cut(rest, ": ")
	if !isNamed || w.Drop(message) == message {
		return subject
	}
	return before + fixed + kind
}

// Mark returns text with the status appended to each line that states a withheld lesson. If the index hides
// quarantined lessons, HeldText replaces their words.
func (w *Withheld) Mark(text string) string {
	return w.replace(w.Hide(text), func(it *Item, line, end string) string { return line + " (" + string(it.Status) + ")" + end })
}

// Hide returns a text of an index that hides quarantined lessons, with HeldText in place of each
// line that says one. Nil hides nothing.
func (w *Withheld) Hide(text string) string {
	return w.replace(text, func(it *Item, line, end string) string {
		if it.isHidden() {
			line = line[:len(line)-len(strings.TrimLeft(line, "-*+> "))] + HeldText
		}
		return line + end
	})
}

// HeldText stands for the words of a quarantined lesson where an agent reads.
const HeldText = "[quarantined: not shown to an agent before a person confirms it]"

// HideHeld returns an index without the words of quarantined lessons, for showing it to an agent. Its Withheld
// still knows them. Lessons that only an agent doubts stay visible: they were shown before.
func (ix *Index) HideHeld() *Index {
	shown := ix.Clone()
	for it := range shown.All() {
		isDoubted := !it.StampOf("status").IsZero() && strings.Contains(it.Why, Doubt)
		if it.Status == Quarantined && !isDoubted {
			it.Text, it.Why, it.Tags, it.Cue, it.Remedy, it.Evidence = HeldText, "", nil, nil, nil, nil
		}
	}
	return shown
}

// isHidden reports whether HideHeld took the words of a lesson.
func (it *Item) isHidden() bool { return it.Text == HeldText }
