package shell

import (
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// A word is one of a command line.
type word struct {
	Raw  string // as written, with quotes
	Text string // as the shell understands it
}

// Bounds on the work that a generated script makes.
const (
	maxLine  = 32 << 10 // bytes
	maxParts = 64
	maxDepth = 3 // shells within shells
)

// Parse understands a command line; at worst it gives a Command without parts.
func Parse(raw string) Command {
	c := Command{Raw: raw}
	c.read(raw, "", 0)
	return c
}

// read adds the simple commands of a line, which op joins to those before. A line that
// the parser rejects, such as one that was cut, is split at operators and blanks.
func (c *Command) read(line, op string, depth int) {
	l := &reader{Command: c, line: line[:min(len(line), maxLine)], depth: depth}
	f, err := syntax.NewParser().Parse(strings.NewReader(l.line), "")
	if err == nil {
		l.addAll(f.Stmts, op)
		return
	}
	split := strings.NewReplacer("&&", "\n", "||", "\n", ";", "\n", "|", "\n").Replace(l.line)
	for part := range strings.SplitSeq(split, "\n") {
		s := Simple{Op: op}
		for _, w := range strings.Fields(part) {
			s.Words = append(s.Words, word{w, strings.Trim(w, `'"()`)})
		}
		l.add(s)
		op = ";"
	}
}

// A reader adds the simple commands of a parsed line to a command.
type reader struct {
	*Command
	line     string
	depth    int
	exported []string // settings of the commands that follow
}

func (l *reader) addAll(list []*syntax.Stmt, op string) {
	for _, st := range list {
		l.addStmt(st, op)
		if op = ";"; st.Background {
			op = "&"
		}
	}
}

func (l *reader) addStmt(st *syntax.Stmt, op string) {
	switch x := st.Cmd.(type) {
	case *syntax.CallExpr:
		s := Simple{Op: op}
		for _, a := range x.Assigns {
			s.Settings = append(s.Settings, l.source(a))
		}
		s.Settings = append(s.Settings, l.exported...)
		for _, w := range x.Args {
			s.Words = append(s.Words, l.word(w))
		}
		l.add(s)
	case *syntax.DeclClause:
		s := Simple{Op: op, Words: []word{{x.Variant.Value, x.Variant.Value}}}
		for _, a := range x.Args {
			if x.Variant.Value == "export" && a.Value != nil {
				l.exported = append(l.exported, l.source(a))
			}
			s.Words = append(s.Words, word{l.source(a), l.source(a)})
		}
		l.add(s)
	case *syntax.BinaryCmd:
		l.addStmt(x.X, op)
		l.addStmt(x.Y, strings.Replace(x.Op.String(), "|&", "|", 1))
	case *syntax.Subshell:
		l.addAll(x.Stmts, op)
	case *syntax.Block:
		l.addAll(x.Stmts, op)
	case *syntax.TimeClause:
		if x.Stmt != nil {
			l.addStmt(x.Stmt, op)
		}
	case nil:
	default: // a loop, a condition, a function: what it runs
		syntax.Walk(x, func(n syntax.Node) bool {
			if inner, ok := n.(*syntax.Stmt); ok {
				l.addStmt(inner, ";")
				return false
			}
			_, isWord := n.(*syntax.Word)
			return !isWord
		})
	}
}

func (l *reader) source(n syntax.Node) string {
	from, to := int(n.Pos().Offset()), int(n.End().Offset())
	return l.line[min(from, len(l.line)):min(max(from, to), len(l.line))]
}

func (l *reader) word(w *syntax.Word) word {
	return word{Raw: l.source(w), Text: l.text(w.Parts, strings.NewReplacer(`\\`, `\`, "\\\n", "", `\`, ""))}
}

// text returns the word behind quotes and escapes. Nothing is expanded.
func (l *reader) text(parts []syntax.WordPart, escapes *strings.Replacer) string {
	var b strings.Builder
	for _, part := range parts {
		switch x := part.(type) {
		case *syntax.Lit:
			b.WriteString(escapes.Replace(x.Value))
		case *syntax.SglQuoted:
			b.WriteString(x.Value)
		case *syntax.DblQuoted:
			b.WriteString(l.text(x.Parts, strings.NewReplacer(`\"`, `"`, `\\`, `\`, `\$`, "$", "\\`", "`")))
		default:
			b.WriteString(l.source(part))
		}
	}
	return b.String()
}

// add adds a simple command, or what a shell is given to run, and follows a leading cd.
func (l *reader) add(s Simple) {
	s.understand()
	switch {
	case len(l.Parts) == maxParts, s.Program == "" && len(s.Settings) == 0:
	case listed("sh bash zsh", s.Program) && len(s.Words) == 3 && l.depth < maxDepth && strings.HasPrefix(s.Words[1].Text, "-") && strings.HasSuffix(s.Words[1].Text, "c"):
		l.read(s.Words[2].Text, s.Op, l.depth+1)
	case s.Program == "cd" && len(l.Parts) == 0 && s.Op != "|":
		if len(s.Words) > 1 && path.IsAbs(s.Words[1].Text) {
			l.Dir = s.Words[1].Text
		} else if len(s.Words) > 1 {
			l.Dir = path.Join(l.Dir, s.Words[1].Text)
		}
	default:
		l.Parts = append(l.Parts, s)
	}
}

// understand finds the program behind settings, wrappers and runners.
func (s *Simple) understand() {
	for len(s.Words) > 0 {
		n := wrapperLength(s.Words)
		if name, _, ok := strings.Cut(s.Words[0].Text, "="); ok && syntax.ValidName(name) {
			s.Settings = append(s.Settings, s.Words[0].Raw)
			n = 1
		}
		if n == 0 {
			break
		}
		s.Words = s.Words[n:]
	}
	if len(s.Words) == 0 {
		return
	}
	s.Runner, s.Words = unwrap(s.Words)
	s.Program = path.Base(s.Words[0].Text)
	s.Sub = subcommand(s.Program, s.Words[1:])
}

// Inner returns the command that a runner or an unknown program wraps, such as "git add a" in "wrap
// git add a".
func (s Simple) Inner() (inner Simple, ok bool) {
	inner = Simple{Op: s.Op, Settings: s.Settings, Words: s.Words}
	if s.Runner == "" {
		if i := slices.IndexFunc(s.Words, func(w word) bool { return w.Text == "--" }); i > 0 && i+1 < len(s.Words) && findProgram(s.Words[i+1].Text).is&(commands|tool|sure) != 0 {
			inner.Words = s.Words[i+1:]
			inner.understand()
			return inner, inner.Program != ""
		}
		if len(s.Words) < 2 || findProgram(s.Program).names != "" || findProgram(s.Words[1].Text).is&(commands|tool|sure) == 0 {
			return Simple{}, false
		}
		inner.Words = s.Words[1:]
	}
	inner.understand()
	return inner, inner.Program != ""
}

// Bare returns a command without a program in front of which nothing is known.
func (s Simple) Bare() Simple {
	if inner, ok := s.Inner(); ok && s.Runner == "" {
		return inner
	}
	return s
}

// wrapperLength returns how many words stand before the command that a wrapper such as sudo runs; 0 if there is none.
func wrapperLength(words []word) int {
	p, n := findProgram(words[0].Text), 1
	for p.takes != "" && n < len(words) && strings.HasPrefix(words[n].Text, "-") {
		if listed(p.takes, words[n].Text) {
			n++
		}
		n++
	}
	if n += p.wraps - 1; p.wraps == 0 || n > 1 && n >= len(words) {
		return 0
	}
	return n
}

// unwrap takes off a runner such as npx or "uv run".
func unwrap(words []word) (string, []word) {
	p := findProgram(words[0].Text)
	if p.runs != nil && len(words) > 3 && listed(p.takes, words[1].Text) { // "pnpm -F api exec tsc"
		if runner, inner := unwrap(append([]word{words[0]}, words[3:]...)); runner != "" {
			return runner, inner
		}
	}
	for _, more := range p.runs {
		runner := strings.Fields(words[0].Text + " " + more)
		n := len(runner)
		if len(words) <= n || !slices.EqualFunc(words[:n], runner, func(w word, r string) bool { return w.Text == r }) ||
			strings.HasPrefix(words[n].Text, "-") && words[n].Text != "--" {
			continue
		}
		if words[n].Text == "--" && len(words) > n+1 {
			n++
		}
		return strings.Join(runner, " "), words[n:]
	}
	return "", words
}

// subcommand returns the word that says which of its commands a program runs,
// or two words where one does not say enough.
func subcommand(program string, args []word) string {
	p := findProgram(program)
	if p.names == "" && len(args) > 0 && strings.Trim(args[0].Text, "abcdefghijklmnopqrstuvwxyz-") == "" && !strings.HasPrefix(args[0].Text, "-") {
		return args[0].Text // as most programs with commands do
	}
	if p.is&commands == 0 {
		return ""
	}
	var subs []string
	for i := 0; i < len(args); i++ {
		v := args[i].Text
		if strings.HasPrefix(v, "-") {
			if listed("--prefix --cwd --filter -f", v) || listed(p.takes, v) {
				i++
			}
			continue
		}
		if !reBareWord.Matches(v) {
			break
		}
		subs = append(subs, v)
		if len(subs) == 2 || p.two != "*" && !listed(p.two, v) && (v != "run" || i+1 == len(args) || strings.HasPrefix(args[i+1].Text, "-")) {
			break
		}
	}
	return strings.Join(subs, " ")
}
