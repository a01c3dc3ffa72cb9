package search

import (
	"bytes"
	"unicode"
	"unicode/utf8"
)

// A matcher finds many terms in one pass over a text.
//
// A term stands where its letters stand and where, at each end that is part of
// a word, the word ends too. So each word inside a term is a whole word of the
// text, and the longest one finds the term: the pass looks up each word of the
// text, and only where that hits are the letters around compared.
type matcher struct {
	needles map[string][]needle // by the word in lower case
	signs   []needle            // terms that no word is part of, such as operators
}

// A needle is a term around its longest word.
type needle struct {
	term
	place int // in the list of terms
	word  int // where in the term the word begins
}

// A term is what is looked for. Weak ones are words in any case.
type term struct {
	text string
	weak bool
}

func newMatcher(terms []term) *matcher {
	m := &matcher{needles: map[string][]needle{}}
	for i, t := range terms {
		from, to := longestWord(t.text)
		n := needle{t, i, from}
		if from == to {
			m.signs = append(m.signs, n)
			continue
		}
		low, _ := readWord(nil, []byte(t.text), from)
		m.needles[string(low)] = append(m.needles[string(low)], n)
	}
	return m
}

// longestWord returns where the longest word of a text is, the first of equals.
func longestWord(text string) (from, to int) {
	for i, n := 0, 0; i < len(text); i += n {
		_, end := readWord(nil, []byte(text), i)
		if end-i > to-from {
			from, to = i, end
		}
		_, size := utf8.DecodeRuneInString(text[end:])
		n = end - i + size
	}
	return from, to
}

// readWord appends the word at i to low, in lower case, and returns its end; that
// is i if none starts there.
func readWord(low, data []byte, i int) (word []byte, end int) {
	for i < len(data) {
		c, size := rune(data[i]), 1
		switch {
		case c >= 'a' && c <= 'z', c >= '0' && c <= '9', c == '_':
		case c >= 'A' && c <= 'Z':
			c += 'a' - 'A'
		case c < utf8.RuneSelf:
			return low, i
		default:
			if c, size = utf8.DecodeRune(data[i:]); !isWordRune(c) {
				return low, i
			}
			c = unicode.ToLower(c)
		}
		low = utf8.AppendRune(low, c)
		i += size
	}
	return low, i
}

// findTerms calls hit with each term that stands in data, at least once.
func (m *matcher) findTerms(data []byte, hit func(term int)) {
	var low []byte
	end := 0
	for i := 0; i < len(data); i = end + 1 {
		if low, end = readWord(low[:0], data, i); end == i {
			continue
		}
		for _, n := range m.needles[string(low)] {
			if n.standsAt(data, i-n.word) {
				hit(n.place)
			}
		}
	}
	for _, s := range m.signs {
		if bytes.Contains(data, []byte(s.text)) {
			hit(s.place)
		}
	}
}

func (n *needle) standsAt(data []byte, from int) bool {
	if n.weak {
		return true
	}
	to, text := from+len(n.text), []byte(n.text)
	return from >= 0 && to <= len(data) && bytes.Equal(data[from:to], text) &&
		!(startsWord(text) && endsWord(data[:from])) && !(endsWord(text) && startsWord(data[to:]))
}

func startsWord(b []byte) bool {
	r, _ := utf8.DecodeRune(b)
	return isWordRune(r)
}

func endsWord(b []byte) bool {
	r, _ := utf8.DecodeLastRune(b)
	return isWordRune(r)
}
