package stats

import (
	"fmt"
	"math"
)

// A Rate is how many of some did something. Below five of them a share would say more
// than is known, so that there is none.
type Rate struct {
	Hits  int      `json:"hits"`
	Of    int      `json:"n"`
	Share *float64 `json:"share,omitzero"`
	Low   *float64 `json:"low,omitzero"` // of the interval that holds the true share, in 19 of 20 cases
	High  *float64 `json:"high,omitzero"`
}

// enough is from how many on there is a share.
const enough = 5

// newRate is the rate of hits, with the interval of Wilson.
func newRate(hits, of int) Rate {
	r := Rate{Hits: hits, Of: of}
	if of < enough {
		return r
	}
	const z = 1.96
	n := float64(of)
	p := float64(hits) / n
	mid, half := p+z*z/(2*n), z*math.Sqrt(p*(1-p)/n+z*z/(4*n*n))
	round := func(x float64) *float64 {
		x = math.Round(1000*min(1, max(0, x))) / 1000
		return &x
	}
	r.Share, r.Low, r.High = round(p), round((mid-half)/(1+z*z/n)), round((mid+half)/(1+z*z/n))
	return r
}

// add counts one more.
func (r *Rate) add(hit bool) {
	r.Of++
	if hit {
		r.Hits++
	}
}

// String is a rate for people.
func (r Rate) String() string {
	text := fmt.Sprintf("%d of %d", r.Hits, r.Of)
	if r.Share == nil {
		return text
	}
	return text + fmt.Sprintf(" (%.0f%%; %.0f to %.0f)", 100**r.Share, 100**r.Low, 100**r.High)
}
