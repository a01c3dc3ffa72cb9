package union

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"mem/index"
	"mem/render"
)

// An entry is a part of a list that begins with a heading: a reflection in a
// journal, or a change of the rules. Its text is kept byte for byte, but for empty
// lines at its end.
type entry struct {
	order string // when it was made
	id    string // "" if its text alone tells it from others
	text  string
	again bool // another one before it has its id
}

// key tells entries apart.
func (e *entry) key() string {
	if e.again {
		return e.text
	}
	return cmp.Or(e.id, e.text)
}

// compareEntries orders entries by time; of one moment, the same everywhere.
func compareEntries(a, b entry) int {
	return cmp.Or(strings.Compare(a.order, b.order), strings.Compare(a.id, b.id), strings.Compare(a.text, b.text))
}

// A form is how the entries of a list begin: it returns when the entry in a text was made,
// and its id.
type form func(text string) (order, id string, ok bool)

var (
	journal form = startEntry
	changes form = startChange
)

// A list is a file of entries.
type list struct {
	head    string
	entries []entry
}

// startEntry returns the time and the id of a reflection in a journal. It reports
// false for a text that does not begin with the heading of one.
func startEntry(text string) (order, id string, ok bool) {
	line, _, _ := strings.Cut(text, "\n")
	if len(render.ParseDaily([]byte(line), time.Time{})) == 0 {
		return "", "", false
	}
	e := render.ParseDaily([]byte(text), time.Time{})[0]
	return e.At.Format("15:04"), e.ID, true
}

// startChange is startEntry for the changelog of the rules, whose entries have no id.
func startChange(text string) (order, id string, ok bool) {
	day, isHeading := strings.CutPrefix(text, "## ")
	day = day[:min(len(day), len(time.DateOnly))]
	_, err := time.Parse(time.DateOnly, day)
	return day, "", isHeading && err == nil
}

// readList takes a list apart.
func readList(data []byte, f form) (l list, err error) {
	at, seen := 0, map[string]bool{}
	var parts []string
	text := string(data)
	for pos := 0; pos < len(text); {
		end := len(text)
		if i := strings.IndexByte(text[pos:], '\n'); i >= 0 {
			end = pos + i + 1
		}
		line := text[pos:end]
		if strings.HasPrefix(line, "<<<<<<< ") {
			return l, fmt.Errorf("it holds a conflict: %w", ErrUnsure)
		}
		if _, _, ok := f(line); ok {
			parts, at = append(parts, text[at:pos]), pos
		}
		pos = end
	}
	parts = append(parts, text[at:])
	l.head = strings.TrimRight(parts[0], "\r\n")
	for _, part := range parts[1:] {
		e := entry{text: strings.TrimRight(part, "\r\n")}
		e.order, e.id, _ = f(e.text)
		e.again = seen[e.key()]
		seen[e.key()] = true
		l.entries = append(l.entries, e)
	}
	return l, nil
}

// mergeLists merges lists by their entries: what one side added is there, what one
// side took out is not, and what both changed is not for mem to decide.
func mergeLists(base, ours, theirs []byte, f form) ([]byte, error) {
	var lists [3]list
	var texts [3]map[string]entry
	for i, data := range [][]byte{base, ours, theirs} {
		l, err := readList(data, f)
		if err != nil {
			return nil, err
		}
		l.head = cmp.Or(l.head, lists[0].head) // of a side that removed it
		lists[i], texts[i] = l, map[string]entry{}
		for _, e := range l.entries {
			texts[i][e.key()] = e
		}
	}
	head, ok := mergeWhole([]byte(lists[0].head), []byte(lists[1].head), []byte(lists[2].head))
	if !ok {
		return nil, fmt.Errorf("both changed how it begins: %w", ErrUnsure)
	}
	merged := list{head: string(head)}
	for i, other := range []int{2, 1} { // ours, then what theirs alone has
		for _, e := range lists[i+1].entries {
			o, inOther := texts[other][e.key()]
			if i == 1 && inOther {
				continue
			}
			kept, err := mergeEntry(texts[0][e.key()], e, o)
			if err != nil {
				return nil, err
			}
			merged.entries = append(merged.entries, kept...)
		}
	}
	return merged.write(), nil
}

// mergeEntry merges one entry; one without a text is not there.
func mergeEntry(base, ours, theirs entry) ([]entry, error) {
	switch {
	case ours == theirs, base == theirs:
		return []entry{ours}, nil
	case base == ours:
		return []entry{theirs}, nil
	}
	if base.text != "" {
		return nil, fmt.Errorf("both changed the entry %s: %w", base.id, ErrUnsure)
	}
	// One session, reflected on by two machines.
	pair := []entry{ours, theirs}
	slices.SortFunc(pair, compareEntries)
	if afterHeading(ours.text) == afterHeading(theirs.text) {
		pair = pair[:1]
	}
	return pair, nil
}

func afterHeading(text string) string {
	_, rest, _ := strings.Cut(text, "\n")
	return rest
}

// write puts a list together.
func (l *list) write() []byte {
	slices.SortFunc(l.entries, compareEntries)
	var b bytes.Buffer
	b.WriteString(l.head)
	last := ""
	for _, e := range l.entries {
		if e.text == last {
			continue
		}
		if last = e.text; b.Len() > 0 && last != "" {
			b.WriteString("\n\n")
		}
		b.WriteString(e.text)
	}
	b.WriteByte('\n')
	return b.Bytes()
}

// ListEntries returns the sightings that a day of the journal tells of, by the ids of
// their reflections; nil if it cannot be read.
func ListEntries(day []byte) map[string]bool {
	l, err := readList(day, journal)
	if err != nil {
		return nil
	}
	ids := map[string]bool{}
	for _, e := range l.entries {
		if e.id != "" {
			ids[index.SightingID(e.id)] = true
		}
	}
	return ids
}

// JoinDays returns the first version of a day with those of its entries that are to be
// kept, and with those of the other versions that it lacks. keep gets what ListEntries
// returns. Where none is left the heading is: git cannot merge a file that is gone with
// one that a clone wrote to.
func JoinDays(versions [][]byte, keep func(id string, isFirst bool) bool) []byte {
	var all list
	has, changed := map[string]int{}, false
	for n, data := range versions {
		l, err := readList(data, journal)
		if err != nil {
			continue // it holds a conflict; the others have what was there
		}
		all.head = cmp.Or(all.head, l.head)
		for _, e := range l.entries {
			first, isKnown := has[e.id]
			isKept := (!isKnown || first == n) && keep(index.SightingID(e.id), n == 0)
			changed = changed || isKept != (n == 0)
			if isKept {
				has[e.id] = n
				all.entries = append(all.entries, e)
			}
		}
	}
	if !changed {
		return versions[0]
	}
	return all.write()
}

// IsBlank reports whether a file has a title at most.
func IsBlank(data []byte) bool {
	text := strings.TrimSpace(string(data))
	return text == "" || strings.HasPrefix(text, "# ") && !strings.Contains(text, "\n")
}
