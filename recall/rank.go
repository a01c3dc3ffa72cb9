package recall

import (
	"cmp"
	"slices"
	"sync"
	"time"

	"mem/index"
)

// rankWeight is what the best rank is worth next to words in common: about as
// much as a word that a third of the lessons have. It decides between lessons
// that fit about as well, and where none fits.
const rankWeight = 1.0

// A place is where a record came in.
type place struct {
	pos  int  // in the index
	rank int  // by score alone, from 0
	hit  *hit // what it has of the query; nil for nothing
}

// Rank returns the positions of the active records, best first: those that
// have most in common with what is asked for, and among them those that
// index.Rank has first. Without a text, or when nothing in it says anything,
// the order is that of index.Rank.
func Rank(ix *index.Index, text string, now time.Time) []int {
	return positions(rank(ix, newQuery(text), now))
}

func positions(places []place) []int {
	list := make([]int, len(places))
	for i, p := range places {
		list[i] = p.pos
	}
	return list
}

// rank is Rank for a query, which may be nil.
func rank(ix *index.Index, q *query, now time.Time) []place {
	if q == nil {
		ranked := ix.Rank(now)
		places := make([]place, len(ranked))
		for i, pos := range ranked {
			places[i] = place{pos: pos, rank: i}
		}
		return places
	}
	ranked, hits := q.among(ix, now)
	places := make([]place, 0, len(ranked))
	value := func(i int) float64 { return rankWeight * (1 - float64(i)/float64(len(ranked))) }
	isHit := make([]bool, len(ranked))
	type fit struct { // what decides, close together
		score    float64
		doc, hit int
	}
	best := make([]fit, len(hits))
	for i := range hits {
		h := &hits[i]
		h.match, h.score = h.score, h.score+value(h.doc)
		isHit[h.doc], best[i] = true, fit{h.score, h.doc, i}
	}
	slices.SortFunc(best, func(a, b fit) int {
		if a.score != b.score {
			return cmp.Compare(b.score, a.score)
		}
		return cmp.Compare(a.doc, b.doc)
	})
	next := func() {
		places = append(places, place{ranked[best[0].doc], best[0].doc, &hits[best[0].hit]})
		best = best[1:]
	}
	for i, pos := range ranked { // the others are in order already
		if isHit[i] {
			continue
		}
		for len(best) > 0 && best[0].score >= value(i) {
			next()
		}
		places = append(places, place{pos: pos, rank: i})
	}
	for len(best) > 0 {
		next()
	}
	return places
}

// among ranks the records and holds them against the query; the hits are numbered
// by rank. It goes through the records as they lie in memory, which for many is
// three times as fast as best first, and need not wait for their rank.
func (q *query) among(ix *index.Index, now time.Time) (ranked []int, hits []hit) {
	var ranking sync.WaitGroup
	ranking.Go(func() { ranked = ix.Rank(now) })
	active := make([]int, 0, len(ix.Items))
	for pos := range ix.Items {
		if ix.Items[pos].Status == index.Active {
			active = append(active, pos)
		}
	}
	hits = q.score(len(active), func(i int, field func(string)) { fields(&ix.Items[active[i]], field) })
	ranking.Wait()
	rank := make([]int, len(ix.Items))
	for i, pos := range ranked {
		rank[pos] = i
	}
	for i := range hits {
		hits[i].doc = rank[active[hits[i].doc]]
	}
	return ranked, hits
}

// fields calls f with what words can be found in: the text, and what people
// and curation filed it under.
func fields(it *index.Item, f func(string)) {
	f(it.Text)
	if it.Domain != "" {
		f(it.Domain)
	}
	for _, tag := range it.Tags {
		f(tag)
	}
	if it.Evidence != nil {
		for _, path := range it.Evidence.Paths {
			f(path)
		}
	}
}
