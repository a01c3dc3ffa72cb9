package purge

import (
	"slices"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// A folded is a text in which each letter has one case and is decomposed, so that words are found
// however they are written. Bytes that are not UTF-8 stay.
type folded struct {
	text  []byte
	jumps []jump
}

// A jump is a letter, at text[from:to], that was not one rune of the same length before.
type jump struct {
	from, to int
	before   int // where it ended
}

// A place is where words stand in a file.
type place struct{ from, to int }

// fold folds data: each rune, or a letter with its marks where those are composed with it or in
// another order.
func fold(data []byte) folded {
	f := folded{text: make([]byte, 0, len(data))}
	for at := 0; at < len(data); {
		n := norm.NFD.QuickSpan(data[at:])
		for end := at + n; at < end; {
			_, size := utf8.DecodeRune(data[at:])
			f.appendLetter(data[at:at+size], at, at+size)
			at += size
		}
		if n == 0 {
			n = norm.NFD.NextBoundary(data[at:], true)
			f.appendLetter(norm.NFD.Bytes(data[at:at+n]), at, at+n)
			at += n
		}
	}
	return f
}

// appendLetter appends a decomposed letter, folded, that is at data[from:to].
func (f *folded) appendLetter(letter []byte, from, to int) {
	start := len(f.text)
	for len(letter) > 0 {
		r, size := utf8.DecodeRune(letter)
		if r == utf8.RuneError {
			f.text = append(f.text, letter[:size]...)
		} else {
			f.text = utf8.AppendRune(f.text, foldCase(r))
		}
		letter = letter[size:]
	}
	if _, size := utf8.DecodeRune(f.text[start:]); size != to-from || len(f.text)-start != size {
		f.jumps = append(f.jumps, jump{start, len(f.text), to})
	}
}

// foldCase returns the first, in Unicode, of the letters that differ from r in case only.
func foldCase(r rune) rune {
	if r < utf8.RuneSelf {
		return unicode.ToUpper(r)
	}
	next := unicode.SimpleFold(r)
	for r < next {
		r, next = next, unicode.SimpleFold(next)
	}
	return next
}

// locate returns where in the data are what find finds.
func (f folded) locate(find finder) (list []place) {
	at := 0
	for found := find(f.text); found != nil; found = find(f.text[at:]) {
		if p := (place{f.unfold(at + found[0]), f.unfold(at + found[1])}); p.from >= 0 && p.to >= 0 {
			list = append(list, p)
			at += found[1]
		} else {
			at += found[0] + 1
		}
	}
	return list
}

// unfold returns where a place of the text is in the data; -1 for one within a letter.
func (f folded) unfold(at int) int {
	i, _ := slices.BinarySearchFunc(f.jumps, at+1, func(j jump, at int) int { return j.to - at })
	switch {
	case i < len(f.jumps) && f.jumps[i].from < at:
		return -1
	case i == 0:
		return at
	}
	return f.jumps[i-1].before + at - f.jumps[i-1].to
}
