package search

import (
	"strings"

	"mem/lazy"
)

// A mood is what a text says of what stands in it.
type mood byte

const (
	affirmed mood = iota
	denied        // it is to be avoided, or replaced
	moot          // it replaces something that is to be avoided: neither
)

func moodsOf(text string) []mood {
	r := moodReader{text: text, moods: make([]mood, len(text)+1)}
	for _, at := range steps.Get().FindAllStringIndex(text, -1) {
		r.readStep(at[0], at[1])
	}
	r.become(len(r.moods), affirmed)
	return r.moods
}

// A moodReader reads a text from one step to the next.
type moodReader struct {
	text    string
	moods   []mood
	now     mood
	last    int    // how far moods is filled in
	outside []mood // of the parentheses that are open
}

func (r *moodReader) become(at int, m mood) {
	for ; r.last < at; r.last++ {
		r.moods[r.last] = r.now
	}
	r.now = m
}

// readStep reads text[from:to], which may change the mood.
func (r *moodReader) readStep(from, to int) {
	switch step := strings.ToLower(strings.ReplaceAll(r.text[from:to], "’", "'")); {
	case step == "(":
		r.outside = append(r.outside, r.now)
	case step != ")":
		r.become(to, r.moodAfter(step, from, to))
	case len(r.outside) > 0:
		last := len(r.outside) - 1
		r.become(to, r.outside[last])
		r.outside = r.outside[:last]
	}
}

func (r *moodReader) moodAfter(step string, from, to int) mood {
	switch {
	case step == "," && isListed(r.text[to:]):
		return r.now
	case strings.HasPrefix(step, ".") && abbreviation.Matches(r.text[max(0, from-8):from]):
		return r.now
	case strings.HasPrefix(step, "instead"), strings.HasPrefix(step, "rather"):
		if r.now == affirmed {
			return denied
		}
		return moot
	case heeded.Matches(step): // "don't forget x" asks for x
		return affirmed
	case step == "but" || strings.Trim(step, ",.;!?-–—→ \t\n") == "": // ends a clause
		return affirmed
	}
	return denied
}

// isListed reports whether the list in a clause goes on after a comma.
func isListed(after string) bool { return listed.Matches(after) && !starter.Matches(after) }

// The expressions that moods are read with. A clause ends at a full stop,
// a semicolon, a dash or "but", and at a comma unless what follows looks like one
// more thing in a list: a name or two words, and then an end, a conjunction or
// a preposition.
var (
	steps = lazy.New(`(?i)\binstead\s+of\b|\brather\s+than\b|\b(?:avoid(?:s|ing)?|but)\b|` +
		`\b(?:(?:never|don['’]?t|do\s+not|not|cannot|(?:do|does|did|is|are|was|were|has|have|had|ca|could|must|should|wo|would|need)n['’]t)` +
		`(?:\s+(?:forget|omit|neglect|skip|only|(?:fail|hesitate)\s+to))?)\b|[();,]|[.!?](?:\s|$)|—|\s[-–]+\s|→`)
	heeded  = lazy.New(`\s(?:forget|omit|neglect|skip|only|(?:fail|hesitate)\s+to)$`)
	starter = lazy.New(`(?i)^\s*(?:and\s+|then\s+|so\s+)*(?:use|prefer|always|instead|because|since|so|as|it|they|we|you|this|that|these|there|which|who|` +
		`if|when|where|while|unless|until|otherwise|run|call|write|keep|put|add|return|make|let|wrap|pass|set|do|only|just|take|give|go|read|look|ask|check)\b`)
	listed = lazy.New(`(?i)^\s*(?:(?:or|and|nor)\s+)?(?:\x01+|[\pL\pN_'’-]+(?:\s+[\pL\pN_'’-]+)?)\s*` +
		`(?:$|[,;.()!?]|\s(?:or|and|nor|in|for|on|at|from|inside|with|within|to|anywhere|directly)\b)`)
	abbreviation = lazy.New(`(?i)\b(?:e\.g|i\.e|etc|vs|cf|resp|incl|esp)$`)
)
