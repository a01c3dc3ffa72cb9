package guard

import (
	"fmt"
	"strings"
	"unicode"
)

// DropOrders returns a text of Markdown without the paragraphs, items of lists and
// blocks of code in which Lint finds a problem, and why each of them is left out, a
// line for each. A text without any is returned as it is.
func DropOrders(text string) (kept string, leftOut []string) {
	if Lint(text) == nil {
		return text, nil
	}
	var b strings.Builder
	for _, part := range splitParts(text) {
		problems := Lint("\n" + part) // in its place it begins a line
		if len(problems) == 0 {
			b.WriteString(part)
			continue
		}
		leftOut = append(leftOut, fmt.Sprintf("it reads as an order (%s): %s", problems[0].Rule, Line(problems[0].Text)))
	}
	if rest := Lint(b.String()); len(rest) > 0 { // an order over several parts
		return "", append(leftOut, "nothing of it is shown: it reads as an order ("+rest[0].Rule+")")
	}
	return b.String(), leftOut
}

// splitParts splits a text into its paragraphs, items of lists, headings and blocks
// of code, with the blank lines before them.
func splitParts(text string) (parts []string) {
	now, isBlank, isCode, isHead := "", true, false, false
	for line := range strings.Lines(text) {
		bare := strings.TrimSpace(line)
		isFence := strings.HasPrefix(bare, "```") || strings.HasPrefix(bare, "~~~")
		begins := isBlank || isHead || startsItem(bare) || strings.HasPrefix(bare, "#") || isFence
		if bare != "" && !isCode && begins && strings.TrimSpace(now) != "" {
			parts, now = append(parts, now), ""
		}
		now += line
		isBlank, isHead = bare == "", strings.HasPrefix(bare, "#")
		if isFence {
			isCode = !isCode
		}
	}
	return append(parts, now)
}

// startsItem reports whether a line begins an item of a list.
func startsItem(line string) bool {
	mark, _, ok := strings.Cut(line, " ")
	digits := strings.TrimRight(mark, ".)")
	isNumber := digits != mark && digits != "" && strings.IndexFunc(digits, func(r rune) bool { return !unicode.IsDigit(r) }) < 0
	return ok && (mark == "-" || mark == "*" || mark == "+" || isNumber)
}
