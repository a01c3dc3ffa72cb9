package recall

import (
	"cmp"
	"errors"
	"path"
	"slices"
	"strings"

	"mem/frontmatter"
	"mem/guard"
	"mem/lazy"
	"mem/repo"
	"mem/words"
)

// A Source is one memory that a session reads or a person searches.
type Source struct {
	Memory *repo.Memory // nil where there is none
	Global bool         // of all projects: the person's own
	Root   string       // the folder as it is shown, so that more can be looked up
	Notes  string       // what MEMORY.md says and may be shown; "" for nothing
	Unfit  []string     // why parts of MEMORY.md may not be shown

	// Learnings are the agents' notes in the project's LEARNINGS.md, the latest last. Lessons that a
	// memory already has, in any state, are left out.
	Learnings []string
}

// Global is the label of the person's own memory.
const Global = "global"

// Label tells the memories apart for people.
func (s *Source) Label() string {
	if s.Global {
		return Global
	}
	return "project"
}

// The headings over the notes of a memory, as pi has them.
const (
	globalTitle  = "Global Workspace Memory"
	projectTitle = "Channel-Specific Memory"
)

func (s *Source) title() string {
	if s.Global {
		return globalTitle
	}
	return projectTitle
}

// RuleFolders hold what was agreed.
var RuleFolders = []string{"rules", "context", "context/strategies", "context/voice", "context/preferences"}

// EachFile calls read with each text in these folders of a memory, and failed with
// why one cannot be read: the rest is still worth reading. Nil has none.
func EachFile(m *repo.Memory, folders []string, failed func(error), read func(path string, data []byte)) {
	for i := 0; i < len(folders) && m != nil; i++ {
		paths, err := m.ListRules(folders[i])
		if err != nil {
			failed(err)
		}
		for _, path := range paths {
			data, err := m.ReadFile(path)
			if err != nil {
				failed(err)
				continue
			}
			read(path, data)
		}
	}
}

// listDated returns the names of the journal's files in a folder, which are dates or months, the newest first, and calls
// failed with why they cannot be listed.
func listDated(m *repo.Memory, folder string, failed func(error)) []string {
	names, err := m.ListDates(folder, "")
	if err != nil {
		failed(err)
	}
	slices.Reverse(names)
	return names
}

// A memoryFolder holds memories that were imported from other tools or written by hand.
type memoryFolder struct {
	Path  string
	Whole bool   // all that they say is shown, not only what they are about
	Why   string // why a session should read them
}

// memoryFolders are in the order in which they are read.
var memoryFolders = [...]memoryFolder{
	{"memories/feedback", true, "what you told an agent"},
	{"memories/user", true, "about you"},
	{projectFolder, false, "about this project"},
	{"memories/reference", false, "where to look"},
}

// projectFolder holds what is about one project, which may be another one.
const projectFolder = "memories/project"

// An imported memory is a file in memories/.
type imported struct {
	Path  string
	Name  string
	About string // its description
	Body  string
	CWD   string // where the session ran that it comes from; "" for nowhere
}

// ReadImported reads a file in memories/, and says what of it reads as an order and is left out. ok is false for one
// that no session may read: it waits for approval, was rejected, or has a later version.
func ReadImported(file string, data []byte) (m imported, orders []string, ok bool) {
	m, ok = parseImported(file, data)
	if m.isWhole() { // else what it says only serves to find it
		m.Body, orders = guard.DropOrders(m.Body)
	}
	if _, bad := guard.DropOrders(m.Name + "\n" + m.About); len(bad) > 0 {
		m.Name, m.About, orders = strings.TrimSuffix(path.Base(file), ".md"), "", append(orders, bad...)
	}
	return m, orders, ok
}

func parseImported(file string, data []byte) (m imported, ok bool) {
	stem := strings.TrimSuffix(path.Base(file), ".md")
	f, err := frontmatter.Parse(data)
	if errors.Is(err, frontmatter.ErrOpen) {
		return m, false // it may have a status, which cannot be read
	}
	if err != nil {
		return imported{Path: file, Name: stem, Body: string(data)}, true
	}
	get := func(name string) string { return words.FoldSpace(f.Value(name)) }
	m = imported{Path: file, Name: cmp.Or(get("name"), stem), About: get("description"), Body: PlainLinks(f.Body()), CWD: get("source_cwd")}
	status := get("status")
	return m, status == "" || status == "active"
}

// wikiLink matches [[name]] and [[name|words]], by which a memory of Claude Code's leads to another one.
var wikiLink = lazy.New(`\[\[[^\[\]|\s][^\[\]|\n]*(?:\|[^\[\]|\n]*)?\]\]`)

// PlainLinks leaves of links to other memories their words and the name, which is that under which sessions are shown the
// other one, if it is there. A line of nothing but brackets is one of a settings file.
func PlainLinks(text string) string {
	var out strings.Builder
	for line := range strings.Lines(text) {
		if t := strings.TrimSpace(line); !strings.HasPrefix(t, "[[") || !strings.HasSuffix(t, "]]") {
			line = wikiLink.Get().ReplaceAllStringFunc(line, func(link string) string {
				name, said, _ := strings.Cut(strings.Trim(link, "[]"), "|")
				if said == "" {
					return name
				}
				return said + " (" + name + ")"
			})
		}
		out.WriteString(line)
	}
	return out.String()
}

// Summary returns what a memory is about, on one line.
func (m imported) Summary() string {
	if m.About == "" || m.About == m.Name {
		return guard.Line(m.Name)
	}
	return guard.Line(m.Name + ": " + m.About)
}

func (m imported) isWhole() bool {
	for _, f := range memoryFolders {
		if strings.HasPrefix(m.Path, f.Path+"/") {
			return f.Whole
		}
	}
	return true
}
