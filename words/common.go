package words

import (
	_ "embed" // for the list
	"strings"
	"sync"
)

//go:embed common.txt
var common string

var commonSet = sync.OnceValue(func() map[string]bool {
	set := map[string]bool{}
	for line := range strings.Lines(common) {
		if !strings.HasPrefix(line, "#") {
			for w := range strings.FieldsSeq(line) {
				set[StemWord(w)] = true
			}
		}
	}
	return set
})

// IsCommon reports whether a stem is of a word that tasks and lessons of any project
// have, so that one of them in common says little.
func IsCommon(stem string) bool { return commonSet()[stem] }
