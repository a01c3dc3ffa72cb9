package page

import (
	"cmp"
	"slices"
	"time"

	"mem/stats"
)

// maxListed bounds the lessons of a list that is no list of all.
const maxListed = 10

// writeTime draws when lessons were learned, and when they came back.
func (p Page) writeTime(w *writer) {
	w.put(`<section id="time"><h2>Over time</h2>`, "\n")
	var times [2][]time.Time
	for _, l := range p.Lessons {
		if !l.First.IsZero() {
			times[0] = append(times[0], l.First)
		}
		for _, at := range l.Seen {
			if at.After(l.First) {
				times[1] = append(times[1], at)
			}
		}
	}
	if bars, unit := countTimes(times); len(bars) > 0 {
		chart{title: "Lessons learned", sorts: [2]markup{"new", "again"}, unit: unit, bars: bars}.write(w)
	} else {
		w.put("<p>Nothing to draw yet.</p>")
	}
	w.put("</section>\n")
}

// writeBack lists the lessons that came back most often, each with its sightings in time.
func (p Page) writeBack(w *writer) {
	w.put(`<section id="back"><h2>What came back</h2>`, "\n")
	var list []Lesson
	first, last := p.Now, time.Time{}
	for _, l := range p.Lessons {
		if l.Hits < 2 || l.Withheld {
			continue
		}
		list = append(list, l)
		for _, at := range append(l.Seen, l.First, l.Last) {
			if !at.IsZero() && at.Before(first) {
				first = at
			}
			if at.After(last) {
				last = at
			}
		}
	}
	if len(list) == 0 {
		w.put("<p>No lesson was learned twice so far.</p></section>\n")
		return
	}
	slices.SortStableFunc(list, func(a, b Lesson) int { return cmp.Or(cmp.Compare(b.Hits, a.Hits), b.Last.Compare(a.Last)) })
	w.put("<p>The lessons learned most often. A dot is a session that brought one, between ", day(first), " and ", day(last), ".</p>\n", `<ol class="back">`, "\n")
	for _, l := range list[:min(len(list), maxListed)] {
		w.put("<li><p>", lesson(l.Text), ` <a href="#`, line(l.ID), `"><code>`, line(l.ID), "</code></a></p><div><b>×", number(l.Hits), "</b> ")
		writeDots(w, &l, first, last)
		w.put("</div></li>\n")
	}
	w.put("</ol>")
	if more := len(list) - maxListed; more > 0 {
		w.put("<p><small>And ", number(more), " more; the list of lessons has all.</small></p>")
	}
	w.put("</section>\n")
}

// writeDots draws the sightings of a lesson.
func writeDots(w *writer, l *Lesson, first, last time.Time) {
	span := max(1, last.Sub(first).Hours())
	w.put(`<svg class="dots" role="img" aria-label="`, number(l.Hits), " times, the last on ", day(l.Last), `" viewBox="0 0 206 12"><path d="M3 6h200"/>`)
	times := slices.Clone(l.Seen)
	if len(times) == 0 {
		times = []time.Time{l.First, l.Last}
	}
	for _, at := range times {
		w.put(`<circle cx="`, place(float64(int(3+200*at.Sub(first).Hours()/span))), `" cy="6" r="3"><title>`, day(at), "</title></circle>")
	}
	w.put("</svg>")
}

// writeHelp says whether what sessions were told helped, as mem stats does.
func (p Page) writeHelp(w *writer) {
	r := p.Stats
	when := markup("they matter")
	if r.Lessons == 1 {
		when = "it matters"
	}
	w.put(`<section id="help"><h2>Does it help?</h2>`, "\n<p>", count(r.Sessions, "session was", "sessions were"), " read. ",
		count(r.Lessons, "lesson names", "lessons name"), " a command, an error or a file, by which <code>mem</code> sees when ", when, ".</p>\n")
	p.writeVerdict(w)
	p.writeRates(w)
	w.put("</section>\n")
}

// writeRates draws all shares, unless nothing was counted.
func (p Page) writeRates(w *writer) {
	r := p.Stats
	if r.Coverage.Of+r.Precision.Of+r.Told.Of+r.NotTold.Of == 0 {
		return
	}
	w.put(`<dl class="rates">`, "\n")
	for _, row := range []struct {
		name markup
		rate stats.Rate
		bad  bool // fewer is better
	}{
		{"A lesson mattered: the session had been shown it", r.Coverage, false},
		{"A session was shown a lesson ahead: it mattered later", r.Precision, false},
		{"The mistake was made after the lesson was shown", r.Told, true},
		{"The mistake was made by sessions without it", r.NotTold, true},
		{"The remedy was used after the lesson was shown", r.Followed, false},
	} {
		w.put("<div><dt>", row.name, "</dt><dd>")
		class := markup("good")
		if row.bad {
			class = "bad"
		}
		if r := row.rate; r.Share != nil {
			w.put(`<svg class="rate `, class, `" aria-hidden="true" viewBox="0 0 100 8" preserveAspectRatio="none"><rect class="track" width="100" height="8"/><rect class="span" x="`,
				place(100**r.Low), `" width="`, place(max(0.5, 100*(*r.High-*r.Low))), `" height="8"/><rect class="mark" x="`, place(min(99, 100**r.Share)), `" width="1" height="8"/></svg> `)
			w.put("<b>", percent(*r.Share), "</b> ")
		}
		w.put(number(row.rate.Hits), " of ", number(row.rate.Of), "</dd></div>\n")
	}
	w.put("</dl>\n<p><small>A lesson counts once a session. The pale bar is where the true share is in 19 of 20 cases; of fewer than five there is no share. Shown and not shown may differ by chance or in their tasks.</small></p>\n")
}

// writeVerdict says in a sentence what a person wants to know first.
func (p Page) writeVerdict(w *writer) {
	told, not := p.Stats.Told, p.Stats.NotTold
	switch {
	case p.Stats.Sessions == 0:
		w.put("<p>Once agents have worked here, this says whether the mistakes that a lesson is about were made again.</p>\n")
		return
	case told.Share == nil || not.Share == nil:
		w.put("<p>Too little happened so far to say whether the lessons help.</p>\n")
		return
	}
	w.put("<p>Sessions that were shown a lesson made its mistake in <b>", percent(*told.Share), "</b> of the cases, those without it in <b>", percent(*not.Share), "</b>.</p>\n")
}

func percent(share float64) markup { return number(int(100*share+0.5)) + "%" }
