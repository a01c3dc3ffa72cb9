package similarity

import (
	"strings"

	"mem/words"
)

// not is how every negation is read.
const not = "not"

// An entry is what a word is read as; "" is not at all.
type entry struct {
	as    string
	fixed bool
}

// Words that turn a statement around, in the languages that are met most.
const negations = `not no never none nothing nobody nowhere neither nor cannot dont cant wont avoid avoids avoided avoiding
	nicht kein keine keinen nie niemals pas jamais nunca jamás não nem mai niet geen nooit aldrig inte ikke
	не нет никогда нельзя`

// Words without which, or with others of which, a statement is another one.
const decisive = `before after until unless except only while during instead or either without outside inside from into onto
	out off up down over under above below against between through via more less fewer least most half
	may might can could hardly rarely seldom barely scarcely forbid forbidden refuse zero one two three four five six
	seven eight nine ten once twice first last non anti but still already yet again`

// Words that are read as another one.
const synonyms = `when=if whenever=if if=if rather=instead prefer=use utilize=use utilise=use verify=check delete=remove
	dir=folder directory=folder repo=repository config=configuration execute=run doc=documentation till=until each=every`

func newLexicon() map[string]entry {
	known := map[string]entry{}
	for _, w := range words.CompareStops() {
		known[w] = entry{}
	}
	for _, w := range strings.Fields(decisive) {
		known[w] = entry{w, true}
	}
	for _, pair := range strings.Fields(synonyms) {
		from, to, _ := strings.Cut(pair, "=")
		e := entry{words.StemForCompare(to), false}
		if to == "if" || known[to].fixed {
			e = entry{to, true}
		}
		known[from], known[words.StemForCompare(from)] = e, e
	}
	for _, w := range strings.Fields(negations) {
		known[w] = entry{not, true}
	}
	return known
}

// clauseOpeners open a clause that may stand last too.
var clauseOpeners = []string{"before", "after", "when", "whenever", "if", "once", "while", "until", "unless", "in", "on", "for", "during", "with"}
