package page

import (
	"cmp"
	_ "embed"
	"strings"
	"time"

	"mem/guard"
	"mem/index"
	"mem/render"
)

var agents = map[string]markup{"claude": "Claude", "codex": "Codex", "gemini": "Gemini", "cursor": "Cursor"}

// date is a day for people, with its year if that is another one than now's.
func (p *Page) date(t time.Time) markup {
	if t.Year() == p.Now.Year() {
		return line(t.UTC().Format("2 January"))
	}
	return line(t.UTC().Format("2 January 2006"))
}

// headline returns the most important sentence for a person: what the lesson seen in the most sessions cost
// the project, and whether agents are shown it. It is about no lesson until one was seen in two sessions.
func (p *Page) headline() (words markup, about *Lesson) {
	if len(p.Lessons) == 0 {
		return "Nothing was learned yet.", nil
	}
	var worst *Lesson
	for i := range p.Lessons {
		l := &p.Lessons[i]
		if l.IsShown() && !l.Own && (worst == nil || cmp.Or(cmp.Compare(l.Sessions, worst.Sessions), cmp.Compare(l.Hits, worst.Hits)) > 0) {
			worst = l
		}
	}
	if worst == nil || worst.Sessions < 2 {
		return count(len(p.Lessons), "lesson", "lessons") + " so far. No mistake was seen in a second session yet.", nil
	}
	say := markup("One lesson came up in ")
	switch {
	case worst.Origin == index.OriginUser:
		say = "You had to say one thing in "
	case !worst.IsLearning(), worst.Cue != nil && worst.Cue.Error != "", worst.Remedy != nil:
		say = "One mistake cost you "
	}
	return say + count(worst.Sessions, "session", "sessions") + p.sayTold(worst), worst
}

// long is after how many days without a word of it a lesson is not told any more.
const long = 30

func (p *Page) sayTold(l *Lesson) markup {
	switch {
	case l.Told == 0 && p.Hooked:
		return "; no session was told of it yet."
	case l.Told == 0:
		return "; no agent is told of it yet."
	case p.Now.Sub(l.Until) > long*24*time.Hour:
		return "; " + sayAgents(l.Agents, " was", " were") + " last told on " + p.date(l.Until) + "."
	}
	return "; since " + p.date(l.Since) + " " + sayAgents(l.Agents, " is", " are") + " told."
}

// sayAgents joins the names of agents, with a verb.
func sayAgents(list []string, is, are markup) markup {
	names, n := markup(""), 0
	for _, agent := range list {
		if agent != "" {
			names, n = names+[...]markup{"", " and "}[min(1, n)]+cmp.Or(agents[agent], line(agent)), n+1
		}
	}
	return cmp.Or(names, "your agent") + plural(max(1, n), is, are)
}

// writeHeadline writes it, the lesson that it is about, and how much there is in all.
func (p *Page) writeHeadline(w *writer) {
	words, l := p.headline()
	w.put("<h1>", words, "</h1>\n")
	if l != nil {
		w.put(`<p class="about"><a href="#`, line(l.ID), `">`, lesson(l.Text), "</a>")
		since := 0
		for _, s := range l.Sources {
			if s.At.After(l.Since) {
				since++
			}
		}
		if l.Told > 0 {
			w.put(" <small>", [2]markup{"It did not come back since.", "It came back since: " + count(since, "session", "sessions") + "."}[min(1, since)], "</small>")
		}
		w.put("</p>\n")
	}
	if len(p.Lessons) > 0 {
		w.put("<p>", p.sum(), "</p>\n")
		return
	}
	w.put("<p>Three ways to begin:</p>\n<ul>\n<li><code>mem backfill</code> learns from the sessions that are on this machine already.</li>\n",
		"<li><code>mem hook install claude</code> lets Claude Code hand over each new session; <code>mem help hook</code> names the other agents.</li>\n",
		"<li><code>mem reflect</code> learns from the newest session.</li>\n</ul>\n")
}

func (p *Page) sum() markup {
	first, seen := p.Now, 0
	for i := range p.Lessons {
		l := &p.Lessons[i]
		seen += l.Hits
		if !l.FirstSeen.IsZero() && l.FirstSeen.Before(first) {
			first = l.FirstSeen
		}
	}
	return "From " + day(first) + " to " + day(p.Now) + ": " + count(len(p.Lessons), "lesson", "lessons") + ", learned " + plural(seen, "once", number(seen)+" times") + " in all."
}

func (p *Page) writeNeeds(w *writer) {
	if len(p.Needs) == 0 {
		return
	}
	w.put(`<section id="needs"><h2>Needs you</h2>`, "\n<ul>\n")
	for _, n := range p.Needs {
		w.put("<li>", line(n.Text), " <code>", line(n.Command), "</code></li>\n")
	}
	w.put("</ul></section>\n")
}

//go:embed card.css
var cardStyle markup

// Sizes of a card, in pixels, and of its lines, in characters.
const (
	cardWidth, cardEdge, figureWidth = 800, 32, 150
	barsWidth, barsHigh              = 280, 64
	headChars, smallChars, nameChars = 46, 92, 60
	maxFigures                       = 3
)

// RenderCard returns a small picture of the page for a README: the headline, three figures and a chart.
func RenderCard(p Page) []byte {
	w, body, y := &writer{}, &writer{}, 48
	text := func(class markup, x, y int, words markup) {
		body.put(`<text class="`, class, `" x="`, number(x), `" y="`, number(y), `">`, words, "</text>\n")
	}
	text("soft", cardEdge, y, "What was learned: "+line(render.Shorten(guard.Line(cmp.Or(p.Name, "your own memory")), nameChars))+", "+p.date(p.Now))
	words, about := p.headline()
	y += 8
	for _, row := range wrap(words, headChars) {
		y += 34
		text("head", cardEdge, y, row)
	}
	if about != nil {
		y += 30
		text("quote", cardEdge, y, line(render.Shorten(strings.ReplaceAll(guard.Line(about.Text), "`", ""), smallChars)))
	}
	y += 68
	tiles := p.listTiles()
	for i, t := range tiles[:min(len(tiles), maxFigures)] {
		text("figure", cardEdge+i*figureWidth, y, number(t.n))
		text("soft", cardEdge+i*figureWidth, y+24, t.name)
	}
	if c, left := p.chart(), cardWidth-cardEdge-barsWidth; len(c.bars) > 0 {
		body.put(`<svg x="`, number(left), `" y="`, number(y+4-barsHigh), `" width="`, number(barsWidth), `" height="`, number(barsHigh), `" viewBox="0 0 `, number(len(c.bars)), ` 100" preserveAspectRatio="none">`)
		c.draw(body)
		body.put("</svg>\n")
		text("soft", left, y+24, "at most "+number(c.most())+" "+c.per+", since "+line(c.bars[0].name))
	}
	w.put(`<svg xmlns="http://www.w3.org/2000/svg" role="img" width="`, number(cardWidth), `" height="`, number(y+24+cardEdge), `" viewBox="0 0 `, number(cardWidth), " ", number(y+24+cardEdge),
		"\">\n<title>", words, "</title>\n<style>", cardStyle, `</style>`, "\n", `<rect class="card" x="0.5" y="0.5" width="`, number(cardWidth-1), `" height="`, number(y+23+cardEdge), `" rx="10"/>`, "\n",
		body.made(), "</svg>\n")
	return []byte(w.String())
}
