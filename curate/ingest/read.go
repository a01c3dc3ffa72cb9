package ingest

import (
	"fmt"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"mem/curate"
	"mem/curate/evidence"
	"mem/frontmatter"
	"mem/guard"
	"mem/index"
	"mem/lazy"
	"mem/recall"
	"mem/render"
	"mem/repo"
	"mem/topic"
	"mem/words"
)

// Limits of a lesson, in characters.
const (
	minText = 10
	maxText = 240
	maxHeld = 1000 // of a block that is held back
)

func formatOf(path, text string, format Format) Format {
	if format != "" {
		return format
	}
	switch name := strings.ToLower(filepath.Base(path)); {
	case name == strings.ToLower(filepath.Base(render.CorePath)), name == render.LongTermPath:
		return view
	case name == "learnings.md":
		return Blocks
	case strings.Contains(filepath.ToSlash(filepath.Dir(path))+"/", ".claude/rules/"):
		return Rules
	case name == "agents.md", name == "claude.md", name == "memory.md":
		return List
	case strings.HasSuffix(name, ".yaml"), strings.HasSuffix(name, ".yml"), rePatterns.Get().MatchString(text):
		return Patterns
	case strings.HasSuffix(name, ".md") && isLearning(filepath.ToSlash(path), text):
		return Protocol
	}
	fences, items := 0, 0
	body, _ := withoutFields(text)
	for line := range strings.Lines(body) {
		if strings.TrimRight(line, " \t\r\n") == "---" {
			fences++
		}
		if item, ok := frontmatter.ItemOf(line); ok && item != "" {
			items++
		}
	}
	if fences >= 2 && items <= fences {
		return Blocks
	}
	return List
}

// rePatterns matches what holds patterns in YAML, without a name that says so.
var rePatterns = lazy.New(`(?m)^patterns:[ \t\r]*\n(?:[ \t]*#.*\n)*[ \t]*- +pattern:`)

// withoutFields returns a text without the fields at its start, and how many lines those take.
func withoutFields(text string) (body string, lines int) {
	f, err := frontmatter.Parse([]byte(text))
	if err != nil || len(f.Names()) == 0 {
		return strings.TrimPrefix(text, "\ufeff"), 0
	}
	body = f.Body()
	return body, strings.Count(text[:len(text)-len(body)], "\n")
}

// addText adds the lessons in the text of the file at path. If format is "", name and content decide.
func (imp *Import) addText(data []byte, path, name string, format Format) {
	text := strings.ToValidUTF8(string(data), "\ufffd")
	format = formatOf(path, text, format)
	own := blankOwn(text)
	isPart := own != text
	text = own
	r := reader{imp, name}
	before := len(imp.Texts) + len(imp.Problems)
	isEmpty := func() bool { return len(imp.Texts)+len(imp.Problems) == before }
	switch format {
	case Blocks: // its first line of --- opens no fields
		for _, b := range evidence.ReadBlocks([]byte(text)) { // as mem prove does
			r.addBlock(b, nil)
		}
	case Protocol:
		r.readLearning(text)
	case Patterns:
		r.readPatterns(text)
	case view:
		isPart = true
	default:
		body, skipped := withoutFields(text)
		body = comment.Get().ReplaceAllStringFunc(body, func(s string) string {
			if strings.HasPrefix(s, "<!--") {
				return blank(s)
			}
			return s // code, which may show one
		})
		r.readLines(body, skipped, false)
		if isEmpty() && format == Rules {
			r.readLines(body, skipped, true)
		}
	}
	if isPart && isEmpty() {
		r.addProblem(1, "mem wrote it out of a memory; name the folder of that memory")
	} else if !isEmpty() {
		imp.Files = append(imp.Files, name)
	}
}

var (
	// comment matches a comment, which people do not see, and code.
	comment = lazy.New("(?s)<!--.*?-->|```.*?(?:```|$)|`[^`\n]*`")
	// ownBlock matches what mem wrote into a person's file.
	ownBlock = lazy.New(`(?ms)^[ \t]*<!-- mem(?: [a-z]+)?: begin -->[ \t\r]*$.*?(?:^[ \t]*<!-- mem(?: [a-z]+)?: end -->[ \t\r]*$|\z)`)
)

// blank returns the line breaks of a text, so that the numbers of the lines after it hold.
func blank(text string) string { return strings.Repeat("\n", strings.Count(text, "\n")) }

// blankOwn blanks what mem itself put into a file, so that it is not learned again.
func blankOwn(text string) string {
	text = ownBlock.Get().ReplaceAllStringFunc(text, blank)
	rest := strings.SplitAfter(render.StripFenced(text), "\n")
	var out strings.Builder
	for line := range strings.Lines(text) {
		if len(rest) > 0 && rest[0] == line {
			out.WriteString(line)
			rest = rest[1:]
		} else {
			out.WriteString("\n")
		}
	}
	return out.String()
}

// A reader adds what one file says to an import.
type reader struct {
	*Import
	name string // of the file
}

// addBlock adds a block, with what keeps the rest that is known of it.
func (r reader) addBlock(b evidence.Block, keep func(*repo.Memory, *index.Item) error) {
	if words.SaysNothing(index.StripAvoid(b.Text)) {
		return
	}
	if b.Unfit != "" && (!b.Order || utf8.RuneCountInString(b.Text) > maxHeld) {
		r.addProblem(b.Line, b.Unfit)
		return
	}
	r.add(Text{Lesson: index.Lesson{Text: b.Text}, Line: b.Line, id: b.ID, keep: keep})
}

// add adds a lesson, and files it if it is not yet. Orders are held back.
func (r reader) add(t Text) {
	t.Origin, t.Held = index.OriginImport, t.Held || len(guard.Lint(index.FoldAvoid(t.Text))) > 0
	if t.Domain == "" {
		t.Domain, t.Tags = topic.File(t.Text, index.SaysAvoid(t.Text))
	}
	t.Source.Trace, t.Source.Span = "import:"+r.name, fmt.Sprintf("%s#%d", r.name, t.Line)
	r.Texts = append(r.Texts, t)
}

// readLines reads the items of lists or, with prose, the paragraphs.
func (r reader) readLines(text string, skipped int, prose bool) {
	now, whole, from, fence, n := "", "", 0, "", skipped
	end := func() {
		if now != "" && guard.CountSecrets(whole) > 0 { // of which neither its lines nor its signs may be gone
			r.addProblem(from, holdsSecret)
		} else if now != "" {
			r.addLesson(now, from)
		}
		now = ""
	}
	for line := range strings.Lines(text) {
		n++
		folded, was := words.FoldSpace(line), fence
		fence = frontmatter.FenceAfter(fence, line)
		item, listed := frontmatter.ItemOf(line)
		switch {
		case was != "" || fence != "" || recall.IsBookkeeping(folded) || strings.HasPrefix(folded, "#") || strings.HasPrefix(folded, "|") ||
			strings.Trim(folded, "-=_* ") == "": // a heading, a row of a table, a line or nothing
			end()
		case listed && item != "":
			end()
			now, whole, from = checkbox.Get().ReplaceAllString(item, ""), line, n
		case now != "":
			now, whole = now+" "+folded, whole+line
		case prose:
			now, whole, from = folded, line, n
		}
	}
	end()
}

const holdsSecret = "it holds what looks like a secret"

var checkbox = lazy.New(`^\[[ xX]\] `)

var link = lazy.New(`\[([^\[\]]*)\]\(([^()\s]*(?:\([^()]*\))?[^()\s]*)(?:\s+"[^"]*")?\)`)

// addLesson adds a text if it is a lesson: not a line that only leads to another
// file, nor one that announces others. A long text is cut after a sentence.
func (r reader) addLesson(text string, line int) {
	if m := link.Get().FindStringSubmatch(text); m != nil && strings.HasPrefix(text, m[0]) && strings.HasSuffix(m[2], ".md") && !strings.Contains(m[2], "://") {
		return // an index of other files
	}
	text = recall.PlainLinks(link.Get().ReplaceAllString(guard.Clean(text), "$1"))
	text = index.FoldAvoid(strings.NewReplacer("**", "", "__", "").Replace(text))
	isImport := strings.HasPrefix(text, "@") && !strings.Contains(text, " ")
	if utf8.RuneCountInString(text) < minText || words.SaysNothing(index.StripAvoid(text)) || strings.HasSuffix(text, ":") || isImport {
		return
	}
	if guard.CountSecrets(text) > 0 {
		r.addProblem(line, holdsSecret)
		return
	}
	if text = cutSentences(text, maxText); text == "" {
		r.addProblem(line, fmt.Sprintf("its first sentence is longer than %d characters", maxText))
		return
	}
	r.add(Text{Lesson: index.Lesson{Text: text}, Line: line})
}

func (r reader) addProblem(line int, why string) {
	r.Problems = append(r.Problems, curate.Problem{Path: fmt.Sprintf("%s#%d", r.name, line), Why: why})
}

// cutSentences returns as many whole sentences as fit; "" if not even one does.
func cutSentences(text string, most int) string {
	if utf8.RuneCountInString(text) <= most {
		return text
	}
	end, n := 0, 0
	for i, c := range text {
		if n++; n > most {
			break
		}
		if next := i + utf8.RuneLen(c); strings.ContainsRune(".!?。！？", c) && (c > 0x7f || next < len(text) && text[next] == ' ') {
			end = next
		}
	}
	return text[:end]
}
