package secret

import (
	"slices"

	"mem/guard/chars"
	"mem/guard/view"
)

// scanRuns appends the secrets that are found by walking over every long word of
// v: Discord's tokens, which have no literal part, and unless v was itself
// decoded, base64 that wraps text with a secret in it.
func (d *detector) scanRuns(spans []span, v *view.View, decoded bool) []span {
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
		if from, to := findDiscord(v, i, j); to > 0 {
			spans = append(spans, span{v.Start(from), v.End(to), d.discord})
		}
		if !decoded {
			spans = d.findWrapped(spans, v, i, j)
		}
		i = j
	}
	return spans
}

// findDiscord finds the Discord token whose first part ends the run text[from:to]:
// a user's number in base64, a time and a signature.
func findDiscord(v *view.View, from, to int) (start, end int) {
	s := v.Text
	if end = discordEnd(s, to); end == 0 {
		return 0, 0
	}
	for start = to - 23; start >= max(from, to-28); start-- {
		first := start == 0 || !chars.IsWordByte(s[start-1]) || v.JoinAt(start) != view.NoJoin
		if first && s[start] >= 'M' && s[start] <= 'O' && chars.HasDigit(s[start:to]) {
			return start, end
		}
	}
	return 0, 0
}

// discordEnd returns the end of a Discord token whose first part ends at to; 0
// if the other two do not follow.
func discordEnd(s string, to int) int {
	stamp, ok := wordAfterDot(s, to, 9)
	if !ok || stamp-to < 7 || stamp-to > 8 {
		return 0
	}
	end, ok := wordAfterDot(s, stamp, 59)
	if !ok || end-stamp < 26 {
		return 0
	}
	return end
}

// wordAfterDot returns the end of the word that follows the dot at i; it looks at
// most bytes. ok is false without a dot.
func wordAfterDot(s string, i, most int) (end int, ok bool) {
	if i >= len(s) || s[i] != '.' {
		return 0, false
	}
	return i + 1 + chars.WordLen(s[i+1:min(len(s), i+1+most)]), true
}

// findWrapped appends the parts of s[from:to] that are base64 of readable text
// with a secret in it. It tries every beginning, because a path or another
// word may stand before; random bytes stop being readable at once.
func (d *detector) findWrapped(spans []span, v *view.View, from, to int) []span {
	const least = 12 // bytes of text that make it more than chance
	var text []byte
	for i := from; i+16 <= to; i++ {
		text = decodeReadable(text[:0], v.Text[i:to])
		if len(text) < least {
			continue
		}
		end := min(i+(len(text)*4+2)/3, to)
		plain := view.New(string(text))
		inner := d.scanRuns(d.scan(nil, plain, false), plain, true)
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

// decodeReadable appends to dst the text s decodes to, up to the first byte that is
// no printable ASCII.
func decodeReadable(dst []byte, s string) []byte {
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
