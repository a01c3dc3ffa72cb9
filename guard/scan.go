package guard

import (
	"slices"
	"strings"

	"mem/words"
)

// scan appends the secrets of v to spans. With tokensOnly it leaves out the
// families known by what stands before them.
func (d *detector) scan(spans []span, v *view, tokensOnly bool) []span {
	done := make([]int, len(d.families)) // per family, where its last match ended
	d.keys.each(v.text, func(rank, at int) {
		from := at - d.families[rank].back
		if from < done[rank] || tokensOnly && rank >= d.tokens {
			return
		}
		if each := d.families[rank].each; each != nil {
			each(v.text, at, func(lo, hi int) {
				spans = append(spans, v.span(lo, hi, rank))
				done[rank] = max(done[rank], hi)
			})
			return
		}
		lo, hi := d.matchFamily(v, rank, from)
		done[rank] = max(done[rank], hi)
		if lo < hi {
			spans = append(spans, v.span(lo, hi, rank))
		}
	})
	return spans
}

// matchFamily returns the secret of one family that begins at from. An empty range
// means that there is none, and that none begins before its end either.
func (d *detector) matchFamily(v *view, rank, from int) (lo, hi int) {
	f := &d.families[rank]
	token := rank < d.tokens
	if from < 0 || token && !f.inside && !v.isEdge(from) {
		return 0, 0
	}
	lo, hi = d.findSecret(v.text, rank, from)
	switch {
	case lo >= hi:
		return 0, 0
	case f.only != nil && !f.only(v.text[lo:hi]):
		return hi, hi
	case !token || f.lines:
		return lo, hi
	}
	hi = d.tokenEnd(v, rank, from, hi)
	if hi < len(v.text) && words.IsAlnum(v.text[hi]) && v.joinAt(hi) == noJoin {
		return 0, 0
	}
	if lo >= hi || f.only != nil && !f.only(v.text[lo:hi]) {
		return hi, hi
	}
	return lo, hi
}

func (d *detector) findSecret(text string, rank, from int) (lo, hi int) {
	if look := d.families[rank].look; look != nil {
		return look(text, from)
	}
	// Backtracking clears memory in proportion to the text before it looks
	// at it, so it gets little text unless it asks for more by using it up.
	for _, window := range []int{512, 1 << 14} {
		end := min(len(text), from+window)
		m := d.exprs[rank].Get().FindStringSubmatchIndex(text[from:end])
		if m == nil {
			return 0, 0
		}
		lo, hi = from+m[0], from+m[1]
		if len(m) > 2 && m[2] >= 0 {
			lo, hi = from+m[2], from+m[3]
		}
		if hi < end || end == len(text) {
			break
		}
	}
	return lo, hi
}

// tokenEnd returns where a token ends that may run over joins: a line break
// after a whole token is followed by other text more often than not.
func (d *detector) tokenEnd(v *view, rank, from, hi int) int {
	first, _ := v.gapFrom(from + 1)
	end, _ := v.gapFrom(hi)
	joins := v.gaps[first:max(first, end)]
	if len(joins) == 0 || joins[0].join == noJoin { // nothing but escapes
		return hi
	}
	soft := joins[0].join == softJoin
	if soft && (hi-from)/(len(joins)+1) < 6 {
		return from // a list of short lines
	}
	whole := slices.IndexFunc(joins, func(g gap) bool {
		_, end := d.findSecret(v.text[:g.at], rank, from)
		return end == g.at
	})
	if whole < 0 {
		if soft && words.IsWordy(v.text[from:hi]) && !words.HasDigit(v.text[from:hi]) {
			return from
		}
		return hi
	}
	for i := whole; i < len(joins); i++ {
		next := hi
		if i+1 < len(joins) {
			next = joins[i+1].at
		}
		if joins[i].join == softJoin && !continues(v, joins[i].at, next) {
			return joins[i].at
		}
	}
	return hi
}

// continues reports whether v.text[from:to] on a new line looks like the rest
// of a token: alone on its line and with a digit, or with capitals where no
// name has them.
func continues(v *view, from, to int) bool {
	rest := v.text[from:to]
	if len(rest) < 4 || !words.HasDigit(rest) && (len(rest) < 10 || words.IsWordy(rest) || strings.ToUpper(rest) == rest || strings.ToLower(rest) == rest) {
		return false
	}
	return to == len(v.text) || v.joinAt(to) != noJoin || strings.IndexByte("\"'`,;\n)]}\\", v.text[to]) >= 0
}
