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
	d.scan(text, func(w word) {
		for _, t := range w.topics[:w.n] {
			found[t] = true
		}
	})
	votes := map[string]int{}
	for i, t := range d.topics {
		if !found[i] {
			continue
		}
		if len(tags) < MaxTags {
			tags = append(tags, t.tag)
		}
		votes[t.domain] += t.weight()
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

// weight is what a tag counts for its domain. How people work is told in the
// words of what they work on, so its own words weigh more.
func (t topic) weight() int {
	if t.domain == Process {
		return 2
	}
	return 1
}

// A lexicon is the vocabulary in a form for looking up.
type lexicon struct {
	topics []topic
	names  int             // how many of the topics are names
	words  map[string]word // words and phrases
	code   map[string]word // words that count at the beginning of code
}

// A word is what the vocabulary says of a word or phrase.
type word struct {
	topics  [maxTopics]uint8 // positions in rising order, the first n of them
	n       uint8            // 0 if it only begins a phrase
	longest uint8            // number of words of the longest phrase that begins with it
}

// maxTopics is for how many topics a word may stand. There is room for them in
// the word itself, because the vocabulary is read anew by each process.
const maxTopics = 4

// dictionary reads the vocabulary, once.
var dictionary = sync.OnceValue(func() *lexicon {
	d := lexicon{words: make(map[string]word, 4096), code: map[string]word{}}
	d.read(names)
	d.names = len(d.topics)
	d.read(things + doings)
	return &d
})

// read takes in a part of the vocabulary.
func (d *lexicon) read(table string) {
	for line := range strings.Lines(table) {
		list := strings.TrimSpace(line)
		if list == "" {
			continue
		}
		if line[0] != ' ' {
			tag, rest, _ := strings.Cut(list, " ")
			domain, words, _ := strings.Cut(strings.TrimSpace(rest), " ")
			d.topics = append(d.topics, topic{tag, domain})
			list = words
		}
		for w := range strings.SplitSeq(list, ",") {
			if w = strings.TrimSpace(w); w != "" {
				d.learn(w, len(d.topics)-1)
			}
		}
	}
}

// learn notes a word as the vocabulary writes it.
func (d *lexicon) learn(w string, topic int) {
	if command, ok := strings.CutPrefix(w, "$"); ok {
		add(d.code, command, topic)
		return
	}
	plain, inflected := strings.CutSuffix(w, "~")
	if !inflected {
		add(d.words, plain, topic)
		return
	}
	for _, f := range forms(plain) {
		add(d.words, f, topic)
	}
}

// add notes that a phrase stands for a topic.
func add(words map[string]word, phrase string, topic int) {
	w := words[phrase]
	if t := uint8(topic); !slices.Contains(w.topics[:w.n], t) {
		w.topics[w.n] = t
		w.n++
	}
	words[phrase] = w
	const gaps = " ."
	if i := strings.IndexAny(phrase, gaps); i > 0 {
		n := uint8(2)
		for _, c := range phrase[i+1:] {
			if strings.ContainsRune(gaps, c) {
				n++
			}
		}
		first := words[phrase[:i]]
		first.longest = max(first.longest, n)
		words[phrase[:i]] = first
	}
}

// forms returns a word, or a phrase whose last word it is, as a noun and as
// a verb may stand in a text: commit, commits, committed, committing. That
// some of them are no words does no harm.
func forms(w string) []string {
	n := len(w)
	last, before := w[n-1], w[n-2]
	stem := w // what -ed and -ing follow
	list := []string{w}
	switch {
	case last == 'y' && !vowel(before):
		return append(list, w[:n-1]+"ies", w[:n-1]+"ied", w+"ing")
	case last == 'e':
		list, stem = append(list, w+"s"), w[:n-1]
	case last == 's' || last == 'x' || last == 'z' || strings.HasSuffix(w, "ch") || strings.HasSuffix(w, "sh"):
		list = append(list, w+"es")
	default:
		list = append(list, w+"s")
	}
	if vowel(before) && !vowel(last) && last != 'w' && last != 'x' && last != 'y' {
		list = append(list, w+string(last)+"ed", w+string(last)+"ing")
	}
	return append(list, stem+"ed", stem+"ing")
}

func vowel(c byte) bool { return strings.IndexByte("aeiou", c) >= 0 }

// maxScan is how much of a text is looked at, in bytes. A lesson is shorter.
const maxScan = 4096

// scan calls hit with the words and phrases in a text, the longest one at each
// place.
func (d *lexicon) scan(text string, hit func(word)) {
	var bytes [512]byte // for a text of the usual length
	var places [96]place
	buf, at := split(bytes[:0], places[:0], text[:min(len(text), maxScan)])
	for i := 0; i < len(at); {
		one := buf[at[i].from:at[i].to]
		w := d.words[string(one)]
		best, n := w, 1
		if at[i].code {
			if c, ok := d.code[string(one)]; ok {
				best = c
			}
		}
		if buf[at[i].from-1] == '.' {
			if name, ok := d.words[string(buf[at[i].from-1:at[i].to])]; ok {
				best = name
			}
		}
		for k := min(int(w.longest), len(at)-i); k > 1; k-- {
			if phrase, ok := d.words[string(buf[at[i].from:at[i+k-1].to])]; ok && phrase.n > 0 {
				for _, hidden := range at[i : i+k] {
					hit(d.nameIn(buf[hidden.from:hidden.to]))
				}
				best, n = phrase, k
				break
			}
		}
		hit(best)
		i += n
	}
}

// nameIn returns a word with no topics but those that are names.
func (d *lexicon) nameIn(text []byte) word {
	w := d.words[string(text)]
	for w.n > 0 && int(w.topics[w.n-1]) >= d.names {
		w.n--
	}
	return w
}

// A place is where a word stands, from a byte to before another.
type place struct {
	from, to int
	code     bool // right after a backtick
}

// split appends the words of a text to buf, in lower case, each after a dot
// that it follows directly or, after anything else, a space.
func split(buf []byte, at []place, text string) ([]byte, []place) {
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
	return buf, at
}
