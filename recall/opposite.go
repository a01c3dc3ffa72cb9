package recall

import (
	"fmt"
	"slices"
	"time"

	"mem/curate/lesson/similarity"
	"mem/index"
)

// markOpposites lets the newer of two lessons that say the opposite of each other name the
// older one, which is left out unless it is pinned. That words alone show it is enough.
func (b *bundle) markOpposites() {
	var lessons []*entry
	var list []similarity.Statement
	for _, e := range b.entries {
		if e.item != nil {
			lessons = append(lessons, e)
			list = append(list, similarity.Statement{Text: index.StripAvoid(e.text), Avoid: e.kind == index.AntiPattern})
		}
	}
	gone := map[*entry]bool{}
	for _, p := range similarity.FindOpposites(list) {
		newer, older := lessons[p.First], lessons[p.Second]
		if older.item.LastSeen.After(newer.item.LastSeen) {
			newer, older = older, newer
		}
		if gone[newer] || gone[older] || older.item.LastSeen.Equal(newer.item.LastSeen) {
			continue
		}
		newer.against = fmt.Sprintf("“%s”, %s", older.text, older.item.LastSeen.UTC().Format(time.DateOnly))
		gone[older] = !older.item.Pinned
	}
	b.entries = slices.DeleteFunc(b.entries, func(e *entry) bool { return gone[e] })
}
