package page

import (
	"cmp"
	"slices"
	"time"
)

// A bar is a stretch of time in a chart: its name, and parts that stand on each other.
type bar struct {
	name  string
	parts [2]int
}

func (b bar) sum() int { return b.parts[0] + b.parts[1] }

// units are the stretches that a bar may stand for. The first with which no more than
// maxBars are needed is taken.
var units = []struct {
	name   string
	layout string
	begin  func(time.Time) time.Time
	next   func(time.Time) time.Time
}{
	{"day", time.DateOnly, beginDay, func(t time.Time) time.Time { return t.AddDate(0, 0, 1) }},
	{"week", time.DateOnly, func(t time.Time) time.Time { return beginDay(t).AddDate(0, 0, -(int(t.Weekday())+6)%7) }, func(t time.Time) time.Time { return t.AddDate(0, 0, 7) }},
	{"month", "2006-01", func(t time.Time) time.Time { return beginDay(t).AddDate(0, 0, 1-t.Day()) }, func(t time.Time) time.Time { return t.AddDate(0, 1, 0) }},
	{"year", "2006", func(t time.Time) time.Time { return beginDay(t).AddDate(0, 0, 1-t.YearDay()) }, func(t time.Time) time.Time { return t.AddDate(1, 0, 0) }},
}

const maxBars = 60

func beginDay(t time.Time) time.Time {
	return time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, time.UTC)
}

// countTimes counts times of two sorts into bars from the first of them to the last, and
// says what a bar stands for.
func countTimes(sorts [2][]time.Time) (bars []bar, unit string) {
	all := slices.Concat(sorts[0], sorts[1])
	if len(all) == 0 {
		return nil, ""
	}
	first, last := slices.MinFunc(all, time.Time.Compare).UTC(), slices.MaxFunc(all, time.Time.Compare).UTC()
	for _, u := range units {
		places := map[time.Time]int{}
		bars = nil
		for at := u.begin(first); !at.After(last) && len(bars) <= 4*maxBars; at = u.next(at) {
			places[at] = len(bars)
			bars = append(bars, bar{name: at.Format(u.layout)})
		}
		if unit = u.name; len(bars) > maxBars && u.name != "year" {
			continue
		}
		for sort, times := range sorts {
			for _, t := range times {
				if i, ok := places[u.begin(t.UTC())]; ok {
					bars[i].parts[sort]++
				}
			}
		}
		break
	}
	return bars, unit
}

// A chart is a picture of bars, and a table that says the same.
type chart struct {
	title markup    // what the bars count
	sorts [2]markup // names of the parts
	unit  string    // of time, that a bar stands for
	bars  []bar
}

// write draws the chart. The picture is stretched to the width that there is, so that all
// words stand beside it.
func (c chart) write(w *writer) {
	most := slices.MaxFunc(c.bars, func(a, b bar) int { return cmp.Compare(a.sum(), b.sum()) }).sum()
	w.put("<figure><figcaption>", c.title, ` <span class="legend"><i class="s0"></i>`, c.sorts[0], ` <i class="s1"></i>`, c.sorts[1], "</span></figcaption>\n")
	w.put(`<svg role="img" aria-label="`, c.title, ", at most ", number(most), " a ", line(c.unit), `; the table below has the numbers" viewBox="0 0 `,
		place(float64(len(c.bars))), ` 100" preserveAspectRatio="none">`)
	for i, b := range c.bars {
		w.put("<g><title>", line(b.name), ": ", number(b.parts[0]), " ", c.sorts[0], ", ", number(b.parts[1]), " ", c.sorts[1], "</title>")
		w.put(`<rect class="hit" x="`, place(float64(i)), `" y="0" width="1" height="100"/>`)
		top := 100.0
		for sort, n := range b.parts {
			if n == 0 {
				continue
			}
			height := max(1, 100*float64(n)/float64(most))
			top -= height
			w.put(`<rect class="s`, number(sort), `" x="`, place(float64(i)+0.1), `" y="`, place(max(0, top)), `" width="0.8" height="`, place(height), `"/>`)
		}
		w.put("</g>")
	}
	w.put("</svg>\n", `<p class="axis"><span>`, line(c.bars[0].name), "</span><span>highest: ", number(most), " a ", line(c.unit), "</span><span>", line(c.bars[len(c.bars)-1].name), "</span></p>\n")
	w.put(`<details><summary>Numbers</summary><table><thead><tr><th scope="col">`, line(c.unit), `</th><th scope="col">`, c.sorts[0], `</th><th scope="col">`, c.sorts[1], "</th></tr></thead><tbody>\n")
	for _, b := range c.bars {
		if b.sum() > 0 {
			w.put(`<tr><th scope="row">`, line(b.name), "</th><td>", number(b.parts[0]), "</td><td>", number(b.parts[1]), "</td></tr>\n")
		}
	}
	w.put("</tbody></table></details>\n", "</figure>\n")
}
