package spelling

import (
	"slices"

	"mem/lazy"
)

// Words are long words by their first letters, as they are spelled right.
type Words map[byte][]string

// Learn adds the long words of a text.
func (k Words) Learn(text string) {
	for _, w := range reLong.Get().FindAllString(text, -1) {
		if i, ok := slices.BinarySearch(k[w[0]], w); !ok {
			k[w[0]] = slices.Insert(k[w[0]], i, w)
		}
	}
}

// maxMended is the most bytes of what is mended: longer texts are mostly pasted.
const maxMended = 2000

// Mend spells long words that differ by a slip of the finger as k does.
func (k Words) Mend(said string) string {
	if len(said) > maxMended {
		return said
	}
	return reLong.Get().ReplaceAllStringFunc(said, func(w string) string {
		near := slices.IndexFunc(k[w[0]], func(known string) bool { return IsSlip(w, known) })
		if _, known := slices.BinarySearch(k[w[0]], w); known || near < 0 {
			return w
		}
		return k[w[0]][near]
	})
}

// IsSlip reports whether two words differ within by a letter too many, or by two that
// changed places.
func IsSlip(a, b string) bool {
	i, j := 0, 0
	for i < min(len(a), len(b)) && a[i] == b[i] {
		i++
	}
	for j < min(len(a), len(b))-i && a[len(a)-1-j] == b[len(b)-1-j] {
		j++
	}
	x, y := a[i:len(a)-j], b[i:len(b)-j]
	return i > 0 && j > 0 && (len(x)+len(y) == 1 || len(x) == 2 && len(y) == 2 && x[0] == y[1] && x[1] == y[0])
}

var reLong = lazy.New(`\b[a-z]{7,}\b`)
