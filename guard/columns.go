package guard

import (
	"strings"

	"mem/lazy"
	"mem/words"
)

var insertValues = lazy.New(`(?i:^[^()]{0,400}\)\s{0,8}values\s{0,8})`)

// findColumn finds the values below a name that heads a column: in a table, in CSV, and in
// insert into t (user, password) values ('a', 'x'). at is somewhere in the name.
func findColumn(s string, at int, found func(from, to int)) {
	const reach = 4096 // a bound, or a text of heads takes quadratic time
	name, end := nameAt(s, at)
	after := words.Skip(s, end, 80, "\"'` ")
	if after < len(s) && strings.IndexByte("|\t,;)\n", s[after]) < 0 && after < end+2 || !isSecretName(name) {
		return
	}
	low := max(0, at-200)
	low += strings.LastIndexByte(s[low:at], '\n') + 1
	text := s[:min(len(s), end+reach)]
	if open := strings.LastIndexByte(s[low:at], '('); open >= 0 {
		if m := insertValues.Get().FindStringIndex(text[end:]); m != nil {
			findInserted(text, end+m[1], strings.Count(s[low+open:at], ","), found)
		}
		return
	}
	head, _, _ := strings.Cut(text[low:], "\n")
	for _, sign := range []string{"|", "\t", ",", ";"} {
		before, after := strings.TrimRight(s[low:at], "\"'` _-"+lowers), strings.TrimLeft(text[end:], "\"'` ")
		if strings.Contains(head, sign) && isCell(before, after, sign) {
			findBelow(text, low+len(head), strings.Count(before, sign), strings.Count(head, sign), sign, found)
			return
		}
	}
	if end < len(s) && s[end] > ' ' {
		return // code
	}
	quote := strings.LastIndexAny(s[low:at], "\"'`") + 1 // around all of the table
	low, head = low+quote, head[quote:]
	findAligned(text[low:], at-low, len(head), isPasswordName(name), func(from, to int) { found(low+from, low+to) })
}

// findAligned finds the words below a head at at, in the column that begins with its cell, of a table whose columns blanks
// part: heads, of passwords in capitals, with two or more between them, or a rule below them.
func findAligned(s string, at, head int, isPassword bool, found func(from, to int)) {
	column := strings.LastIndex(s[:at], "  ") + 2
	if column < 2 {
		column = words.Skip(s, 0, at, " ")
	}
	isTable := strings.Contains(strings.TrimSpace(s[:head]), "  ") && (!isPassword || strings.ToUpper(s[:head]) == s[:head])
	for i := head + 1; i < len(s); {
		line, _, _ := strings.Cut(s[i:], "\n")
		switch isRule := line != "" && strings.Trim(line, "-= ") == ""; {
		case isRule:
			isTable = true
		case !isTable || !hasCell(line, column):
			return
		default:
			if n := alignedLen(line[column:], isPassword); n > 0 {
				found(i+column, i+column+n)
			}
		}
		i += len(line) + 1
	}
}

func hasCell(line string, column int) bool {
	return len(line) > column && line[column] != ' ' && (column == 0 || line[column-1] == ' ')
}

// alignedLen returns the length of the secret that a cell consists of; 0 for none.
func alignedLen(cell string, isPassword bool) int {
	word, rest, _ := strings.Cut(cell, " ")
	isOne := rest == "" || rest[0] == ' '
	word = strings.TrimRight(word, "\"'})],")
	if isOne && (isCellSecret(word) && (isPassword || isStrongValue(word, 16)) || isPassword && isStrong(word, true)) {
		return len(word)
	}
	return 0
}

// isCellSecret reports whether the only word of a cell below the name of a secret is one.
func isCellSecret(word string) bool {
	return isChosen(word) && !isReference(word) || isStrongValue(word, 12) && !isKnown(word)
}

// What comes before the values of a Secret of Kubernetes, in JSON and in YAML, and a value with its name.
var (
	manifestData = lazy.New(`(?m)(?:"(?:stringData|data)":\s{0,3}\{|^[ \t]*(?:stringData|data):[ \t]*\n)`)
	manifestPair = lazy.New(`["']?[\w./-]{1,100}["']?:[ \t]*(?:[|>][+-]?\s+)?["']?([^\s"',{}]{4,})`)
)

// findManifest finds the values of a Secret of Kubernetes, whose kind is at at: whatever their names are.
func findManifest(s string, at int, found func(from, to int)) {
	const reach = 8192 // a bound, as above
	low, high := max(0, at-reach), min(len(s), at+reach)
	low += max(0, strings.LastIndex(s[low:at], "\n---"))
	if end := strings.Index(s[at:high], "\n---"); end >= 0 {
		high = at + end
	}
	for _, data := range manifestData.Get().FindAllStringIndex(s[low:high], -1) {
		from := low + data[1]
		block := s[from:high]
		if s[from-1] == '{' {
			block, _, _ = strings.Cut(block, "}")
		} else {
			block = block[:blockLen(block)]
		}
		for _, m := range manifestPair.Get().FindAllStringSubmatchIndex(block, -1) {
			found(from+m[2], from+m[3])
		}
	}
}

// blockLen returns the length of the lines that s begins with that are not less indented than the first.
func blockLen(s string) (n int) {
	indent := words.Skip(s, 0, len(s), " \t")
	for line := range strings.Lines(s) {
		if strings.TrimSpace(line) != "" && words.Skip(line, 0, len(line), " \t") < max(indent, 1) {
			break
		}
		n += len(line)
	}
	return n
}

func isCell(before, after, sign string) bool {
	return (before == "" || strings.HasSuffix(before, sign)) && (after == "" || after[0] == '\n' || strings.HasPrefix(after, sign))
}

// findInserted finds the strings that are the values of a column in rows from i on.
func findInserted(s string, i, column int, found func(from, to int)) {
	for i < len(s) && s[i] == '(' {
		for n := 0; i < len(s) && s[i] != ')'; {
			i = words.Skip(s, i+1, 40, " \t\n")
			v, ok := valueAt(s, i)
			if ok && v.quoted && n == column && isPasswordLike(s[v.from:v.to], v) {
				found(v.from, v.to)
			}
			i = max(i, v.to)
			next := strings.IndexAny(s[i:], ",)")
			if next < 0 {
				return // cut off
			}
			i += next
			n++
		}
		i = words.Skip(s, min(i+1, len(s)), 40, " \t\n,")
	}
}

// findBelow finds the words in a column of the lines from i on that have as many signs between columns as the head.
func findBelow(s string, i, column, signs int, sign string, found func(from, to int)) {
	for i < len(s) {
		line, _, _ := strings.Cut(s[i+1:], "\n")
		if !isRow(line, sign, signs) {
			return
		}
		cells := strings.Split(line, sign)
		if column < len(cells) {
			from := i + 1 + len(strings.Join(cells[:column], sign)) + min(column, 1)
			from += len(cells[column]) - len(strings.TrimLeft(cells[column], " "))
			lo, hi := trimWord(s, from, from+len(strings.TrimSpace(cells[column])))
			if isCellSecret(s[lo:hi]) {
				found(lo, hi)
			}
		}
		i += 1 + len(line)
	}
}

// isRow reports whether a line is one of a table with so many signs, or a rule between its rows.
func isRow(line, sign string, signs int) bool {
	return line != "" && !strings.ContainsAny(strings.TrimRight(line, "\"'})]"), "(){}") && (strings.Count(line, sign) == signs || strings.Trim(line, "-+|= ") == "")
}
