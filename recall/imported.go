package recall

import (
	"slices"

	"mem/guard"
	"mem/index"
	"mem/recall/notes"
	"mem/render"
)

// maxMemories is how many files of a folder are read for a context.
const maxMemories = 1000

// addImported adds what lies in the folders of imported memories.
func (b *bundle) addImported(s *notes.Source) {
	for _, folder := range notes.Folders {
		names, err := s.Memory.ListTexts(folder.Path)
		if err != nil {
			b.skipped = append(b.skipped, err.Error())
		}
		if more := len(names) - maxMemories; more > 0 {
			b.skipped = append(b.skipped, render.Count(more, "file", "files")+" of "+folder.Path+", which holds too many")
			names = names[:maxMemories]
		}
		for _, name := range names {
			path := folder.Path + "/" + name
			data, err := s.Memory.ReadFile(path)
			if err != nil {
				b.skipped = append(b.skipped, err.Error())
				continue
			}
			if m, ok := notes.ReadImported(path, data); ok && b.isHere(folder, m) {
				b.addMemory(s, folder, m)
			}
		}
	}
}

// addLearnings adds the latest of what agents noted and no memory has yet.
func (b *bundle) addLearnings(s *notes.Source) {
	latest := s.Learnings[max(0, len(s.Learnings)-mostFresh):]
	known := map[string]bool{}
	for _, text := range latest {
		known[index.KeyOf(text)] = false
	}
	for _, other := range b.sources {
		for i := 0; len(latest) > 0 && other.Memory != nil && i < len(other.Memory.Index.Items); i++ {
			if _, asked := known[other.Memory.Index.Items[i].Key]; asked {
				known[other.Memory.Index.Items[i].Key] = true
			}
		}
	}
	for _, text := range slices.Backward(latest) {
		if !known[index.KeyOf(text)] {
			b.add(&entry{section: fresh, source: s, from: "LEARNINGS.md", text: guard.Line(text), why: "noted by an agent: LEARNINGS.md"})
		}
	}
}

// isHere reports whether a memory is to be read in this project: those about
// another one are not.
func (b *bundle) isHere(folder notes.Folder, m notes.Imported) bool {
	return folder.Path != notes.ProjectFolder || m.CWD == "" || b.opts.Here != nil && b.opts.Here(m.CWD)
}

// addMemory adds one. What it says is quoted, because mem did not write it; of
// what is not shown whole, only what it is about.
func (b *bundle) addMemory(s *notes.Source, folder notes.Folder, m notes.Imported) {
	text := "- " + m.Summary() + " (" + guard.Line(m.Path) + ")\n"
	if folder.Whole {
		text = "- " + m.Summary() + "\n" + notes.QuietLines(m.Body, "  > ")
	}
	e := &entry{section: memories, source: s, from: m.Path, text: text, why: folder.Why + ": " + m.Path}
	if b.query != nil {
		e.score = float64(b.query.CountIn(m.Summary(), text))
	}
	b.add(e)
}
