package topic

import (
	_ "embed" // for the vocabulary
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"mem/words"
)

// File returns the domain and the tags of a text that came without them, from
// the words of a fixed vocabulary. A mistake is filed as one; what has no
// known word is General and has no tags. Neither case nor the width of gaps
// matters.
func File(text string, mistake bool) (domain string, tags []string) {
	votes := map[string]int{}
	for _, t := range find(text) {
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

// Find returns all topics of a text, the most specific first: of a task, each may be what a
// lesson is about.
func Find(text string) (tags []string) {
	for _, t := range find(text) {
		tags = append(tags, t.tag)
	}
	return tags
}

// find returns the topics of a text in the order of the vocabulary.
func find(text string) (topics []topic) {
	d := dictionary()
	found := make([]bool, len(d.topics)) // by position
	d.scan(text, func(topic int) { found[topic] = true })
	for i, t := range d.topics {
		if found[i] {
			topics = append(topics, t)
		}
	}
	return topics
}

// IsName reports whether a tag names a language, library, program or service, and not an aspect of the
// work.
func IsName(tag string) bool {
	d := dictionary()
	return slices.ContainsFunc(d.topics[:d.names], func(t topic) bool { return t.tag == tag })
}

// IsBroad reports whether a tag is of a side that most work has, so that it does not say by
// itself what something is about.
func IsBroad(tag string) bool {
	return slices.Contains([]string{"build", "config", "debug", "dependency", "documentation", "environment", "test", "version"}, tag)
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

// A lexicon is the vocabulary in a form for looking up. A word stands in it once, whatever forms
// it has: to list them all takes longer than all else that most runs of mem do with a text.
type lexicon struct {
	topics  []topic
	names   int                // how many of the topics are names
	entries map[string][]entry // of a word or phrase
	words   int                // of the longest phrase
}

// An entry is a meaning of a word or phrase of the vocabulary.
type entry struct {
	topic    int
	code     bool // it counts at the beginning of code only
	anyForms bool // it stands for all forms of the word
}

var dictionary = sync.OnceValue(func() *lexicon {
	d := &lexicon{entries: make(map[string][]entry, usual)}
	names, matters, _ := strings.Cut(vocabulary, "\n==")
	d.read(names)
	d.names = len(d.topics)
	d.read(matters)
	return d
})

// Prepare begins to read the vocabulary, for a caller that waits for a disk before it needs it.
func Prepare() { go dictionary() }

// usual is how many words the vocabulary has, about.
const usual = 2400

// vocabulary says in its first lines how it is written.
//
//go:embed vocabulary.txt
var vocabulary string

func (d *lexicon) read(table string) {
	for list := range strings.Lines(table) {
		if strings.HasPrefix(list, "#") {
			continue
		}
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
	text, e.anyForms = strings.CutSuffix(text, "~")
	d.entries[text] = append(d.entries[text], e)
	d.words = max(d.words, 1+strings.Count(text[1:], " ")+strings.Count(text[1:], "."))
}

// each calls f with the entries of a word or phrase, and of those that it may be a form of, as committing is of commit. That
// "hoping" may be one of hop, too, does no harm.
func (d *lexicon) each(text string, f func(entry)) {
	visit := func(root string) {
		for _, e := range d.entries[root] {
			if root == text || e.anyForms {
				f(e)
			}
		}
	}
	visit(text)
	for _, ending := range [...]string{"s", "ed", "ing"} {
		stem, ok := strings.CutSuffix(text, ending)
		if !ok || len(stem) < 2 {
			continue
		}
		n := len(stem)
		visit(stem)
		if ending != "s" {
			visit(stem + "e")
		}
		if stem[n-1] == stem[n-2] {
			visit(stem[:n-1])
		}
		if stem[n-1] == 'e' {
			visit(stem[:n-1]) // of the ending "es"
		}
		if y, ok := strings.CutSuffix(strings.TrimSuffix(stem, "e"), "i"); ok {
			visit(y + "y")
		}
	}
}

func (d *lexicon) has(text string) (found bool) {
	d.each(text, func(entry) { found = true })
	return found
}

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
			w := at[i] // as code or with the dot before it, if there is an entry for that
			if !(w.code && d.look(text[w.from:w.to], true, hit)) && !(text[w.from-1] == '.' && d.look(text[w.from-1:w.to], false, hit)) {
				d.look(text[w.from:w.to], false, hit)
			}
		} else {
			d.look(text[at[i].from:at[i+n-1].to], false, hit)
			for _, hidden := range at[i : i+n] {
				d.look(text[hidden.from:hidden.to], false, name)
			}
		}
		i += n
	}
}

// longest returns how many words the longest phrase has that stands at the
// first place; 1 if there is none.
func (d *lexicon) longest(text string, at []place) int {
	n := min(len(at), d.words)
	for n > 1 && !d.has(text[at[0].from:at[n-1].to]) {
		n--
	}
	return n
}

// look calls hit with the topics that a word or phrase stands for, and reports
// whether there are any.
func (d *lexicon) look(text string, code bool, hit func(topic int)) (found bool) {
	d.each(text, func(e entry) {
		if e.code == code {
			hit(e.topic)
			found = true
		}
	})
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

// Limits of the words of a text that may be tags: characters, and how many tags a
// text should have before the words of any project count.
const (
	minWord = 3
	maxWord = 24
	minTags = 2
)

// Describe returns the tags of a text that a person states, from its own words: its
// topics, the things that stand for them, and words that not every project has. Words
// that any project has count only if there are too few.
func Describe(text string) []string {
	_, tags := File(text, false)
	d := dictionary()
	lower, at := split(text[:min(len(text), maxScan)])
	var ranks [3][]string
	for _, p := range at {
		word := lower[p.from:p.to]
		n := utf8.RuneCountInString(word)
		said := func(tag string) bool { return words.StemWord(tag) == words.StemWord(word) }
		switch {
		case n < minWord || n > maxWord || !strings.ContainsFunc(word, unicode.IsLetter):
		case words.IsSearchStop(word) || strings.HasSuffix(word, "ly") || slices.ContainsFunc(tags, said):
		case d.has(word):
			ranks[0] = append(ranks[0], singular(word))
		case !words.IsCommon(word):
			ranks[1] = append(ranks[1], singular(word))
		default:
			ranks[2] = append(ranks[2], singular(word))
		}
	}
	tags = Tags(slices.Concat(tags, ranks[0], ranks[1]))
	if missing := minTags - len(tags); missing > 0 {
		tags = Tags(append(tags, ranks[2][:min(len(ranks[2]), missing)]...))
	}
	return tags
}

func singular(word string) string {
	stem, plural := strings.CutSuffix(word, "s")
	switch {
	case !plural || len(word) < 4 || strings.ContainsRune("sui", rune(stem[len(stem)-1])):
		return word
	case strings.HasSuffix(stem, "ie"):
		return stem[:len(stem)-2] + "y"
	case strings.HasSuffix(stem, "sse"), strings.HasSuffix(stem, "xe"), strings.HasSuffix(stem, "che"), strings.HasSuffix(stem, "she"):
		return stem[:len(stem)-1]
	}
	return stem
}
