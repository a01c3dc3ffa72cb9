package render

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"mem/index"
	"mem/words"
)

// An Entry is one reflection in the journal.
type Entry struct {
	ID       string    `json:"reflection"` // tells entries apart when journals merge
	At       time.Time `json:"at"`         // decides the file and the heading
	Label    string    `json:"label"`      // "task" or "manual"
	Mistakes []string  `json:"mistakes"`   // without "Avoid:"
	Fixes    []string  `json:"fixes"`
	Outcome  string    `json:"outcome,omitzero"`
	Session  string    `json:"trace"` // the agent and its session, "" for none
}

// JournalPath returns the file of a day, such as "2026-02-03", or the rollup file of a month.
func JournalPath(date string) string {
	if len(date) == len("2026-02") {
		return "monthly/" + date + ".md"
	}
	return "daily/" + date + ".md"
}

// Markdown returns the entry as the journal file of its day has it.
func (e Entry) Markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "## %s UTC — %s\n", e.At.UTC().Format("15:04"), title(words.FoldSpace(e.Label)))
	fmt.Fprintf(&b, "<!-- mem:%s", strings.ReplaceAll(comment(e.ID), " ", "_"))
	if e.Session != "" {
		fmt.Fprintf(&b, " %s", comment(e.Session))
	}
	b.WriteString(" -->\n")
	journalList(&b, "### What went wrong", e.Mistakes)
	journalList(&b, "### How it was fixed", e.Fixes)
	if e.Outcome != "" {
		journalList(&b, "### Outcome", []string{e.Outcome})
	}
	return b.String()
}

func journalList(b *strings.Builder, heading string, texts []string) {
	if len(texts) == 0 {
		return
	}
	fmt.Fprintf(b, "\n%s\n\n", heading)
	for _, t := range texts {
		fmt.Fprintf(b, "- %s\n", words.FoldSpace(t))
	}
}

// ParseDaily reads the entries of a journal file back, in file order. It understands what Markdown writes and the
// entries of pi-self-learning, whose sections have other words: a section that speaks of what went wrong holds
// mistakes, one of the outcome that, any other holds fixes. day is the date of the file.
func ParseDaily(data []byte, day time.Time) []Entry {
	var entries []Entry
	heading := ""
	for l := range strings.Lines(string(data)) {
		l = strings.TrimRight(l, "\r\n")
		switch {
		case strings.HasPrefix(l, "## "):
			if e, ok := parseHeading(l, day); ok {
				entries = append(entries, e)
				heading = ""
			}
		case len(entries) == 0:
		case strings.HasPrefix(l, "<!-- mem:"):
			e := &entries[len(entries)-1]
			e.ID, e.Session, _ = strings.Cut(strings.TrimSuffix(strings.TrimPrefix(l, "<!-- mem:"), " -->"), " ")
		case strings.HasPrefix(l, "### "), strings.HasPrefix(l, "**"):
			heading = strings.ToLower(l)
		case strings.HasPrefix(l, "- "):
			e, text := &entries[len(entries)-1], words.FoldSpace(l[len("- "):])
			switch {
			case strings.Contains(heading, "outcome"):
				e.Outcome = text
			case saysMistakes(heading):
				e.Mistakes = append(e.Mistakes, text)
			default:
				e.Fixes = append(e.Fixes, text)
			}
		}
	}
	return entries
}

func parseHeading(l string, day time.Time) (Entry, bool) {
	clock, label, ok := strings.Cut(strings.TrimPrefix(l, "## "), " UTC")
	at, err := time.Parse("15:04", clock)
	if !ok || err != nil {
		return Entry{}, false
	}
	label = strings.ToLower(strings.TrimLeft(label, " —-–"))
	y, m, d := day.UTC().Date()
	return Entry{At: time.Date(y, m, d, at.Hour(), at.Minute(), 0, 0, time.UTC), Label: label}, true
}

func saysMistakes(heading string) bool {
	heading = strings.ToLower(heading)
	says := func(word string) bool { return strings.Contains(heading, word) }
	return slices.ContainsFunc([]string{"wrong", "mistake", "avoid", "watch", "anti"}, says)
}

// title is a label as a heading: Task or Manual.
func title(label string) string {
	label = cmp.Or(label, "task")
	_, first := utf8.DecodeRuneInString(label)
	return strings.ToUpper(label[:first]) + label[first:]
}

// comment keeps s from closing the comment that it stands in.
func comment(s string) string {
	s = words.FoldSpace(s)
	for strings.Contains(s, "--") {
		s = strings.ReplaceAll(s, "--", "- -")
	}
	return s
}

// Monthly renders the rollup of a month from its text. The last line says
// from how many reflections it was made and by whom.
func Monthly(month time.Time, text string, reflections int, by string) []byte {
	return fmt.Appendf(nil, "# %s\n\n%s\n\n<!-- mem: from %s, by %s -->\n",
		month.UTC().Format("2006-01"), strings.TrimSpace(text), Count(reflections, "reflection", "reflections"), comment(by))
}

const monthLines = 12

// A monthLesson is a lesson with how often it was seen in a month, and its rank among those of its section.
type monthLesson struct {
	*index.Item
	n, rank int
}

// DigestMonth summarises the month that begins at from, without a model, from the records that sessions are shown:
// what recurred, what is new and vouched for, and what used to recur and did not. It does not list everything.
func DigestMonth(ix *index.Index, from time.Time, reflections int) string {
	var again, fresh, quiet []monthLesson
	once, total := 0, 0
	for it := range ix.All() {
		if !it.IsShown() {
			continue
		}
		n, before := countMonth(it, from)
		total += min(1, n)
		switch {
		case n > 1 || n > 0 && before > 0:
			again = append(again, monthLesson{it, n, n})
		case n == 0 && before > 1:
			quiet = append(quiet, monthLesson{it, n, n})
		case n > 0 && (it.Confidence == "high" || it.Pinned || it.Cue != nil && it.Remedy != nil): // a person settled it, or a session showed the cure
			fresh = append(fresh, monthLesson{it, n, 2})
		case n > 0 && it.Origin == index.OriginUser:
			fresh = append(fresh, monthLesson{it, n, 1})
		default:
			once += n
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s taught something: %s.\n", Count(reflections, "reflection", "reflections"), Count(total, "lesson", "lessons"))
	listMonth(&b, "## Came back", again)
	listMonth(&b, "## New, and said by a person or proven", fresh)
	listMonth(&b, "## Quiet: it used to come back, and did not", quiet)
	if once > 0 {
		fmt.Fprintf(&b, "\n%s seen for the first time, once.\n", Count(once, "other lesson was", "other lessons were"))
	}
	return b.String()
}

// countMonth returns how often a record was seen in the month that begins at from, and how often before.
func countMonth(it *index.Item, from time.Time) (n, before int) {
	to, later := from.AddDate(0, 1, 0), 0
	count := func(at time.Time, k int) {
		switch {
		case at.Before(from):
			before += k
		case at.Before(to):
			n += k
		default:
			later += k
		}
	}
	for _, s := range it.Sources {
		count(s.At, 1)
	}
	count(it.FirstSeen, max(0, it.Hits-n-before-later)) // whose sources are not kept
	return n, before
}

func listMonth(b *strings.Builder, heading string, list []monthLesson) {
	if len(list) == 0 {
		return
	}
	slices.SortFunc(list, func(x, y monthLesson) int { return cmp.Or(cmp.Compare(y.rank, x.rank), cmp.Compare(x.Text, y.Text)) })
	fmt.Fprintf(b, "\n%s\n\n", heading)
	for _, l := range list[:min(len(list), monthLines)] {
		b.WriteString("- " + l.ShownText())
		if l.n > 1 {
			fmt.Fprintf(b, " (×%d)", l.n)
		}
		b.WriteString("\n")
	}
	if more := len(list) - monthLines; more > 0 {
		fmt.Fprintf(b, "- and %d more\n", more)
	}
}
