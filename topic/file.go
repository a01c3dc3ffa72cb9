package topic

import (
	_ "embed" // for the vocabulary
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
	found := d.scan(text)
	for i, t := range d.topics {
		if found[i] {
			topics = append(topics, t)
		}
	}
	return topics
}

// IsName reports whether a tag says what is worked with, a language, library, program or
// service, and not what about it.
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

// A lexicon is the vocabulary in a form for looking up.
type lexicon struct {
	topics  []topic
	names   int                // how many of the topics are names
	entries map[string][]entry // by the word or phrase, in each of its forms
	words   int                // of the longest phrase
}

// An entry is the meaning of a word or phrase of the vocabulary.
type entry struct {
	topic int
	code  bool // it counts at the beginning of code only
}

// dictionary reads the vocabulary, once.
var dictionary = sync.OnceValue(func() *lexicon {
	d := &lexicon{entries: map[string][]entry{}}
	names, matters, _ := strings.Cut(vocabulary, "\n==")
	d.read(names)
	d.names = len(d.topics)
	d.read(matters)
	return d
})

// Prepare begins to read the vocabulary, for a caller that waits for a disk before it needs it.
func Prepare() { go dictionary() }

// vocabulary says in its first lines how it is written.
//
//go:embed vocabulary.txt
var vocabulary string

// read takes in a part of the vocabulary.
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
	text, anyForm := strings.CutSuffix(text, "~")
	forms := []string{text}
	if anyForm {
		forms = listForms(text)
	}
	for _, form := range forms {
		d.entries[form] = append(d.entries[form], e)
	}
	d.words = max(d.words, 1+strings.Count(text[1:], " ")+strings.Count(text[1:], "."))
}

// listForms returns a word, or a phrase with its last word, as a noun or a verb may
// stand in a text: commit, commits, committed, committing. Some forms are not words,
// which does no harm.
func listForms(word string) []string {
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
	forms := []string{word}
	for _, ending := range endings {
		forms = append(forms, stem+ending)
	}
	if isVowel(before) && !isVowel(last) && !strings.ContainsRune("wxy", rune(last)) {
		doubled := word + word[n-1:]
		forms = append(forms, doubled+"ed", doubled+"ing")
	}
	return forms
}

func isVowel(c byte) bool { return strings.IndexByte("aeiou", c) >= 0 }

// maxScan is how much of a text is looked at, in bytes. A lesson is shorter.
const maxScan = 4096

// scan finds the topics, by position, of the words and phrases in a text, the longest
// one at each place. Of the words that a phrase hides only names count.
func (d *lexicon) scan(text string) (found []bool) {
	found = make([]bool, len(d.topics))
	look := func(text string, code bool, most int) (any bool) {
		for _, e := range d.entries[text] {
			if e.code == code && e.topic < most {
				found[e.topic], any = true, true
			}
		}
		return any
	}
	text, at := split(text[:min(len(text), maxScan)])
	all := len(d.topics)
	for i := 0; i < len(at); {
		n := d.longest(text, at[i:])
		if n == 1 {
			w := at[i] // as code or with the dot before it, if there is an entry for that
			if !(w.code && look(text[w.from:w.to], true, all)) && !(text[w.from-1] == '.' && look(text[w.from-1:w.to], false, all)) {
				look(text[w.from:w.to], false, all)
			}
		} else {
			look(text[at[i].from:at[i+n-1].to], false, all)
			for _, hidden := range at[i : i+n] {
				look(text[hidden.from:hidden.to], false, d.names)
			}
		}
		i += n
	}
	return found
}

// longest returns how many words the longest phrase has that stands at the
// first place; 1 if there is none.
func (d *lexicon) longest(text string, at []place) int {
	n := min(len(at), d.words)
	for n > 1 && d.entries[text[at[0].from:at[n-1].to]] == nil {
		n--
	}
	return n
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
