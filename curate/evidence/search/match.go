package search

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A matcher finds many terms in one pass over a text.
//
// A term stands where its letters stand and where, at each end that is part of
// a word, the word ends too. So each word inside a term is a whole word of the
// text, and the longest one finds the term: the pass looks up one hash for each
// word of the text, and only where that hits are the letters around compared.
// An automaton for many strings is slower: its table does not fit the cache.
type matcher struct {
	filter  []uint64            // bit set: some needle has this hash
	needles map[uint32][]needle // by the hash of the word
	signs   []sign              // terms without a word in them
}

// A needle is a term around its longest word.
type needle struct {
	term         int
	before, word string
	after        string
	fold         bool // case does not matter
}

// A sign is a term that no word is part of, such as an operator.
type sign struct {
	term int
	text []byte
}

// A term is what is looked for. Weak ones are words in lower case.
type term struct {
	text string
	weak bool
}

// The hash is FNV-1a over the lower-case letters of a word.
const (
	hashSeed  uint32 = 2166136261
	hashPrime uint32 = 16777619
)

// lowers maps the bytes of ASCII words to lower case, other ASCII to 0, the rest to wide.
var lowers = func() (table [256]byte) {
	for c := range table {
		switch {
		case c >= utf8.RuneSelf:
			table[c] = wide
		case c >= 'A' && c <= 'Z':
			table[c] = byte(c) + 'a' - 'A'
		case c >= 'a' && c <= 'z', c >= '0' && c <= '9', c == '_':
			table[c] = byte(c)
		}
	}
	return table
}()

const wide = 1

func newMatcher(terms []term) *matcher {
	size := 1 << 10
	for size < 4*len(terms) {
		size *= 2
	}
	m := &matcher{filter: make([]uint64, size), needles: map[uint32][]needle{}}
	for i, t := range terms {
		from, to := longestWord(t.text)
		if from == to {
			m.signs = append(m.signs, sign{i, []byte(t.text)})
			continue
		}
		h, _ := wordAt([]byte(t.text), from)
		m.needles[h] = append(m.needles[h], needle{term: i, before: t.text[:from], word: t.text[from:to], after: t.text[to:], fold: t.weak})
		m.filter[h>>6&uint32(size-1)] |= 1 << (h & 63)
	}
	return m
}

// longestWord returns where the longest word of a text is, the first of equals.
func longestWord(text string) (from, to int) {
	for i := 0; i < len(text); {
		if _, end := wordAt([]byte(text), i); end > i {
			if end-i > to-from {
				from, to = i, end
			}
			i = end
			continue
		}
		_, size := utf8.DecodeRuneInString(text[i:])
		i += size
	}
	return from, to
}

// wordAt returns the hash and the end of the word at i; the end is i if none starts.
func wordAt(data []byte, i int) (h uint32, end int) {
	h = hashSeed
	for i < len(data) {
		c := lowers[data[i]]
		if c > wide {
			h = (h ^ uint32(c)) * hashPrime
			i++
			continue
		}
		if c == 0 {
			break
		}
		r, size := utf8.DecodeRune(data[i:])
		if !isWordRune(r) {
			break
		}
		r = unicode.ToLower(r)
		for ; r > 0; r >>= 8 {
			h = (h ^ uint32(r&0xff)) * hashPrime
		}
		i += size
	}
	return h, i
}

// findTerms calls hit with each term that stands in data, at least once.
func (m *matcher) findTerms(data []byte, hit func(term int)) {
	mask := uint32(len(m.filter) - 1)
	for i := 0; i < len(data); {
		if lowers[data[i]] == 0 {
			i++
			continue
		}
		h, end := wordAt(data, i)
		if end == i { // a character outside ASCII that is no letter
			_, size := utf8.DecodeRune(data[i:])
			i += size
			continue
		}
		if m.filter[h>>6&mask]&(1<<(h&63)) != 0 {
			for _, n := range m.needles[h] {
				if n.standsAt(data, i, end) {
					hit(n.term)
				}
			}
		}
		i = end
	}
	for _, s := range m.signs {
		if bytes.Contains(data, s.text) {
			hit(s.term)
		}
	}
}

func (n *needle) standsAt(data []byte, from, to int) bool {
	word := data[from:to]
	if n.fold {
		return strings.ToLower(string(word)) == n.word
	}
	if string(word) != n.word || !bytes.HasPrefix(data[to:], []byte(n.after)) || !bytes.HasSuffix(data[:from], []byte(n.before)) {
		return false
	}
	return (n.before == "" || !(startsWord([]byte(n.before)) && endsWord(data[:from-len(n.before)]))) &&
		(n.after == "" || !(endsWord([]byte(n.after)) && startsWord(data[to+len(n.after):])))
}

func startsWord(b []byte) bool {
	r, _ := utf8.DecodeRune(b)
	return len(b) > 0 && isWordRune(r)
}

func endsWord(b []byte) bool {
	r, _ := utf8.DecodeLastRune(b)
	return len(b) > 0 && isWordRune(r)
}
