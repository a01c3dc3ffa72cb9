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
	Part    int      // which maxPart of them are listed, from 0 on
	Rules   []Rule
	Needs   []Need
	Hooked  bool // a hook was called once
	Stats   stats.Report
	History []Change // the newest first
	Older   bool     // there are more changes than those
	Tip     string   // what a page that is served was made of; "" of a file
}

// A Lesson is one of the memory's. One that sessions are not shown is on the list alone, with its status.
type Lesson struct {
	*index.Item
	Own          bool      // in the person's own memory
	Told         int       // how many sessions were shown it
	Since, Until time.Time // when the first and the last of them were
	Agents       []string  // that they ran in
	Seen         []Sighting
	Commits      []Change // that name it
}

// A Sighting is a session that brought a lesson, with the words that it rests on.
type Sighting struct {
	At                   time.Time
	Agent, Session, Span string
	Words                []string
	Network              bool // some came from outside, and is not repeated
}

// A Need is something that only a person decides, with the command for it.
type Need struct{ Text, Command string }

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
	name, connect := p.title(), markup("")
	if p.Tip != "" {
		connect = " connect-src 'self';"
	}
	w.put("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n",
		`<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src '`, digest(style), "'; script-src '", digest(script), "';", connect,
		" base-uri 'none'; form-action 'none'\">\n",
		`<meta name="viewport" content="width=device-width, initial-scale=1">`, "\n",
		`<meta name="referrer" content="no-referrer">`, "\n<title>What was learned: ", name, "</title>\n<style>", style, "</style>\n</head>\n")
	w.put(`<body data-tip="`, line(p.Tip), `">`, "\n", `<header><p class="kicker">What was learned: <b>`, name, "</b></p>\n")
	p.writeHeadline(w)
	if len(p.Lessons) == 0 {
		w.put("</header>\n<main>\n")
		p.writeNeeds(w)
		if len(p.Rules) > 0 {
			p.writeRules(w)
		}
	} else {
		w.put(`<nav aria-label="Sections"><a href="#time">Over time</a> <a href="#back">Came back</a> <a href="#help">Does it help?</a> <a href="#rules">Rules</a> `+
			`<a href="#lessons">Lessons</a> <a href="#history">History</a></nav></header>`, "\n<main>\n")
		p.writeTiles(w)
		p.writeNeeds(w)
		p.writeTime(w)
		p.writeBack(w)
		p.writeHelp(w)
		p.writeRules(w)
		p.writeLessons(w)
	}
	if len(p.History) > 0 {
		p.writeHistory(w)
	}
	w.put("</main>\n<footer><p>Made by <code>mem report</code> on ", day(p.Now), ". Times are UTC. This page loads nothing.</p></footer>\n<script>", script, "</script>\n</body>\n</html>\n")
	return []byte(w.String())
}

// title names the memory.
func (p *Page) title() markup {
	if p.Name == "" {
		return "your own memory"
	}
	return line(p.Name)
}

// digest names a style or script that the page may use; nothing else is run, whatever
// stands in the page.
func digest(m markup) markup {
	sum := sha256.Sum256([]byte(m))
	return "sha256-" + markup(base64.StdEncoding.EncodeToString(sum[:]))
}

// plural is one if n is 1, else many.
func plural(n int, one, many markup) markup {
	if n == 1 {
		return one
	}
	return many
}

// count is a number of things.
func count(n int, one, many markup) markup {
	return number(n) + " " + plural(n, one, many)
}

// count counts lessons.
func (p *Page) count(fits func(*Lesson) bool) (n int) {
	for i := range p.Lessons {
		if fits(&p.Lessons[i]) {
			n++
		}
	}
	return n
}

func isWatchOut(l *Lesson) bool { return !l.IsLearning() }

func cameBack(l *Lesson) bool { return l.Hits > 1 }

func wasTold(l *Lesson) bool { return l.Told > 0 }

// A tile is a number that matters.
type tile struct {
	n           int
	name, about markup
}

// listTiles lists them, without what cannot be known yet.
func (p *Page) listTiles() []tile {
	list := []tile{{len(p.Lessons), plural(len(p.Lessons), "lesson", "lessons"), count(p.count(isWatchOut), "watch-out", "watch-outs")}, {p.count(cameBack), "came back", "learned more than once"}}
	if n := p.count(wasTold); p.Hooked || n > 0 {
		list = append(list, tile{n, plural(n, "was shown", "were shown"), "to at least one session"})
	}
	if n := len(p.Rules); n > 0 {
		list = append(list, tile{n, plural(n, "rule", "rules"), "read by every session"})
	}
	return list
}

// writeTiles writes the numbers that matter most.
func (p *Page) writeTiles(w *writer) {
	w.put(`<ul class="tiles">`)
	for _, t := range p.listTiles() {
		w.put("<li><b>", number(t.n), "</b> <span>", t.name, "</span> <small>", t.about, "</small></li>")
	}
	w.put("</ul>\n")
}

// writeRules writes the rules and where they came from.
func (p *Page) writeRules(w *writer) {
	w.put(`<section id="rules"><h2>Rules</h2>`, "\n")
	if len(p.Rules) == 0 {
		w.put("<p>No rules yet. When three similar lessons pile up, <code>mem</code> proposes a rule; <code>mem review</code> shows it.</p>")
	}
	known := p.shortenNamed()
	for _, r := range p.Rules {
		w.put(`<article class="rule"><h3>`, line(r.Name), "</h3>\n<p><small>", line(r.File), " ", line(r.About), `</small></p><div class="text">`, code(lines(strings.TrimSpace(r.Text))), "</div>")
		if len(r.Lessons) > 0 {
			w.put("<details><summary>Made of ", count(len(r.Lessons), "lesson", "lessons"), "</summary><ul>")
			for _, l := range r.Lessons {
				w.put("<li><code>", line(l.ID), "</code> ", cmp.Or(known[l.ID], lesson(l.Text)), "</li>")
			}
			w.put("</ul></details>")
		}
		w.put("</article>\n")
	}
	w.put("</section>\n")
}

// maxLine is how much of a lesson stands where another place has all of it.
const maxLine = 90

// shortenNamed returns the beginnings of the lessons that rules and changes name, by their ids. Those that this part of the
// list has are links.
func (p *Page) shortenNamed() map[string]markup {
	known := map[string]markup{}
	for _, r := range p.Rules {
		for _, l := range r.Lessons {
			known[l.ID] = ""
		}
	}
	for _, c := range p.History {
		for _, id := range c.Items {
			known[id] = ""
		}
	}
	for i := range p.Lessons {
		l := &p.Lessons[i]
		if _, isNamed := known[l.ID]; !isNamed || !l.IsShown() {
			continue
		}
		text := render.Shorten(guard.Line(l.Text), maxLine)
		known[l.ID] = lesson(text + strings.Repeat("`", strings.Count(text, "`")%2)) // code that was cut stays code
		if p.isListed(i) {
			known[l.ID] = `<a href="#` + line(l.ID) + `">` + known[l.ID] + "</a>"
		}
	}
	return known
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
			w.put("<li>", known[id], "</li>")
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
func (p *Page) writeHistory(w *writer) {
	w.put(`<section id="history"><h2>History</h2>`, "\n")
	known := p.shortenNamed()
	for i, c := range p.History {
		switch i {
		case 0:
			w.put(`<ol class="history">`)
		case openChanges:
			w.put("</ol><details><summary>", count(len(p.History)-i, "change", "changes"), ` before</summary><ol class="history">`)
		}
		c.write(w, known)
	}
	w.put("</ol>")
	if len(p.History) > openChanges {
		w.put("</details>")
	}
	if p.Older {
		w.put("<p><small>The latest ", number(len(p.History)), " changes; <code>mem log --limit 0</code> lists all.</small></p>")
	}
	w.put("</section>\n")
}
