package guard

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// Redact replaces the secrets of a text that is clean.
func Redact(s string) (redacted string, found int) { return redact(s, nil) }

// A Planted text has a secret of a family in it, written down in some form.
type Planted struct {
	Family, Form, Text string

	Left     []string // what may not be left of the secret
	Secret   string
	Promised bool // that it is found in this form
	Token    bool // the form is promised for tokens alone
}

// Plant returns one text for each family and form.
func Plant(t testing.TB, r *rand.Rand) []Planted {
	var list []Planted
	for rank, e := range examples(t, r) {
		for _, form := range forms {
			text, left := form.write(e)
			list = append(list, Planted{
				Family: e.family, Form: form.name, Text: text, Left: left, Secret: e.secret,
				Promised: !form.tokens || rank < sharedDetector().tokens, Token: form.tokens,
			})
		}
	}
	return list
}

// Opaque draws n letters and digits.
func Opaque(r *rand.Rand, n int) string { return opaque(r, n) }

// Tokens returns a secret of each family that is known by its own shape and
// stands on one line.
func Tokens(t testing.TB, r *rand.Rand) []Planted {
	var list []Planted
	d := sharedDetector()
	for rank, e := range examples(t, r)[:d.tokens] {
		if !d.families[rank].lines && e.text == e.secret {
			list = append(list, Planted{Family: e.family, Text: e.text, Secret: e.secret})
		}
	}
	return list
}

// Without returns what redacts with the table but for one family.
func Without(name string) func(string) string {
	d := sharedDetector()
	less := newDetector(slices.DeleteFunc(slices.Clone(d.families[:d.tokens]), func(f family) bool {
		return f.name == name && (f.keys != "" || f.look != nil)
	}), d.families[d.tokens:])
	return func(s string) string {
		s, _ = less.redact(s, nil)
		return s
	}
}

// Ordinary returns n texts without a secret.
func Ordinary(n int) []string {
	r := rand.New(rand.NewPCG(31, 32))
	kinds := slices.Concat(identifiers(r), notations(maker{r}), assignments(maker{r}))
	texts := make([]string, n)
	for i := range texts {
		texts[i] = kinds[i%len(kinds)]()
	}
	return texts
}
