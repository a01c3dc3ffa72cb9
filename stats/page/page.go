// Package page renders what mem report writes: one HTML page about a memory that needs
// no network, no script and no other file.
//
// It is pure: what it is given is all that it shows, and the same gives the same bytes.
package page

import (
	"cmp"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"maps"
	"slices"
	"strings"
	"time"

	"mem/guard"
	"mem/index"
	"mem/render"
	"mem/stats"
)

// A Page is the content of the report.
type Page struct {
	Name    string // of the project; "" for the person's own memory
	Now     time.Time
	Lessons []Lesson // best first
	Rules   []Rule
	Stats   stats.Report
	History []Change // the newest first
	Older   bool     // there are more changes than those
}

// A Lesson is one of the memory's. One that sessions are not shown is on the list alone, with its status.
type Lesson struct {
	*index.Item
	Own  bool // in the person's own memory
	Told int  // how many sessions were shown it
}

// A Rule is read by every session. It names the lessons that it was made of.
type Rule struct {
	Name, About, File, Text string
	Lessons                 []stats.Entry
}

// A Change is a commit of the memory.
type Change struct {
	Commit, Subject string
	At              time.Time
	Items           []string // ids of lessons
}

//go:embed page.css
var style markup

//go:embed page.js
var script markup

// Render returns the page.
func Render(p Page) []byte {
	w := &writer{}
	name := markup("Your own memory")
	if p.Name != "" {
		name = line(p.Name)
	}
	w.put("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n",
		`<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src '`, digest(style), "'; script-src '", digest(script),
		"'; base-uri 'none'; form-action 'none'\">\n",
		`<meta name="viewport" content="width=device-width, initial-scale=1">`, "\n",
		`<meta name="referrer" content="no-referrer">`, "\n<title>What was learned: ", name, "</title>\n<style>", style, "</style>\n</head>\n<body>\n")
	w.put(`<header><p class="kicker">What was learned</p><h1>`, name, "</h1>\n<p>", p.sum(), "</p>\n")
	if len(p.Lessons) == 0 {
		w.put("</header>\n<main>\n")
		p.writeRules(w)
	} else {
		w.put(`<nav aria-label="Sections"><a href="#time">Over time</a> <a href="#back">Came back</a> <a href="#help">Does it help?</a> <a href="#rules">Rules</a> <a href="#lessons">Lessons</a> <a href="#history">History</a></nav></header>`, "\n<main>\n")
		p.writeTiles(w)
		p.writeTime(w)
		p.writeBack(w)
		p.writeHelp(w)
		p.writeRules(w)
		p.writeLessons(w)
	}
	p.writeHistory(w)
	w.put("</main>\n<footer><p>Made by <code>mem report</code> on ", day(p.Now), ". Times are UTC. This page loads nothing.</p></footer>\n<script>", script, "</script>\n</body>\n</html>\n")
	return []byte(w.String())
}

// digest names a style or script that the page may use; nothing else is run, whatever
// stands in the page.
func digest(m markup) markup {
	sum := sha256.Sum256([]byte(m))
	return "sha256-" + markup(base64.StdEncoding.EncodeToString(sum[:]))
}

// count is a number of things.
func count(n int, one, many markup) markup {
	return number(n) + " " + markup(render.Plural(n, string(one), string(many)))
}

// sum says in a sentence what the page is about.
func (p Page) sum() markup {
	first, seen := p.Now, 0
	for _, l := range p.Lessons {
		seen += l.Hits
		if !l.FirstSeen.IsZero() && l.FirstSeen.Before(first) {
			first = l.FirstSeen
		}
	}
	if len(p.Lessons) == 0 {
		return "Nothing was learned yet. <code>mem reflect</code> learns from the newest session; a hook does it after each."
	}
	return "From " + day(first) + " to " + day(p.Now) + ": " + count(len(p.Lessons), "lesson", "lessons") + ", learned " +
		markup(render.Plural(seen, "once", string(number(seen)+" times"))) + " in all."
}

func isWatchOut(l *Lesson) bool { return !l.IsLearning() }

// count counts lessons.
func (p Page) count(fits func(*Lesson) bool) (n int) {
	for i := range p.Lessons {
		if fits(&p.Lessons[i]) {
			n++
		}
	}
	return n
}

// writeTiles writes the numbers that matter most.
func (p Page) writeTiles(w *writer) {
	w.put(`<ul class="tiles">`)
	for _, tile := range []struct {
		n           int
		name, about markup
	}{
		{len(p.Lessons), "lessons", count(p.count(isWatchOut), "watch-out", "watch-outs")},
		{p.count(func(l *Lesson) bool { return l.Hits > 1 }), "came back", "learned more than once"},
		{p.count(func(l *Lesson) bool { return l.Told > 0 }), "were shown", "to at least one session"},
		{len(p.Rules), "rules", "read by every session"},
	} {
		w.put("<li><b>", number(tile.n), "</b> <span>", tile.name, "</span> <small>", tile.about, "</small></li>")
	}
	w.put("</ul>\n")
}

// writeRules writes the rules and where they came from.
func (p Page) writeRules(w *writer) {
	w.put(`<section id="rules"><h2>Rules</h2>`, "\n")
	if len(p.Rules) == 0 {
		w.put("<p>No rules yet. When three similar lessons pile up, <code>mem</code> proposes a rule; <code>mem review</code> shows it.</p>")
	}
	known := p.shortenAll()
	for _, r := range p.Rules {
		w.put(`<article class="rule"><h3>`, line(r.Name), "</h3>\n<p><small>", line(r.File), " ", line(r.About), `</small></p><div class="text">`, code(lines(strings.TrimSpace(r.Text))), "</div>")
		if len(r.Lessons) > 0 {
			w.put("<details><summary>Made of ", count(len(r.Lessons), "lesson", "lessons"), "</summary><ul>")
			for _, l := range r.Lessons {
				w.put("<li>", link(l.ID, known), " ", lesson(l.Text), "</li>")
			}
			w.put("</ul></details>")
		}
		w.put("</article>\n")
	}
	w.put("</section>\n")
}

// maxLine is how much of a lesson stands where another place has all of it.
const maxLine = 90

// shortenAll returns the beginnings of the lessons, by their ids.
func (p Page) shortenAll() map[string]markup {
	known := map[string]markup{}
	for _, l := range p.Lessons {
		if l.IsShown() {
			known[l.ID] = lesson(render.Shorten(guard.Line(l.Text), maxLine))
		}
	}
	return known
}

// link leads to a lesson, if the page has it.
func link(id string, known map[string]markup) markup {
	if known[id] == "" {
		return "<code>" + line(id) + "</code>"
	}
	return `<a href="#` + line(id) + `"><code>` + line(id) + "</code></a>"
}

// maxItems is how many lessons of a change are named.
const maxItems = 5

func (c *Change) write(w *writer, known map[string]markup) {
	w.put("<li><time>", day(c.At), "</time><div><small>", line(c.Subject), " <code>", line(c.Commit), "</code></small>")
	var list []string
	for _, id := range c.Items {
		if known[id] != "" {
			list = append(list, id)
		}
	}
	if len(list) > 0 {
		w.put("<ul>")
		for _, id := range list[:min(len(list), maxItems)] {
			w.put(`<li><a href="#`, line(id), `">`, known[id], "</a></li>")
		}
		if more := len(list) - maxItems; more > 0 {
			w.put("<li>and ", number(more), " more</li>")
		}
		w.put("</ul>")
	}
	w.put("</div></li>\n")
}

// openChanges is how many changes are not folded.
const openChanges = 20

// writeHistory writes the changes, the newest first.
func (p Page) writeHistory(w *writer) {
	w.put(`<section id="history"><h2>History</h2>`, "\n")
	if len(p.History) == 0 {
		w.put("<p>No commit yet.</p>")
	}
	known := p.shortenAll()
	for i, c := range p.History {
		switch i {
		case 0:
			w.put(`<ol class="history">`)
		case openChanges:
			w.put("</ol><details><summary>", count(len(p.History)-i, "change", "changes"), ` before</summary><ol class="history">`)
		}
		c.write(w, known)
	}
	if len(p.History) > 0 {
		w.put("</ol>")
	}
	if len(p.History) > openChanges {
		w.put("</details>")
	}
	if p.Older {
		w.put("<p><small>The latest ", number(len(p.History)), " changes; <code>mem log --limit 0</code> lists all.</small></p>")
	}
	w.put("</section>\n")
}

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
	if !l.IsLearning() {
		w.put(` class="w"`)
	}
	w.put("><p>", lesson(l.Text), "</p><small><code>", line(l.ID), "</code> ")
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
	w.put("</small></li>\n")
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

// writeFilters writes the fields of the search, which a script shows.
func (p Page) writeFilters(w *writer) {
	domains, watchOuts := map[string]int{}, p.count(isWatchOut)
	for _, l := range p.Lessons {
		if l.Domain != "" {
			domains[l.Domain]++
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
