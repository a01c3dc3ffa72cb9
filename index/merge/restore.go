package merge

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"mem/index"
)

// RestoreFrom puts back into an index what another program dropped when it rewrote it
// as version 1: the members that only later versions know, taken by key from
// before. Texts stay as the other program left them, and what it counted since is
// counted; file names what it wrote, so that every clone counts the same.
//
// It returns how many records were completed. Nothing happens unless ix was
// loaded as version 1 and before was not.
func RestoreFrom(ix, before *index.Index, file string) int {
	if ix.Version >= 2 || before.Version < 2 {
		return 0
	}
	ix.Version = index.Version
	ix.Undone, ix.Purged = before.Undone, before.Purged
	if len(ix.Unknown) == 0 {
		ix.Unknown = before.Unknown
	}
	old := make(map[string][]*index.Item, len(before.Items))
	for i := range before.Items {
		it := &before.Items[i]
		old[it.Key] = append(old[it.Key], it)
	}
	restored := 0
	var added []*index.Item
	given := map[string]bool{}
	for i := range ix.Items {
		it := &ix.Items[i]
		if was := old[it.Key]; len(was) > 0 { // of equal keys each gets its own
			old[it.Key] = was[1:]
			*it = completed(it, was[0], file)
			given[it.ID] = true
			restored++
		} else {
			added = append(added, it)
		}
	}
	for _, it := range added { // their ids are minutes old, the others are known
		if given[it.ID] {
			it.ID = ""
		}
	}
	ix.AssignIDs()
	return restored
}

// maxRecounted bounds how many sightings another program is believed to have added
// to a record; what is beyond comes without sightings.
const maxRecounted = 100

// completed is the record with everything that version 1 does not hold, as it was, and
// with the sightings that version 1 counted since.
func completed(it, was *index.Item, file string) index.Item {
	whole := *was
	whole.FillBefore(false, was.Place)
	whole.Unknown = index.MergeMembers(it.Unknown, was.Unknown)
	if it.Text != was.Text {
		whole.Text = it.Text
		whole.SetStamp(index.Spelling, whole.NextStamp(it.LastSeen))
	}
	for n := was.Hits + 1; n <= min(it.Hits, was.Hits+maxRecounted); n++ {
		sum := sha256.Sum256(fmt.Appendf(nil, "%s\x00%s\x00%d", file, was.Key, n))
		whole.AddSource(index.Source{ID: "v-" + hex.EncodeToString(sum[:6]), At: it.LastSeen})
	}
	whole.Before.Hits += max(0, it.Hits-was.Hits-maxRecounted)
	whole.Fold()
	return whole
}
