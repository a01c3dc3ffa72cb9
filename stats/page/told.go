package page

import (
	"cmp"
	"slices"
	"time"
)

// maxBack is how many lessons are named that came back.
const maxBack = 10

// writeTime draws when lessons were learned, and when they came back.
func (p *Page) writeTime(w *writer) {
	w.put(`<section id="time"><h2>Over time</h2>`, "\n")
	if c := p.chart(); len(c.bars) > 0 {
		c.write(w)
	} else {
		w.put("<p>Nothing to draw yet.</p>")
	}
	w.put("</section>\n")
}

// chart returns the one of lessons learned.
func (p *Page) chart() chart {
	var times [2][]time.Time // when lessons were learned, and when again
	for i := range p.Lessons {
		l := &p.Lessons[i]
		if !l.FirstSeen.IsZero() {
			times[0] = append(times[0], l.FirstSeen)
		}
		for _, s := range l.Sources {
			if s.At.After(l.FirstSeen) {
				times[1] = append(times[1], s.At)
			}
		}
	}
	bars, days := countTimes(times, p.Now)
	return chart{title: "Lessons learned", sorts: [2]markup{"new", "again"}, per: plural(days, "a day", "in "+number(days)+" days"), bars: bars}
}

// writeBack lists the lessons that came back most often, each with its sightings in time.
func (p *Page) writeBack(w *writer) {
	w.put(`<section id="back"><h2>What came back</h2>`, "\n")
	var list []*Lesson
	first, last := p.Now, time.Time{}
	for i := range p.Lessons {
		l := &p.Lessons[i]
		if l.Hits < 2 || !l.IsShown() {
			continue
		}
		list = append(list, l)
		for _, at := range append(l.listTimes(), l.FirstSeen, l.LastSeen) {
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
	slices.SortStableFunc(list, func(a, b *Lesson) int { return cmp.Or(cmp.Compare(b.Hits, a.Hits), b.LastSeen.Compare(a.LastSeen)) })
	w.put("<p>The lessons learned most often. A dot is a session that brought one, between ", day(first), " and ", day(last), ".</p>\n", `<ol class="back">`, "\n")
	for _, l := range list[:min(len(list), maxBack)] {
		w.put("<li><p>", lesson(l.Text), ` <a href="#`, line(l.ID), `"><code>`, line(l.ID), "</code></a></p><div><b>×", number(l.Hits), "</b> ")
		writeDots(w, l, first, last)
		w.put("</div></li>\n")
	}
	w.put("</ol></section>\n")
}

// listTimes lists the sightings of a lesson or, if none is kept, the first and the last.
func (l *Lesson) listTimes() (list []time.Time) {
	for _, s := range l.Sources {
		list = append(list, s.At)
	}
	if len(list) == 0 {
		list = []time.Time{l.FirstSeen, l.LastSeen}
	}
	return list
}

func writeDots(w *writer, l *Lesson, first, last time.Time) {
	span := max(1, last.Sub(first).Hours())
	w.put(`<svg class="dots" role="img" aria-label="`, number(l.Hits), " times, the last on ", day(l.LastSeen), `" viewBox="0 0 206 12"><path d="M3 6h200"/>`)
	for _, at := range l.listTimes() {
		w.put(`<circle cx="`, place(float64(int(3+200*at.Sub(first).Hours()/span))), `" cy="6" r="3"><title>`, day(at), "</title></circle>")
	}
	w.put("</svg>")
}

// writeHelp says whether what sessions were told helped, as mem stats does.
func (p *Page) writeHelp(w *writer) {
	w.put(`<section id="help"><h2>Does it help?</h2>`, "\n")
	if r := p.Stats; r.Sessions > 0 {
		w.put("<p>", count(r.Sessions, "session was", "sessions were"), " read. ", count(r.Lessons, "lesson names", "lessons name"),
			" a command, an error or a file, by which <code>mem</code> sees when ", plural(r.Lessons, "it matters", "they matter"), ".</p>\n")
	}
	p.writeVerdict(w)
	p.writeRates(w)
	w.put("</section>\n")
}

// writeRates draws all shares, unless nothing was counted.
func (p *Page) writeRates(w *writer) {
	if r := p.Stats; r.Coverage.Of+r.Precision.Of+r.Told.Of+r.NotTold.Of == 0 {
		return
	}
	w.put(`<dl class="rates">`, "\n")
	for _, row := range p.Stats.ListRates() {
		if row.Of == 0 {
			continue
		}
		w.put("<div><dt>", line(row.Name), "</dt><dd>")
		if r := row.Rate; r.Share != nil {
			class := map[bool]markup{true: "bad", false: "good"}[row.Bad]
			w.put(`<svg class="rate `, class, `" aria-hidden="true" viewBox="0 0 100 8" preserveAspectRatio="none"><title>`, percent(*r.Share), ", in 19 of 20 cases between ", percent(*r.Low), " and ", percent(*r.High),
				`</title><rect class="track" width="100" height="8"/><rect class="span" x="`, place(100**r.Low), `" width="`, place(max(0.5, 100*(*r.High-*r.Low))), `" height="8"/><rect class="mark" x="`, place(min(99, 100**r.Share)), `" width="1" height="8"/></svg> `)
			w.put("<b>", percent(*r.Share), "</b> ")
		}
		w.put(number(row.Hits), " of ", number(row.Of), "</dd></div>\n")
	}
	w.put("</dl>\n<p><small>A lesson counts once a session. A bar goes from 0 to 100%. Its pale part is where the true share is in 19 of 20 cases; of fewer than five there is no share. Shown and not shown may differ by chance or in their tasks.</small></p>\n")
}

// writeVerdict says in a sentence what a person wants to know first.
func (p *Page) writeVerdict(w *writer) {
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

// A bar is a stretch of time in a chart: its name, and parts that stand on each other.
type bar struct {
	name  string
	parts [2]int
}

func (b bar) sum() int { return b.parts[0] + b.parts[1] }

// How many bars there are: with fewer each would be so wide that it is no bar, so that empty ones stand before them.
const (
	minBars = 30
	maxBars = 60
)

// countTimes counts times of two sorts into bars of some days each, of which the last ends with now, or with the last of them.
func countTimes(sorts [2][]time.Time, now time.Time) (bars []bar, days int) {
	all := slices.Concat(sorts[0], sorts[1])
	if len(all) == 0 {
		return nil, 0
	}
	first, end := slices.MinFunc(all, time.Time.Compare), slices.MaxFunc(append(all, now), time.Time.Compare).UTC()
	end = time.Date(end.Year(), end.Month(), end.Day()+1, 0, 0, 0, 0, time.UTC)
	span := 1 + int(end.Sub(first).Hours()/24)
	days = 1 + (span-1)/maxBars
	bars = make([]bar, max(minBars, 1+(span-1)/days))
	from := end.AddDate(0, 0, -days*len(bars))
	for i := range bars {
		bars[i].name = from.AddDate(0, 0, i*days).Format(time.DateOnly)
	}
	for sort, times := range sorts {
		for _, t := range times {
			bars[max(0, int(t.Sub(from).Hours()/24)/days)].parts[sort]++ // what is centuries old is in the first
		}
	}
	return bars, days
}

// A chart is a picture of bars, and a table that says the same.
type chart struct {
	title markup    // what the bars count
	sorts [2]markup // names of the parts
	per   markup    // the time that a bar stands for
	bars  []bar
}

// write draws the chart. The picture is stretched to the width that there is, so that all
// words stand beside it.
func (c chart) write(w *writer) {
	most, top := c.most(), c.top()
	w.put("<figure><figcaption>", c.title, " ", c.per, ` <span class="legend"><i class="s0"></i>`, c.sorts[0], ` <i class="s1"></i>`, c.sorts[1], "</span></figcaption>\n")
	w.put(`<div class="plot"><p class="scale" aria-hidden="true"><span>`, number(top), "</span><span>", number(top/2), "</span><span>0</span></p>\n", `<svg role="img" aria-label="`, c.title, ", at most ", number(most), " ", c.per, `; the table below has the numbers" viewBox="0 0 `,
		place(float64(len(c.bars))), ` 100" preserveAspectRatio="none">`)
	c.draw(w)
	w.put("</svg></div>\n", `<p class="axis"><span>`, line(c.bars[0].name), "</span><span>", line(c.bars[len(c.bars)/2].name), "</span><span>", line(c.bars[len(c.bars)-1].name), "</span></p>\n")
	w.put(`<details><summary>Numbers</summary><table><thead><tr><th scope="col">from</th><th scope="col">`, c.sorts[0], `</th><th scope="col">`, c.sorts[1], "</th></tr></thead><tbody>\n")
	for _, b := range c.bars {
		if b.sum() > 0 {
			w.put(`<tr><th scope="row">`, line(b.name), "</th><td>", number(b.parts[0]), "</td><td>", number(b.parts[1]), "</td></tr>\n")
		}
	}
	w.put("</tbody></table></details>\n", "</figure>\n")
}

// most is the value of the highest bar, at least 1.
func (c chart) most() int {
	return max(1, slices.MaxFunc(c.bars, func(a, b bar) int { return cmp.Compare(a.sum(), b.sum()) }).sum())
}

// top is the value at the top of the chart: an even number, and at least minTop, so that one lesson does not fill it.
func (c chart) top() int { return max(minTop, c.most()+c.most()%2) }

const minTop = 4

// draw draws the bars, with lines at the top, in the middle and at the foot, in a picture that is 100 high and one wide for each.
func (c chart) draw(w *writer) {
	width, all := place(float64(len(c.bars))), float64(c.top())
	w.put(`<path class="grid" d="M0 0H`, width, "M0 50H", width, "M0 100H", width, `"/>`)
	for i, b := range c.bars {
		w.put("<g><title>", line(b.name), ": ", number(b.parts[0]), " ", c.sorts[0], ", ", number(b.parts[1]), " ", c.sorts[1], "</title>")
		w.put(`<rect class="hit" x="`, place(float64(i)), `" y="0" width="1" height="100"/>`)
		top := 100.0
		for sort, n := range b.parts {
			if n == 0 {
				continue
			}
			height := max(1, 100*float64(n)/all)
			top -= height
			w.put(`<rect class="s`, number(sort), `" x="`, place(float64(i)+0.1), `" y="`, place(max(0, top)), `" width="0.8" height="`, place(height), `"/>`)
		}
		w.put("</g>")
	}
}
