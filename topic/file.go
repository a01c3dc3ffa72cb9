package topic

import (
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// File returns the domain and the tags of a text that came without them, from
// the words of a fixed vocabulary. A mistake is filed as one; what has no
// known word is General and has no tags. Neither case nor the width of gaps
// matters.
func File(text string, mistake bool) (domain string, tags []string) {
	d := dictionary()
	found := make([]bool, len(d.topics)) // by position
	d.scan(text, func(topic int) { found[topic] = true })
	votes := map[string]int{}
	for i, t := range d.topics {
		if !found[i] {
			continue
		}
		if len(tags) < MaxTags {
			tags = append(tags, t.tag)
		}
		votes[t.domain]++
		if t.domain == Process { // its own words weigh more: how people work is said in those of what they work on
			votes[Process]++
		}
	}
	slices.Sort(tags)
	if mistake {
		return Mistake, tags
	}
	return elected(votes), tags
}

// elected returns the domain with the most votes. On a tie the rarer one wins,
// because its words seldom stand in a text that is about something else.
func elected(votes map[string]int) string {
	domain, most := General, 0
	for _, d := range [...]string{Scheduling, Finance, Learning, Process, Coding, Technical, Communications} {
		if votes[d] > most {
			domain, most = d, votes[d]
		}
	}
	return domain
}

// A topic is a line of the vocabulary.
type topic struct{ tag, domain string }

// A lexicon is the vocabulary in a form for looking up.
type lexicon struct {
	topics  []topic
	names   int                // how many of the topics are names
	entries map[string][]entry // by how they begin; see startOf
}

// An entry is a word or phrase of the vocabulary.
type entry struct {
	text      string
	words     int  // how many it has
	topic     int  // its position
	inflected bool // it stands for all its forms
	code      bool // it counts at the beginning of code only
}

// startOf returns the first two bytes of a word, which all its forms have.
func startOf(word string) string { return word[:min(len(word), 2)] }

// dictionary reads the vocabulary, once.
var dictionary = sync.OnceValue(func() *lexicon {
	d := &lexicon{entries: map[string][]entry{}}
	d.read(names)
	d.names = len(d.topics)
	d.read(matters)
	return d
})

// read takes in a part of the vocabulary.
func (d *lexicon) read(table string) {
	for list := range strings.Lines(table) {
		if head, words, ok := strings.Cut(list, ": "); ok {
			tag, domain, _ := strings.Cut(head, " ")
			d.topics = append(d.topics, topic{tag, domain})
			list = words
		}
		for w := range strings.SplitSeq(list, ",") {
			if w = strings.TrimSpace(w); w != "" {
				d.learn(w)
			}
		}
	}
}

// learn adds an entry to the last topic, as the vocabulary writes it.
func (d *lexicon) learn(text string) {
	e := entry{topic: len(d.topics) - 1}
	text, e.code = strings.CutPrefix(text, "$")
	e.text, e.inflected = strings.CutSuffix(text, "~")
	e.words = 1 + strings.Count(e.text[1:], " ") + strings.Count(e.text[1:], ".")
	d.entries[startOf(e.text)] = append(d.entries[startOf(e.text)], e)
}

// means reports whether a text says an entry.
func (e entry) means(text string) bool {
	return text == e.text || e.inflected && isForm(text, e.text)
}

// isForm reports whether text is a word, or a phrase whose last word it is, as
// a noun or a verb may stand in a text: commits, committed, committing. Some
// forms are not words, which does no harm.
func isForm(text, word string) bool {
	n := len(word)
	last, before := word[n-1], word[n-2]
	stem, endings := word, [...]string{"s", "ed", "ing"}
	switch {
	case last == 'y' && !isVowel(before):
		stem, endings = word[:n-1], [...]string{"ies", "ied", "ying"}
	case last == 'e':
		stem, endings = word[:n-1], [...]string{"es", "ed", "ing"}
	case last == 's' || last == 'x' || last == 'z' || strings.HasSuffix(word, "ch") || strings.HasSuffix(word, "sh"):
		endings[0] = "es"
	}
	ending, ok := strings.CutPrefix(text, stem)
	if !ok || slices.Contains(endings[:], ending) {
		return ok
	}
	doubled := isVowel(before) && !isVowel(last) && last != 'w' && last != 'x' && last != 'y'
	return doubled && ending != "" && ending[0] == last && slices.Contains(endings[1:], ending[1:])
}

func isVowel(c byte) bool { return strings.IndexByte("aeiou", c) >= 0 }

// maxScan is how much of a text is looked at, in bytes. A lesson is shorter.
const maxScan = 4096

// scan calls hit with the topics of the words and phrases in a text, the longest
// one at each place. Of the words that a phrase hides only names count.
func (d *lexicon) scan(text string, hit func(topic int)) {
	text, at := split(text[:min(len(text), maxScan)])
	name := func(topic int) {
		if topic < d.names {
			hit(topic)
		}
	}
	for i := 0; i < len(at); {
		n := d.longest(text, at[i:])
		if n == 1 {
			d.lookWord(text, at[i], hit)
		} else {
			d.look(text[at[i].from:at[i+n-1].to], n, false, hit)
			for _, hidden := range at[i : i+n] {
				d.look(text[hidden.from:hidden.to], 1, false, name)
			}
		}
		i += n
	}
}

// longest returns how many words the longest phrase has that stands at the
// first place; 1 if there is none.
func (d *lexicon) longest(text string, at []place) int {
	n := 1
	for _, e := range d.entries[startOf(text[at[0].from:])] {
		if e.words > n && e.words <= len(at) && e.means(text[at[0].from:at[e.words-1].to]) {
			n = e.words
		}
	}
	return n
}

// lookWord is look for a word by itself: as code or with the dot before it, if
// there is an entry for that.
func (d *lexicon) lookWord(text string, at place, hit func(topic int)) {
	switch {
	case at.code && d.look(text[at.from:at.to], 1, true, hit):
	case text[at.from-1] == '.' && d.look(text[at.from-1:at.to], 1, false, hit):
	default:
		d.look(text[at.from:at.to], 1, false, hit)
	}
}

// look calls hit with the topics of the entries with so many words that a text
// says, and reports whether there are any.
func (d *lexicon) look(text string, words int, code bool, hit func(topic int)) (found bool) {
	for _, e := range d.entries[startOf(text)] {
		if e.words == words && e.code == code && e.means(text) {
			hit(e.topic)
			found = true
		}
	}
	return found
}

// A place is where a word stands, from a byte to before another.
type place struct {
	from, to int
	code     bool // right after a backtick
}

// split returns the words of a text in lower case, each after a dot that it
// follows directly or, after anything else, a space; and their places.
func split(text string) (lower string, at []place) {
	var buf []byte
	inside := false
	before := ' '
	for _, r := range text {
		r = unicode.ToLower(unicode.ToUpper(r)) // some letters share a capital
		if !inTag(r) {
			inside, before = false, r
			continue
		}
		if !inside {
			inside = true
			gap := byte(' ')
			if before == '.' {
				gap = '.'
			}
			buf = append(buf, gap)
			at = append(at, place{from: len(buf), code: before == '`'})
		}
		buf = utf8.AppendRune(buf, r)
		at[len(at)-1].to = len(buf)
	}
	return string(buf), at
}
