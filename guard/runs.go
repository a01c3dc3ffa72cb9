package guard

import (
	"slices"

	"mem/words"
)

// scanRuns appends the secrets that are found by walking over every long word of
// v: tokens that have no literal part, and unless v was itself decoded, base64 that wraps text with a secret in it.
func (d *detector) scanRuns(spans []span, v *view, decoded bool) []span {
	const least = 20
	s := v.text
	for i := 0; i+least <= len(s); {
		// From behind: most words are short, and most bytes need no look.
		k := i + least - 1
		for k >= i && words.IsBase64(s[k]) {
			k--
		}
		if k >= i {
			i = k + 1
			continue
		}
		j := i + least
		for j < len(s) && words.IsBase64(s[j]) {
			j++
		}
		if rank, from := d.findStart(v, i, j); rank > 0 {
			if lo, hi := d.matchFamily(v, rank, from); lo < hi {
				spans = append(spans, v.span(lo, hi, rank))
			}
		}
		if !decoded {
			spans, j = d.findWrapped(spans, v, i, j)
		}
		i = j
	}
	return spans
}

func (d *detector) scanHosts(spans []span, v *view) []span {
	for at := range len(v.text) {
		if v.text[at] != '@' {
			continue
		}
		if from, to := findUserPassword(v.text, at); from < to {
			spans = append(spans, v.span(from, to, d.tokens))
		}
	}
	return spans
}

// findStart returns where the token begins that the run text[from:to] may be a part of,
// and its family; rank 0 for none.
func (d *detector) findStart(v *view, from, to int) (rank, start int) {
	s := v.text
	switch {
	case from > 2 && s[from-1] == '.' && s[from-2] == 's' && s[from-3] != '.', from == 2 && s[:2] == "s.":
		return d.tokens - 3, from - 2
	case from > 15 && s[from-1] == '|':
		for start = from - 1; start > 0 && from-start < 19 && words.IsDigit(s[start-1]); start-- {
		}
		return d.tokens - 2, start
	case to < len(s) && s[to] == '.':
		for start = to - 23; start >= max(from, to-28); start-- {
			if s[start] >= 'M' && s[start] <= 'O' && v.isEdge(start) {
				return d.tokens - 1, start
			}
		}
	}
	return 0, 0
}

// findWrapped appends the body of a key that begins with s[from:to], or the parts of it
// that are base64 of readable text with a secret in it, and returns where to go on. It tries every beginning, because a path or another
// word may stand before; random bytes stop being readable at once.
func (d *detector) findWrapped(spans []span, v *view, from, to int) ([]span, int) {
	const least = 12 // bytes of text that make it more than chance
	end, isKey := findKeyLines(v.text, from, to)
	if isKey {
		spans = append(spans, v.span(from, end, d.privateKey))
	}
	if end > to {
		return spans, end
	}
	var text []byte
	for i := from; i+16 <= to; i++ {
		text = decodeReadable(text[:0], v.text[i:to])
		if len(text) < least {
			continue
		}
		end := min(i+(len(text)*4+2)/3, to)
		plain := &view{text: string(text)}
		inner := d.scanRuns(d.scan(nil, plain, false), plain, true)
		if len(inner) == 0 {
			// The next quantum would read the same text again.
			i = max(i, end-16)
			continue
		}
		for end < to && v.text[end] == '=' || to-end < 4 && end < to {
			end++
		}
		lowest := slices.MinFunc(inner, func(a, b span) int { return a.rank - b.rank })
		spans = append(spans, v.span(i, end, lowest.rank))
		i = end
	}
	return spans, to
}

// decodeReadable appends to dst the text s decodes to, up to the first byte that is
// no printable ASCII.
func decodeReadable(dst []byte, s string) []byte {
	bits, have := uint32(0), 0
	for i := 0; i < len(s) && words.Base64Value(s[i]) >= 0; i++ {
		bits, have = bits<<6|uint32(words.Base64Value(s[i])), have+6
		if have < 8 {
			continue
		}
		have -= 8
		c := byte(bits >> have)
		if c < ' ' && c != '\n' && c != '\t' && c != '\r' || c > '~' {
			break
		}
		dst = append(dst, c)
	}
	return dst
}
