package withheld

import (
	"strings"

	"mem/index"
)

// HeldText stands for the words of a quarantined lesson where an agent reads.
const HeldText = "[quarantined: not shown to an agent before a person confirms it]"

// HideHeld returns an index without what quarantined lessons say, for showing it to an agent.
// Its WordsOf still know them. Those that an agent only doubts were shown before, and are not hidden.
func HideHeld(ix *index.Index) *index.Index {
	shown := ix.Clone()
	for i := range shown.Items {
		it := &shown.Items[i]
		isDoubted := !it.StampOf("status").IsZero() && strings.Contains(it.Why, index.Doubt)
		if it.Status == index.Quarantined && !isDoubted {
			it.Text, it.Why, it.Tags, it.Cue, it.Remedy, it.Evidence = HeldText, "", nil, nil, nil, nil
		}
	}
	return shown
}

// held is the status of lessons that are hidden, within this room.
const held = index.Quarantined + ", hidden"

// say returns the key of what a lesson says, also if that is hidden, and its status.
func say(it *index.Item) (key string, status index.Status) {
	if it.Text == HeldText {
		return index.SpokenKey(it.Key), held
	}
	return index.SpokenKey(it.Text), it.Status
}

// Hide returns a text of an index that hides quarantined lessons, with HeldText in place of each
// line that says one. Nil hides nothing.
func (w *Words) Hide(text string) string {
	if w == nil || !w.hides {
		return text
	}
	var b strings.Builder
	for line := range strings.Lines(text) {
		if w.findStatus(line) == held {
			said := strings.TrimRight(line, "\r\n")
			line = said[:len(said)-len(strings.TrimLeft(said, "-*+> "))] + HeldText + line[len(said):]
		}
		b.WriteString(line)
	}
	return b.String()
}
