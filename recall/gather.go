package recall

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"mem/guard"
	"mem/index"
	"mem/render"
)

// Limits of the sections that have no setting of their own.
const (
	mostProven  = 20
	mostAtStart = 5 // of those, in all memories, where few are shown
	mostFresh   = 20
	freshFor    = 7 * 24 * time.Hour
)

// gather makes the entries: of each section, first the person's own memory, then the project's.
func (b *bundle) gather() {
	if b.opts.Only || !b.opts.Since.IsZero() {
		b.gatherLessons()
		return
	}
	for i := range b.sources {
		b.addRules(&b.sources[i])
	}
	b.gatherLessons()
	if b.opts.Small {
		return
	}
	for i := range b.sources {
		s := &b.sources[i]
		b.skipOrders("MEMORY.md", s.Unfit)
		for _, text := range splitParagraphs(s.Notes, 4*b.opts.Budget) {
			b.add(&entry{section: memories, source: s, from: "MEMORY.md", text: text, why: "written by hand"})
		}
		b.addImported(s)
	}
	for i := range b.sources {
		if !b.isFew() {
			b.addLearnings(&b.sources[i])
		}
	}
	b.addJournal()
}

func (b *bundle) gatherReminder() {
	for _, s := range b.sources {
		if b.opts.Remind != nil && s.Memory != nil && !s.Global {
			b.waits = guard.Line(b.opts.Remind(s.Memory))
		}
	}
}

// add takes in an entry that is not a lesson.
func (b *bundle) add(e *entry) {
	e.place = len(b.entries)
	b.entries = append(b.entries, e)
	b.others++
}

// gatherLessons puts each active lesson where it belongs. The project's memory
// chooses first: of a lesson that both have, its wording is shown.
func (b *bundle) gatherLessons() {
	var pools []*pool
	hidden, taken := map[string]bool{}, map[string]bool{} // keys
	b.hideKnown(hidden)
	for i := range slices.Backward(b.sources) {
		if b.sources[i].Memory == nil {
			continue
		}
		p := b.newPool(&b.sources[i])
		p.taken = taken
		p.drop(hidden)
		pools = append(pools, p)
		if i > 0 { // what no longer holds here is not to come back from elsewhere
			for it := range p.ix.All() {
				if it.Status != index.Active && it.Status != index.Quarantined {
					hidden[it.Key] = true
				}
			}
		}
	}
	b.lessons = b.countDistinct(pools)
	if b.opts.Asked && b.query != nil {
		b.keepFitting(pools)
	}
	if b.opts.Limit < 1 {
		return
	}
	sections := []section{pinned, proven, core, fresh}
	switch {
	case b.opts.Only:
		sections = []section{fitting}
	case b.isFew():
		sections = []section{pinned, said, proven, fitting}
	}
	for _, s := range sections {
		for _, p := range pools {
			for i, at := range b.pickLessons(s, p) {
				key := p.item(at).Key
				taken[key] = true
				if plain := unquote.Replace(key); !b.said[plain] {
					b.said[plain] = true
					b.addLesson(s, p, i, at)
				}
			}
		}
	}
}

// pickLessons returns those of the rest of a pool that belong into a section.
func (b *bundle) pickLessons(s section, p *pool) (picked []place) {
	var list []place
	most := b.opts.Limit
	switch s {
	case fitting:
		most = min(most, mostFitting-b.counts[s])
		p.drop(p.taken)
		list = slices.DeleteFunc(slices.Clone(p.rest), func(at place) bool { return !b.fits(at.Hit) })
	case core:
		p.drop(p.taken)
		chosen := map[*index.Item]bool{}
		for _, pos := range p.ix.Select(positions(p.rest), most) {
			chosen[&p.ix.Items[pos]] = true
		}
		list = p.filter(func(it *index.Item) bool { return chosen[it] })
	case pinned:
		list = p.filter(func(it *index.Item) bool { return it.Pinned || it.Severity == "high" })
		p.sort(list, func(x, y *index.Item) int { return -compareBool(x.Pinned, y.Pinned) })
		pins := len(p.filter(func(it *index.Item) bool { return it.Pinned }))
		most = min(most, max(pins, most/2)) // half of the places are for other lessons
	case said:
		list = p.filter(func(it *index.Item) bool { return it.Origin == index.OriginUser })
	case proven:
		most = min(most, mostProven)
		if b.isFew() {
			most = min(most, mostAtStart-b.counts[s])
		}
		list = p.filter(func(it *index.Item) bool { // how often another memory saw it is hearsay
			return it.IsProven() || b.isFew() && it.Hits > 1 && it.Origin != index.OriginImport
		})
		if b.query == nil {
			p.sort(list, func(x, y *index.Item) int {
				return cmp.Or(-compareBool(x.Confidence == "high", y.Confidence == "high"), cmp.Compare(y.CountFiles(), x.CountFiles()))
			})
		}
	case fresh:
		most = min(most, mostFresh)
		since := p.source.Memory.Now().Add(-freshFor)
		list = p.filter(func(it *index.Item) bool { return it.LastSeen.After(since) })
		p.sort(list, func(x, y *index.Item) int { return y.LastSeen.Compare(x.LastSeen) })
	}
	for _, at := range list {
		if len(picked) < most && !b.isElsewhere(p.item(at)) {
			picked = append(picked, at)
		}
	}
	return picked
}

// unquote leaves out of a key what does not make another lesson of it.
var unquote = strings.NewReplacer("`", "", "'", "", `"`, "", "‘", "", "’", "", "“", "", "”", "")

func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}

func (b *bundle) addLesson(s section, p *pool, n int, at place) {
	it := p.item(at)
	text := guard.Line(it.ShownText())
	e := &entry{section: s, source: p.source, place: n, id: guard.Line(it.ID), item: it, text: text}
	switch {
	case s == proven && it.Confidence == "high" && it.CountFiles() > 0:
		e.why = "high confidence, found in " + render.Count(it.CountFiles(), "file", "files")
	case s == proven && it.Confidence == "high":
		e.why = "high confidence"
	case s == proven && it.IsProven():
		e.why = "found in " + render.Count(it.CountFiles(), "file", "files")
	case it.Pinned:
		e.why = "pinned"
	case s == pinned:
		e.why = "of high severity"
	case s == said:
		e.why = "said by a person"
	case s == fresh:
		e.why = "last seen " + it.LastSeen.UTC().Format(time.DateOnly)
	default:
		e.why = fmt.Sprintf("number %d by rank, seen %s", at.Rank+1, render.Count(max(1, it.Hits), "time", "times"))
	}
	if at.Hit != nil {
		e.score = at.Hit.Score
		e.why += "; has " + strings.Join(b.query.WordsIn(at.Hit), ", ")
	}
	b.entries = append(b.entries, e)
	b.counts[s]++
}
