package inspect

import (
	"slices"
	"strings"

	"mem/index"
	"mem/recall"
	"mem/reflect"
	"mem/session"
	"mem/stats/page"
	"mem/trace"
)

// What is quoted on a page.
const (
	maxTold     = 500 // lessons, the best
	maxTellings = 3   // sessions of each, the latest
)

// pageWords fills in what sessions said that brought the lessons of a page, while the sessions are read for another reason.
type pageWords struct {
	wanted map[string][]quotation // by the identity of the session
	hidden map[bool]*index.Withheld
}

// A quotation is where the words of a session go.
type quotation struct {
	to   *page.Sighting
	span string
	own  bool // in the person's own memory
}

// newPageWords adds the latest sightings to the lessons of a page, without words.
func newPageWords(p *page.Page, sources []recall.Source) *pageWords {
	words := &pageWords{wanted: map[string][]quotation{}, hidden: map[bool]*index.Withheld{}}
	for i, s := range sources {
		if s.Memory != nil {
			words.hidden[i < len(sources)-1] = s.Memory.Withheld()
		}
	}
	for i := range p.Listed() {
		l := &p.Listed()[i]
		latest := slices.SortedFunc(slices.Values(l.Sources), func(a, b index.Source) int { return b.At.Compare(a.At) })
		for _, src := range latest[:min(len(latest), maxTellings)] {
			agent, _, _ := strings.Cut(src.Trace, ":")
			l.Seen = append(l.Seen, page.Sighting{At: src.At, Agent: agent, Session: src.Session})
		}
		for n := range l.Seen {
			if src := latest[n]; i < maxTold && src.Span != "" && l.IsShown() {
				words.wanted[src.Trace] = append(words.wanted[src.Trace], quotation{&l.Seen[n], src.Span, l.Own})
			}
		}
	}
	return words
}

// wrap returns an opener that looks for the words in what it opens.
func (p *pageWords) wrap(open opener) opener {
	return func(path string) (trace.Document, error) {
		doc, err := open(path)
		if err == nil && doc.Session != nil {
			p.look(doc.Session)
		}
		return doc, err
	}
}

// look quotes the words of a session.
func (p *pageWords) look(s *session.Session) {
	wanted := p.wanted[reflect.Identity(s)]
	if len(wanted) == 0 {
		return
	}
	events := reflect.MarkOutside(s)
	for _, q := range wanted {
		q.to.Words, q.to.Network = quoteSpan(events, q.span, p.hidden[q.own])
	}
}
