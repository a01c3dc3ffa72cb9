package codec

import (
	"bytes"
	"slices"
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

// readCount reads a number of hits, say, of nine digits at most.
func (p *ownPart) readCount() (n int) {
	rest := p.text[p.at:]
	for most := p.at + 9; p.at < min(most, len(p.text)) && '0' <= p.text[p.at] && p.text[p.at] <= '9'; p.at++ {
		n = 10*n + int(p.text[p.at]-'0')
	}
	if n == 0 || rest[0] == '0' {
		p.fail()
	}
	return n
}

// readScore reads a number.
func (p *ownPart) readScore() float64 { return p.numberOr1(p.nextValue()) }

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
		p.pool = make([]index.Source, 0, min(4096, index.MaxSources+(len(p.text)-p.at)/200))
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

// stringLen is the number of bytes before a quote; -2 if one of them has to be looked at.
func stringLen(b []byte) int {
	n := bytes.IndexByte(b, '"')
	if n < 0 || slices.ContainsFunc(b[:n], func(c byte) bool { return c < ' ' || c == '\\' }) {
		return -2
	}
	return n
}
