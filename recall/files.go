package recall

import (
	"slices"
	"strings"

	"mem/frontmatter"
	"mem/guard"
	"mem/index"
	"mem/topic"
	"mem/words"
)

func (b *bundle) addRules(s *Source) {
	EachFile(s.Memory, RuleFolders, b.skipError, func(path string, data []byte) {
		text, orders := guard.DropOrders(string(data))
		b.skipOrders(path, orders)
		for _, block := range splitBlocks(path, text) {
			score := float64(b.query.countIn(block.head + " " + block.text))
			b.add(&entry{section: rules, source: s, from: path, head: block.head, text: block.text, score: score, why: "rule: " + path})
		}
	})
}

func (b *bundle) skipError(err error) { b.skipped = append(b.skipped, err.Error()) }

func (b *bundle) skipOrders(path string, orders []string) {
	for _, why := range orders {
		b.skipped = append(b.skipped, "part of "+path+": "+why)
	}
}

// A block is a part of a file under a heading of its own.
type block struct{ head, text string }

// splitBlocks takes a rule file apart: at its headings of the third level if it has any, else it is one block.
func splitBlocks(path, text string) (list []block) {
	stem := func(file string) string {
		return guard.Line(strings.TrimSuffix(file[strings.LastIndexByte(file, '/')+1:], ".md"))
	}
	name, of := stem(path), ""
	if folder := path[:strings.LastIndexByte(path, '/')]; topic.RuleFolder(folder+".md") != "" {
		of = stem(folder) + ": "
	}
	whole := block{head: of + name}
	var cut []block
	for line := range strings.Lines(CleanBody(text)) {
		if head, ok := strings.CutPrefix(strings.TrimSpace(line), "### "); ok {
			cut = append(cut, block{head: strings.TrimSuffix(name+": "+titleOf(head), ": ")})
			continue
		}
		if head, ok := strings.CutPrefix(strings.TrimSpace(line), "# "); ok && len(cut) == 0 && whole.text == "" {
			if title := titleOf(head); of == "" && (slices.Contains(sectionTitles[:], title) || title == projectTitle || title == globalTitle) {
				whole.head = name + ": " + title // it is not to pass for a section of its own
			} else if title != "" || of != "" {
				whole.head = strings.TrimSuffix(of+title, ": ")
			}
			continue
		}
		if line = quietLine(line); line == "" || IsBookkeeping(line) {
			continue
		}
		if len(cut) > 0 {
			cut[len(cut)-1].text += line + "\n"
		} else {
			whole.text += line + "\n"
		}
	}
	for _, b := range append([]block{whole}, cut...) {
		if b.text != "" {
			list = append(list, b)
		}
	}
	return list
}

// titleOf returns what a heading says, without marks around it; "" for nothing.
func titleOf(head string) string { return strings.Trim(Unmark(words.FoldSpace(head)), "# ") }

// splitParagraphs takes a MEMORY.md apart: each item of its lists, with the lines
// that belong to it, and each paragraph. A heading stays with what it is over.
// What begins after limit bytes is one last paragraph, which is not shown.
func splitParagraphs(text string, limit int) (list []string) {
	var head, now string
	end := func() {
		if now != "" {
			list = append(list, head+now)
			head, now = "", ""
		}
	}
	size := 0
	for line := range strings.Lines(CleanBody(text)) {
		if size > limit {
			end()
			return append(list, strings.Repeat(" ", 4*max(limit, 1)))
		}
		size += len(line)
		indented := strings.HasPrefix(line, " ") || strings.HasPrefix(line, "\t")
		folded, out := words.FoldSpace(line), quietLine(line)
		_, isItem := frontmatter.ItemOf(out)
		switch {
		case folded == "", IsHeading(folded):
			if end(); out != "" {
				head += out + "\n"
			}
		case out == "":
		case !indented && isItem:
			end()
			now = out + "\n"
		default:
			now += out + "\n"
		}
	}
	end()
	return list
}

// addJournal adds the latest monthly summary and the entries of the latest days, newest first, as far
// as the options request them.
func (b *bundle) addJournal() {
	s := b.findNearest()
	if s == nil {
		return
	}
	if b.opts.Monthly {
		b.addDated(s, 1, "monthly", "Month")
	}
	b.addDated(s, b.opts.Days, "daily", "Journal of")
}

// findNearest returns the memory of the project, or the person's own without one; nil if there is none.
func (b *bundle) findNearest() *Source {
	for i := range slices.Backward(b.sources) {
		if b.sources[i].Memory != nil {
			return &b.sources[i]
		}
	}
	return nil
}

// addDated adds the latest files of the journal, the last one first, without what they say
// of lessons that are withheld.
func (b *bundle) addDated(s *Source, most int, folder, title string) {
	names := listDated(s.Memory, folder, b.skipError)
	for _, name := range names[:min(len(names), max(0, most))] {
		path := folder + "/" + name + ".md"
		kept, err := s.Memory.ReadShown(path)
		if err != nil {
			b.skipError(err)
			continue
		}
		var text string
		for line := range strings.Lines(quietLines(kept, "")) {
			if line != name+":\n" { // the heading of the file, which is that of the entry
				text += line
			}
		}
		b.add(&entry{section: journal, source: s, from: path, head: title + " " + name, text: text, why: "asked for by the configuration"})
	}
}

// addImported adds what lies in the folders of imported memories. Those about another project are not read here.
func (b *bundle) addImported(s *Source) {
	for _, folder := range memoryFolders {
		EachFile(s.Memory, []string{folder.Path}, b.skipError, func(path string, data []byte) {
			m, orders, ok := ReadImported(path, data)
			if !ok || folder.Path == projectFolder && m.CWD != "" && (b.opts.Here == nil || !b.opts.Here(m.CWD)) {
				return
			}
			b.skipOrders(path, orders)
			b.addMemory(s, folder, m)
		})
	}
}

// addLearnings adds the latest of what agents noted and no memory has yet.
func (b *bundle) addLearnings(s *Source) {
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

// addMemory adds one imported memory. It quotes the text, because mem did not write it. If the folder
// is not shown whole, it adds only the summary.
func (b *bundle) addMemory(s *Source, folder memoryFolder, m imported) {
	text := "- " + m.Summary() + " (" + guard.Line(m.Path) + ")\n"
	if folder.Whole {
		text = "- " + m.Summary() + "\n" + quietLines(m.Body, "  > ")
	}
	score := float64(b.query.countIn(m.Summary(), text))
	b.add(&entry{section: memories, source: s, from: m.Path, text: text, score: score, why: folder.Why + ": " + m.Path})
}
