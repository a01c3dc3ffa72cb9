package codec

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/go-json-experiment/json/jsontext"

	"mem/index"
)

// The functions of this file read an index as Encode lays it out, its records in parts
// side by side. They check each byte, and give up where one differs: then the general
// reader reads it all. What they accept, that reads the same.

// The lines before, between and after the records.
const (
	ownStart  = "{\n  \"version\": %d,\n  \"updatedAt\": \""
	ownItems  = "\",\n  \"items\": ["
	ownRecord = "\n    {"
	ownEnd    = "\n  ]"
	timeSize  = 24 // of updatedAt
)

// ownMembers is the order of the members of a record. Unknown ones follow.
var ownMembers = [...]string{
	"key", "text", "kind", "hits", "score", "firstSeen", "lastSeen", "id", "status", "pinned", "severity", "domain",
	"tags", "confidence", "origin", "sources", "seen", "set", "cue", "remedy", "why", "derivedFrom", "supersededBy",
	"recurred", "evidence", "violations", "before", "n", "by",
}

// minOwnPart is how many bytes are worth a goroutine.
const minOwnPart = 64 << 10

// readOwn reads an index that is laid out as Encode does it, and returns nil for another.
func readOwn(data []byte, d decoder) *index.Index {
	head := fmt.Sprintf(ownStart, index.Version)
	start := len(head) + timeSize + len(ownItems)
	if len(data) < start || !strings.HasPrefix(d.text, head) || d.text[start-len(ownItems):start] != ownItems {
		return nil
	}
	parts := splitOwn(data, d, start)
	items := make([]index.Item, sumRecords(parts)+64) // a reflection adds a few, and growing copies every record
	var readers sync.WaitGroup
	n := 0
	for i := range parts {
		p := &parts[i]
		p.items, n = items[n:n+p.n:n+p.n], n+p.n
		readers.Go(func() { p.isOwn = p.readRecords() })
	}
	readers.Wait()
	if slices.ContainsFunc(parts, func(p ownPart) bool { return !p.isOwn }) {
		return nil
	}
	// What is around the records is an index without any.
	end := parts[len(parts)-1].at
	around := slices.Concat(data[:start], data[end+len(ownEnd)-1:])
	ix, report, err := Load(around, d.now)
	if err != nil || report != (Report{}) {
		return nil
	}
	ix.Items, ix.Bytes = items[:n], len(data)
	return ix
}

// An ownPart is records in a row.
type ownPart struct {
	decoder
	data    []byte // the whole document
	at, end int    // where it reads, and where the next part begins; 0 for the last one
	n       int    // how many records it has
	items   []index.Item
	isOwn   bool
}

// splitOwn divides the records, which begin at start, among the processors.
func splitOwn(data []byte, d decoder, start int) (parts []ownPart) {
	n := max(1, min(runtime.GOMAXPROCS(0), (len(data)-start)/minOwnPart))
	for i := range n {
		at := start
		if i > 0 {
			at = max(parts[i-1].at+1, start+(len(data)-start)/n*i)
			next := strings.Index(d.text[at:], ownRecord+"\n")
			if next < 0 {
				break
			}
			at += next
			parts[i-1].end = at
		}
		parts = append(parts, ownPart{decoder: decoder{text: d.text, now: d.now}, data: data, at: at})
	}
	return parts
}

// sumRecords counts the records of each part, at most, and returns how many they are.
func sumRecords(parts []ownPart) (sum int) {
	var counters sync.WaitGroup
	for i := range parts {
		p := &parts[i]
		counters.Go(func() {
			end := p.end
			if end == 0 {
				end = len(p.text)
			}
			p.n = strings.Count(p.text[p.at:end], ownRecord)
		})
	}
	counters.Wait()
	for _, p := range parts {
		sum += p.n
	}
	return sum
}

// take reports whether text comes next, and goes behind it.
func (p *ownPart) take(text string) bool {
	is := strings.HasPrefix(p.text[p.at:], text)
	if is {
		p.at += len(text)
	}
	return is
}

// readRecords reads the part, and reports whether all of it was as Encode writes it.
func (p *ownPart) readRecords() bool {
	for i := range p.items {
		if !p.take(ownRecord) || !p.readRecord(&p.items[i]) {
			return false
		}
		if !p.take(",") {
			return i == len(p.items)-1 && p.end == 0 && strings.HasPrefix(p.text[p.at:], ownEnd)
		}
	}
	return len(p.items) > 0 && p.at == p.end
}

// readRecord reads the members of a record, and its end.
func (p *ownPart) readRecord(it *index.Item) bool {
	*it = p.blankItem()
	for next := 0; ; {
		name, ok := p.nextName()
		if !ok {
			return false
		}
		i := slices.Index(ownMembers[next:], name)
		if next += i + 1; i < 0 && !isNewMember(it, name) {
			return false
		}
		v, ok := p.nextValue()
		if !ok || p.readMember(it, name, v) != nil {
			return false
		}
		if !p.take(",") {
			return p.take("\n    }") && it.Key != "" && it.Text != "" && p.report.BadDates == 0
		}
	}
}

// nextName returns the name of the member that comes next, and goes to its value.
func (p *ownPart) nextName() (name string, ok bool) {
	if !p.take("\n      \"") {
		return "", false
	}
	n := stringLen(p.data[p.at:])
	if n < 0 {
		return "", false
	}
	name = p.text[p.at : p.at+n]
	p.at += n
	return name, p.take("\": ")
}

// isNewMember reports whether a member is one that this version does not know, and the first
// of its name.
func isNewMember(it *index.Item, name string) bool {
	return !slices.Contains(ownMembers[:], name) &&
		!slices.ContainsFunc(it.Unknown, func(m index.Member) bool { return m.Name == name })
}

// nextValue returns the value that comes next, if it is valid.
func (p *ownPart) nextValue() (v value, ok bool) {
	rest := p.data[p.at:]
	if len(rest) == 0 {
		return v, false
	}
	n := plainEnd(rest)
	if n == 0 {
		if n = lineEnd(rest); n <= 0 || rest[0] <= ' ' || rest[n-1] <= ' ' || !jsontext.Value(rest[:n]).IsValid(jsontext.AllowInvalidUTF8(true)) {
			return v, false
		}
	}
	v = value{rest[:n:n], p.at}
	p.at += n
	return v, true
}

// lineEnd is the length of the value of a member of a record, if it is laid out as Encode does
// it: all of a line but for the comma, or up to the bracket that stands below its name. It is negative for
// one without an end.
func lineEnd(b []byte) int {
	n := bytes.IndexByte(b, '\n')
	switch {
	case n == 1 && (b[0] == '[' || b[0] == '{'):
		bracket := "\n      " + string(b[0]+2)
		if n = bytes.Index(b, []byte(bracket)); n >= 0 {
			n += len(bracket)
		}
	case n > 0 && b[n-1] == ',':
		n--
	}
	return n
}

// plainEnd is the length of a string without escapes, or of a whole number, at the start of b;
// 0 for anything else.
func plainEnd(b []byte) int {
	if b[0] == '"' {
		return stringLen(b[1:]) + 2
	}
	n := 0
	for n < len(b) && '0' <= b[n] && b[n] <= '9' {
		n++
	}
	if b[0] == '0' || n == len(b) || b[n] != ',' && b[n] != '\n' {
		return 0
	}
	return n
}

// stringLen is the number of bytes before a quote; -2 if there is no quote, or one of them
// has to be looked at.
func stringLen(b []byte) int {
	i := 0
	for i+8 <= len(b) && !hasSpecial(binary.LittleEndian.Uint64(b[i:])) {
		i += 8
	}
	for ; i < len(b) && b[i] >= ' ' && b[i] != '\\'; i++ {
		if b[i] == '"' {
			return i
		}
	}
	return -2
}
