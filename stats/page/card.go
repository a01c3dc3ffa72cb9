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

// Sizes of a card, in pixels: what does not fit a line of this many characters is on the next.
const (
	cardWidth = 800
	cardEdge  = 32
	cardLine  = 46 // of the headline
	cardSmall = 92 // of the lesson below it
	cardName  = 60 // of the project
	barsWidth = 280
	barsHigh  = 64
	maxTiles  = 3
)

// RenderCard returns a small picture of the page for a README: the headline, three figures and a chart.
func RenderCard(p Page) []byte {
	w, body := &writer{}, &writer{}
	h := p.findHeadline()
	y := 48
	text := func(class markup, x int, words markup) {
		body.put(`<text class="`, class, `" x="`, place(float64(x)), `" y="`, place(float64(y)), `">`, words, "</text>\n")
	}
	text("soft", cardEdge, "What was learned: "+line(render.Shorten(guard.Line(cmp.Or(p.Name, "your own memory")), cardName))+", "+p.date(p.Now))
	y += 8
	for part := range strings.SplitAfterSeq(string(h.words), "; ") {
		for _, row := range wrap(part, cardLine) {
			y += 34
			text("head", cardEdge, row)
		}
	}
	if h.about != nil {
		y += 30
		text("quote", cardEdge, line(render.Shorten(strings.ReplaceAll(guard.Line(h.about.Text), "`", ""), cardSmall)))
	}
	y += 68
	for i, t := range p.listTiles()[:min(maxTiles, len(p.listTiles()))] {
		text("figure", cardEdge+i*150, number(t.n))
		y += 24
		text("soft", cardEdge+i*150, t.name)
		y -= 24
	}
	p.drawCardBars(body, y+24)
	y += 24 + cardEdge
	size := place(cardWidth) + " " + place(float64(y))
	w.put(`<svg xmlns="http://www.w3.org/2000/svg" role="img" width="`, place(cardWidth), `" height="`, place(float64(y)), `" viewBox="0 0 `, size, "\">\n<title>", h.words, "</title>\n<style>", cardStyle, "</style>\n",
		`<rect class="card" x="0.5" y="0.5" width="`, place(cardWidth-1), `" height="`, place(float64(y-1)), `" rx="10"/>`, "\n", body.made(), "</svg>\n")
	return []byte(w.String())
}

// drawCardBars draws when lessons were learned, on the right, down to y.
func (p *Page) drawCardBars(w *writer, y int) {
	bars, unit := countTimes(p.listTimes(), p.Now)
	if len(bars) == 0 {
		return
	}
	all, left, wide := chart{bars: bars}, float64(cardWidth-cardEdge-barsWidth), barsWidth/float64(len(bars))
	foot := float64(y - 20)
	for i, b := range bars {
		top := foot
		for sort, n := range b.parts {
			high := float64(barsHigh*n) / float64(all.top())
			if top -= high; n > 0 {
				w.put(`<rect class="s`, number(sort), `" x="`, tenth(left+(float64(i)+0.1)*wide), `" y="`, tenth(top), `" width="`, tenth(0.8*wide), `" height="`, tenth(high), `"/>`, "\n")
			}
		}
	}
	w.put(`<path class="foot" d="M`, place(left), " ", place(foot), "h", place(barsWidth), `"/>`, "\n",
		`<text class="soft" x="`, place(left), `" y="`, place(float64(y)), `">at most `, number(all.most()), " a ", line(unit), ", since ", line(bars[0].name), "</text>\n")
}

// tenth is a place to a tenth of a pixel.
func tenth(x float64) markup { return place(float64(int(10*x+0.5)) / 10) }
