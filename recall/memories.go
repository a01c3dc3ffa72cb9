package recall

import (
	"errors"
	"slices"
	"strings"

	"mem/frontmatter"
	"mem/guard"
	"mem/index"
	"mem/render"
	"mem/words"
)

// A home is a folder of memories that were taken over from other tools, or
// written by hand. Of some all is shown, of the others only what they are about.
type home struct {
	folder string
	whole  bool
	why    string
}

// homes are in the order in which they are read.
var homes = [...]home{
	{"memories/feedback", true, "what you told an agent"},
	{"memories/user", true, "about you"},
	{"memories/project", false, "about this project"},
	{"memories/reference", false, "where to look"},
}

// maxMemories is how many files of a home are read for a context.
const maxMemories = 1000

// memories adds what lies in the homes of a memory.
func (b *bundle) memories(s *Source) {
	for _, h := range homes {
		names, err := s.Memory.Texts(h.folder)
		if err != nil {
			b.skipped = append(b.skipped, err.Error())
		}
		if more := len(names) - maxMemories; more > 0 {
			b.skipped = append(b.skipped, render.Count(more, "file", "files")+" of "+h.folder+", which holds too many")
			names = names[:maxMemories]
		}
		for _, name := range names {
			path := h.folder + "/" + name
			data, err := s.Memory.Read(path)
			if err != nil {
				b.skipped = append(b.skipped, err.Error())
				continue
			}
			if m, ok := readMemory(path, data); ok && b.here(h, m) {
				b.memory(s, h, m)
			}
		}
	}
}

// learnings adds the latest of what agents noted and no memory has yet.
func (b *bundle) learnings(s *Source) {
	latest := s.Learnings[max(0, len(s.Learnings)-mostFresh):]
	known := map[string]bool{}
	for _, text := range latest {
		known[index.Key(text)] = false
	}
	for _, other := range b.sources {
		for i := 0; len(latest) > 0 && other.Memory != nil && i < len(other.Memory.Index.Items); i++ {
			if _, asked := known[other.Memory.Index.Items[i].Key]; asked {
				known[other.Memory.Index.Items[i].Key] = true
			}
		}
	}
	for _, text := range slices.Backward(latest) {
		if !known[index.Key(text)] {
			b.add(&entry{section: fresh, source: s, from: "LEARNINGS.md", text: guard.Line(text), why: "noted by an agent: LEARNINGS.md"})
		}
	}
}

// A memory is a file in memories/.
type memory struct {
	path, name, about, body string
	cwd                     string // where the session ran that it comes from; "" for nowhere
}

// readMemory reads a file in memories/. It is false for one that is nobody's
// advice: it waits for a yes, got a no, or has a later version.
func readMemory(path string, data []byte) (m memory, ok bool) {
	stem := strings.TrimSuffix(path[strings.LastIndexByte(path, '/')+1:], ".md")
	f, err := frontmatter.Parse(data)
	if err != nil {
		if errors.Is(err, frontmatter.ErrOpen) {
			return m, false // whether it has a status nobody knows
		}
		return memory{path: path, name: stem, body: string(data)}, true
	}
	get := func(name string) string {
		v, _ := f.Get(name)
		return words.FoldSpace(v)
	}
	m = memory{path: path, name: get("name"), about: get("description"), body: f.Body(), cwd: get("source_cwd")}
	if m.name == "" {
		m.name = stem
	}
	status := get("status")
	return m, status == "" || status == "active"
}

// line is a memory on one line.
func (m memory) line() string {
	if m.about == "" || m.about == m.name {
		return guard.Line(m.name)
	}
	return guard.Line(m.name + ": " + m.about)
}

// here reports whether a memory is to be read in this project: those about
// another one are not.
func (b *bundle) here(h home, m memory) bool {
	return h.folder != "memories/project" || m.cwd == "" || b.opts.Here != nil && b.opts.Here(m.cwd)
}

// memory adds one. What it says is quoted, as somebody else's words; of what is
// not shown whole, only what it is about.
func (b *bundle) memory(s *Source, h home, m memory) {
	text := "- " + m.line() + "\n"
	if h.whole {
		for line := range strings.Lines(body(m.body)) {
			if line = quiet(line); line != "" {
				text += "  > " + line + "\n"
			}
		}
	} else {
		text = "- " + m.line() + " (" + guard.Line(m.path) + ")\n"
	}
	e := &entry{section: memories, source: s, from: m.path, text: text, why: h.why + ": " + m.path}
	if b.query != nil {
		for _, hit := range b.query.score(1, func(_ int, f func(string)) { f(m.line()); f(text) }) {
			e.score = float64(len(b.query.words(&hit)))
		}
	}
	b.add(e)
}

// found is a memory as something that was asked for. It is found by all that it
// says; what is not shown whole is shown by what it is about.
func (m memory) found(s *Source) Found {
	f := Found{ID: m.path, Type: Memo, Memory: s.name(), Path: m.path, text: m.line() + "\n" + body(m.body)}
	for _, h := range homes {
		if !h.whole && strings.HasPrefix(m.path, h.folder+"/") {
			f.line = m.line()
		}
	}
	return f
}
