package index

// RestoreFrom puts back what another program dropped when it rewrote the index
// as version 1: the members that only version 2 knows, taken by key from
// before. Counts, texts and dates stay as the other program left them.
//
// It returns how many records were completed. Nothing happens unless ix was
// loaded as version 1 and before was not.
func (ix *Index) RestoreFrom(before *Index) int {
	if ix.Version >= 2 || before.Version < 2 {
		return 0
	}
	ix.Version = Version
	if ix.Replica == "" {
		ix.Replica = before.Replica
	}
	if len(ix.Unknown) == 0 {
		ix.Unknown = before.Unknown
	}
	old := make(map[string][]*Item, len(before.Items))
	for i := range before.Items {
		it := &before.Items[i]
		old[it.Key] = append(old[it.Key], it)
	}
	restored := 0
	var added []*Item
	given := map[string]bool{}
	for i := range ix.Items {
		it := &ix.Items[i]
		if was := old[it.Key]; len(was) > 0 { // of equal keys each gets its own
			old[it.Key] = was[1:]
			it.complete(was[0])
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

// complete takes from was everything that version 1 does not hold.
func (it *Item) complete(was *Item) {
	whole := *was
	whole.Key, whole.Text, whole.Kind = it.Key, it.Text, it.Kind
	whole.Hits, whole.Score = it.Hits, it.Score
	whole.FirstSeen, whole.LastSeen = it.FirstSeen, it.LastSeen
	whole.Unknown = mergeMembers(it.Unknown, was.Unknown)
	*it = whole
}
