package guard

import (
	"cmp"
	"slices"
	"strings"

	"mem/words"
)

// This file finds secrets in a text and replaces them. It knows some 140 families: families.txt lists
// those known by their own shape and those known by the text before them; shapes.go, runs.go,
// named.go, near.go and command.go handle those that an expression cannot match.

// redact returns s with every secret it recognises replaced by
// [redacted:family], and how many replacements it made. It calls note, unless that is
// nil, with each secret and the mark that stands for it.
//
// A secret is recognised by its own shape (a token with a known prefix, a
// private key block, a JWT) or by what stands before it (password=, a header,
// a flag, a URL's user). It is also found when it is escaped as in JSON or a
// URL, when a line break, a backslash-newline or a string concatenation splits
// a token of known shape, and when base64 wraps readable text that holds one.
// Nothing is replaced for its randomness alone: a commit id, a UUID or an
// integrity hash stays, unless it is assigned to a name such as token.
//
// A replacement is never replaced again: redact(redact(s)) is redact(s). The time taken grows with len(s) and
// with the number of secrets nested in each other, never with their product.
func redact(s string, note func(secret, mark string)) (redacted string, found int) {
	if s == "" {
		return "", 0 // without what it takes to look
	}
	return sharedDetector().redact(s, note)
}

func (d *detector) redact(s string, note func(secret, mark string)) (redacted string, found int) {
	// One replacement can put a boundary where none was and so uncover a
	// neighbour. Each round replaces at least one byte outside the marks,
	// so this ends; texts without secrets take one round, others two.
	for {
		spans := joinSpans(d.detect(s), s)
		if len(spans) == 0 {
			return s, found
		}
		found += len(spans)
		var b strings.Builder
		at := 0
		for _, p := range spans {
			mark := markOpen + d.families[p.rank].name + markClose
			if note != nil {
				note(s[p.from:p.to], mark)
			}
			b.WriteString(s[at:p.from] + mark)
			at = p.to
		}
		s = b.String() + s[at:]
	}
}

// A span is a secret at s[from:to]. rank is the family's place in the table:
// where two overlap, the one with the lower rank names them both.
type span struct {
	from, to int
	rank     int
}

// joinSpans sorts spans, joins those that overlap, and leaves out those that
// hold nothing but earlier replacements. None ends within a replacement.
func joinSpans(spans []span, s string) []span {
	widenToMarks(spans, s)
	slices.SortFunc(spans, func(a, b span) int {
		return cmp.Or(a.from-b.from, b.to-a.to, a.rank-b.rank)
	})
	out := spans[:0]
	for _, p := range spans {
		if isMarksOnly(s[p.from:p.to]) {
			continue
		}
		if n := len(out); n > 0 && p.from < out[n-1].to {
			last := &out[n-1]
			last.to = max(last.to, p.to)
			last.rank = min(last.rank, p.rank)
			continue
		}
		out = append(out, p)
	}
	return out
}

func widenToMarks(spans []span, s string) {
	around := func(i int) (from, to int) {
		from = max(0, i-longestMark)
		if n := strings.LastIndex(s[from:i], markOpen); n >= 0 {
			from += n
			to = from + markLen(s[from:])
		}
		return from, to
	}
	for i := range spans {
		p := &spans[i]
		if from, to := around(p.from); to > p.from {
			p.from = from
		}
		if _, to := around(p.to); to > p.to {
			p.to = to
		}
	}
}

// isMarksOnly reports whether s has nothing but replacements, white space and
// punctuation.
func isMarksOnly(s string) bool {
	for s != "" {
		n := markLen(s)
		if n == 0 && (words.IsAlnum(s[0]) || s[0] >= 0x80) {
			return false
		}
		s = s[max(n, 1):]
	}
	return true
}

// detect returns the secrets of s as it is written, unescaped, and with line
// breaks and string concatenations taken out, in no particular order.
func (d *detector) detect(s string) []span {
	plain := &view{text: s}
	spans := d.scan(nil, plain, false)
	base := plain
	if v := unescape(plain, false); v != nil {
		spans = d.scan(spans, v, false)
		base = v
	}
	if v := unescape(plain, true); v != nil {
		spans = d.scan(spans, v, false)
	}
	spans = d.scanRuns(d.scanShaped(d.scanHosts(spans, base), base), base, false)
	if v := unwrap(base); v != nil {
		spans = d.scan(spans, v, true)
		spans = d.scanRuns(spans, v, false)
	}
	return spans
}
