package recall

import (
	"fmt"
	"slices"
	"time"

	"mem/index"
	"mem/recall/opposite"
)

// markOpposites lets the newer of two lessons that say the opposite of each other name the
// older one, which is left out unless it is pinned: then it names the newer. That words alone show it is enough.
func (b *bundle) markOpposites() {
	var lessons []*entry
	var list []opposite.Lesson
	for _, e := range b.entries {
		if e.item != nil {
			lessons = append(lessons, e)
			list = append(list, opposite.Lesson{Text: index.StripAvoid(e.text), Avoid: e.kind == index.AntiPattern, Seen: e.item.LastSeen})
		}
	}
	gone := map[*entry]bool{}
	for _, p := range opposite.Find(list) {
		newer, older := lessons[p.Newer], lessons[p.Older]
		if gone[newer] || gone[older] {
			continue
		}
		newer.against = older.quote()
		newer.named = append(newer.named, older.id)
		if gone[older] = !older.item.Pinned; older.item.Pinned {
			older.outdone = newer.quote()
		}
	}
	b.entries = slices.DeleteFunc(b.entries, func(e *entry) bool { return gone[e] })
}

// quote returns what a lesson says, and when it was last seen, for the line of another one.
func (e *entry) quote() string {
	return fmt.Sprintf("“%s”, %s", e.text, e.item.LastSeen.UTC().Format(time.DateOnly))
}
