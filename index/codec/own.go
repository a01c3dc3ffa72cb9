package codec

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"golang.org/x/text/unicode/norm"

	"mem/index"
)

// The functions of this file read an index as Encode lays it out. They check each byte, and
// give up where one differs: then the general reader reads it all. What they accept, that
// reads the same.

// The lines before, between and after the records, and what stands around a name.
const (
	ownItems  = "\",\n  \"items\": ["
	ownRecord = "\n    {"
	ownEnd    = "\n  ]"
	timeSize  = 24               // of a date
	inRecord  = "\n      \""     // before the name of a member of a record
	inNested  = "\n        \""   // of an object in it
	inSource  = "\n          \"" // of a source
	colon     = "\": "
)

// readOwn reads an index that is laid out as Encode does it, and returns nil for another.
func readOwn(data []byte, d decoder) *index.Index {
	head := "{\n  \"version\": " + strconv.Itoa(index.Version) + ",\n  \"updatedAt\": \""
	start := len(head) + timeSize + len(ownItems)
	if len(data) < start || !strings.HasPrefix(d.text, head) || d.text[start-len(ownItems):start] != ownItems {
		return nil
	}
	d.dec = new(jsontext.Decoder)
	p := ownPart{decoder: d, data: data, at: start}
	n := strings.Count(d.text[start:], ownRecord+"\n")
	items := make([]index.Item, n, n+min(64, n/8+8)) // a reflection adds a few, and growing copies every record
	if p.readRecords(items); p.failed {
		return nil
	}
	// What is around the records is an index without any.
	around := slices.Concat(data[:start], data[p.at+len(ownEnd)-1:])
	ix, report, err := Load(around, d.now)
	if err != nil || report != (Report{}) {
		return nil
	}
	ix.Items, ix.Bytes = items, len(data)
	ix.AssignIDs()
	return ix
}

// An ownPart is the records of an index.
type ownPart struct {
	decoder
	data   []byte         // the whole document
	at     int            // where it reads
	pool   []index.Source // which saves a million small allocations for 100,000 records
	failed bool           // it is not as Encode writes it; nothing more is read
	before byte           // the next member of an object: its bracket or a comma

	date   string // that was read last, and what it says
	moment time.Time
}

// readRecords reads all records.
func (p *ownPart) readRecords(items []index.Item) {
	for i := range items {
		p.readRecord(&items[i])
		items[i].FillBefore(false, i)
		if !p.take(",") {
			p.failed = p.failed || i < len(items)-1 || !strings.HasPrefix(p.text[p.at:], ownEnd)
			return
		}
	}
	p.failed = true
}

// readRecord reads the members of a record, in their order, and its end.
func (p *ownPart) readRecord(it *index.Item) {
	*it = index.Item{} // a page of memory that is read before it is written costs twice
	p.expect(ownRecord + inRecord + "key" + colon)
	it.Key = norm.NFC.String(p.readText())
	p.expect("," + inRecord + "text" + colon)
	it.Text = p.readText()
	p.expect("," + inRecord + "kind" + colon)
	if it.Kind = index.AntiPattern; !p.take(`"antiPattern"`) {
		if it.Kind = index.Learning; !p.take(`"learning"`) {
			p.readGenerally(it, "kind")
		}
	}
	p.expect("," + inRecord + "hits" + colon)
	it.Hits = p.readCount()
	p.expect("," + inRecord + "score" + colon)
	it.Score = p.readScore()
	p.expect("," + inRecord + "firstSeen" + colon)
	it.FirstSeen = p.readTime()
	p.expect("," + inRecord + "lastSeen" + colon)
	it.LastSeen = p.readTime()
	for next := 0; p.take("," + inRecord); {
		next = p.readMemberFrom(next, it)
	}
	p.expect("\n    }")
	if it.Key == "" || it.Text == "" || p.report.BadDates > 0 {
		p.fail()
	}
}

// readMemberFrom reads a member that is at a place of members or behind it, and returns the next
// place. Behind all of them are those that this version does not know.
func (p *ownPart) readMemberFrom(next int, it *index.Item) int {
	rest := p.text[p.at:]
	for i := next; i < len(members) && rest != ""; i++ {
		m := &members[i]
		if rest[0] == m.name[0] && strings.HasPrefix(rest, m.name) && strings.HasPrefix(rest[len(m.name):], colon) {
			p.at += len(m.name) + len(colon)
			p.readOptional(it, m)
			return i + 1
		}
	}
	name := rest[:max(0, stringLen(p.data[p.at:]))]
	isKnown := slices.Contains(strings.Fields("key text kind hits score firstSeen lastSeen"), name) ||
		slices.ContainsFunc(members[:], func(m member) bool { return m.name == name }) ||
		slices.ContainsFunc(it.Unknown, func(m index.Member) bool { return m.Name == name })
	if p.expect(name + colon); isKnown {
		p.fail()
	}
	p.readGenerally(it, name)
	return len(members)
}

// readOptional reads the value of a member, which may be laid out as few are: then as the
// general reader does.
func (p *ownPart) readOptional(it *index.Item, m *member) {
	start := p.at
	switch into := m.of(it).(type) {
	case *string:
		*into = p.readText()
	case *int:
		*into = p.readCount()
	case *[]string:
		*into = p.readTexts()
	case *[]index.Source:
		*into = p.readOwnSources()
	case **index.Literals:
		if l := p.readLiterals(); !p.failed {
			*into = &l
		}
	default:
		p.fail()
	}
	if p.failed {
		p.failed, p.at = false, start
		p.readGenerally(it, m.name)
	}
}

// readGenerally reads the value of a member of a record as the general reader does.
func (p *ownPart) readGenerally(it *index.Item, name string) {
	if v := p.nextValue(); p.failed || p.readMember(it, name, v) != nil {
		p.fail()
	}
}
