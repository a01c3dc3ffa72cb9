package render

import (
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"mem/words"
)

// An Entry is one reflection in the journal.
type Entry struct {
	ID       string    `json:"reflection"` // tells entries apart when journals merge
	At       time.Time `json:"at"`         // decides the file and the heading
	Label    string    `json:"label"`      // "task" or "manual"
	Mistakes []string  `json:"mistakes"`   // without "Avoid:"
	Fixes    []string  `json:"fixes"`
	Session  string    `json:"trace"` // the agent and its session, "" for none
}

// DailyPath returns the journal file of the day of t, in UTC.
func DailyPath(t time.Time) string { return "daily/" + t.UTC().Format(time.DateOnly) + ".md" }

// Daily appends an entry to a journal file and returns the new content. old
// is empty for a new day; otherwise every byte of it is kept.
func Daily(old []byte, e Entry) []byte {
	var b strings.Builder
	b.Write(old)
	switch {
	case len(old) == 0:
		fmt.Fprintf(&b, "# %s\n", e.At.UTC().Format(time.DateOnly))
	case old[len(old)-1] != '\n':
		b.WriteByte('\n')
	}
	fmt.Fprintf(&b, "\n## %s UTC — %s\n", e.At.UTC().Format("15:04"), title(words.FoldSpace(e.Label)))
	fmt.Fprintf(&b, "<!-- mem:%s", strings.ReplaceAll(comment(e.ID), " ", "_"))
	if e.Session != "" {
		fmt.Fprintf(&b, " %s", comment(e.Session))
	}
	b.WriteString(" -->\n")
	journalList(&b, "### What went wrong", e.Mistakes)
	journalList(&b, "### How it was fixed", e.Fixes)
	return []byte(b.String())
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

// ParseDaily reads the entries of a journal file back, in file order. It
// understands what Daily writes and the entries of pi-self-learning, whose
// sections have other words: a section that speaks of what went wrong holds
// mistakes, any other holds fixes. day is the date of the file.
func ParseDaily(data []byte, day time.Time) []Entry {
	var entries []Entry
	mistakes := false
	for l := range strings.Lines(string(data)) {
		l = strings.TrimRight(l, "\r\n")
		switch {
		case strings.HasPrefix(l, "## "):
			if e, ok := parseHeading(l, day); ok {
				entries = append(entries, e)
				mistakes = false
			}
		case len(entries) == 0:
		case strings.HasPrefix(l, "<!-- mem:"):
			e := &entries[len(entries)-1]
			e.ID, e.Session, _ = strings.Cut(strings.TrimSuffix(strings.TrimPrefix(l, "<!-- mem:"), " -->"), " ")
		case strings.HasPrefix(l, "### "), strings.HasPrefix(l, "**"):
			mistakes = saysMistakes(l)
		case strings.HasPrefix(l, "- "):
			e, text := &entries[len(entries)-1], words.FoldSpace(l[len("- "):])
			if mistakes {
				e.Mistakes = append(e.Mistakes, text)
			} else {
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

// saysMistakes reports whether a heading introduces what went wrong.
func saysMistakes(heading string) bool {
	heading = strings.ToLower(heading)
	for _, word := range []string{"wrong", "mistake", "avoid", "watch", "anti"} {
		if strings.Contains(heading, word) {
			return true
		}
	}
	return false
}

// title is a label as a heading: Task or Manual.
func title(label string) string {
	if label == "" {
		label = "task"
	}
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

// MonthlyPath returns the rollup file of the month of t, in UTC.
func MonthlyPath(t time.Time) string { return "monthly/" + t.UTC().Format("2006-01") + ".md" }

// Monthly renders the rollup of a month from its text. The last line says
// from how many reflections it was made and by whom.
func Monthly(month time.Time, text string, reflections int, by string) []byte {
	return fmt.Appendf(nil, "# %s\n\n%s\n\n<!-- mem: from %s, by %s -->\n",
		month.UTC().Format("2006-01"), strings.TrimSpace(text), Count(reflections, "reflection", "reflections"), comment(by))
}
