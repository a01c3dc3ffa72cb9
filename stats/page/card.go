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
	text := func(class markup, x int, words markup) {
		body.put(`<text class="`, class, `" x="`, pixels(x), `" y="`, pixels(y), `">`, words, "</text>\n")
	}
	text("soft", cardEdge, "What was learned: "+line(render.Shorten(guard.Line(cmp.Or(p.Name, "your own memory")), nameChars))+", "+p.date(p.Now))
	words, about := p.headline()
	y += 8
	for _, row := range wrap(words, headChars) {
		y += 34
		text("head", cardEdge, row)
	}
	if about != nil {
		y += 30
		text("quote", cardEdge, line(render.Shorten(strings.ReplaceAll(guard.Line(about.Text), "`", ""), smallChars)))
	}
	y += 68
	tiles := p.listTiles()
	for i, t := range tiles[:min(len(tiles), maxFigures)] {
		text("figure", cardEdge+i*figureWidth, number(t.n))
		y += 24
		text("soft", cardEdge+i*figureWidth, t.name)
		y -= 24
	}
	p.drawBars(body, float64(y)+4)
	w.put(`<svg xmlns="http://www.w3.org/2000/svg" role="img" width="`, pixels(cardWidth), `" height="`, pixels(y+24+cardEdge), `" viewBox="0 0 `, pixels(cardWidth), " ", pixels(y+24+cardEdge),
		"\">\n<title>", words, "</title>\n<style>", cardStyle, `</style>`, "\n", `<rect class="card" x="0.5" y="0.5" width="`, pixels(cardWidth-1), `" height="`, pixels(y+23+cardEdge), `" rx="10"/>`, "\n",
		body.made(), "</svg>\n")
	return []byte(w.String())
}

// pixels is a place in a card to a tenth.
func pixels[T int | float64](x T) markup { return place(float64(int(10*float64(x)+0.5)) / 10) }

// drawBars draws when lessons were learned, on the right, with its foot at a height, and says below it what it counts.
func (p *Page) drawBars(w *writer, foot float64) {
	bars, unit := countTimes(p.listTimes(), p.Now)
	if len(bars) == 0 {
		return
	}
	c, left := chart{bars: bars}, float64(cardWidth-cardEdge-barsWidth)
	wide, high := barsWidth/float64(len(bars)), barsHigh/float64(c.top())
	for i, b := range bars {
		top := foot
		for sort, n := range b.parts {
			if top -= high * float64(n); n > 0 {
				w.put(`<rect class="s`, number(sort), `" x="`, pixels(left+(float64(i)+0.1)*wide), `" y="`, pixels(top), `" width="`, pixels(0.8*wide), `" height="`, pixels(high*float64(n)), `"/>`, "\n")
			}
		}
	}
	w.put(`<path class="foot" d="M`, pixels(left), " ", pixels(foot), "h", pixels(barsWidth), `"/>`, "\n", `<text class="soft" x="`, pixels(left), `" y="`, pixels(foot+20),
		`">at most `, number(c.most()), " a ", line(unit), ", since ", line(bars[0].name), "</text>\n")
}
