package facts

import (
	"slices"
	"strings"

	"mem/index"
)

// A News lists what a memory says and another one, which a person knows, does not say.
type News struct {
	Texts []string // a lesson or a file each: its first line, and below it what is new of it
	told  string   // keys of what needs not be told, a line each
}

// AddLessons adds the lessons that are others in an index, with all that a session is told of them.
func (n *News) AddLessons(was, is *index.Index) {
	changes, _ := Diff(was, is, false)
	isSet := map[string]bool{}
	for _, d := range changes {
		isSet[d.Of] = len(d.Set) > 0
	}
	for i := range is.Items {
		it := &is.Items[i]
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

// Know says that what some notes say needs not be told.
func (n *News) Know(notes ...Note) {
	for _, note := range notes {
		n.told += "\n" + index.KeyOf(note.Text)
	}
}

// AddFact adds what a fact says beside lessons. show says how the file of a note is called.
func (n *News) AddFact(f Fact, show func(file string) string) {
	for _, note := range f.Notes {
		n.AddText(show(Journal{}.PathOf(note.Day)), note.Text, "", false)
		n.Know(note)
	}
	for _, c := range f.Candidates {
		n.Texts = append(n.Texts, "one session shows: "+string(c))
	}
}

// AddText adds a file, or a part of one, with its lines that are new and told nowhere else: front matter tells nothing
// then. One without such lines is added if that is asked for.
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
