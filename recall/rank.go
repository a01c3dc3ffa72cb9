package recall

import (
	"cmp"
	"math"
	"slices"
	"time"

	"mem/index"
)

// rankWeight is what the best rank is worth next to words in common: about as much as a word that half of the lessons
// have. It decides between lessons that fit about as well, and where none fits.
const rankWeight = 0.7

// coverSpeaks is how much it speaks for a lesson that it has all words of the query, where 1 is a word that no other has.
const coverSpeaks = 1.1

// A place is where a record of an index came in.
type place struct {
	Pos  int  // in the index
	Rank int  // by its own score alone, from 0
	Hit  *Hit // what it has of the query; nil for nothing
}

func positions(places []place) []int {
	list := make([]int, len(places))
	for i, p := range places {
		list[i] = p.Pos
	}
	return list
}

// rankLessons returns the active records, best first: those that have most in common with the query, and among them
// those that index.Rank has first. Without a query, nil, the order is that of index.Rank.
func rankLessons(ix *index.Index, q *Query, now time.Time) []place {
	ranked := ix.Rank(now)
	places := make([]place, len(ranked))
	for i, pos := range ranked {
		places[i] = place{Pos: pos, Rank: i}
	}
	if q == nil {
		return places
	}
	value := func(rank int) float64 { return rankWeight * (1 - float64(rank)/float64(len(ranked))) }
	hits := q.ScoreTexts(len(ranked), func(i int) []string { return fieldsOf(&ix.Items[ranked[i]]) })
	rarest := math.Log1p((float64(len(ranked)) - 0.5) / 1.5)
	for i := range hits {
		h := &hits[i]
		h.Speaks = h.telling / rarest
		if q.said > 1 && !slices.Contains(h.counts[:q.said], 0) {
			h.Speaks += coverSpeaks
		}
		h.Match, h.Score = h.Score, h.Score+value(h.Doc)
		places[h.Doc].Hit = h
	}
	worth := func(p place) float64 {
		if p.Hit != nil {
			return p.Hit.Score
		}
		return value(p.Rank)
	}
	slices.SortFunc(places, func(a, b place) int {
		return cmp.Or(cmp.Compare(worth(b), worth(a)), cmp.Compare(a.Rank, b.Rank))
	})
	return places
}

// RankAll returns the positions of all records: of the active ones by rank, then of the others, the latest first.
func RankAll(ix *index.Index, now time.Time) []int {
	var others []int
	for pos := range ix.Items {
		if ix.Items[pos].Status != index.Active {
			others = append(others, pos)
		}
	}
	slices.SortStableFunc(others, func(a, b int) int { return ix.Items[b].LastSeen.Compare(ix.Items[a].LastSeen) })
	return append(ix.Rank(now), others...)
}

// fieldsOf returns what words can be found in: the text, and what people and curation filed it under.
func fieldsOf(it *index.Item) []string {
	fields := append([]string{it.Text, it.Domain}, it.Tags...)
	if it.Evidence != nil {
		fields = append(fields, it.Evidence.Paths...)
	}
	return fields
}
