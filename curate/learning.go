package curate

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"path"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"mem/frontmatter"
	"mem/index"
	"mem/lazy"
	"mem/oracle/heuristic/speech"
	"mem/topic"
	"mem/words"
)

// The folders of learnings.
const (
	LearningFolder = "learnings"
	ArchivedFolder = LearningFolder + "/archived" // of those that became a rule
)

// The confidences of a learning.
const (
	highConfidence   = "HIGH"   // observed more than once, and of value each time
	MediumConfidence = "MEDIUM" // observed once, with a reason
	lowConfidence    = "LOW"    // noted, no more
)

// maxFile bounds a file that is read as a learning, or as one of rules, in bytes.
const maxFile = 256 << 10

// errNotLearning is wrapped when a file cannot be read as a learning.
var errNotLearning = errors.New("not readable as a learning")

// A Learning is a captured insight as a file, with the day and where it is filed, in the format of PAI's protocol:
// learnings/<domain>/YYYY-MM-DD-<slug>.md. People and other programs write such files too, so ParseLearning takes what
// is in use, even without fields or in other folders.
type Learning struct {
	Date       string // YYYY-MM-DD; "" if the file does not tell
	Domain     string // one of topic.Domains
	Tags       []string
	Confidence string // High, Medium or Low; "" if the file does not tell
	Title      string // one line
	Text       string // what was learned, and why
}

// ParseLearning reads the file of a learning. Its path counts too: a folder that is called like a domain says more than
// a field, and the name may begin with the date. A file without fields has no tags.
func ParseLearning(name string, data []byte) (Learning, error) {
	switch {
	case len(data) > maxFile:
		return Learning{}, fmt.Errorf("larger than %d KiB: %w", maxFile>>10, errNotLearning)
	case !utf8.Valid(data):
		return Learning{}, fmt.Errorf("not in UTF-8: %w", errNotLearning)
	case bytes.IndexByte(data, 0) >= 0:
		return Learning{}, fmt.Errorf("it holds a NUL: %w", errNotLearning)
	}
	l := Learning{Domain: topic.Domain(path.Base(path.Dir(name))), Date: dateOf(path.Base(name))}
	body := strings.TrimPrefix(string(data), "\ufeff")
	f, err := frontmatter.Parse(data)
	switch {
	case errors.Is(err, frontmatter.ErrOpen):
		return Learning{}, fmt.Errorf("%w: %w", errNotLearning, err)
	case err == nil:
		body = f.Body()
		l.Date = cmp.Or(dateOf(f.Value("date")), l.Date)
		l.Domain = cmp.Or(l.Domain, topic.Domain(f.Value("domain")))
		l.Tags = topic.Tags(f.List("tags"))
		l.Confidence = ParseConfidence(f.Value("confidence"))
	}
	l.Domain = cmp.Or(l.Domain, topic.General)
	l.Title, l.Text = splitLearning(body)
	if l.Title == "" {
		return Learning{}, fmt.Errorf("it says nothing: %w", errNotLearning)
	}
	return l, nil
}

func dateOf(s string) string {
	s = s[:min(len(s), len(time.DateOnly))]
	if _, err := time.Parse(time.DateOnly, s); err != nil {
		return ""
	}
	return s
}

// ParseConfidence returns the confidence that a word means, in any case; "" for none.
func ParseConfidence(word string) string {
	switch word = strings.ToUpper(strings.TrimSpace(word)); word {
	case highConfidence, MediumConfidence, lowConfidence:
		return word
	}
	return ""
}

// splitLearning splits the body of a file at its heading. Without a heading, and with
// nothing below it, one stands for the other.
func splitLearning(body string) (title, text string) {
	body = strings.TrimSpace(strings.ReplaceAll(body, "\r\n", "\n"))
	rest, ok := strings.CutPrefix(body, "# ")
	if !ok {
		return titleOf(body), body
	}
	title, text, _ = strings.Cut(rest, "\n")
	title = words.FoldSpace(title)
	return title, cmp.Or(strings.TrimSpace(text), title)
}

// CompleteLearning returns the file of a learning, a new one or data with where it belongs: other fields, and
// the text, are left as they are.
func CompleteLearning(data []byte, l Learning) []byte {
	f, err := frontmatter.Parse(data)
	if err != nil {
		f = frontmatter.New("\n# " + l.Title + "\n\n" + strings.TrimSpace(l.Text) + "\n")
		f.SetPlain("date", l.Date)
	}
	f.Set("domain", l.Domain)
	f.SetList("tags", l.Tags)
	f.Set("confidence", l.Confidence)
	return f.Bytes()
}

// NewLearningPath returns where a new learning goes. taken reports whether there is a file already.
func NewLearningPath(l Learning, taken func(path string) bool) string {
	return freeName(LearningFolder+"/"+l.Domain+"/"+l.Date+"-"+topic.Slug(l.Title, "learning"), taken)
}

// freeName returns the path of a Markdown file that is not taken: stem alone, or with a number.
func freeName(stem string, taken func(path string) bool) string {
	name := stem + ".md"
	for n := 2; taken(name); n++ {
		name = fmt.Sprintf("%s-%d.md", stem, n)
	}
	return name
}

// archiveFile returns the file of a learning that became part of a rule; to names the place, such as
// rules/coding.md#name. It only adds two lines at the end of the fields; a file without fields does
// not change.
func archiveFile(data []byte, to, day string) []byte {
	f, err := frontmatter.Parse(data)
	if err != nil {
		return data
	}
	f.Set("archived_to", to)
	f.SetPlain("archived_date", day)
	return f.Bytes()
}

// Limits of what is made of a text, in characters.
const (
	maxTitle     = 72
	maxStatement = 240
)

// titleOf returns what a text says first, on one line that is not long.
func titleOf(text string) string {
	return strings.TrimRight(shorten(speech.FirstSentence(FirstParagraph(text)), maxTitle), ".;:, ")
}

// StatementOf returns the first paragraph of a text or, if that is long, the first
// sentence of it, cut to the length of a lesson.
func StatementOf(text string) string {
	text = FirstParagraph(text)
	if utf8.RuneCountInString(text) > maxStatement {
		text = speech.FirstSentence(text)
	}
	return shorten(text, maxStatement)
}

// reAdvice matches a statement that says what to do instead of a mistake, by its words
// alone; "always reading all of it" is none.
var (
	reAdvice = lazy.New(`(?i)^(?:(?:(?:double-)?check|verify|validate|confirm|must|prefer|make sure|ensure|remember)\b|use\b.*\b(?:instead of|rather than|not)\b)`)
	reAlways = lazy.New(`(?i)^always ([a-z]+)`)
)

func isAdvice(text string) bool {
	always := reAlways.Get().FindStringSubmatch(text)
	return reAdvice.Get().MatchString(text) || always != nil && words.Gerund(always[1]) != always[1]
}

// Lesson returns the learning as a lesson. Mistakes become something to avoid, unless they are advice.
func (l Learning) Lesson() string {
	text := l.statement()
	if l.Domain != topic.Mistake {
		return text
	}
	said := index.StripAvoid(text)
	if turned := words.TurnNegation(said); turned != said || !isAdvice(text) {
		return index.AddAvoid(turned)
	}
	return text
}

// fewWords is how many words say too little without their heading.
const fewWords = 3

// statement returns the first statement of the text, with the title if the text alone says too little:
// in a mistake the title names it, and the text says why.
func (l Learning) statement() string {
	text := StatementOf(l.Text)
	title := strings.TrimSuffix(strings.TrimRight(l.Title, ".;:, "), "…")
	isSaid := title == "" || strings.Contains(strings.ToLower(words.FoldSpace(l.Text)), strings.ToLower(title))
	if isSaid || l.Domain != topic.Mistake && len(strings.Fields(text)) > fewWords {
		return text
	}
	return shorten(title+": "+text, maxStatement)
}

// FirstParagraph returns the first paragraph that is not a heading, on one line; the first heading if there is none.
func FirstParagraph(text string) string {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	heading := ""
	isWordRune := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
	for paragraph := range strings.SplitSeq(text, "\n\n") {
		said := ""
		for line := range strings.Lines(paragraph) {
			line = strings.TrimSpace(line)
			if bare := strings.TrimLeft(line, "#"); bare == line || !strings.HasPrefix(bare, " ") {
				said += " " + line
			} else {
				heading = cmp.Or(heading, words.FoldSpace(bare))
			}
		}
		if folded := words.FoldSpace(said); strings.ContainsFunc(folded, isWordRune) {
			return strings.TrimPrefix(strings.TrimPrefix(folded, "- "), "* ")
		}
	}
	return heading
}

func shorten(text string, most int) string {
	chars := []rune(text)
	if len(chars) <= most {
		return text
	}
	cut := string(chars[:most-1])
	if at := strings.LastIndexByte(cut, ' '); at > len(cut)/2 {
		cut = cut[:at]
	}
	return strings.TrimRight(cut, " ,;:") + "…"
}
