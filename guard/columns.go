package guard

import (
	"strings"

	"mem/lazy"
	"mem/words"
)

// insertValues leads from the columns of SQL's insert to their values.
var insertValues = lazy.New(`(?i:^[^()]{0,400}\)\s{0,8}values\s{0,8})`)

// findColumn finds the values below a name that heads a column: in a table, in CSV, and in
// insert into t (user, password) values ('a', 'x'). at is somewhere in the name.
func findColumn(s string, at int, found func(from, to int)) {
	const reach = 4096 // a bound, or a text of heads takes quadratic time
	name, end := nameAt(s, at)
	if after := words.Skip(s, end, 80, "\"'` "); after < len(s) && strings.IndexByte("|\t,;)\n", s[after]) < 0 || !isSecretName(name) {
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
}

// isCell reports whether a name between two texts is all that a cell of a table has.
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
			if word := s[lo:hi]; isChosen(word) && !isReference(word) || isStrongValue(word, 12) && !isKnown(word) {
				found(lo, hi)
			}
		}
		i += 1 + len(line)
	}
}

// isRow reports whether a line is one of a table with so many signs, or a rule between its rows.
func isRow(line, sign string, signs int) bool {
	return line != "" && !strings.ContainsAny(line, "(){}") && (strings.Count(line, sign) == signs || strings.Trim(line, "-+|= ") == "")
}
