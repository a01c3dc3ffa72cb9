package recall

import (
	"cmp"
	"slices"
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
	ranked := ix.Rank(now)
	places := make([]place, 0, len(ranked))
	if q == nil {
		for i, pos := range ranked {
			places = append(places, place{pos: pos, rank: i})
		}
		return places
	}
	hits := q.score(len(ranked), func(i int, field func(string)) { fields(&ix.Items[ranked[i]], field) })
	value := func(i int) float64 { return rankWeight * (1 - float64(i)/float64(len(ranked))) }
	isHit := make([]bool, len(ranked))
	best := make([]*hit, len(hits))
	for i := range hits {
		h := &hits[i]
		h.match, h.score = h.score, h.score+value(h.doc)
		isHit[h.doc], best[i] = true, h
	}
	slices.SortFunc(best, func(a, b *hit) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.doc, b.doc))
	})
	next := func() {
		places = append(places, place{ranked[best[0].doc], best[0].doc, best[0]})
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
