package facts

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/rogpeppe/go-internal/diff"

	"mem/index"
	"mem/render"
	"mem/words"
)

// Diff returns the changes from one index to another: decisions, and new records. partial says that a program wrote the other
// index that knows only version 1. What that index lacks is then not a change, and its records take their ids from the first.
func Diff(was, is *index.Index, partial bool) (changes []index.Decision, fresh []index.Old) {
	if partial {
		takeIDs(is, was)
	} else { // first, so that changes to the surviving record come last
		changes = diffLost(was, is)
	}
	if len(changes) > 0 { // skip changes that follow from those
		s := begin(was.Clone())
		for _, d := range changes {
			s.decideOne(d, time.Time{})
		}
		s.compact()
		was = s.ix
	}
	find := was.Finder()
	for it := range is.All() {
		pos := find(it.ID)
		if pos < 0 {
			fresh = append(fresh, index.Old{Item: *it})
			continue
		}
		if d, isChange := diffRecord(&was.Items[pos], it, partial); isChange {
			changes = append(changes, d)
		}
	}
	if set := diffMembers(was.Unknown, is.Unknown); len(set) > 0 && !partial {
		changes = append(changes, index.Decision{Set: encode(set)})
	}
	return changes, fresh
}

// takeIDs gives the records of a version 1 index the ids that their keys had before. If two records had one
// key, the one last seen nearest before wins.
func takeIDs(ix, was *index.Index) {
	twins, given := map[string][]*index.Item{}, map[string]bool{}
	for it := range was.All() {
		twins[it.Key] = append(twins[it.Key], it)
	}
	for _, list := range twins { // nearly always of one
		slices.SortStableFunc(list, func(a, b *index.Item) int { return b.LastSeen.Compare(a.LastSeen) })
	}
	for it := range ix.All() {
		if list := twins[it.Key]; len(list) > 0 {
			n := max(0, slices.IndexFunc(list, func(old *index.Item) bool { return !old.LastSeen.After(it.LastSeen) }))
			it.ID = list[n].ID
			twins[it.Key] = slices.Delete(list, n, n+1)
			given[it.ID] = true
		}
	}
	for it := range ix.All() {
		if pos := was.ByID(it.ID); pos >= 0 && was.Items[pos].Key != it.Key { // by chance, or reworded since
			it.ID = index.NewID(it.Key, func(id string) bool { return given[id] || was.ByID(id) >= 0 })
		}
		given[it.ID] = true
	}
}

// diffLost returns the decisions for records that the other index lacks: they became part of another, or were deleted.
func diffLost(was, is *index.Index) (changes []index.Decision) {
	find := is.Finder()
	for it := range was.All() {
		id := it.ID
		if find(id) >= 0 || slices.Contains(is.Purged, id) {
			continue
		}
		into := ""
		for j := range is.Items {
			if slices.Contains(is.Items[j].DerivedFrom, id) {
				into = is.Items[j].ID
			}
		}
		changes = append(changes, index.Decision{Of: id, Into: into, Gone: into == ""})
	}
	return changes
}

func diffRecord(was, is *index.Item, partial bool) (d index.Decision, isChange bool) {
	if was.Equal(is) { // nearly always
		return d, false
	}
	d = index.Decision{Of: was.ID, Hits: is.Hits - was.Hits, Add: is.Score - was.Score}
	if set := diffFields(was, is, partial); len(set) > 0 {
		d.Set, d.Soft = encode(set), partial && was.Key == is.Key // which saw it in other letters
	}
	if is.LastSeen.After(was.LastSeen) {
		d.Seen = is.LastSeen
	}
	return d, len(d.Set) > 0 || d.Hits != 0 || d.Add != 0 || !d.Seen.IsZero()
}

// diffFields returns the fields and unknown members of a record that differ, with their new values.
func diffFields(was, is *index.Item, partial bool) map[string]jsontext.Value {
	set := map[string]jsontext.Value{}
	for _, f := range index.Fields {
		isWritten := !partial || f.Name == "text" || f.Name == "kind"
		if isWritten && f.Read(was) != f.Read(is) {
			set[f.Name] = jsontext.Value(f.Read(is))
		}
	}
	for name, value := range diffMembers(was.Unknown, is.Unknown) {
		if !partial || value.Kind() != 'n' {
			set[name] = value
		}
	}
	return set
}

// diffMembers returns the members that differ, with their new values; null for a removed one.
func diffMembers(was, is jsontext.Value) map[string]jsontext.Value {
	if slices.Equal(was, is) {
		return nil
	}
	before, now := index.ListMembers(was), index.ListMembers(is)
	for name := range before {
		if _, has := now[name]; !has {
			now[name] = jsontext.Value("null")
		} else if slices.Equal(before[name], now[name]) {
			delete(now, name)
		}
	}
	return now
}

func encode(set map[string]jsontext.Value) jsontext.Value {
	data, err := json.Marshal(set, index.Options())
	if err != nil {
		return nil // of members that were decoded before
	}
	return data
}

// A News lists the content of a memory that is missing from another one, which the person knows.
type News struct {
	Texts []string // a lesson or a file each: its first line, and below it what is new of it
	told  string   // keys of texts that are known, one per line
}

// AddLessons adds the lessons that differ between two indexes, with everything that a session is shown of them.
func (n *News) AddLessons(was, is *index.Index) {
	changes, _ := Diff(was, is, false)
	isSet := map[string]bool{}
	for _, d := range changes {
		isSet[d.Of] = len(d.Set) > 0
	}
	for it := range is.All() {
		if pos := was.ByID(it.ID); pos >= 0 && !isSet[it.ID] || !it.IsShown() && pos < 0 {
			continue
		}
		n.told += "\n" + it.Key
		n.Texts = append(n.Texts, describe(it))
	}
}

// describe returns all that a session is shown of a lesson.
func describe(it *index.Item) string {
	text := it.ShownText()
	if it.Status != index.Active {
		text += " (" + string(it.Status) + ")"
	}
	for _, f := range index.Fields {
		value := f.Read(it)
		if slices.Contains([]string{"cue", "remedy", "why"}, f.Name) && value != "null" && value != `""` {
			text += "\n" + f.Name + ": " + value
		}
	}
	return text
}

// Know marks the texts of notes as known, so that they are not listed.
func (n *News) Know(notes ...Note) {
	for _, note := range notes {
		n.told += "\n" + index.KeyOf(note.Text)
	}
}

// AddFact adds the content of a fact other than lessons.
func (n *News) AddFact(f Fact) {
	for _, note := range f.Notes {
		name := render.JournalPath(note.Day)
		if _, isDate := DateOf(name); !isDate {
			name = "patterns"
		}
		n.AddText(name, note.Text, "", false)
		n.Know(note)
	}
	for _, c := range f.Candidates {
		n.Texts = append(n.Texts, "one session shows: "+string(c))
	}
}

// AddText adds a file, or a part of one, with the lines that was lacks. With always it adds the text even
// without any; otherwise front matter and lines listed elsewhere do not count.
func (n *News) AddText(name, is, was string, always bool) {
	if rest, has := strings.CutPrefix(is, "---\n"); has && !always {
		_, is, _ = strings.Cut(rest, "\n---\n")
	}
	said := ""
	for line := range strings.Lines(is) {
		line = strings.TrimRight(line, "\r\n")
		isTold := strings.Contains(n.told, index.KeyOf(strings.TrimLeft(line, "#- ")))
		if strings.TrimSpace(line) != "" && (always || !isTold) && !strings.Contains("\n"+was+"\n", "\n"+line+"\n") {
			said += "\n" + line
		}
	}
	if said != "" || always {
		n.Texts = append(n.Texts, name+":"+said)
	}
}

// An edit replaces the lines of a text from one place up to another.
type lineEdit struct {
	from, to int
	lines    []string
}

// MergeLines returns ours with the changes that theirs made to base. It reports false where
// both changed the same lines.
func MergeLines(base, ours, theirs string) (string, bool) {
	edits := listEdits(base, theirs)
	for _, o := range listEdits(base, ours) {
		isSame := func(e lineEdit) bool { return reflect.DeepEqual(e, o) }
		if slices.ContainsFunc(edits, isSame) {
			continue
		}
		if slices.ContainsFunc(edits, o.isAt) {
			return "", false
		}
		edits = append(edits, o)
	}
	slices.SortStableFunc(edits, func(a, b lineEdit) int {
		return cmp.Or(a.from-b.from, a.to-b.to) // what was added stands before what was changed
	})
	lines, out, at := slices.Collect(strings.Lines(words.EndLine(base))), []string{}, 0
	for _, e := range edits {
		out, at = append(append(out, lines[at:e.from]...), e.lines...), e.to
	}
	return strings.Join(append(out, lines[at:]...), ""), true
}

// isAt reports whether two edits concern the same lines. An addition beside a change is separate only if both
// are parts of their own, such as sections.
func (e lineEdit) isAt(o lineEdit) bool {
	if e.from > o.to || o.from > e.to {
		return false
	}
	return e.from < o.to && o.from < e.to || !e.isPart() || !o.isPart()
}

func (e lineEdit) isPart() bool {
	isBlank := func(line string) bool { return strings.TrimSpace(line) == "" }
	return e.from < e.to || strings.HasPrefix(e.lines[0], "#") || isBlank(e.lines[0]) || isBlank(e.lines[len(e.lines)-1])
}

// listEdits returns what makes of base the other text, in order.
func listEdits(base, other string) (list []lineEdit) {
	at, isOpen := 0, false
	_, hunks, _ := strings.Cut(string(diff.Diff("a", []byte(words.EndLine(base)), "b", []byte(words.EndLine(other)))), "\n+++ b\n")
	for line := range strings.Lines(hunks) {
		if isOpen = isOpen && strings.ContainsAny(line[:1], "+-"); line[0] == '@' {
			var n int
			_, _ = fmt.Sscanf(line, "@@ -%d,%d", &at, &n) // the form that diff.Diff writes
			at -= min(n, 1)                               // without lines it names the one before
			continue
		}
		if line[0] == ' ' {
			at++
			continue
		}
		if !isOpen {
			list, isOpen = append(list, lineEdit{from: at, to: at}), true
		}
		if last := &list[len(list)-1]; line[0] == '+' {
			last.lines = append(last.lines, line[1:])
		} else {
			at++
			last.to = at
		}
	}
	return list
}
