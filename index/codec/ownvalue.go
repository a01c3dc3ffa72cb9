package codec

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/bits"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"mem/index"
)

// fail gives up.
func (p *ownPart) fail() { p.failed, p.at = true, len(p.text) }

// take reports whether text comes next, and goes behind it.
func (p *ownPart) take(text string) bool {
	is := strings.HasPrefix(p.text[p.at:], text)
	if is {
		p.at += len(text)
	}
	return is
}

// expect goes behind text, which must come next.
func (p *ownPart) expect(text string) {
	if !p.take(text) {
		p.fail()
	}
}

// takeName reports whether the member with this name, and what is around it, comes next in an object,
// and goes to its value.
func (p *ownPart) takeName(name string) bool {
	rest := p.text[p.at:]
	is := rest != "" && rest[0] == p.before && strings.HasPrefix(rest[1:], name)
	if is {
		p.at += 1 + len(name)
		p.before = ','
	}
	return is
}

// textMember reads a member that is a string; "" if it is not there.
func (p *ownPart) textMember(name string) string {
	if p.takeName(name) {
		return p.readText()
	}
	return ""
}

// readText reads a string.
func (p *ownPart) readText() string {
	if start := p.at + 1; strings.HasPrefix(p.text[p.at:], `"`) {
		if n := stringLen(p.data[start:]); n >= 0 {
			p.at = start + n + 1
			return p.text[start : start+n]
		}
	}
	v := p.nextValue()
	if v.raw.Kind() != '"' {
		p.fail()
	}
	return p.stringOrEmpty(v)
}

// readTexts reads a list of strings.
func (p *ownPart) readTexts() (list []string) {
	p.expect("[")
	for isMore := true; isMore; isMore = p.take(",") {
		p.expect("\n        ")
		list = append(list, p.readText())
	}
	p.expect("\n      ]")
	return list
}

// readDigits reads a number of digits, at most so many.
func (p *ownPart) readDigits(most int) (n, size int) {
	for ; size < most && p.at < len(p.text) && p.text[p.at]-'0' <= 9; size++ {
		n = 10*n + int(p.text[p.at]-'0')
		p.at++
	}
	return n, size
}

// readCount reads a number of hits, say.
func (p *ownPart) readCount() int {
	rest := p.text[p.at:]
	n, _ := p.readDigits(9)
	if n == 0 || rest[0] == '0' {
		p.fail()
	}
	return n
}

// readScore reads a number. A float64 holds 15 digits and their power of ten exactly, so that the
// quotient is what strconv.ParseFloat finds.
func (p *ownPart) readScore() float64 {
	rest := p.data[p.at:]
	whole, n := p.readDigits(9)
	part, size := 0, 0
	if p.take(".") {
		part, size = p.readDigits(6)
		n *= size // 0 if none follows
	}
	if n > 0 && rest[0] != '0' && strings.HasPrefix(p.text[p.at:], ",") {
		scale := math.Pow10(size)
		return (float64(whole)*scale + float64(part)) / scale
	}
	p.at = len(p.text) - len(rest)
	return p.numberOr1(p.nextValue())
}

// readTime reads a date. Those of a record are often the same.
func (p *ownPart) readTime() time.Time {
	p.expect(`"`)
	date := p.text[p.at:min(p.at+timeSize, len(p.text))]
	if date != p.date {
		t, ok := parseTime(date)
		if !ok {
			p.fail()
			return t
		}
		p.date, p.moment = date, t
	}
	p.at += len(date)
	p.expect(`"`)
	return p.moment
}

// readOwnSources reads sources as readSources does.
func (p *ownPart) readOwnSources() []index.Source {
	if cap(p.pool)-len(p.pool) < index.MaxSources { // make place for those that follow, 200 bytes each
		p.pool = make([]index.Source, 0, min(4096, index.MaxSources+(p.end-p.at)/200))
	}
	start := len(p.pool)
	p.expect("[")
	for isMore := true; isMore; isMore = p.take(",") {
		p.expect("\n        ")
		p.before = '{'
		s := index.Source{ID: p.textMember(inSource + "id" + colon)}
		if p.takeName(inSource + "n" + colon) {
			s.N = p.readCount()
		}
		s.Home, s.Trace = p.textMember(inSource+"home"+colon), p.textMember(inSource+"trace"+colon)
		s.Session, s.Span = p.textMember(inSource+"session"+colon), p.textMember(inSource+"span"+colon)
		s.Model = p.textMember(inSource + "model" + colon)
		if p.takeName(inSource + "at" + colon) {
			s.At = p.readTime()
		}
		p.pool = append(p.pool, s)
		p.expect("\n        }")
	}
	p.expect("\n      ]")
	return p.pool[start:len(p.pool):len(p.pool)]
}

// readLiterals reads a cue or a remedy.
func (p *ownPart) readLiterals() (l index.Literals) {
	p.before = '{'
	l.Tool, l.Command = p.textMember(inNested+"tool"+colon), p.textMember(inNested+"command"+colon)
	l.Error, l.Path = p.textMember(inNested+"error"+colon), p.textMember(inNested+"path"+colon)
	p.expect("\n      }")
	return l
}

// nextValue returns the value that comes next, which must be valid.
func (p *ownPart) nextValue() value {
	p.dec.Reset(bytes.NewBuffer(p.data[p.at:]), jsontext.AllowInvalidUTF8(true))
	raw, err := p.dec.ReadValue()
	if p.at += int(p.dec.InputOffset()); err != nil {
		p.fail()
	}
	return value{raw, p.at - len(raw)}
}

// stringLen is the number of bytes before a quote; -2 if one of them has to be looked at, or
// fewer than eight bytes follow it. It looks at eight at a time: an index of 100,000 records holds
// 35 MB of strings.
func stringLen(b []byte) int {
	for i := 0; i+8 <= len(b); i += 8 {
		if m := findSpecial(binary.LittleEndian.Uint64(b[i:])); m != 0 {
			if i += bits.TrailingZeros64(m) / 8; b[i] == '"' {
				return i
			}
			break
		}
	}
	return -2
}

const ones, highs = 0x0101010101010101, 0x8080808080808080

// findSpecial sets the highest bit of bytes that are a control character, a quote or a backslash: of
// the first one among eight, and perhaps of others behind it.
func findSpecial(w uint64) uint64 {
	low, slash := w^2*ones, w^'\\'*ones // the quote changes places with the space, the first that is no control character
	return ((low-(' '+1)*ones)&^low | (slash-ones)&^slash) & highs
}
