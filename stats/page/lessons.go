package page

import (
	"cmp"

	"mem/index"
)

// What one page holds of a large memory.
const (
	maxListed = 5000    // lessons in its list
	maxOpen   = 900_000 // bytes of what opens; the best lessons come first
	maxOpened = 3       // sightings, and commits, of a lesson that opens
)

// Listed are the lessons that the list has.
func (p *Page) Listed() []Lesson { return p.Lessons[:min(len(p.Lessons), maxListed)] }

// writeLessons writes the lessons, with the fields of the search, which a script shows.
func (p *Page) writeLessons(w *writer) {
	w.put(`<section id="lessons"><h2>Lessons</h2>`, "\n")
	if len(p.Lessons) > maxListed {
		w.put("<p>The best ", number(maxListed), " of ", number(len(p.Lessons)), "; <code>mem list</code> has all.</p>\n")
	}
	w.put(`<form class="filters" role="search" hidden>`, "\n", `<label class="words">Search <input type="search" name="words" autocomplete="off" spellcheck="false"></label>`, "\n",
		`<label>Order <select name="order"><option value="">best first</option><option value="seen">latest first</option><option value="hits">most often first</option></select></label>`,
		"\n", `<output aria-live="polite"></output></form>`, "\n", `<ol id="list">`, "\n")
	list := p.Listed()
	left := maxOpen
	for i := range list {
		left -= list[i].write(w, left > 0)
	}
	w.put("</ol></section>\n")
}

// write writes a lesson, and returns how many bytes of it opens.
func (l *Lesson) write(w *writer, opens bool) int {
	w.put(`<li id="`, line(l.ID), `"`)
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
	list := &writer{}
	for _, fact := range []struct {
		name markup
		text string
	}{{"Applies at", l.Cue.String()}, {"The cure", l.Remedy.String()}, {"Why", l.Why}} {
		if fact.text != "" {
			list.put("<dt>", fact.name, "</dt><dd>", lesson(fact.text), "</dd>")
		}
	}
	if list.Len() > 0 {
		w.put("<dl>", list.made(), "</dl>")
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
