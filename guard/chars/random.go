package chars

import (
	"math"
	"strings"
)

// IsRandom reports whether s looks drawn by lot: at least one digit and one
// letter, many different characters, and not made of words.
func IsRandom(s string) bool {
	return HasDigit(s) && HasLetter(s) && entropy(s) >= 2.5 && !IsWordy(s)
}

// entropy returns the bits per byte of s.
func entropy(s string) float64 {
	var counts [256]int
	for i := range len(s) {
		counts[s[i]]++
	}
	bits, n := 0.0, float64(len(s))
	for _, c := range counts {
		if c > 0 {
			p := float64(c) / n
			bits -= p * math.Log2(p)
		}
	}
	return bits
}

// IsWordy reports whether most of s is words: runs of three or more lower-case
// letters, perhaps after a capital, with a vowel in them.
func IsWordy(s string) bool {
	words := 0
	for i := 0; i < len(s); {
		from := i
		if IsUpper(s[i]) {
			i++
		}
		vowel := false
		for i < len(s) && IsLower(s[i]) {
			vowel = vowel || strings.IndexByte("aeiouy", s[i]) >= 0
			i++
		}
		if i-from >= 3 && vowel {
			words += i - from
		}
		if i == from {
			i++
		}
	}
	return words*10 >= len(s)*7
}
