package words

import (
	_ "embed" // for the list
	"maps"
	"strings"
	"sync"
)

//go:embed common.txt
var common string

var commonSet = sync.OnceValue(func() map[string]bool {
	set := map[string]bool{}
	for line := range strings.Lines(common) {
		if !strings.HasPrefix(line, "#") {
			maps.Copy(set, SetOf(line))
		}
	}
	return set
})

// IsCommon reports whether a word is a form of one that tasks and lessons of any project
// have, so that it says little if both have it.
func IsCommon(word string) bool {
	set, stem := commonSet(), StemWord(word)
	y, cut := strings.CutSuffix(stem, "i") // of "entry"
	return set[strings.ToLower(word)] || set[stem] || set[stem+"e"] || cut && set[y+"y"]
}
