package guard

import "strings"

// pemBlock finds the private key block, PEM or PGP, whose begin line is at at.
// A block that was cut off ends where its body does. A begin line without a
// body is somebody writing about keys.
func pemBlock(s string, at int) (from, to int) {
	head, n := s[at:min(len(s), at+100)], len("-----BEGIN")
	end := strings.Index(head[n:], "-----")
	if end < 0 || !strings.Contains(strings.ReplaceAll(head[n:n+end], "+", " "), "PRIVATE KEY") {
		return 0, 0
	}
	body := at + n + end + len("-----")
	stop := len(s)
	if i := strings.Index(s[body:], "-----"); i >= 0 {
		stop = body + i
	}
	if longest, last := keyLines(s[body:stop]); !strings.HasPrefix(s[stop:], "-----END") {
		if longest < 16 {
			return 0, 0
		}
		return at, body + last
	} else if longest < 8 {
		return 0, 0
	}
	to = stop + len("-----END")
	if i := strings.Index(s[to:min(len(s), to+60)], "-----"); i >= 0 {
		to += i + len("-----")
	}
	return at, to
}

// pemTail finds what is left of a private key block whose beginning was cut
// off, from its end line at at: the lines of nothing but base64 before it.
func pemTail(s string, at int) (from, to int) {
	const longest = 16 << 10 // a bound, or a text of end lines takes quadratic time
	head, n := s[at:min(len(s), at+100)], len("-----END")
	end := strings.Index(head[n:], "-----")
	if end < 0 || strings.Contains(head[:n+end], "\n") || !strings.Contains(head[:n+end], "PRIVATE KEY") {
		return 0, 0
	}
	floor, from := max(0, at-longest), at
	for lines := 0; from > floor; lines++ {
		line := strings.LastIndexByte(s[floor:from-1], '\n') + 1 + floor
		body := strings.Trim(s[line:from], " \t\r\n+>|")
		if lines > 1 && len(body) < 16 {
			break // only the last ones are short
		}
		if strings.ContainsFunc(body, func(r rune) bool { return r > 0x7f || !base64Class[byte(r)] || r == '-' }) {
			break
		}
		from = line
	}
	if longest, _ := keyLines(s[from:at]); longest < 16 {
		return 0, 0
	}
	return from, at + n + end + len("-----")
}

// keyLines looks at what follows the begin line of a key: longest is the
// length of its longest base64 word with a digit or capital, and last the end
// of the last word before other text begins.
func keyLines(s string) (longest, last int) {
	for i := 0; i < len(s); {
		if !base64Class[s[i]] {
			i++
			continue
		}
		j := i
		for j < len(s) && base64Class[s[j]] {
			j++
		}
		word := s[i:j]
		switch {
		case len(word) >= 8 && strings.ContainsAny(word, "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"):
			longest = max(longest, len(word))
			last = j
		case longest >= 16 && len(word) > 2 && !strings.HasSuffix(word, "="):
			return longest, last
		}
		i = j
	}
	return longest, last
}

// jwt finds the signed or encrypted web token at at: three to five parts, of
// which the first begins with {" in base64 and the second may be empty.
func jwt(s string, at int) (from, to int) {
	const longestHeader = 1024 // a bound, or a text of beginnings takes quadratic time
	to = at + wordLen(s[at:min(len(s), at+longestHeader)])
	if to-at < 10 {
		return 0, 0
	}
	parts := 1
	for parts < 5 && to+1 < len(s) && s[to] == '.' && (wordByte(s[to+1]) || parts == 1 && s[to+1] == '.') {
		to += 1 + wordLen(s[to+1:])
		parts++
	}
	if parts < 3 || to-at < 40 {
		return 0, 0
	}
	return at, to
}

// urlPassword finds the password in scheme://user:password@host, whose :// is
// at at, or a token that stands there alone.
func urlPassword(s string, at int) (from, to int) {
	if at == 0 || !alnum(s[at-1]) {
		return 0, 0
	}
	from = at + len("://")
	end, colon := -1, -1
	for i := from; i < min(len(s), from+300); i++ {
		switch c := s[i]; {
		case c == '@':
			end = i
			continue
		case c == ':' && colon < 0:
			colon = i
			continue
		case c > ' ' && c != '/' && c != '?' && c != '"' && c != '\'' && c != '`' && c != '<' && c != '>' && c != '\\' && c != ',':
			continue
		}
		break
	}
	if end < 0 {
		return 0, 0
	}
	if colon < 0 || colon > end {
		if end-from >= 20 && random(s[from:end]) {
			return from, end
		}
		return 0, 0
	}
	if secret := s[colon+1 : end]; secret == "" || standIn(secret) {
		return 0, 0
	}
	return colon + 1, end
}

// authorization finds the credentials in an Authorization header.
func authorization(s string, at int) (from, to int) {
	v, ok := afterName(s, at+len("authorization"), ":=")
	if !ok {
		return 0, 0
	}
	from = v.from
	scheme := strings.ToLower(s[from : from+wordLen(s[from:])])
	switch scheme {
	default:
		if to = lineEnd(s, from, true); strongValue(s[from:to], 12) {
			return from, to
		}
		return 0, 0
	case "bearer", "basic", "token", "apikey", "bot", "negotiate", "digest", "ssws", "aws4-hmac-sha256", "geniekey":
	}
	from += len(scheme)
	start := from
	for from < len(s) && (s[from] == ' ' || s[from] == '+') {
		from++
	}
	// Digest and AWS4 have several fields, the others one word.
	to = lineEnd(s, from, scheme != "digest" && scheme != "aws4-hmac-sha256")
	secret := s[from:to]
	if from == start || len(secret) < 4 || standIn(secret) || scheme != "basic" && !hasDigit(secret) && len(secret) < 20 {
		return 0, 0
	}
	return from, to
}

// lineEnd returns the end of the value at i: a quote, a line break, and unless
// spaces belong to it a space.
func lineEnd(s string, i int, word bool) int {
	for ; i < len(s); i++ {
		switch c := s[i]; {
		case c == '\n', c == '\r', c == '"', c == '\'', c == '`', c == '\\', c == '<':
			return i
		case word && (c == ' ' || c == '\t' || c == ',' || c == ';'):
			return i
		}
	}
	return i
}

// runs appends the secrets that are found by walking over every long word of
// v: Discord's tokens, which have no literal part, and unless v was itself
// decoded, base64 that wraps text with a secret in it.
func (d *detective) runs(spans []span, v *view, decoded bool) []span {
	const least = 20
	s := v.text
	for i := 0; i+least <= len(s); {
		// From behind: most words are short, and most bytes need no look.
		k := i + least - 1
		for k >= i && base64Class[s[k]] {
			k--
		}
		if k >= i {
			i = k + 1
			continue
		}
		j := i + least
		for j < len(s) && base64Class[s[j]] {
			j++
		}
		if from, to := discord(v, i, j); to > 0 {
			spans = append(spans, span{v.start(from), v.end(to), d.names[discordToken]})
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
func discord(v *view, from, to int) (start, end int) {
	s := v.text
	if to >= len(s) || s[to] != '.' {
		return 0, 0
	}
	stamp := wordLen(s[to+1 : min(len(s), to+10)])
	dot := to + 1 + stamp
	if stamp < 6 || stamp > 7 || dot >= len(s) || s[dot] != '.' {
		return 0, 0
	}
	end = dot + 1 + wordLen(s[dot+1:min(len(s), dot+60)])
	if end-dot < 26 {
		return 0, 0
	}
	for n := 23; n <= 28 && to-n >= from; n++ {
		start = to - n
		if s[start] >= 'M' && s[start] <= 'O' && hasDigit(s[start:to]) &&
			(start == 0 || !wordByte(s[start-1]) || v.joinAt(start) != noJoin) {
			return start, end
		}
	}
	return 0, 0
}

// wrapped appends the parts of s[from:to] that are base64 of readable text
// with a secret in it. It tries every beginning, because a path or another
// word may stand before; random bytes stop being readable at once.
func (d *detective) wrapped(spans []span, v *view, from, to int) []span {
	const least = 12 // bytes of text that make it more than chance
	var text []byte
	for i := from; i+16 <= to; i++ {
		text = readable(text[:0], v.text[i:to])
		if len(text) < least {
			continue
		}
		end := min(i+(len(text)*4+2)/3, to)
		plain := &view{text: string(text)}
		inner := d.runs(d.scan(nil, plain, false), plain, true)
		if len(inner) == 0 {
			// The next quantum would read the same text again.
			i = max(i, end-16)
			continue
		}
		for end < to && v.text[end] == '=' || to-end < 4 && end < to {
			end++
		}
		spans = append(spans, span{v.start(i), v.end(end), inner[0].rank})
		i = end
	}
	return spans
}

// readable appends to dst the text s decodes to, up to the first byte that is
// no printable ASCII.
func readable(dst []byte, s string) []byte {
	for len(s) >= 2 {
		bits, n := uint32(0), 0
		for n < 4 && n < len(s) && base64Value[s[n]] >= 0 {
			bits = bits<<6 | uint32(base64Value[s[n]])
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
