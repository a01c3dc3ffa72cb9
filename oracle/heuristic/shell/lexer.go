package shell

import (
	"strings"

	"mem/lazy"
)

// A Word is one word of a command line.
type Word struct {
	Raw  string // as written, with quotes
	Text string // as the shell understands it
}

// A segment is one simple command of a command line.
type segment struct {
	op    string // what joins it to the one before: "", "&&", "||", ";", "|", "&"
	words []Word
}

// splitLine cuts a command line into simple commands. It knows quotes, escapes,
// substitutions and here-documents well enough to find the words, but expands
// and runs nothing. Redirections and comments are left out.
func splitLine(raw string) []segment {
	l := &lexer{in: withoutHeredocs(raw)}
	for l.pos < len(l.in) {
		l.next()
	}
	l.endSegment("")
	return l.out
}

// maxSegments bounds the work on a generated script.
const maxSegments = 64

type lexer struct {
	in    string
	pos   int
	raw   strings.Builder
	text  strings.Builder
	has   bool // a word has begun
	group int  // how many parentheses are open
	skip  bool // the next word is the target of a redirection
	op    string
	cur   []Word
	out   []segment
}

// next reads one character, or what belongs together: quoted text, an operator.
func (l *lexer) next() {
	rest := l.in[l.pos:]
	if n, text := literal(rest); n > 0 {
		if !strings.HasPrefix(rest, "\\\n") {
			l.add(rest[:n], text)
		}
		l.pos += n
		return
	}
	c, op := rest[0], operator(rest)
	switch {
	case c == '#' && !l.has:
		l.pos += strings.IndexByte(rest+"\n", '\n')
	case c == ' ' || c == '\t':
		l.endWord()
		l.pos++
	case c == '>' || c == '<' || strings.HasPrefix(rest, "&>"):
		l.redirect(rest)
	case op == "\n":
		l.endSegment(";")
		l.pos++
	case op != "":
		l.endSegment(op)
		l.pos += len(op)
	case strings.IndexByte("(){}", c) >= 0 && !l.has, c == ')' && l.group > 0:
		if l.pos++; c == '(' { // grouping does not matter here, but ends a word
			l.group++
		} else if c == ')' && l.group > 0 {
			l.group--
			l.endWord()
		}
	default:
		l.add(rest[:1], rest[:1])
		l.pos++
	}
}

// literal returns the length and the meaning of the escape, quoted text or
// substitution that s begins with; n is 0 if it begins with none.
func literal(s string) (n int, text string) {
	switch c := s[0]; {
	case c == '\\' && len(s) > 1:
		return 2, s[1:2]
	case c == '\'' || c == '"':
		return quoted(s)
	case c == '`':
		n = min(strings.IndexByte(s[1:]+"`", '`')+2, len(s))
		return n, s[:n]
	case strings.HasPrefix(s, "$("):
		n = balanced(s)
		return n, s[:n]
	}
	return 0, ""
}

// operator returns the operator between commands that s begins with, or "".
func operator(s string) string {
	for _, op := range []string{"&&", "||", ";", "|", "\n", "&"} {
		if strings.HasPrefix(s, op) {
			return op
		}
	}
	return ""
}

func (l *lexer) add(raw, text string) {
	l.raw.WriteString(raw)
	l.text.WriteString(text)
	l.has = true
}

// redirect skips a redirection operator and marks its target.
func (l *lexer) redirect(rest string) {
	if v := l.text.String(); v == "1" || v == "2" {
		l.dropWord()
	}
	l.endWord()
	n := len(rest) - len(strings.TrimLeft(rest, "<>&|"))
	l.pos += n
	l.skip = true
	if n > 0 && rest[n-1] == '&' && len(rest) > n && (rest[n] >= '0' && rest[n] <= '9' || rest[n] == '-') {
		l.pos++ // 2>&1
		l.skip = false
	}
}

func (l *lexer) endWord() {
	if l.has && !l.skip {
		l.cur = append(l.cur, Word{l.raw.String(), l.text.String()})
	}
	l.skip = l.skip && !l.has
	l.dropWord()
}

func (l *lexer) dropWord() {
	l.raw.Reset()
	l.text.Reset()
	l.has = false
}

func (l *lexer) endSegment(op string) {
	l.endWord()
	l.skip = false
	if len(l.cur) > 0 && len(l.out) < maxSegments {
		l.out = append(l.out, segment{op: l.op, words: l.cur})
	}
	if len(l.out) > 0 || len(l.cur) > 0 {
		l.op = op
	}
	l.cur = nil
}

// quoted returns the length and the meaning of the quoted text that s begins with.
func quoted(s string) (n int, text string) {
	q := s[0]
	for n = 1; n < len(s) && s[n] != q; n++ {
		if s[n] == '\\' && q == '"' {
			n++
		}
	}
	n = min(n+1, len(s))
	text = strings.TrimSuffix(s[1:n], s[:1])
	if q == '"' {
		text = strings.ReplaceAll(text, `\"`, `"`)
	}
	return n, text
}

// balanced returns the length of the $(…) that s begins with.
func balanced(s string) int {
	depth := 0
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return len(s)
}

// withoutHeredocs removes the bodies of here-documents.
func withoutHeredocs(raw string) string {
	var b strings.Builder
	end := ""
	for l := range strings.Lines(raw) {
		if end == "" {
			b.WriteString(l)
			if m := reHeredoc.Get().FindStringSubmatch(l); m != nil {
				end = m[1]
			}
		} else if strings.TrimSpace(l) == end {
			end = ""
		}
	}
	return b.String()
}

var reHeredoc = lazy.New(`<<-?\s*\\?['"]?([A-Za-z_][A-Za-z0-9_]*)['"]?`)
