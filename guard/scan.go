package guard

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

// A family is one kind of secret. To add one, add a line to a table.
type family struct {
	// name is what the replacement says. It is lower-case with hyphens.
	name string

	// keys are literals, separated by spaces and found in any case: where
	// one is found, the family is tried. Rare ones keep Redact fast.
	keys string

	// expr matches the secret from back bytes before the key on. If it has
	// a group, only the group is replaced. Repetitions without an upper
	// bound must come last, or the time taken is no longer linear.
	expr string
	back int

	// look stands in for expr where an expression is not enough. It gets
	// the text and the place of the key; an empty range means no.
	look func(text string, at int) (from, to int)

	// inside lets the match begin within a word; lines says that it runs
	// over line breaks by itself.
	inside, lines bool

	// only, if set, has the last word on what would be replaced.
	only func(secret string) bool
}

// A detective finds secrets. It is immutable once made.
type detective struct {
	families []family
	tokens   int            // families[:tokens] are known by their own shape
	names    map[string]int // the first rank of each
	compiled []func() *regexp.Regexp
	keys     automaton
}

// detector is made on first use: a hook that never redacts should not pay for
// it, and an expression is compiled when its key is first seen.
var detector = sync.OnceValue(func() *detective {
	tokens := slices.Concat(cloudTokens, codeTokens, modelTokens, serviceTokens, shapes)
	d := &detective{
		families: slices.Concat(tokens, contexts),
		tokens:   len(tokens),
		names:    map[string]int{},
	}
	var keys []key
	for rank, f := range d.families {
		if _, ok := d.names[f.name]; !ok {
			d.names[f.name] = rank
		}
		for word := range strings.FieldsSeq(f.keys) {
			keys = append(keys, key{strings.ToLower(word), rank})
		}
		d.compiled = append(d.compiled, sync.OnceValue(func() *regexp.Regexp {
			return regexp.MustCompile(`\A(?:` + f.expr + `)`)
		}))
	}
	d.keys = newAutomaton(keys)
	return d
})

// scan appends the secrets of v to spans. With tokensOnly it leaves out the
// families known by what stands before them.
func (d *detective) scan(spans []span, v *view, tokensOnly bool) []span {
	done := make([]int, len(d.families)) // per family, where its last match ended
	d.keys.each(v.text, func(k key, at int) {
		f := &d.families[k.rank]
		from := at - f.back
		if from < done[k.rank] || tokensOnly && k.rank >= d.tokens {
			return
		}
		lo, hi := d.match(v, k.rank, from)
		done[k.rank] = max(done[k.rank], hi)
		if lo >= hi {
			return
		}
		spans = append(spans, span{v.start(lo), v.end(hi), k.rank})
	})
	return spans
}

// match returns the secret of one family that begins at from. An empty range
// means that there is none, and that none begins before its end either.
func (d *detective) match(v *view, rank, from int) (lo, hi int) {
	f := &d.families[rank]
	token := rank < d.tokens
	if from < 0 || token && !f.inside && !v.edge(from) {
		return 0, 0
	}
	lo, hi = d.find(v.text, rank, from)
	if lo >= hi {
		return 0, 0
	}
	if f.only != nil && !f.only(v.text[lo:hi]) {
		return hi, hi
	}
	if token && !f.lines {
		hi = d.settle(v, rank, from, hi)
		if hi < len(v.text) && alnum(v.text[hi]) && v.joinAt(hi) == noJoin {
			return 0, 0
		}
	}
	if lo >= hi || f.only != nil && !f.only(v.text[lo:hi]) {
		return hi, hi
	}
	return lo, hi
}

// find returns where the secret of one family lies that begins at from.
func (d *detective) find(text string, rank, from int) (lo, hi int) {
	if look := d.families[rank].look; look != nil {
		return look(text, from)
	}
	// Backtracking clears memory in proportion to the text before it looks
	// at it, so it gets little text unless it asks for more by using it up.
	for _, window := range []int{512, 1 << 14} {
		end := min(len(text), from+window)
		m := d.compiled[rank]().FindStringSubmatchIndex(text[from:end])
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

// settle returns where a token ends that may run over joins: a line break
// after a whole token is followed by other text more often than not.
func (d *detective) settle(v *view, rank, from, hi int) int {
	joins := v.joinsIn(from, hi)
	if len(joins) == 0 {
		return hi
	}
	if joins[0].join == softJoin && (hi-from)/(len(joins)+1) < 6 {
		return from // a list of short lines
	}
	whole := -1
	for i, g := range joins {
		if _, end := d.find(v.text[:g.at], rank, from); end == g.at {
			whole = i
			break
		}
	}
	if whole < 0 {
		if wordy(v.text[from:hi]) && !hasDigit(v.text[from:hi]) && joins[0].join == softJoin {
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
	if len(rest) < 4 || !hasDigit(rest) && (len(rest) < 10 || wordy(rest) || strings.ToUpper(rest) == rest || strings.ToLower(rest) == rest) {
		return false
	}
	return to == len(v.text) || v.joinAt(to) != noJoin || strings.IndexByte("\"'`,;\n)]}\\", v.text[to]) >= 0
}

// A key is a literal that makes a family worth trying.
type key struct {
	word string
	rank int
}

// An automaton finds many literals in one pass, in any case (Aho-Corasick).
type automaton struct {
	class [256]uint8
	next  []uint16 // state*stride + class; the top bit says that keys end there
	ends  [][]key  // per state
}

const (
	stride = 64
	ending = 1 << 15
)

func newAutomaton(keys []key) automaton {
	most := 1 // states
	for _, k := range keys {
		most += len(k.word)
	}
	a := automaton{next: make([]uint16, stride, most*stride), ends: make([][]key, 1, most)}
	classes := uint8(0)
	for _, k := range keys {
		state := 0
		for i := range len(k.word) {
			c := k.word[i]
			if a.class[c] == 0 {
				classes++
				a.class[c] = classes
			}
			at := state*stride + int(a.class[c])
			if a.next[at] == 0 {
				a.next[at] = uint16(len(a.ends))
				a.next = append(a.next, make([]uint16, stride)...)
				a.ends = append(a.ends, nil)
			}
			state = int(a.next[at])
		}
		a.ends[state] = append(a.ends[state], k)
	}
	for c := byte('a'); c <= 'z'; c++ {
		a.class[c-'a'+'A'] = a.class[c]
	}
	a.link()
	return a
}

// link completes the transitions breadth first: where a word cannot go on,
// the longest suffix that begins another word does.
func (a *automaton) link() {
	fail := make([]uint16, len(a.ends))
	queue := make([]uint16, 0, len(a.ends))
	for c := range stride {
		if to := a.next[c]; to != 0 {
			queue = append(queue, to)
		}
	}
	for i := 0; i < len(queue); i++ {
		state := queue[i]
		back := fail[state]
		a.ends[state] = append(a.ends[state], a.ends[back]...)
		for c := range stride {
			to := &a.next[int(state)*stride+c]
			other := a.next[int(back)*stride+c]
			if *to == 0 {
				*to = other
				continue
			}
			fail[*to] = other
			queue = append(queue, *to)
		}
	}
	for i, to := range a.next {
		if len(a.ends[to]) > 0 {
			a.next[i] |= ending
		}
	}
}

// each calls found for each key in s, in order of where they end, with where
// they begin.
func (a *automaton) each(s string, found func(k key, at int)) {
	state := uint16(0)
	for i := 0; i < len(s); i++ {
		state = a.next[int(state&^ending)*stride+int(a.class[s[i]])]
		if state&ending == 0 {
			continue
		}
		for _, k := range a.ends[state&^ending] {
			found(k, i+1-len(k.word))
		}
	}
}
