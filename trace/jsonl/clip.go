package jsonl

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"mem/session"
)

// Clip cuts s in the middle, between lines or words where there are any nearby
// and always between runes, so that at most limit bytes are left, the marker
// included. Half of a word can be half of a password, which could not be
// recognised as one any more.
func Clip(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	const marker = "\n[… %d bytes left out …]\n"
	room := max(0, limit-len(fmt.Sprintf(marker, len(s))))
	head, tail := room-room/2, len(s)-room/2
	for head > 0 && !utf8.RuneStart(s[head]) {
		head--
	}
	for tail < len(s) && !utf8.RuneStart(s[tail]) {
		tail++
	}
	head, tail = wholeHead(s, head), wholeTail(s, tail)
	return s[:head] + fmt.Sprintf(marker, tail-head) + s[tail:]
}

// nearby is how far from where a text would be cut a better place may be.
const nearby = 1 << 10

// wholeHead returns where the last whole line, or else word, of s[:at] ends.
func wholeHead(s string, at int) int {
	from := max(0, at-min(nearby, at/2))
	for _, breaks := range []string{"\n", " \t"} {
		if i := strings.LastIndexAny(s[from:at], breaks); i >= 0 {
			return from + i
		}
	}
	return at
}

// wholeTail returns where the first whole line, or else word, of s[at:] begins.
func wholeTail(s string, at int) int {
	to := at + min(nearby, (len(s)-at)/2)
	for _, breaks := range []string{"\n", " \t"} {
		if i := strings.IndexAny(s[at:to], breaks); i >= 0 {
			return at + i + 1
		}
	}
	return at
}

// Compact returns v as JSON without white space of at most session.MaxText bytes.
// When it is too long its strings are clipped first, so that what is left
// still parses; only if that is not enough it is cut like any text.
func Compact(v jsontext.Value) string {
	if len(v) > session.MaxText || v.Compact() != nil {
		for limit := session.MaxText / 2; limit >= 64; limit /= 4 {
			if s, ok := clipStrings(v, limit); ok {
				return s
			}
		}
	}
	return Clip(strings.ToValidUTF8(string(v), "\uFFFD"), session.MaxText)
}

// clipStrings returns v with every string clipped to limit bytes, if it then is
// short enough.
func clipStrings(v jsontext.Value, limit int) (string, bool) {
	var out bytes.Buffer
	dec := jsontext.NewDecoder(bytes.NewBuffer(v), Foreign)
	enc := jsontext.NewEncoder(&out, Foreign)
	for dec.PeekKind() != 0 {
		tok, err := dec.ReadToken()
		if err != nil {
			return "", false
		}
		if tok.Kind() == '"' {
			tok = jsontext.String(Clip(tok.String(), limit))
		}
		if enc.WriteToken(tok) != nil || enc.OutputOffset() > session.MaxText {
			return "", false
		}
	}
	return strings.TrimSpace(out.String()), true
}
