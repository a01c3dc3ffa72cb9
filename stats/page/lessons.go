package page

import (
	"cmp"
	"maps"
	"slices"
)

// writeLessons writes all lessons, with the fields that a script searches and filters by.
func (p Page) writeLessons(w *writer) {
	w.put(`<section id="lessons"><h2>Lessons</h2>`, "\n")
	p.writeFilters(w)
	w.put(`<ol id="list">`, "\n")
	for i := range p.Lessons {
		p.Lessons[i].write(w)
	}
	w.put("</ol>\n", `<p id="more" hidden><button type="button">Show all</button></p></section>`, "\n")
}

func (l *Lesson) write(w *writer) {
	w.put(`<li id="`, line(l.ID), `" data-d="`, line(l.Domain), `"`)
	if l.WatchOut {
		w.put(` class="w"`)
	}
	w.put("><p>", lesson(l.Text), "</p><small><code>", line(l.ID), "</code> ")
	if l.WatchOut {
		w.put("watch-out ")
	}
	if l.Hits > 1 {
		w.put("<b>×", number(l.Hits), "</b> ")
	}
	w.put("<time>", day(l.Last), "</time>")
	for _, mark := range l.listMarks() {
		w.put(" · ", mark)
	}
	w.put("</small></li>\n")
}

// listMarks lists what else there is to say about a lesson.
func (l *Lesson) listMarks() (marks []markup) {
	if l.Status != "" {
		marks = append(marks, "<em>"+line(l.Status)+"</em>")
	}
	if l.Own {
		marks = append(marks, "your own memory")
	}
	if l.Pinned {
		marks = append(marks, "pinned")
	}
	if l.Proven {
		marks = append(marks, "proven")
	}
	if l.Told > 0 {
		marks = append(marks, "shown to "+count(l.Told, "session", "sessions"))
	}
	if l.Domain != "" {
		marks = append(marks, line(l.Domain))
	}
	for _, tag := range l.Tags {
		marks = append(marks, "#"+line(tag))
	}
	return marks
}

// writeFilters writes the fields of the search, which a script shows.
func (p Page) writeFilters(w *writer) {
	domains, watchOuts := map[string]int{}, 0
	for _, l := range p.Lessons {
		if l.Domain != "" {
			domains[l.Domain]++
		}
		if l.WatchOut {
			watchOuts++
		}
	}
	w.put(`<form class="filters" role="search" hidden>`, "\n",
		`<label class="words">Search <input type="search" name="words" autocomplete="off" spellcheck="false"></label>`, "\n",
		`<label>Kind <select name="kind"><option value="">all</option><option value="l">learnings (`, number(len(p.Lessons)-watchOuts),
		`)</option><option value="w">watch-outs (`, number(watchOuts), ")</option></select></label>\n")
	if len(domains) > 0 {
		w.put(`<label>Domain <select name="domain"><option value="">all</option>`)
		for _, d := range slices.SortedFunc(maps.Keys(domains), func(a, b string) int {
			return cmp.Or(cmp.Compare(domains[b], domains[a]), cmp.Compare(a, b))
		}) {
			w.put(`<option value="`, line(d), `">`, line(d), " (", number(domains[d]), ")</option>")
		}
		w.put("</select></label>\n")
	}
	w.put(`<label>Order <select name="order"><option value="">best first</option><option value="seen">latest first</option><option value="hits">most often first</option></select></label>`,
		"\n", `<output aria-live="polite"></output></form>`, "\n")
}
