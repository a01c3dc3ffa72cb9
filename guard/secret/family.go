package secret

import (
	"slices"
	"strings"
	"sync"

	"mem/lazy"
)

// A family is one kind of secret. To add one, add a line to a table.
type family struct {
	// name is what the replacement says. It is lower-case with hyphens.
	name string

	// keys are literals of three bytes or more, separated by spaces and found
	// in any case: where one is found, the family is tried. Rare ones keep
	// Redact fast.
	keys string

	// expr matches the secret from back bytes before the key on. If it has
	// a group, only the group is replaced. Repetitions without an upper
	// bound must come last, or the time taken stops being linear.
	expr string
	back int

	// look stands in for expr where an expression is not enough. It gets
	// the text and the place of the key; an empty range means no.
	look func(text string, at int) (from, to int)

	// inside lets the match begin within a word; lines says that it runs
	// over line breaks by itself.
	inside, lines bool

	// only, if set, has the last word on what would be replaced.
	only func(secret string) bool
}

// A detector finds secrets. Looking for them does not change it.
type detector struct {
	families []family
	tokens   int            // families[:tokens] are known by their own shape
	discord  int            // the rank of its tokens, the last ones
	exprs    []*lazy.Regexp // by rank: most texts need none
	keys     finder
}

// sharedDetector is made on first use: a hook that never redacts should not pay for
// it.
var sharedDetector = sync.OnceValue(func() *detector {
	tokens := slices.Concat(cloudTokens, codeTokens, modelTokens, serviceTokens, shapes)
	d := &detector{
		families: slices.Concat(tokens, contexts),
		tokens:   len(tokens),
		discord:  len(tokens) - 1,
		keys:     finder{keys: map[uint32][]key{}},
	}
	for rank, f := range d.families {
		d.exprs = append(d.exprs, lazy.New(`\A(?:`+f.expr+`)`))
		for word := range strings.FieldsSeq(f.keys) {
			d.keys.add(strings.ToLower(word), rank)
		}
	}
	return d
})
