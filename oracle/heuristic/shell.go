package heuristic

import "strings"

// A word is one word of a shell command, as written and as meant.
type word struct{ raw, val string }

// A segment is one simple command of a command line.
type segment struct {
	op    string // what joins it to the one before: "", "&&", "||", ";", "|", "&"
	words []word
}

// split cuts a command line into simple commands. It knows quotes, escapes,
// substitutions and here-documents well enough to find the words; nothing is
// expanded or run. Redirections and comments are left out.
func split(raw string) []segment {
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
	in   string
	pos  int
	raw  strings.Builder
	val  strings.Builder
	has  bool // a word has begun
	skip bool // the next word is the target of a redirection
	op   string
	cur  []word
	out  []segment
}

func (l *lexer) next() {
	c := l.in[l.pos]
	rest := l.in[l.pos:]
	switch {
	case c == '\\' && len(rest) > 1:
		if rest[1] != '\n' {
			l.add(rest[:2], rest[1:2])
		}
		l.pos += 2
	case c == '\'' || c == '"':
		n := quoted(rest)
		l.add(rest[:n], unquote(rest[:n]))
		l.pos += n
	case c == '`':
		n := 1 + strings.IndexByte(rest[1:]+"`", '`') + 1
		l.add(rest[:min(n, len(rest))], rest[:min(n, len(rest))])
		l.pos += n
	case strings.HasPrefix(rest, "$("):
		n := balanced(rest)
		l.add(rest[:n], rest[:n])
		l.pos += n
	case c == '#' && !l.has:
		n := strings.IndexByte(rest+"\n", '\n')
		l.pos += n
	case c == ' ' || c == '\t':
		l.endWord()
		l.pos++
	case c == '>' || c == '<' || strings.HasPrefix(rest, "&>"):
		l.redirect(rest)
	case strings.HasPrefix(rest, "&&") || strings.HasPrefix(rest, "||"):
		l.endSegment(rest[:2])
		l.pos += 2
	case c == ';' || c == '|' || c == '\n' || c == '&':
		op := string(c)
		if c == '\n' {
			op = ";"
		}
		l.endSegment(op)
		l.pos++
	case (c == '(' || c == ')' || c == '{' || c == '}') && !l.has:
		l.pos++ // grouping does not matter here
	default:
		l.add(rest[:1], rest[:1])
		l.pos++
	}
}

func (l *lexer) add(raw, val string) {
	l.raw.WriteString(raw)
	l.val.WriteString(val)
	l.has = true
}

// redirect passes over a redirection operator and marks its target.
func (l *lexer) redirect(rest string) {
	if v := l.val.String(); v == "1" || v == "2" {
		l.raw.Reset()
		l.val.Reset()
		l.has = false
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
		l.cur = append(l.cur, word{l.raw.String(), l.val.String()})
	}
	if l.has {
		l.skip = false
	}
	l.raw.Reset()
	l.val.Reset()
	l.has = false
}

func (l *lexer) endSegment(op string) {
	l.endWord()
	l.skip = false
	if len(l.cur) > 0 && len(l.out) < maxSegments {
		l.out = append(l.out, segment{op: l.op, words: l.cur})
		l.op = op
	} else if len(l.out) > 0 || len(l.cur) > 0 {
		l.op = op
	}
	l.cur = nil
}

// quoted returns the length of the quoted text that s begins with.
func quoted(s string) int {
	q := s[0]
	for i := 1; i < len(s); i++ {
		if s[i] == '\\' && q == '"' {
			i++
			continue
		}
		if s[i] == q {
			return i + 1
		}
	}
	return len(s)
}

func unquote(s string) string {
	q := s[:1]
	s = strings.TrimSuffix(s[1:], q)
	if q == `"` {
		s = strings.ReplaceAll(s, `\"`, `"`)
	}
	return s
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
	if !strings.Contains(raw, "<<") {
		return raw
	}
	var b strings.Builder
	end := ""
	for l := range strings.Lines(raw) {
		if end != "" {
			if strings.TrimSpace(l) == end {
				end = ""
			}
			continue
		}
		b.WriteString(l)
		if m := reHeredoc().FindStringSubmatch(l); m != nil {
			end = m[1]
		}
	}
	return b.String()
}

var reHeredoc = lazy(`<<-?\s*\\?['"]?([A-Za-z_][A-Za-z0-9_]*)['"]?`)
