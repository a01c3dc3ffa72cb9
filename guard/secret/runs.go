package secret

import (
	"slices"
	"strings"

	"mem/guard/chars"
	"mem/guard/secret/named"
	"mem/guard/view"
)

// scanRuns appends the secrets that are found by walking over every long word of
// v: tokens that have no literal part, and unless v was itself decoded, base64 that wraps text with a secret in it.
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
		for n, find := range []func(*view.View, int, int) (int, int){findDiscord, findFacebook, findVault} {
			if from, to := find(v, i, j); to > 0 {
				spans = append(spans, span{v.Start(from), v.End(to), d.discord - n})
			}
		}
		if !decoded {
			spans = d.findWrapped(spans, v, i, j)
		}
		i = j
	}
	return spans
}

// scanHosts appends the passwords in user:password@host.
func (d *detector) scanHosts(spans []span, v *view.View) []span {
	for at := 0; ; at++ {
		i := strings.IndexByte(v.Text[at:], '@')
		if i < 0 {
			return spans
		}
		at += i
		if from, to := named.FindUserPassword(v.Text, at); from < to {
			spans = append(spans, span{v.Start(from), v.End(to), d.login})
		}
	}
}

// findFacebook finds the id of an application and its secret, with which the run
// text[from:to] begins: 1234567890123456|hexadecimal.
func findFacebook(v *view.View, from, to int) (start, end int) {
	s := v.Text
	if from < 16 || s[from-1] != '|' {
		return 0, 0
	}
	start = from - 1
	for start > 0 && chars.IsDigit(s[start-1]) {
		start--
	}
	if n := from - 1 - start; n < 15 || n > 17 {
		return 0, 0
	}
	for _, n := range []int{32, 27} {
		if isRun(v, from, to, n) && chars.IsRandom(s[from:from+n]) {
			return start, from + n
		}
	}
	return 0, 0
}

// findVault finds a Vault token of the older form: s. and the 24 characters with
// which the run text[from:to] begins.
func findVault(v *view.View, from, to int) (start, end int) {
	const n = 24
	s := v.Text
	if from < 2 || s[from-2:from] != "s." || !v.IsEdge(from-2) || from > 2 && s[from-3] == '.' || !isRun(v, from, to, n) {
		return 0, 0
	}
	if word := s[from : from+n]; !chars.IsDrawn(word) || strings.ContainsAny(word, "_-/+=") {
		return 0, 0
	}
	return from - 2, from + n
}

// isRun reports whether n characters of the run text[from:to] stand together at
// its beginning.
func isRun(v *view.View, from, to, n int) bool {
	return to-from == n || to-from > n && v.JoinAt(from+n) != view.NoJoin
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
