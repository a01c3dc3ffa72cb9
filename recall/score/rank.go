package score

import (
	"cmp"
	"slices"
	"sync"
	"time"

	"mem/index"
)

// RankWeight is what the best rank is worth next to words in common: about as
// much as a word that a third of the lessons have. It decides between lessons
// that fit about as well, and where none fits.
const RankWeight = 1.0

// A Place is where a record of an index came in.
type Place struct {
	Pos  int  // in the index
	Rank int  // by its own score alone, from 0
	Hit  *Hit // what it has of the query; nil for nothing
}

// Positions returns the positions of places in the index.
func Positions(places []Place) []int {
	list := make([]int, len(places))
	for i, p := range places {
		list[i] = p.Pos
	}
	return list
}

// RankLessons returns the active records, best first: those that have most in
// common with the query, and among them those that index.Rank has first. Without
// a query, nil, the order is that of index.Rank.
func RankLessons(ix *index.Index, q *Query, now time.Time) []Place {
	if q == nil {
		ranked := ix.Rank(now)
		places := make([]Place, len(ranked))
		for i, pos := range ranked {
			places[i] = Place{Pos: pos, Rank: i}
		}
		return places
	}
	ranked, hits := q.scoreLessons(ix, now)
	places := make([]Place, 0, len(ranked))
	value := func(i int) float64 { return RankWeight * (1 - float64(i)/float64(len(ranked))) }
	isHit := make([]bool, len(ranked))
	type fit struct { // what decides, close together
		score    float64
		doc, hit int
	}
	best := make([]fit, len(hits))
	for i := range hits {
		h := &hits[i]
		h.Match, h.Score = h.Score, h.Score+value(h.Doc)
		isHit[h.Doc], best[i] = true, fit{h.Score, h.Doc, i}
	}
	slices.SortFunc(best, func(a, b fit) int {
		if a.score != b.score {
			return cmp.Compare(b.score, a.score)
		}
		return cmp.Compare(a.doc, b.doc)
	})
	next := func() {
		places = append(places, Place{ranked[best[0].doc], best[0].doc, &hits[best[0].hit]})
		best = best[1:]
	}
	for i, pos := range ranked { // the others are in order already
		if isHit[i] {
			continue
		}
		for len(best) > 0 && best[0].score >= value(i) {
			next()
		}
		places = append(places, Place{Pos: pos, Rank: i})
	}
	for len(best) > 0 {
		next()
	}
	return places
}

// scoreLessons ranks the records and holds them against the query; the hits are
// numbered
// by rank. It goes through the records as they lie in memory, which for many is
// three times as fast as best first, and need not wait for their rank.
func (q *Query) scoreLessons(ix *index.Index, now time.Time) (ranked []int, hits []Hit) {
	var ranking sync.WaitGroup
	ranking.Go(func() { ranked = ix.Rank(now) })
	active := make([]int, 0, len(ix.Items))
	for pos := range ix.Items {
		if ix.Items[pos].Status == index.Active {
			active = append(active, pos)
		}
	}
	hits = q.ScoreTexts(len(active), func(i int, field func(string)) { VisitFields(&ix.Items[active[i]], field) })
	ranking.Wait()
	rank := make([]int, len(ix.Items))
	for i, pos := range ranked {
		rank[pos] = i
	}
	for i := range hits {
		hits[i].Doc = rank[active[hits[i].Doc]]
	}
	return ranked, hits
}

// VisitFields calls f with what words can be found in: the text, and what people
// and curation filed it under.
func VisitFields(it *index.Item, f func(string)) {
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
