// Package page renders the output of mem report: one HTML page about a memory that needs no network,
// script or other file.
//
// It is pure: it shows only its input, and the same input gives the same bytes.
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
	Rules   []Rule
	Needs   []Need
	Hooked  bool // a hook was called once
	Stats   stats.Report
	Tip     string // what a page that is served was made of; "" of a file

	places map[string]int // of the lessons, by id
}

// A Lesson is one of the memory's. One that sessions are not shown is on the list alone, with its status.
type Lesson struct {
	*index.Item
	Telling
	Own     bool // in the person's own memory
	Seen    []Sighting
	Commits []Change // that name it
}

// A Telling says when sessions were shown a lesson.
type Telling struct {
	Told         int       // how many sessions
	Since, Until time.Time // when the first and the last of them were
	Agents       []string  // that they ran in
}

// A Sighting is one reflection that brought a lesson.
type Sighting struct {
	At      time.Time `json:"at"`
	Agent   string    `json:"agent,omitzero"`
	Session string    `json:"session,omitzero"`
	Model   string    `json:"model,omitzero"` // who put it into words
	Span    string    `json:"span,omitzero"`  // the events that it rests on
	Commit  string    `json:"commit,omitzero"`
	Words   []string  `json:"words,omitzero"`   // what they say, while the session is there
	Network bool      `json:"network,omitzero"` // some of it came over the network and is not repeated
}

// NewSighting returns what a record says of a reflection that brought it.
func NewSighting(src index.Source) Sighting {
	agent, _, _ := strings.Cut(src.Trace, ":")
	return Sighting{At: src.At, Agent: agent, Session: src.Session, Model: src.Model, Span: src.Span}
}

// A Need is something that only a person decides, with the command for it.
type Need struct{ Text, Command string }

// A Rule is read by every session. It names the lessons that it was made of.
type Rule struct {
	Name, About, File, Text string
	Lessons                 []string // ids
}

// A Change is a commit of the memory.
type Change struct {
	Commit, Subject string
	At              time.Time
}

//go:embed page.css
var style markup

//go:embed page.js
var script markup

// Render returns the page.
func Render(p Page) []byte {
	w := &writer{}
	p.places = map[string]int{}
	for i := range p.Lessons {
		p.places[p.Lessons[i].ID] = i
	}
	name, connect := cmp.Or(line(p.Name), "your own memory"), markup("")
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
	} else {
		w.put(`<nav aria-label="Sections"><a href="#time">Over time</a> <a href="#back">Came back</a> <a href="#help">Does it help?</a> <a href="#rules">Rules</a> <a href="#lessons">Lessons</a></nav></header>`, "\n<main>\n")
		p.writeTiles(w)
		p.writeNeeds(w)
		p.writeTime(w)
		p.writeBack(w)
		p.writeHelp(w)
	}
	p.writeRules(w)
	if len(p.Lessons) > 0 { // last, as they may be thousands
		p.writeLessons(w)
	}
	w.put("</main>\n<footer><p>Made by <code>mem report</code> on ", day(p.Now), ". Times are UTC. This page loads nothing.</p></footer>\n<script>", script, "</script>\n</body>\n</html>\n")
	return []byte(w.String())
}

// digest names a style or script that the page may use; nothing else is run, whatever
// stands in the page.
func digest(m markup) markup {
	sum := sha256.Sum256([]byte(m))
	return "sha256-" + markup(base64.StdEncoding.EncodeToString(sum[:]))
}

type tile struct {
	n           int
	name, about markup
}

// listTiles lists them, without what cannot be known yet.
func (p *Page) listTiles() []tile {
	watchOuts, again, told := 0, 0, 0
	for i := range p.Lessons {
		l := &p.Lessons[i]
		if !l.IsLearning() {
			watchOuts++
		}
		again, told = again+min(1, l.Hits/2), told+min(1, l.Told)
	}
	list := []tile{
		{len(p.Lessons), plural(len(p.Lessons), "lesson", "lessons"), count(watchOuts, "watch-out", "watch-outs")}, {again, "came back", "learned more than once"},
	}
	if p.Hooked || told > 0 {
		list = append(list, tile{told, plural(told, "was shown", "were shown"), "to at least one session"})
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

func (p *Page) writeRules(w *writer) {
	w.put(`<section id="rules"><h2>Rules</h2>`, "\n")
	if len(p.Rules) == 0 {
		w.put("<p>No rules yet. When three similar lessons pile up, <code>mem</code> proposes a rule; <code>mem review</code> shows it.</p>")
	}
	for _, r := range p.Rules {
		w.put(`<article class="rule"><h3>`, line(r.Name), "</h3>\n<p><small>", line(r.File), " ", line(r.About), `</small></p><div class="text">`, code(lines(strings.TrimSpace(r.Text))), "</div>")
		if len(r.Lessons) > 0 {
			w.put("<details><summary>Made of ", count(len(r.Lessons), "lesson", "lessons"), "</summary><ul>")
			for _, id := range r.Lessons {
				w.put("<li><code>", line(id), "</code> ", p.shorten(id), "</li>")
			}
			w.put("</ul></details>")
		}
		w.put("</article>\n")
	}
	w.put("</section>\n")
}

// maxLine is how much of a lesson stands where another place has all of it.
const maxLine = 90

// shorten returns the beginning of a lesson, a link to it if it is listed; "" if sessions are not shown it.
func (p *Page) shorten(id string) markup {
	i, known := p.places[id]
	if !known || !p.Lessons[i].IsShown() {
		return ""
	}
	text := render.Shorten(guard.Line(p.Lessons[i].Text), maxLine)
	name := lesson(text + strings.Repeat("`", strings.Count(text, "`")%2)) // code that was cut stays code
	if i < maxListed {
		return `<a href="#` + line(id) + `">` + name + "</a>"
	}
	return name
}
