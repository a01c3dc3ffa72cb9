package recall

import (
	"hash/maphash"
	"slices"

	"mem/index"
	"mem/recall/notes"
	"mem/recall/score"
	"mem/repo"
)

// A pool is the lessons of one memory that may still be shown, best first.
//
// There may be 100,000, of which some sixty are chosen, in several passes. To
// look into the records in the order of their rank is to jump about in memory,
// so that the passes look at marks, which are made in one go.
type pool struct {
	source *notes.Source
	ix     *index.Index
	marks  []mark // by position
	rest   []score.Place
}

// A mark is what the choice needs to know of a record.
type mark struct {
	key                          uint64 // a hash of it
	proven, pinned, fresh, avoid bool
}

// marksOf marks all records of a memory.
func marksOf(m *repo.Memory, seed maphash.Seed) []mark {
	since := m.Now().Add(-freshFor)
	marks := make([]mark, len(m.Index.Items))
	for pos := range marks {
		it := &m.Index.Items[pos]
		marks[pos] = mark{
			key: maphash.String(seed, it.Key), proven: it.IsProven(), pinned: it.Pinned,
			fresh: it.LastSeen.After(since), avoid: it.Kind == index.AntiPattern,
		}
	}
	return marks
}

// dropKeys leaves out the lessons with these keys.
func (p *pool) dropKeys(k keys) {
	if len(k.all) == 0 {
		return
	}
	p.rest = slices.DeleteFunc(p.rest, func(at score.Place) bool {
		return k.hashes[p.marks[at.Pos].key] && k.all[p.ix.Items[at.Pos].Key]
	})
}

// filter returns the lessons whose marks f takes.
func (p *pool) filter(f func(mark) bool) (list []score.Place) {
	for _, at := range p.rest {
		if f(p.marks[at.Pos]) {
			list = append(list, at)
		}
	}
	return list
}

// leaders returns the lessons that index.Select may choose when it chooses limit
// of all of them: the first ones that are pinned, and the first ones of each
// kind.
func (p *pool) leaders(limit int) []score.Place {
	pinned, kinds := 0, map[bool]int{}
	return p.filter(func(m mark) bool {
		kinds[m.avoid]++
		if m.pinned {
			pinned++
		}
		return kinds[m.avoid] <= limit || m.pinned && pinned <= limit
	})
}

// countDistinct counts the lessons of all pools, each once.
func countDistinct(pools []*pool) int {
	if len(pools) == 1 {
		return len(pools[0].rest)
	}
	hashes := map[uint64]bool{}
	for _, p := range pools {
		for _, at := range p.rest {
			hashes[p.marks[at.Pos].key] = true
		}
	}
	return len(hashes)
}

// keys are keys of records.
type keys struct {
	seed   maphash.Seed
	all    map[string]bool
	hashes map[uint64]bool
}

func newKeys(seed maphash.Seed) keys {
	return keys{seed, map[string]bool{}, map[uint64]bool{}}
}

func (k keys) add(key string) {
	k.all[key], k.hashes[maphash.String(k.seed, key)] = true, true
}

// firstPlaces returns what would be the first n of a list if it were sorted, of equal
// ones the first.
func firstPlaces(n int, list []score.Place, before func(x, y score.Place) int) []score.Place {
	var best []score.Place
	for _, at := range list {
		if len(best) == n && (n == 0 || before(at, best[n-1]) >= 0) {
			continue
		}
		i := len(best)
		for i > 0 && before(at, best[i-1]) < 0 {
			i--
		}
		best = slices.Insert(best, i, at)
		best = best[:min(len(best), n)]
	}
	return best
}
