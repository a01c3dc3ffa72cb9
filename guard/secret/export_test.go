package secret

import (
	"math/rand/v2"
	"testing"
)

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
