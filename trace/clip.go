package trace

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// MaxText is the most bytes that Event.Text, Event.Input or Event.Reason hold.
// Longer texts lose their middle, and a marker says how many bytes are missing.
const MaxText = 16 << 10

// clip cuts s in the middle, between runes, so that at most limit bytes are
// left, the marker included.
func clip(s string, limit int) string {
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
	return s[:head] + fmt.Sprintf(marker, tail-head) + s[tail:]
}

// compact returns v as JSON without white space of at most MaxText bytes.
// When it is too long its strings are clipped first, so that what is left
// still parses; only if that is not enough it is cut like any text.
func compact(v jsontext.Value) string {
	if len(v) > MaxText || v.Compact() != nil {
		for limit := MaxText / 2; limit >= 64; limit /= 4 {
			if s, ok := shorten(v, limit); ok {
				return s
			}
		}
	}
	return clip(strings.ToValidUTF8(string(v), "\uFFFD"), MaxText)
}

// shorten returns v with every string clipped to limit bytes, if it then is
// short enough.
func shorten(v jsontext.Value, limit int) (string, bool) {
	var out bytes.Buffer
	dec := jsontext.NewDecoder(bytes.NewBuffer(v), foreign())
	enc := jsontext.NewEncoder(&out, foreign())
	for dec.PeekKind() != 0 {
		tok, err := dec.ReadToken()
		if err != nil {
			return "", false
		}
		if tok.Kind() == '"' {
			tok = jsontext.String(clip(tok.String(), limit))
		}
		if enc.WriteToken(tok) != nil || enc.OutputOffset() > MaxText {
			return "", false
		}
	}
	return strings.TrimSpace(out.String()), true
}
