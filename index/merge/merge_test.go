package merge_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"mem/index"
	"mem/index/codec"
	"mem/index/merge"
)

// A life makes indexes as clones make them: by what commands do.
type life struct {
	t     *rapid.T
	at    time.Time
	least int  // minutes between two commands
	fixed bool // no record becomes part of another
	// Another program names its kind and counts; no record goes, which would take that along.
	counts bool
	twins  bool // records that say the same become one
	n      int
	steps  []step // of all clones
}

// A step is an index before and after a command.
type step struct{ before, after *index.Index }

var lifeTexts = []string{"use pnpm", "read the log", "run it twice", "close the file"}

// live lets a clone do some commands, and returns what it has then.
func (l *life) live(ix *index.Index, most int) *index.Index {
	for range rapid.IntRange(0, most).Draw(l.t, "commands") {
		before := reload(l.t, ix)
		ix = l.command(reload(l.t, ix))
		ix.Normalize()
		l.steps = append(l.steps, step{before, reload(l.t, ix)})
	}
	return reload(l.t, ix)
}

func (l *life) command(ix *index.Index) *index.Index {
	l.n++
	l.at = l.at.Add(time.Duration(rapid.IntRange(l.least, 3).Draw(l.t, "minutes")) * time.Minute)
	text := rapid.SampledFrom(lifeTexts).Draw(l.t, "text")
	if len(ix.Items) == 0 {
		l.learn(ix, text)
		return ix
	}
	it := &ix.Items[rapid.IntRange(0, len(ix.Items)-1).Draw(l.t, "record")]
	switch rapid.IntRange(0, 9).Draw(l.t, "command") {
	case 0:
		it.Change(l.at, func(it *index.Item) { it.Status = index.Retired })
	case 1:
		it.Change(l.at, func(it *index.Item) { it.Status = index.Active })
	case 2:
		it.Change(l.at, func(it *index.Item) { it.Pinned = !it.Pinned })
	case 3:
		if l.twins {
			merge.JoinTwins(ix, l.at, func(*index.Item) bool { return false })
			break
		}
		if l.counts {
			it.Unknown = []index.Member{{Name: "kind", Value: []byte(`"strategy"`)}, {Name: "retrievalCount", Value: fmt.Append(nil, 7+l.n)}}
		}
		if l.counts || l.fixed {
			break
		}
		ix.RewordRecords(map[string]string{it.ID: text}, l.at)
	case 4:
		if len(l.steps) > 0 && !l.counts {
			s := l.steps[rapid.IntRange(0, len(l.steps)-1).Draw(l.t, "undo")]
			return merge.TakeBack(s.before, ix, s.after)
		}
	default:
		l.learn(ix, text)
	}
	return ix
}

func (l *life) learn(ix *index.Index, text string) {
	origin := rapid.SampledFrom([]index.Origin{index.OriginUser, index.OriginUser, index.OriginAgent, index.OriginTool}).Draw(l.t, "origin")
	said := index.Lesson{Text: text, Origin: origin, Source: index.Source{Session: fmt.Sprint(l.n)}} // the second confirms it
	ix.Apply(index.Reflection{ID: fmt.Sprintf("r-%012d", l.n), Fixes: []index.Lesson{said}}, l.at)
}

// reload is the index as a file holds it.
func reload(t *rapid.T, ix *index.Index) *index.Index {
	again, _, err := codec.Load(written(t, ix), t0)
	if err != nil {
		t.Fatal(err)
	}
	return again
}

func written(t *rapid.T, ix *index.Index) []byte {
	data, err := codec.Encode(ix)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func sameFile(t *rapid.T, what string, want, got *index.Index) {
	if a, b := string(written(t, want)), string(written(t, got)); a != b {
		diff(t, what, a, b)
		t.FailNow()
	}
}

// TestJoinTwinsLaws: clones of an index in which records say the same, some of which made
// one of them, come to the same file; it holds all that was counted once, and no twins if
// one of them looks again.
func TestJoinTwinsLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := &life{t: t, at: t0, least: 1, fixed: true, counts: true, twins: true}
		start := &index.Index{Version: index.Version}
		for n := range rapid.IntRange(2, 5).Draw(t, "records") {
			text := rapid.SampledFrom(lifeTexts[:2]).Draw(t, "text")
			it := index.Item{ID: fmt.Sprintf("m-%08d", n), Key: index.KeyOf(text), Text: text, Kind: index.Learning}
			it.AddSource(index.Source{ID: fmt.Sprintf("r-s%d", n), At: t0.Add(time.Duration(n-9) * time.Hour)})
			it.Fold()
			start.Items = append(start.Items, it)
		}
		start.Normalize()
		start = reload(t, start)
		a, b := l.live(start, 4), l.live(start, 4)
		one, two := merge.Indexes(start, a, b), merge.Indexes(start, b, a)
		sameFile(t, "a + b and b + a", one, two)
		joined := one.Clone()
		merge.JoinTwins(joined, l.at, func(*index.Item) bool { return false })
		joined.Normalize()
		if had, has := countHits(one), countHits(joined); had != has {
			t.Fatalf("%d sightings became %d", had, has)
		}
		keys := map[string]bool{}
		for _, it := range joined.Items {
			if it.Status == index.Active && keys[it.Key] {
				t.Fatalf("%q is there twice", it.Key)
			}
			keys[it.Key] = keys[it.Key] || it.Status == index.Active
		}
		sameFile(t, "the joined one met by the other", joined, reload(t, merge.Indexes(one, two, joined)))
	})
}

func countHits(ix *index.Index) (n int) {
	for _, it := range ix.Items {
		n += it.Hits
	}
	return n
}

// In whatever order clones meet, they come to the same file.
func TestMergeOfClonesLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := &life{t: t, at: t0, least: -1, counts: rapid.Bool().Draw(t, "counts")}
		empty := &index.Index{UpdatedAt: t0, Version: index.Version}
		start := l.live(empty, 6)
		a, b, c := l.live(start, 4), l.live(start, 4), l.live(start, 4)
		join := func(x, y *index.Index) *index.Index { return reload(t, merge.Indexes(nil, x, y)) }
		sameFile(t, "a file read and written", a, reload(t, a))
		sameFile(t, "a + a", a, join(a, a))
		sameFile(t, "a + b and b + a", join(a, b), join(b, a))
		sameFile(t, "(a + b) + c and a + (b + c)", join(join(a, b), c), join(a, join(b, c)))
		sameFile(t, "a + b + b", join(a, b), join(join(a, b), b))
		sameFile(t, "start + a", a, join(start, a))
		sameFile(t, "a from start, nothing new", a, reload(t, merge.Indexes(start, a, start)))
		sameFile(t, "nothing new, a from start", a, reload(t, merge.Indexes(start, start, a)))
		sameFile(t, "with the base and without it", join(a, b), reload(t, merge.Indexes(start, a, b)))
	})
}

// A lesson that an agent brought, that was taken back, and that a person said before it was
// brought back, is the agent's at birth and the person's since: no clone that only had the
// first knows better, and none takes it for an edit (the seed 343303279405396433).
func TestTwoBirths(t *testing.T) {
	for _, second := range []struct {
		at   time.Time
		text string
	}{{t0, "use pnpm"}, {t0.Add(time.Minute), "Use  pnpm"}, {t0.Add(-time.Minute), "use pnpm"}} {
		rapid.Check(t, func(t *rapid.T) {
			learn := func(ix *index.Index, id string, l index.Lesson, at time.Time) *index.Index {
				ix.Apply(index.Reflection{ID: id, Fixes: []index.Lesson{l}}, at)
				ix.Normalize()
				return reload(t, ix)
			}
			empty := &index.Index{UpdatedAt: t0, Version: index.Version}
			start := learn(reload(t, empty), "r-000000000001", index.Lesson{Text: "use pnpm", Origin: index.OriginAgent, Held: true, Domain: "coding"}, t0)
			undone := reload(t, merge.TakeBack(empty, start, start))
			again := learn(reload(t, undone), "r-000000000002", index.Lesson{Text: second.text, Origin: index.OriginUser, Severity: "high"}, second.at)
			both := reload(t, merge.TakeBack(start, again, undone))
			if it := both.Items[0]; len(both.Items) != 1 || it.Hits != 2 || it.Severity != "high" || it.Domain != "coding" || it.Status != index.Active {
				t.Fatalf("%+v", both.Items)
			}
			sameFile(t, "from start, nothing new", both, reload(t, merge.Indexes(start, both, start)))
			sameFile(t, "nothing new, from start", both, reload(t, merge.Indexes(start, start, both)))
			sameFile(t, "start and both", both, reload(t, merge.Indexes(nil, start, both)))
			sameFile(t, "both, met by what came before", both, reload(t, merge.Indexes(nil, again, both)))
		})
	}
}

// Undoing a command takes back what it did and no more; undoing that brings it back.
func TestTakeBackLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := &life{t: t, at: t0, least: -1}
		empty := &index.Index{UpdatedAt: t0, Version: index.Version}
		l.live(empty, 8)
		if len(l.steps) == 0 {
			return
		}
		last := l.steps[len(l.steps)-1]
		undone := reload(t, merge.TakeBack(last.before, last.after, last.after))
		diff(t, "undone", plain(last.before), plain(undone))
		redone := reload(t, merge.TakeBack(last.after, undone, undone))
		diff(t, "redone", plain(last.after), plain(redone))
		sameFile(t, "undone, met by what was not", undone, reload(t, merge.Indexes(nil, last.after, undone)))
	})
}

// Any command of a history can be taken back and brought back again, before or after
// the index meets that of an older clone, which went on by itself: the same comes out.
func TestTakeBackAndMergeLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := &life{t: t, at: t0, least: 1, fixed: true} // an undo is a millisecond later than what it undoes
		start := l.live(&index.Index{UpdatedAt: t0, Version: index.Version}, 6)
		a := l.live(start, 6)
		mine := l.steps
		l.steps, l.at = nil, l.at.Add(time.Hour) // the other clone undoes only what it did itself
		b := l.live(start, 4)
		if len(mine) == 0 {
			return
		}
		s := rapid.SampledFrom(mine).Draw(t, "step")
		meet := func(x, y *index.Index) *index.Index { return reload(t, merge.Indexes(start, x, y)) }
		undone := reload(t, merge.TakeBack(s.before, a, s.after))
		early, late := meet(undone, b), reload(t, merge.TakeBack(s.before, meet(a, b), s.after))
		diff(t, "undone and merged, merged and undone", plain(early), plain(late))
		sameFile(t, "merged on either side", early, meet(b, undone))
		redone := reload(t, merge.TakeBack(a, undone, undone))
		diff(t, "redone", plain(a), plain(redone))
		diff(t, "redone and merged", plain(meet(a, b)), plain(meet(redone, b)))
		diff(t, "merged and redone", plain(meet(a, b)), plain(reload(t, merge.TakeBack(a, early, undone))))
		diff(t, "with what was not undone", plain(early), plain(meet(undone, meet(a, b))))
	})
}

// A record that is the same on both sides is merged all the same if something else
// names it, as in half of a text that git merged.
func TestMergeOfARecordThatIsNamed(t *testing.T) {
	a := &index.Index{}
	a.Apply(index.Reflection{ID: "r-000000000001", Fixes: []index.Lesson{{Text: "use pnpm"}, {Text: "read the log"}, {Text: "run it twice"}}}, t0)
	a.Normalize()
	x, y := a.Items[0].ID, a.Items[1].ID
	retired := index.Register{At: t0.Add(time.Hour), Value: `"retired"`}
	for name, c := range map[string]struct {
		name func(*index.Index)
		ok   func(*index.Index) bool
	}{
		"purged": {func(ix *index.Index) { ix.Purged = []string{x} }, func(ix *index.Index) bool { return ix.ByID(x) < 0 }},
		"a link": {
			func(ix *index.Index) { ix.Undone.Links = map[index.Link]int{{From: x, Into: y}: 3} },
			func(ix *index.Index) bool { return ix.ByID(x) < 0 && ix.Items[ix.ByID(y)].Hits == 2 },
		},
		"a part": {
			func(ix *index.Index) { ix.Items[1].DerivedFrom = []string{x} },
			func(ix *index.Index) bool { return ix.ByID(x) < 0 && ix.Items[ix.ByID(y)].Hits == 2 },
		},
		"a home": {
			func(ix *index.Index) {
				ix.Items[1].AddSource(index.Source{ID: "r-000000000002", Home: x, At: t0})
				ix.Items[1].Fold()
			},
			func(ix *index.Index) bool { return ix.Items[ix.ByID(x)].Hits == 2 && ix.Items[ix.ByID(y)].Hits == 1 },
		},
		"a field": {
			func(ix *index.Index) {
				ix.Undone.Fields = map[index.FieldMark]index.Register{{Record: x, Field: "status"}: retired}
			},
			func(ix *index.Index) bool { return ix.Items[ix.ByID(x)].Status == index.Retired },
		},
	} {
		b := a.Clone()
		c.name(b)
		for _, merged := range []*index.Index{merge.Indexes(a, a, b), merge.Indexes(a, b, a), merge.Indexes(nil, a, b), merge.Indexes(nil, b, a)} {
			if !c.ok(merged) {
				t.Errorf("%s: %v", name, plain(merged))
			}
		}
	}
}

// A merge that comes to the records of theirs is theirs only if ours knows nothing else.
func TestMergeKeepsWhatOnlyOursKnows(t *testing.T) {
	theirs := &index.Index{}
	theirs.Apply(index.Reflection{ID: "r-000000000001", Fixes: []index.Lesson{{Text: "use pnpm"}, {Text: "read the log"}}}, t0)
	theirs.Normalize()
	x, y := theirs.Items[0].ID, theirs.Items[1].ID
	if merge.Indexes(theirs, theirs.Clone(), theirs) != theirs {
		t.Error("of two that are the same it is not theirs that comes out")
	}
	for name, know := range map[string]func(*index.Index){
		"a sighting that was taken back": func(ix *index.Index) {
			ix.Undone.Sightings = map[index.Mark]int{{Reflection: "r-000000000002", Record: x}: 2}
		},
		"a link that was taken back": func(ix *index.Index) { ix.Undone.Links = map[index.Link]int{{From: x, Into: y}: 2} },
		"a field of a lesson that is gone": func(ix *index.Index) {
			ix.Undone.Fields = map[index.FieldMark]index.Register{{Record: "m-1", Field: "status"}: {At: t0, Value: `"retired"`}}
		},
		"a purged lesson":   func(ix *index.Index) { ix.Purged = []string{"m-1"} },
		"an unknown member": func(ix *index.Index) { ix.Unknown = []index.Member{{Name: "x", Value: []byte("1")}} },
		"a newer version":   func(ix *index.Index) { ix.Version++ },
	} {
		ours := theirs.Clone()
		know(ours)
		for _, merged := range []*index.Index{merge.Indexes(theirs, ours, theirs), merge.Indexes(nil, ours, theirs)} {
			if d := cmp.Diff(ours, merged, cmpopts.EquateEmpty()); d != "" {
				t.Errorf("%s (-want +got):\n%s", name, d)
			}
		}
	}
}

// What was set on a lesson is taken back also while nothing counts for it, and does not
// come again with the lesson.
func TestTakeBackOfAFieldWithoutItsLesson(t *testing.T) {
	at := time.Date(2026, 2, 3, 4, 5, 6, 0, time.UTC)
	learn := func(ix *index.Index, id string) *index.Index {
		ix = ix.Clone()
		ix.Apply(index.Reflection{ID: id, Fixes: []index.Lesson{{Text: "use pnpm"}}}, at)
		ix.Normalize()
		return ix
	}
	none := &index.Index{}
	one := learn(none, "r-000000000001")
	retired := one.Clone()
	retired.Items[0].Change(at.Add(time.Minute), func(it *index.Item) { it.Status = index.Retired })
	now := merge.TakeBack(none, retired, one)
	if len(now.Items) > 0 || len(now.Undone.Fields) != 1 {
		t.Fatalf("%d records, %v", len(now.Items), now.Undone.Fields)
	}
	if again := learn(now, "r-000000000002"); again.Items[0].Status != index.Retired {
		t.Error("it is not known that it was retired")
	}
	now = merge.TakeBack(one, now, retired)
	if again := learn(now, "r-000000000002"); again.Items[0].Status != index.Active {
		t.Error("it is retired still")
	}
}

// A merge brings what was set on a lesson with the lesson, and not by itself: a stash that
// is taken on an older branch holds all that was known where it was made.
func TestMergeOfAnOldField(t *testing.T) {
	base := &index.Index{}
	base.Apply(index.Reflection{ID: "r-000000000001", Fixes: []index.Lesson{{Text: "use pnpm"}}}, t0)
	base.Items[0].Change(t0.Add(time.Hour), func(it *index.Item) { it.SetText("use pnpm for all") })
	theirs := base.Clone()
	theirs.Apply(index.Reflection{ID: "r-000000000002", Fixes: []index.Lesson{{Text: "read the log"}}}, t0)
	theirs.Normalize()
	none := &index.Index{}
	if merged := merge.Indexes(base, none, theirs); len(merged.Items) != 1 || len(merged.Undone.Fields) > 0 {
		t.Errorf("%v, %v", plain(merged), merged.Undone.Fields)
	}
	if undone := merge.TakeBack(theirs, none, base); len(undone.Items) != 1 || len(undone.Undone.Fields) > 0 {
		t.Errorf("taken back: %v, %v", plain(undone), undone.Undone.Fields)
	}
	// A sighting of it brings the lesson, as it is there.
	theirs.Apply(index.Reflection{ID: "r-000000000003", Fixes: []index.Lesson{{Text: "use pnpm for all"}}}, t0)
	if merged := merge.Indexes(base, none, theirs); len(merged.Items) != 2 || merged.ByID(base.Items[0].ID) < 0 || !strings.Contains(fmt.Sprint(plain(merged)), "for all") {
		t.Errorf("%v", plain(merged))
	}
}

// What was set on a lesson before a commit is not what the commit did: picked onto a
// branch that has the lesson, it leaves it as it is there.
func TestPickWithoutAnOldField(t *testing.T) {
	learn := func(ix *index.Index, id, text string) *index.Index {
		ix = ix.Clone()
		ix.Apply(index.Reflection{ID: id, Fixes: []index.Lesson{{Text: text}}}, t0)
		ix.Normalize()
		return ix
	}
	none := &index.Index{}
	ours := learn(none, "r-000000000001", "use pnpm")
	was := ours.Clone()
	was.Items[0].Change(t0.Add(time.Hour), func(it *index.Item) { it.Status, it.Pinned = index.Retired, true })
	undone := merge.TakeBack(none, was, was)
	for name, picked := range map[string][2]*index.Index{
		"of another lesson":           {undone, learn(undone, "r-000000000002", "read the log")},
		"that learns it again":        {undone, learn(undone, "r-000000000002", "use pnpm")},
		"of another, while it counts": {was, learn(was, "r-000000000002", "read the log")},
	} {
		merged := merge.Indexes(picked[0], ours, picked[1])
		if it := merged.Items[merged.ByID(ours.Items[0].ID)]; it.Status != index.Active || it.Pinned {
			t.Errorf("%s: %v", name, plain(merged))
		}
		two := learn(ours, "r-000000000000", "run pnpm") // the older one
		two.RewordRecords(map[string]string{two.Items[0].ID: "always pnpm", two.Items[1].ID: "always pnpm"}, t0.Add(time.Minute))
		merged = merge.Indexes(picked[0], two, picked[1])
		if it := merged.Items[merged.ByID(two.Items[0].ID)]; it.Status != index.Active || it.Pinned {
			t.Errorf("%s, where it is part of one: %v", name, plain(merged))
		}
		if merged = merge.Indexes(picked[0], none, picked[1]); name == "that learns it again" && merged.Items[0].Status != index.Retired {
			t.Errorf("%s, where it is not known: %v", name, plain(merged))
		}
	}
}

// git's revert of what was set on a lesson is later than all that was set on it before.
func TestRevertedFieldIsLater(t *testing.T) {
	before := &index.Index{}
	before.Apply(index.Reflection{ID: "r-000000000001", Fixes: []index.Lesson{{Text: "use pnpm"}}}, t0)
	set := before.Clone()
	set.Items[0].Change(t0.Add(time.Hour), func(it *index.Item) { it.Pinned = true })
	ours := set.Clone()
	ours.Items[0].Change(t0.Add(2*time.Hour), func(it *index.Item) { it.SetText("use pnpm for all") })
	it := merge.Indexes(set, ours, before).Items[0]
	if it.Pinned || !it.StampOf("pinned").After(it.StampOf("text")) {
		t.Errorf("pinned: %v at %v, after %v", it.Pinned, it.StampOf("pinned"), it.StampOf("text"))
	}
}

// Two lessons that a redistill made one of, that an undo parted and that a redistill
// made one of again are one, also after the next merge.
func TestMergedAgain(t *testing.T) {
	apart := &index.Index{}
	apart.Apply(index.Reflection{ID: "r-000000000001", Fixes: []index.Lesson{{Text: "use pnpm"}, {Text: "run pnpm"}}}, t0)
	apart.Normalize()
	x, y := apart.Items[0].ID, apart.Items[1].ID
	at := t0
	redistill := func(ix *index.Index, text string) *index.Index {
		ix, at = ix.Clone(), at.Add(time.Hour)
		ix.RewordRecords(map[string]string{x: text, y: text}, at)
		ix.Normalize()
		return ix
	}
	one := redistill(apart, "always pnpm")
	again := redistill(merge.TakeBack(apart, one, one), "pnpm alone")
	older := apart.Clone()
	older.Apply(index.Reflection{ID: "r-000000000002", Fixes: []index.Lesson{{Text: "read the log"}}}, at)
	for _, merged := range []*index.Index{merge.Indexes(nil, again, older), merge.Indexes(apart, again, older), merge.Indexes(nil, older, again)} {
		if i := merged.ByID(x); len(merged.Items) != 2 || i < 0 || merged.Items[i].Hits != 2 || merged.Items[i].Text != "pnpm alone" {
			t.Errorf("merged: %v", plain(merged))
		}
	}
	// Both are undone as well: what is learned again of the part is learned of the whole.
	gone := merge.TakeBack(&index.Index{}, again, apart)
	if len(gone.Items) > 0 {
		t.Fatalf("left: %v", plain(gone))
	}
	gone.Apply(index.Reflection{ID: "r-000000000003", Fixes: []index.Lesson{{Text: "run pnpm"}}}, at)
	gone.Normalize()
	if gone.Items[0].ID != x || gone.Items[0].Text != "pnpm alone" {
		t.Errorf("learned again: %v", plain(gone))
	}
	if merged := merge.Indexes(nil, gone, again); fmt.Sprint(plain(merged)) != fmt.Sprint(plain(gone)) {
		t.Errorf("and merged: %v, want %v", plain(merged), plain(gone))
	}
}

// plain is what an index says, without how it came to it.
func plain(ix *index.Index) (lines []string) {
	for _, it := range ix.Items {
		lines = append(lines, fmt.Sprint(it.Text, it.Kind, it.Hits, it.Score, it.FirstSeen, it.LastSeen, it.ID, it.Status, it.Pinned))
	}
	slices.Sort(lines)
	return lines
}

// What another program counts in a record costs it nothing that was set on it, on
// whichever side it is, and the larger count stands.
func TestMergeOfUnknownMembers(t *testing.T) {
	counted := func(n string) *index.Index {
		it := index.Item{ID: "m-1", Key: "use pnpm", Text: "use pnpm", Kind: index.Learning, Hits: 1, Score: 1, FirstSeen: t0, LastSeen: t0}
		it.Unknown = []index.Member{{Name: "retrievalCount", Value: []byte(n)}}
		it.FillBefore(false, 0)
		it.Change(t0, func(it *index.Item) { it.Pinned = true })
		return &index.Index{Version: index.Version, UpdatedAt: t0, Items: []index.Item{it}}
	}
	empty := &index.Index{Version: index.Version, UpdatedAt: t0}
	for _, tt := range []struct{ base, ours, theirs, want *index.Index }{
		{nil, empty, counted("9"), counted("9")},
		{nil, counted("9"), empty, counted("9")},
		{nil, counted("9"), counted("10"), counted("10")},
		{nil, counted("10"), counted("9"), counted("10")},
		{counted("10"), counted("9"), counted("10"), counted("9")},
		{counted("10"), counted("10"), counted("9"), counted("9")},
	} {
		diff(t, "merged", tt.want.Items, merge.Indexes(tt.base, tt.ours, tt.theirs).Items)
	}
}

// A merge that is taken back brought a lesson that was undone and redone, which counts before it and
// after: it goes on to count.
func TestMergeBackOfATurn(t *testing.T) {
	at := time.Date(2026, 2, 3, 4, 5, 6, 0, time.UTC)
	lesson := func(n int) *index.Index {
		ix := new(index.Index)
		ix.Apply(index.Reflection{ID: "r-1", Fixes: []index.Lesson{{Text: "Ask before a release"}}}, at)
		if n > 1 {
			ix.Undone.Sightings = map[index.Mark]int{{Reflection: "r-1", Record: ix.Items[0].ID}: n}
		}
		return ix
	}
	for _, got := range []*index.Index{
		merge.Indexes(lesson(3), lesson(3), lesson(1)), merge.TakeBack(lesson(1), lesson(3), lesson(3)),
	} {
		for _, n := range got.Undone.Sightings {
			if n%2 == 0 || len(got.Items) != 1 {
				t.Errorf("%d lessons, and a sighting was turned %d times", len(got.Items), n)
			}
		}
	}
}
