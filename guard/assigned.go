package guard

import (
	"strings"

	"mem/lazy"
	"mem/words"
)

// leads stand between a name and its value: after a type, an operator, a call or a blank, and a call that types.
var leads = []struct {
	begin           string // with one of these
	expr            *lazy.Regexp
	literal, called bool // a string literal follows, which may be any argument
}{
	{begin: ":s", expr: lazy.New(`^[ \t]{0,8}(?::[\w &'<>\[\]?*.|]{1,46}|string )=[ \t]{0,8}`), literal: true},
	{begin: "\"'`[]*\\=!:", expr: operator},
	{begin: "(,\"'`", expr: lazy.New("^(?:[ \\t]{0,8}\\(|[\"'`]{0,3}[ \\t]{0,8},|[ \\t]{1,8})[ \\t]{0,8}"), literal: true, called: true},
	{begin: "\"'`])", expr: lazy.New("^[\"'`\\]]{0,3}\\)\\.(?:fill|type|send_?[kK]eys|setValue)\\([ \\t]{0,8}")},
}

var operator = lazy.New("^[\"'`[\\]*\\\\]{0,3}[ \\t]{0,8}(?:===|!==|==|!=|=>|:=|::|:|=|!)\\*{0,3}[ \\t]{0,8}(?:\\\\?\n[ \\t]{1,40})?")

func valueBehind(expr *lazy.Regexp, s string, i int) (v assignment, ok bool) {
	if m := expr.Get().FindStringIndex(s[i:min(len(s), i+120)]); m != nil {
		return valueAt(s, i+m[1])
	}
	return v, false
}

// Where a bare word can be no variable: among settings, one in a line, or among pairs without commas.
var (
	// getenv("TOKEN") or "x"
	fallback = lazy.New(`^(?:[(\[]?["'][\w.-]{1,60}["'](?:,|[)\]]{1,2}\s?(?:or\b|\|\||\?\?))|[)\]]{0,2}\s?(?:or\b|\|\||\?\?))\s?(?:"[^"\n]{1,200}"|'[^'\n]{1,200}')`)
	element  = lazy.New(`^(?:["']?(?:[ \t][^<>\n]{0,80})?>\s{0,3}(?:<!\[CDATA\[)?|</(?:key|name|dt|th)>\s{0,20}<(?:string|value|dd|td)>)`)
	valued   = lazy.New("^[\"'` ,;\\t\\r\\n-]{0,24}(?:\"?[Tt]ype\"?\\s?[:=]\\s?\"?\\w{1,20}\"?[\\s,;]{0,12}\"?)?(?i:value|default)[\"'`[\\]*\\\\]{0,3}[ \\t]{0,8}(?:=>|:=|:|=)[ \\t]{0,8}")
	keyed    = lazy.New(`(?i:key|name|property)=["']$`)
	setting  = lazy.New(`^[ \t]*(?:- )?["']?[\w.-]+["']?[ \t]*[:=](?:[ \t]+[^{}()\[\];,<>|]+)?$`)
	defines  = lazy.New(`(?:define|def|set|let) $|(?i:values) ?\(\W?$`)
	section  = lazy.New(`(?m)^\s*\[[\w .:"-]+\]\s*$`)
	before   = lazy.New(`(?:^|[\s;&{"'?])[\w.-]+[:=][^\s:=;&,()]+[ ;&]\s?$`)
	braces   = lazy.New(`[\w=] ?[{\[](?:\w+=[^{}()\[\]]*, )?$`)
	after    = lazy.New(`^(?:[ ;&]\s?[\w.-]+[:=][^\s=]|, \w+=[^{}()]*\})`)
)

// isSure reports whether what follows the name that ends at end stands where there can be no variable.
func (v assignment) isSure(s, name string, end int) bool {
	begin := nameBegin(s, end)
	lead := s[end:v.from]
	switch {
	case v.quoted:
		return v.called && isSureCall(s, name, begin, end, lead)
	case strings.ContainsAny(s[v.from:v.to], "([{<$"):
		return false // most code
	}
	return v.isSureWord(s, name, begin, lead)
}

// isSureCall is isSure for the string literal after a name at begin and a lead that also lead to other arguments.
func isSureCall(s, name string, begin, end int, lead string) bool {
	whole := s[begin:end]
	isUpper := strings.ToUpper(name) == name && (strings.Contains(name, "_") || lead[0] != '"')
	isRow := lead[0] != ' ' && defines.Matches(s[max(0, begin-12):begin])
	return isUpper || isRow || isAtom(s, begin, lead) || isDirective(s, whole, begin, lead) || words.IsQuote(lead[0]) && strings.Contains(whole, ".")
}

// isAtom reports whether a name is that of a pair as in {password, "x"}.
func isAtom(s string, begin int, lead string) bool {
	return lead[0] == ',' && begin > 0 && strings.IndexByte(":{", s[begin-1]) >= 0
}

// isDirective reports whether only blanks separate a name and a string literal, and the name is not a word of a sentence.
func isDirective(s, whole string, begin int, lead string) bool {
	return strings.TrimSpace(lead[:len(lead)-1]) == "" && (lastWord(whole) != strings.ToLower(whole) || defines.Matches(s[max(0, begin-10):begin]) || isAfterUser(s, begin))
}

func (v assignment) isSureWord(s, name string, begin int, lead string) bool {
	low, high := max(0, begin-400), min(len(s), v.to+200)
	isLine := (begin == 0 || s[begin-1] == '\n') && (v.to == len(s) || s[v.to] == '\n')
	switch {
	case v.called, strings.ContainsAny(lead, "|>") && strings.Contains(lead, "\n"):
		return true
	case !hasField("= : := :-", lead):
	case strings.HasSuffix(s[:begin], "${"), strings.HasPrefix(name, "--"), isLine, before.Matches(s[max(low, begin-80):begin]),
		lead[0] == '=' && braces.Matches(s[max(low, begin-80):begin]), after.Matches(s[v.to:high]):
		return s[v.from] != '?'
	}
	return isAmongSettings(s[low:begin], s[begin:v.to], s[v.to:high])
}

// isAmongSettings reports whether a line of a name and a value has its like before or after it.
func isAmongSettings(before, line, after string) bool {
	above, indent := before, ""
	if i := strings.LastIndexByte(before, '\n'); i >= 0 {
		above, indent = before[:i], before[i+1:]
	}
	rest, below, _ := strings.Cut(after, "\n")
	below, _, _ = strings.Cut(below, "\n")
	if strings.TrimSpace(rest) != "" || !setting.Matches(indent+line) || strings.ContainsAny(line, "=") && !section.Matches(above) {
		return false
	}
	above = above[strings.LastIndexByte(above, '\n')+1:]
	isAbove, isBelow := setting.Matches(above), setting.Matches(below)
	return isAbove && (isBelow || strings.TrimSpace(below) == "") || isBelow && strings.TrimSpace(above) == ""
}

// valueOf finds the value of the name that ends at end.
func valueOf(s, name string, end int) (v assignment, ok bool) {
	if strings.HasPrefix(name, "-") && end < len(s) && s[end] == ' ' {
		if v, ok = valueAt(s, words.SkipBlanks(s, end)); ok {
			v.flag = true
			return v, true
		}
	}
	if i := words.SkipBlanks(s, end); i > end && i+1 < len(s) && words.IsLower(s[i]) && !strings.Contains("is or st va", s[i:i+2]) {
		return v, false // most prose: no lead has such letters
	}
	if v, ok = elementValue(s, end); ok {
		return v, true
	}
	// The name may be a value itself, as in key="Password" value="x".
	if i := words.Skip(s, end, 24, "\"'`,;- \t\r\n"); i > end && i < len(s) && strings.IndexByte("vdtVDT", s[i]) >= 0 {
		if v, ok = valueBehind(valued, s, end); ok {
			return v, true
		}
	}
	v, ok = ledValue(s, end)
	if ok && !v.quoted {
		if m := fallback.Get().FindStringIndex(s[v.to:min(len(s), v.to+120)]); m != nil {
			return assignment{from: v.to + strings.LastIndexAny(s[v.to:v.to+m[1]-1], "\"'") + 1, to: v.to + m[1] - 1, quoted: true}, true
		}
	}
	v.env = ok && !v.called && s[v.from-1] == '=' && v.from-1 == end && strings.ToUpper(name) == name
	return v, ok
}

// ledValue finds the value that one of the leads leads to from end on.
func ledValue(s string, end int) (v assignment, ok bool) {
	next := words.SkipBlanks(s, end)
	for _, l := range leads {
		if next == len(s) || strings.IndexByte(l.begin, s[next]) < 0 {
			continue
		}
		v, ok = valueBehind(l.expr, s, end)
		if ok = ok && (!l.literal || v.quoted && (!l.called || s[v.to] != '`')); ok {
			v.called = l.called
			isBelow := strings.Contains(strings.ReplaceAll(s[end:v.from], "\\\n", ""), "\n") // only a string literal, and no next name
			return v, !isBelow || v.quoted && !strings.HasPrefix(s[v.to+1:], ":")
		}
	}
	return v, false
}

// nameBegin returns where the name that ends at end begins, with the names before it that dots part from it.
func nameBegin(s string, end int) int {
	for end > 0 && (words.IsNameByte(s[end-1]) || s[end-1] == '.') {
		end--
	}
	return end
}

// isTag reports whether s[begin:end] is the name of an element, or its key.
func isTag(s string, begin, end int) bool {
	return s[end] == '>' || s[end] == '<' || begin > 0 && strings.IndexByte("<:", s[begin-1]) >= 0 || words.IsQuote(s[end]) && keyed.Matches(s[max(0, begin-12):begin])
}

// elementValue finds the bare text of an element of XML whose name or key ends at end.
func elementValue(s string, end int) (v assignment, ok bool) {
	if end == len(s) || strings.IndexByte(" \t\"'><", s[end]) < 0 || !isTag(s, nameBegin(s, end), end) {
		return v, false
	}
	v, ok = valueBehind(element, s, end)
	v.called = true
	return v, ok && !v.quoted && (strings.HasPrefix(s[v.to:], "</") || strings.HasPrefix(s[v.to:], "]]>"))
}

// wrappers stand around a string literal without changing what it is: in code, in SQL, and as tags in YAML.
const wrappers = "[]byte( buffer.from( string( string::from( string::new( secretstring::new( some( secretstr( secret( sensitive( secret.fromstring( bytes( " +
	"md5( sha1( sha2( crypt( password( base64encode( !unsafe_ !!str_ !sensitive_ n"

// skipWrapper returns the place after a wrapper at i, what a block of YAML begins with, or a value that a plan replaces.
func skipWrapper(s string, i int) int {
	rest := s[i:min(len(s), i+80)]
	if rest == "" {
		return i
	}
	n, mark := strings.IndexAny(rest, "\"'"), markLen(rest[1:])
	switch {
	case n > 0 && hasField(wrappers, strings.ToLower(strings.ReplaceAll(rest[:n], " ", "_"))):
		return i + n
	case mark > 0 && strings.HasPrefix(rest[1+mark:], `" -> "`):
		return i + 1 + mark + len(`" -> `)
	case rest[0] == '|' || rest[0] == '>':
		if end := words.Skip(s, i+1, 2, "+-"); end < len(s) && s[end] == '\n' {
			return words.Skip(s, end, 40, blanks+"\n")
		}
	}
	return i
}

// valueAt returns the value that begins at i: a string literal, or what comes
// before a space or a closing character. Values have a longest length, or a
// text of nothing but names and values takes quadratic time; findValue completes
// those that turn out to be secret.
func valueAt(s string, i int) (assignment, bool) {
	const longest = 512
	i = skipWrapper(s, i)
	limit := min(len(s), i+longest)
	if i+1 < limit && strings.IndexByte("bfruL@", s[i]) >= 0 && words.IsQuote(s[i+1]) {
		i++
	}
	if i >= limit || markLen(s[i:]) > 0 {
		return assignment{}, false
	}
	if words.IsQuote(s[i]) {
		if end := closingQuote(s[:limit], i); end > 0 {
			return assignment{from: i + 1, to: end, quoted: true}, end > i+1
		}
		i++ // cut off, or an apostrophe
	}
	end := i + bareLen(s[i:limit])
	for end > i && (s[end-1] == '.' || s[end-1] == ':' || s[end-1] == '?' && end-i < 8) {
		end--
	}
	return assignment{from: i, to: end}, end > i
}
