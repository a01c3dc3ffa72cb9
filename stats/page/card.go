package page

import (
	"cmp"
	_ "embed"
	"strings"

	"mem/guard"
	"mem/render"
)

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
		text("soft", left, y+24, "at most "+number(c.most())+" a "+line(c.unit)+", since "+line(c.bars[0].name))
	}
	w.put(`<svg xmlns="http://www.w3.org/2000/svg" role="img" width="`, number(cardWidth), `" height="`, number(y+24+cardEdge), `" viewBox="0 0 `, number(cardWidth), " ", number(y+24+cardEdge),
		"\">\n<title>", words, "</title>\n<style>", cardStyle, `</style>`, "\n", `<rect class="card" x="0.5" y="0.5" width="`, number(cardWidth-1), `" height="`, number(y+23+cardEdge), `" rx="10"/>`, "\n",
		body.made(), "</svg>\n")
	return []byte(w.String())
}
