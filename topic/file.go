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
	d.scan(text, func(topic uint8) { found[topic] = true })
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

// A lexicon is the vocabulary in a form for looking up. It costs little to make,
// because each process that files a lesson makes it anew.
type lexicon struct {
	topics  []topic
	names   int             // how many of the topics are names
	entries []entry         // in the order of the vocabulary
	chains  [buckets]uint16 // the number of the last entry of a bucket; 0 is none
}

// An entry is a word or phrase of the vocabulary.
type entry struct {
	text      string
	words     uint8 // how many it has
	topic     uint8 // its position
	inflected bool  // it stands for all its forms
	code      bool  // it counts at the beginning of code only
	next      uint16
}

// buckets is how many groups the entries are in, by how they begin.
const buckets = 1 << 10

// bucketOf returns the bucket of a word, which its first two bytes decide: all
// forms of it have the same.
func bucketOf(word string) int {
	h := int(word[0])
	if len(word) > 1 {
		h = h<<5 ^ int(word[1])
	}
	return h % buckets
}

// dictionary reads the vocabulary, once.
var dictionary = sync.OnceValue(func() *lexicon {
	d := &lexicon{entries: make([]entry, 0, 2048)}
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
	e := entry{topic: uint8(len(d.topics) - 1)}
	text, e.code = strings.CutPrefix(text, "$")
	e.text, e.inflected = strings.CutSuffix(text, "~")
	e.words = uint8(1 + strings.Count(e.text[1:], " ") + strings.Count(e.text[1:], "."))
	chain := &d.chains[bucketOf(e.text)]
	e.next = *chain
	d.entries = append(d.entries, e)
	*chain = uint16(len(d.entries))
}

// means reports whether a text says an entry.
func (e *entry) means(text string) bool {
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
func (d *lexicon) scan(text string, hit func(topic uint8)) {
	var places [96]place // for a text of the usual length
	text, at := split(places[:0], text[:min(len(text), maxScan)])
	name := func(topic uint8) {
		if int(topic) < d.names {
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
	for k := d.chains[bucketOf(text[at[0].from:])]; k > 0; k = d.entries[k-1].next {
		e := &d.entries[k-1]
		if m := int(e.words); m > n && m <= len(at) && e.means(text[at[0].from:at[m-1].to]) {
			n = m
		}
	}
	return n
}

// lookWord is look for a word by itself: as code or with the dot before it, if
// there is an entry for that.
func (d *lexicon) lookWord(text string, at place, hit func(topic uint8)) {
	switch {
	case at.code && d.look(text[at.from:at.to], 1, true, hit):
	case text[at.from-1] == '.' && d.look(text[at.from-1:at.to], 1, false, hit):
	default:
		d.look(text[at.from:at.to], 1, false, hit)
	}
}

// look calls hit with the topics of the entries with so many words that a text
// says, and reports whether there are any.
func (d *lexicon) look(text string, words int, code bool, hit func(topic uint8)) (found bool) {
	for k := d.chains[bucketOf(text)]; k > 0; k = d.entries[k-1].next {
		if e := &d.entries[k-1]; int(e.words) == words && e.code == code && e.means(text) {
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
// follows directly or, after anything else, a space. It appends their places
// to at.
func split(at []place, text string) (string, []place) {
	buf := make([]byte, 0, len(text)+len(text)/8+8)
	inside := false
	before := ' '
	for i := 0; i < len(text); {
		r, size := rune(text[i]), 1
		switch {
		case r >= utf8.RuneSelf:
			r, size = utf8.DecodeRuneInString(text[i:])
			// By way of upper case, because some letters share a capital.
			r = unicode.ToLower(unicode.ToUpper(r))
		case 'A' <= r && r <= 'Z':
			r += 'a' - 'A'
		}
		i += size
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
