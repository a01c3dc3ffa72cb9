package secret

import (
	"regexp"
	"slices"
	"strings"
	"sync"
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
	names    map[string]int // the first rank of each
	exprs    []expression   // by rank
	keys     finder
}

// An expression is compiled when its key is first found: compiling takes longer
// than all else, and most texts need none.
type expression struct {
	once sync.Once
	re   *regexp.Regexp
}

// sharedDetector is made on first use: a hook that never redacts should not pay for
// it.
var sharedDetector = sync.OnceValue(func() *detector {
	tokens := slices.Concat(cloudTokens, codeTokens, modelTokens, serviceTokens, shapes)
	d := &detector{
		families: slices.Concat(tokens, contexts),
		tokens:   len(tokens),
		names:    map[string]int{},
	}
	d.exprs = make([]expression, len(d.families))
	for rank, f := range d.families {
		if _, ok := d.names[f.name]; !ok {
			d.names[f.name] = rank
		}
		for word := range strings.FieldsSeq(f.keys) {
			d.keys.add(strings.ToLower(word), rank)
		}
	}
	return d
})

// compile returns the expression of a family.
func (d *detector) compile(rank int) *regexp.Regexp {
	e := &d.exprs[rank]
	e.once.Do(func() { e.re = regexp.MustCompile(`\A(?:` + d.families[rank].expr + `)`) })
	return e.re
}
