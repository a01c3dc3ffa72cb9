package ingest

import (
	"fmt"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"mem/curate/evidence"
	"mem/curate/markdown"
	"mem/curate/proposal"
	"mem/frontmatter"
	"mem/guard"
	"mem/index"
	"mem/lazy"
	"mem/recall/notes"
	"mem/render"
	"mem/words"
)

// Limits of what counts as a lesson in a list, in characters.
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
		if item, ok := markdown.ItemOf(line); ok && item != "" {
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

// withoutFields returns a text without the fields at its start, and how many lines
// those take.
func withoutFields(text string) (body string, lines int) {
	f, err := frontmatter.Parse([]byte(text))
	if err != nil || len(f.Names()) == 0 {
		return strings.TrimPrefix(text, "\ufeff"), 0
	}
	body = f.Body()
	return body, strings.Count(text[:len(text)-len(body)], "\n")
}

func (imp *Import) addText(text, name string, format Format) {
	text = blankOwn(strings.ToValidUTF8(text, "\ufffd"))
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
	default:
		body, skipped := withoutFields(text)
		r.readLines(body, skipped, false)
		if isEmpty() && format == Rules {
			r.readLines(body, skipped, true)
		}
	}
	if !isEmpty() {
		imp.Files = append(imp.Files, name)
	}
}

// ownBlock is a line around what mem wrote into a person's file.
var ownBlock = lazy.New(`^<!-- mem(?: [a-z]+)?: (begin|end) -->$`)

// blankOwn blanks what mem itself put into a file, so that it is not learned again.
// The lines stay as empty ones, so that the numbers of the others hold.
func blankOwn(text string) string {
	rest := strings.SplitAfter(render.StripFenced(text), "\n")
	var out strings.Builder
	own := false
	for line := range strings.Lines(text) {
		kept := len(rest) > 0 && rest[0] == line
		if kept {
			rest = rest[1:]
		}
		if m := ownBlock.Get().FindStringSubmatch(strings.TrimSpace(line)); m != nil {
			own, kept = m[1] == "begin", false
		}
		if own || !kept {
			line = "\n"
		}
		out.WriteString(line)
	}
	return out.String()
}

// A reader adds what one file says to an import.
type reader struct {
	*Import
	name string // of the file
}

// addBlock adds a block, with what proves it. Orders are held back.
func (r reader) addBlock(b evidence.Block, proof *evidence.Pattern) {
	if words.SaysNothing(index.StripAvoid(b.Text)) {
		return
	}
	if b.Unfit != "" && (!b.Order || utf8.RuneCountInString(b.Text) > maxHeld) {
		r.addProblem(b.Line, b.Unfit)
		return
	}
	r.Texts = append(r.Texts, Text{Text: b.Text, File: r.name, Line: b.Line, proof: proof})
}

// readLines reads the items of lists or, with prose, the paragraphs. Comments,
// which people do not see, say nothing.
func (r reader) readLines(text string, skipped int, prose bool) {
	now, from, code, comment, n := "", 0, false, false, skipped
	ends, at := strings.LastIndex(text, "-->"), 0
	end := func() {
		if now != "" {
			r.addLesson(now, from)
		}
		now = ""
	}
	for line := range strings.Lines(text) {
		n, at = n+1, at+len(line)
		if !code {
			line, comment = uncomment(line, comment, at <= ends+len(line))
		}
		folded := words.FoldSpace(line)
		item, listed := markdown.ItemOf(line)
		isFence := strings.HasPrefix(folded, "```") || strings.HasPrefix(folded, "~~~")
		switch {
		case isFence:
			code = !code
			end()
		case code:
		case isBreak(folded):
			end()
		case listed && item != "":
			end()
			now, from = withoutCheckbox(item), n
		case now != "":
			now += " " + folded
		case prose:
			now, from = folded, n
		}
	}
	end()
}

// isBreak reports whether a folded line ends a paragraph: an empty line, a heading,
// a row of a table, a rule, or how PAI notes where a rule is from.
func isBreak(line string) bool {
	return notes.IsBookkeeping(line) || strings.HasPrefix(line, "<!--") || strings.HasPrefix(line, "#") || strings.HasPrefix(line, "|") || strings.Trim(line, "-=_* ") == ""
}

func withoutCheckbox(item string) string {
	for _, box := range []string{"[ ] ", "[x] ", "[X] "} {
		item = strings.TrimPrefix(item, box)
	}
	return item
}

// uncomment returns what a line says outside of comments, given whether it
// begins in one, and whether it ends in one. closes says that an end follows
// somewhere, without which nothing begins one, nor does what stands in code.
func uncomment(line string, in, closes bool) (said string, still bool) {
	for {
		if in {
			_, after, ok := strings.Cut(line, "-->")
			if !ok {
				return said, true
			}
			line, in = after, false
		}
		before, after, ok := strings.Cut(line, "<!--")
		if !ok || !closes || strings.Count(said+before, "`")%2 == 1 {
			return said + line, false
		}
		said, line, in = said+before, after, true
	}
}

var link = lazy.New(`\[([^\[\]]*)\]\(([^()\s]*(?:\([^()]*\))?[^()\s]*)(?:\s+"[^"]*")?\)`)

// addLesson adds a text if it is a lesson: not a line that only leads to another
// file, nor one that announces others. A long text is cut after a sentence.
func (r reader) addLesson(text string, line int) {
	if m := link.Get().FindStringSubmatch(text); m != nil && strings.HasPrefix(text, m[0]) && strings.HasSuffix(m[2], ".md") && !strings.Contains(m[2], "://") {
		return // an index of other files
	}
	text = link.Get().ReplaceAllString(guard.Clean(text), "$1")
	text = index.FoldAvoid(strings.NewReplacer("**", "", "__", "").Replace(text))
	isImport := strings.HasPrefix(text, "@") && !strings.Contains(text, " ")
	if utf8.RuneCountInString(text) < minText || words.SaysNothing(index.StripAvoid(text)) || strings.HasSuffix(text, ":") || isImport {
		return
	}
	if guard.CountSecrets(text) > 0 {
		r.addProblem(line, "it holds what looks like a secret")
		return
	}
	if text = cutSentences(text, maxText); text == "" {
		r.addProblem(line, fmt.Sprintf("its first sentence is longer than %d characters", maxText))
		return
	}
	r.Texts = append(r.Texts, Text{Text: text, File: r.name, Line: line})
}

func (r reader) addProblem(line int, why string) {
	r.Problems = append(r.Problems, proposal.Problem{Path: fmt.Sprintf("%s#%d", r.name, line), Why: why})
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
