package page

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"mem/index"
)

// What one page holds of a large memory.
const (
	maxPart   = 5000    // lessons in its list
	maxOpen   = 900_000 // bytes of what opens; the best lessons come first
	maxOpened = 3       // sightings, and commits, of a lesson that opens
)

func (p *Page) countParts() int { return max(1, (len(p.Lessons)+maxPart-1)/maxPart) }

// Listed are the lessons that the list of this page has; none if the page has no such part.
func (p *Page) Listed() []Lesson {
	return p.Lessons[min(len(p.Lessons), p.Part*maxPart):min(len(p.Lessons), (p.Part+1)*maxPart)]
}

// isListed reports whether the lesson at a place is one of them.
func (p *Page) isListed(i int) bool { return i/maxPart == p.Part }

// writeLessons writes the lessons, with the fields that a script searches and filters by.
func (p *Page) writeLessons(w *writer) {
	w.put(`<section id="lessons"><h2>Lessons</h2>`, "\n")
	p.writePart(w)
	p.writeFilters(w)
	w.put(`<ol id="list">`, "\n")
	list := p.Listed()
	left := maxOpen
	for i := range list {
		left -= list[i].write(w, left > 0)
	}
	w.put("</ol>\n", `<p id="more" hidden><button type="button">Show all</button></p></section>`, "\n")
}

// writePart says which of the lessons are listed, and how to see others.
func (p *Page) writePart(w *writer) {
	parts := p.countParts()
	if parts == 1 {
		return
	}
	first := p.Part*maxPart + 1
	w.put("<p>Lessons ", number(first), " to ", number(first+len(p.Listed())-1), " of ", number(len(p.Lessons)), ", best first. ")
	for _, part := range []struct {
		name markup
		n    int
	}{{"Before", p.Part}, {"Next", p.Part + 2}} { // from 1 on, as a person counts
		switch n := number(part.n); {
		case part.n < 1 || part.n > parts:
		case p.Tip != "":
			w.put(` <a href="?page=`, n, `">`, part.name, "</a>")
		default:
			w.put(" ", part.name, ": <code>mem report --page ", n, " -o page", n, ".html</code>")
		}
	}
	w.put("</p>\n")
}

// write writes a lesson, and returns how many bytes of it opens.
func (l *Lesson) write(w *writer, opens bool) int {
	w.put(`<li id="`, line(l.ID), `" data-d="`, line(l.Domain), `"`)
	if !l.IsLearning() {
		w.put(` class="w"`)
	}
	story := &writer{}
	if opens && l.IsShown() {
		l.writeStory(story)
	}
	begin, end := markup("><p>"), markup("</p>")
	if story.Len() > 0 {
		begin, end = "><details><summary>", "</summary>"+story.made()+"</details>"
	}
	w.put(begin, lesson(l.Text), "<small><code>", line(l.ID), "</code> ")
	if !l.IsLearning() {
		w.put("watch-out ")
	}
	if l.Hits > 1 {
		w.put("<b>×", number(l.Hits), "</b> ")
	}
	w.put("<time>", day(l.LastSeen), "</time>")
	for _, mark := range l.listMarks() {
		w.put(" · ", mark)
	}
	w.put("</small>", end, "</li>\n")
	return story.Len()
}

// listMarks lists what else there is to say about a lesson.
func (l *Lesson) listMarks() (marks []markup) {
	for _, m := range []struct {
		is   bool
		mark markup
	}{
		{l.Status == index.Compiled, "<em>in a rule</em>"}, {!l.IsShown(), "<em>" + line(string(l.Status)) + "</em>"}, {l.Own, "your own memory"}, {l.Pinned, "pinned"},
		{l.IsProven(), "proven"}, {l.Told > 0, "shown to " + count(l.Told, "session", "sessions")}, {l.Domain != "", line(l.Domain)},
	} {
		if m.is {
			marks = append(marks, m.mark)
		}
	}
	for _, tag := range l.Tags {
		marks = append(marks, "#"+line(tag))
	}
	return marks
}

// writeStory writes what a lesson opens to: the sessions' words, the cure and the commits.
func (l *Lesson) writeStory(w *writer) {
	var facts [][2]markup
	add := func(name markup, parts ...string) {
		if text := strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), " | "); text != "" {
			facts = append(facts, [2]markup{name, lesson(text)})
		}
	}
	if c := l.Cue; c != nil {
		add("Applies at", c.Tool, c.Command, c.Error, c.Path)
	}
	if r := l.Remedy; r != nil {
		add("The cure", r.Tool, r.Command, r.Error, r.Path)
	}
	add("Why", l.Why)
	if len(facts) > 0 {
		w.put("<dl>")
		for _, f := range facts {
			w.put("<dt>", f[0], "</dt><dd>", f[1], "</dd>")
		}
		w.put("</dl>")
	}
	if len(l.Seen) > 0 {
		w.put("<ul>")
		for i := range l.Seen[:min(len(l.Seen), maxOpened)] {
			l.Seen[i].write(w)
		}
		w.put("</ul>")
	}
	for _, c := range l.Commits[:min(len(l.Commits), maxOpened)] {
		w.put("<p><time>", day(c.At), "</time> ", line(c.Subject), " <code>", line(c.Commit), "</code></p>")
	}
	if more := l.Hits - len(l.Seen); len(l.Seen) > 0 && more > 0 || len(l.Commits) > maxOpened {
		w.put("<p><code>mem show ", line(l.ID), "</code> has more</p>")
	}
}

// write writes a sighting, with the words that it rests on.
func (s *Sighting) write(w *writer) {
	w.put("<li>seen <time>", day(s.At), "</time>")
	if s.Agent != "" {
		w.put(" by ", cmp.Or(agents[s.Agent], line(s.Agent)))
	}
	if s.Session != "" {
		w.put(" in <code>", line(s.Session), "</code>")
	}
	for _, words := range s.Words {
		w.put("<blockquote>", line(words), "</blockquote>")
	}
	if s.Network {
		w.put(" <em>What came from outside is not repeated here.</em>")
	}
	w.put("</li>")
}

// writeFilters writes the fields of the search, which a script shows.
func (p *Page) writeFilters(w *writer) {
	list, domains, watchOuts := p.Listed(), map[string]int{}, 0
	for i := range list {
		if list[i].Domain != "" {
			domains[list[i].Domain]++
		}
		if isWatchOut(&list[i]) {
			watchOuts++
		}
	}
	w.put(`<form class="filters" role="search" hidden>`, "\n",
		`<label class="words">Search <input type="search" name="words" autocomplete="off" spellcheck="false"></label>`, "\n",
		`<label>Kind <select name="kind"><option value="">all</option><option value="l">learnings (`, number(len(list)-watchOuts),
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
