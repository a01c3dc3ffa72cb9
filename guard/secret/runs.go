package secret

import (
	"slices"

	"mem/guard/chars"
	"mem/guard/view"
)

// runs appends the secrets that are found by walking over every long word of
// v: Discord's tokens, which have no literal part, and unless v was itself
// decoded, base64 that wraps text with a secret in it.
func (d *detective) runs(spans []span, v *view.View, decoded bool) []span {
	const least = 20
	s := v.Text
	for i := 0; i+least <= len(s); {
		// From behind: most words are short, and most bytes need no look.
		k := i + least - 1
		for k >= i && chars.IsBase64(s[k]) {
			k--
		}
		if k >= i {
			i = k + 1
			continue
		}
		j := i + least
		for j < len(s) && chars.IsBase64(s[j]) {
			j++
		}
		if from, to := discord(v, i, j); to > 0 {
			spans = append(spans, span{v.Start(from), v.End(to), d.names[discordToken]})
		}
		if !decoded {
			spans = d.wrapped(spans, v, i, j)
		}
		i = j
	}
	return spans
}

// discord finds the Discord token whose first part ends the run text[from:to]:
// a user's number in base64, a time and a signature.
func discord(v *view.View, from, to int) (start, end int) {
	s := v.Text
	if to >= len(s) || s[to] != '.' {
		return 0, 0
	}
	stamp := chars.WordLen(s[to+1 : min(len(s), to+10)])
	dot := to + 1 + stamp
	if stamp < 6 || stamp > 7 || dot >= len(s) || s[dot] != '.' {
		return 0, 0
	}
	end = dot + 1 + chars.WordLen(s[dot+1:min(len(s), dot+60)])
	if end-dot < 26 {
		return 0, 0
	}
	for n := 23; n <= 28 && to-n >= from; n++ {
		start = to - n
		if s[start] >= 'M' && s[start] <= 'O' && chars.HasDigit(s[start:to]) &&
			(start == 0 || !chars.IsWordByte(s[start-1]) || v.JoinAt(start) != view.NoJoin) {
			return start, end
		}
	}
	return 0, 0
}

// wrapped appends the parts of s[from:to] that are base64 of readable text
// with a secret in it. It tries every beginning, because a path or another
// word may stand before; random bytes stop being readable at once.
func (d *detective) wrapped(spans []span, v *view.View, from, to int) []span {
	const least = 12 // bytes of text that make it more than chance
	var text []byte
	for i := from; i+16 <= to; i++ {
		text = readable(text[:0], v.Text[i:to])
		if len(text) < least {
			continue
		}
		end := min(i+(len(text)*4+2)/3, to)
		plain := view.New(string(text))
		inner := d.runs(d.scan(nil, plain, false), plain, true)
		if len(inner) == 0 {
			// The next quantum would read the same text again.
			i = max(i, end-16)
			continue
		}
		for end < to && v.Text[end] == '=' || to-end < 4 && end < to {
			end++
		}
		lowest := slices.MinFunc(inner, func(a, b span) int { return a.rank - b.rank })
		spans = append(spans, span{v.Start(i), v.End(end), lowest.rank})
		i = end
	}
	return spans
}

// readable appends to dst the text s decodes to, up to the first byte that is
// no printable ASCII.
func readable(dst []byte, s string) []byte {
	for len(s) >= 2 {
		bits, n := uint32(0), 0
		for n < 4 && n < len(s) && chars.Base64Value(s[n]) >= 0 {
			bits = bits<<6 | uint32(chars.Base64Value(s[n]))
			n++
		}
		bits <<= 6 * (4 - n)
		for k := range n - 1 {
			c := byte(bits >> (16 - 8*k))
			if c < ' ' && c != '\n' && c != '\t' && c != '\r' || c > '~' {
				return dst
			}
			dst = append(dst, c)
		}
		if n < 4 {
			return dst
		}
		s = s[n:]
	}
	return dst
}
