package words

import (
	_ "embed" // for the list
	"maps"
	"strings"
	"sync"
	"unicode"
)

// Stop words say nothing by themselves about what a text is about. Each reader
// has a list of its own: a search drops what every lesson says (use, avoid,
// never), speech drops what people say in passing, and support for a lesson
// needs a short list, because words of one and two letters do not count there.
const (
	searchStops = `a about after again all also am an and any are as at be because been before but by can could
	did do does doing don for from give go had has have he her here him his how i if in into
	is it its itself just let ll make may me more most must my need no nor not now of off on
	once one only or other our out over own please re s same she should so some such t than that
	the their them then there these they this those through to too under until up us ve very
	want was we were what when where which while who why will with would you your avoid always
	never use using sure say cannot otherwise instead latter`

	alignStops = `the and for with that this not avoid use instead before after from when you are was were has
	have but into its run fails`

	speechStops = `a an the of to in on at by for with from into and or but so as if is are was were be been
	being it its it's this that these those them they there here you your we our us i me my he
	she do does did done not no don't dont never always just also too very really please use
	instead will would should could can must have has had only than then what which who when
	where how why all any some more like again now fails without rather s t re ve ll`
)

var (
	searchStopSet = sync.OnceValue(func() map[string]bool {
		set := SetOf(searchStops)
		for _, w := range strings.Fields(searchStops) {
			set[StemWord(w)] = true
		}
		return set
	})
	alignStopSet  = sync.OnceValue(func() map[string]bool { return SetOf(alignStops) })
	speechStopSet = sync.OnceValue(func() map[string]bool { return SetOf(speechStops) })
)

// SetOf returns the words of a list, which has spaces between them.
func SetOf(list string) map[string]bool {
	set := map[string]bool{}
	for w := range strings.FieldsSeq(list) {
		set[w] = true
	}
	return set
}

// IsSearchStop reports whether a query loses a word, given in lower case or as
// StemWord returns it.
func IsSearchStop(word string) bool { return searchStopSet()[word] }

// AlignWords returns the words of s that carry meaning, in lower case: three
// bytes or more, letters and digits, and no stop words. In a script that puts no
// spaces between words, every two characters count as one. Reflect finds the
// events behind a lesson by them.
func AlignWords(s string) map[string]bool {
	set := map[string]bool{}
	EachWord(strings.ToLower(s), func(w string, _ bool) {
		if len(w) >= 3 && !alignStopSet()[w] {
			set[w] = true
		}
	})
	return set
}

// SpeechWords returns the words of text that carry meaning, in lower case. Unlike
// AlignWords it keeps names and paths whole (go.mod, --no-verify, a/b) and short
// words: what a person said is a sentence or two, and each word of it counts.
func SpeechWords(text string) map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.FieldsFunc(Lower(text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '-' && r != '_' && r != '/' && r != '.'
	}) {
		w = strings.Trim(w, "-./")
		if w != "" && !speechStopSet()[w] {
			out[w] = true
		}
	}
	return out
}

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
