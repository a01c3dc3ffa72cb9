package guard

import (
	"slices"
	"strings"

	"mem/lazy"
	"mem/words"
)

// What follows finds secrets that are known by what stands before them: a name that says password, token or key, a header,
// a flag, or a URL's user. It tells what stands for a secret from what only looks like one: a reference, a word, a
// placeholder. A function gets the text and a place in the name, and returns the range of the secret; an empty range means
// that there is none.

// An assignment is the value that follows a name: s[from:to].
type assignment struct {
	from, to int
	quoted   bool // a string literal
	env      bool // NAME=value with nothing in between, as in a shell or .env
	flag     bool // --name value
	called   bool // name("value") or ("name", "value")
	phrase   bool // it may have blanks in it
	sure     bool // no variable stands in such a place
}

// findPassword finds a value assigned to a name that ends in password,
// passwd, pwd, passphrase or pass, or to a word for it in another language, or standing
// near it. at is somewhere in the name.
func findPassword(s string, at int) (from, to int) {
	name, end := nameAt(s, at)
	w, near := walk{phrase: hasField("passphrase psk", lastWord(name)), chosen: true}, isPasswordNear
	isPlain := true
	switch n := nounLen("password", s, at); {
	case n > 0:
		isPlain = isSpoken("plain", strings.ToLower(s[at:at+n]))
		w = walk{led: !isPlain, phrase: strings.Contains(s[at:at+n], " "), chosen: true}
		name, end = "password", at+n
	case !isPasswordName(name):
		return 0, 0
	case strings.EqualFold(name, "pass"): // more often said of what is not a password
		w, near = walk{after: true}, func(word string, w walk) bool { return isStrong(word, w.direct) }
	default:
		near = func(word string, w walk) bool {
			w.led = w.led || w.direct && !w.below && isAfterUser(s, at)
			return isPasswordNear(word, w)
		}
	}
	return findValue(s, noun{name, at, end}, w, near, func(secret string, v assignment) bool {
		v.sure = v.sure || !isPlain && !v.quoted && isSentenceEnd(s, v.to) && isOwnWord(secret)
		return isPasswordLike(secret, v) && (!w.after || words.HasLetter(secret)) && !strings.EqualFold(flatten(secret), flatten(name))
	})
}

// isAfterUser reports whether a user is named in the words before i.
func isAfterUser(s string, i int) bool {
	before := strings.ToLower(s[max(0, i-40):i])
	return slices.ContainsFunc(spoken()["user"], func(word string) bool { return strings.Contains(before, word) })
}

// isPasswordName reports whether a name says that its value is a password, and
// is not the working directory or the verdict of a test.
func isPasswordName(name string) bool {
	word := lastWord(name)
	return name != "PWD" && name != "OLDPWD" && name != "PASS" && hasField("pwd pw pass passphrase passcode psk storepass keypass requirepass masterauth bindpw rootpw", word) ||
		anyField("password passwd storepass keypass", func(end string) bool { return strings.HasSuffix(word, end) })
}

// findToken finds a value assigned to a name that ends in token, secret,
// api key, access key and the like, or standing near it. at is somewhere in the
// name.
func findToken(s string, at int) (from, to int) {
	name, end := nameAt(s, at)
	if n := nounLen("token", s, at); n > 0 {
		name, end = "token", at+n
	} else if strings.EqualFold(name, "key") {
		name = wordBefore(s, at) + "key" // as in API key: X
		if !isTokenName(name) && !identifies(name) {
			return findNear(s, end, walk{}, isKeyNear)
		}
	}
	if !isTokenName(name) {
		return 0, 0
	}
	return findValue(s, noun{name, at, end}, walk{}, isTokenNear, func(secret string, v assignment) bool {
		least := 12
		switch {
		case v.sure && v.quoted && len(secret) >= 32 && words.HasDigit(secret), strings.EqualFold(name, "secret") && v.sure && !v.quoted && words.HasDigit(secret):
			return isLiteral(secret) && !isPathLike(secret)
		case isChosenFor(name) && (v.sure || !v.called && (v.quoted || v.env)) && isPasswordLike(secret, v) && !isPathLike(secret) && flatten(secret) != flatten(name):
			return true
		case v.called:
			least = 16
		case v.quoted, v.env, v.flag:
			least = 8
		}
		isCut := len(secret) < 16 && (strings.HasPrefix(s[v.to:], "...") || strings.HasPrefix(s[v.to:], "…"))
		return isStrongValue(secret, least) && (v.quoted || !isReference(secret)) && !isCut
	})
}

// A noun is the name of a secret where it stands in a text.
type noun struct {
	name    string
	at, end int
}

// findValue finds what is assigned to a name, if it is accepted, or what stands near the
// name: after it or before.
func findValue(s string, n noun, w walk, near func(word string, w walk) bool, accepts func(secret string, v assignment) bool) (from, to int) {
	v, ok := valueOf(s, n.name, n.end)
	v.sure = ok && v.isSure(s, n.name, n.end)
	v.phrase = ok && v.quoted && (v.flag || (w.phrase || strings.ToUpper(n.name) == n.name) && strings.HasPrefix(s[n.end:], "=") || w.phrase && strings.HasPrefix(s[n.end:], " = "))
	switch {
	case ok && !v.isDeclared(s, n.name) && accepts(s[v.from:v.to], v):
		if !v.quoted && v.to-v.from > 500 {
			v.to += bareLen(s[v.to:])
		}
		return v.from, v.to
	case ok && w.phrase:
		return v.from, v.from + phraseLen(s[v.from:], w)
	case ok:
		return 0, 0
	}
	if from, to = findNear(s, n.end, w, near); from < to {
		return from, to
	}
	return findBefore(s, n.at, n.end, w, near)
}

// isDeclared reports whether the value is a bare name after :=, which is code:
// where a secret may stand without quotes, as in a Makefile, names are in
// capitals.
func (v assignment) isDeclared(s, name string) bool {
	value := s[v.from:v.to]
	return !v.quoted && strings.HasSuffix(strings.TrimRight(s[:v.from], " \t"), ":=") && strings.ToUpper(name) != name &&
		words.NameLen(value) == len(value) && !words.IsDigit(value[0]) && !strings.Contains(value, "-")
}

var tokenEnds = strings.Fields("token secret apikey accesskey secretkey privatekey authkey signingkey encryptionkey masterkey " +
	"accountkey sharedkey licensekey servicekey adminkey deploykey keybase credential credentials creds secretstring " +
	"secretvalue tokenvalue jwtkey subscriptionkey productkey serialkey activationkey webhooksecret authorizationkey totpseed otpseed 2faseed mfaseed")

// isChosenFor reports whether a name is that of a secret that people think up as they do passwords.
func isChosenFor(name string) bool {
	flat := flatten(name)
	return anyField("clientsecret jwtsecret sessionsecret appsecret cookiesecret sharedsecret signingsecret webhooksecret consumersecret authsecret hmacsecret "+
		"secretkey jwtkey signingkey secretstring", func(end string) bool { return strings.HasSuffix(flat, end) })
}

// isTokenName reports whether a name says that its value is secret.
func isTokenName(name string) bool {
	flat := flatten(name)
	if slices.ContainsFunc(tokenEnds, func(end string) bool { return strings.HasSuffix(flat, end) }) || strings.HasSuffix(name, "_auth") || strings.HasSuffix(name, "_AUTH") || strings.HasSuffix(name, "_PAT") {
		return true
	}
	// In the environment any NAME_KEY is worth a look, but for keys that
	// identify.
	return (strings.HasSuffix(name, "_KEY") || strings.HasSuffix(name, "_SALT")) && strings.ToUpper(name) == name && !identifies(name)
}

// identifies reports whether the name of a key says that it only identifies.
func identifies(name string) bool {
	name = strings.ToUpper(name)
	return anyField("PUBLIC CACHE PRIMARY FOREIGN PARTITION SORT HOST IDEMPOTENCY", func(word string) bool { return strings.Contains(name, word) })
}

// wordBefore returns the name that stands before the one at i.
func wordBefore(s string, i int) (name string) {
	if i > 1 && strings.IndexByte(" :.", s[i-1]) >= 0 {
		name, _ = nameAt(s, i-2)
	}
	return name
}

// nameAt returns the identifier around at and its end. Digits at its end do
// not count as part of it: password2 is a password.
func nameAt(s string, at int) (name string, end int) {
	const longest = 64
	from := at
	for from > max(0, at-longest) && words.IsNameByte(s[from-1]) {
		from--
	}
	end = at + words.NameLen(s[at:min(len(s), at+longest)])
	return strings.TrimRight(s[from:end], "0123456789_-"), end
}

// lastWord returns the last word of a name in snake, kebab or camel case, in
// lower case.
func lastWord(name string) string {
	word := name[strings.LastIndexAny(name, "_-")+1:]
	for k := len(word) - 1; k > 0; k-- {
		if words.IsUpper(word[k]) && !words.IsUpper(word[k-1]) {
			return strings.ToLower(word[k:])
		}
	}
	return strings.ToLower(word)
}

var separators = strings.NewReplacer("_", "", "-", "", ".", "")

// flatten returns a name in lower case without its separators.
func flatten(name string) string { return separators.Replace(strings.ToLower(name)) }

// A lead stands between a name and its value.
type lead struct {
	around string   // some of these come first
	signs  []string // then one of these
	called bool     // then the value as a string literal, or in an XML element
}

var (
	operator = lead{around: "\"'`[]*\\", signs: []string{"===", "!==", "==", "!=", "=>", ":=", "::", ":", "=", "!"}}
	leads    = []lead{
		operator,
		{signs: []string{"(", " string = ", ""}, called: true},
		{around: "\"'`", signs: []string{","}, called: true},
		{around: "\"'`]", signs: []string{").fill(", ").type(", ").send_keys(", ").sendKeys(", ").setValue("}},
	}
)

// Where a bare word can be no variable: among settings, one in a line, or among pairs without commas.
var (
	// getenv("TOKEN") or "x"
	fallback  = lazy.New(`^(?:[(\[]["'][\w.-]{1,60}["'](?:,|[)\]]{1,2}\s?(?:or\b|\|\||\?\?))|[)\]]{0,2}\s?(?:or\b|\|\||\?\?))\s?(?:"[^"\n]{1,200}"|'[^'\n]{1,200}')`)
	element   = lazy.New(`^(?:["']?(?:[ \t][^<>\n]{0,80})?>\s{0,3}(?:<!\[CDATA\[)?|</(?:key|name|dt|th)>\s{0,20}<(?:string|value|dd|td)>)`)
	valued    = lazy.New("^[\"'` ,;\\t\\r\\n-]{0,24}(?:\"?[Tt]ype\"?\\s?[:=]\\s?\"?\\w{1,20}\"?[\\s,;]{0,12}\"?)?(?i:value|default)")
	keyed     = lazy.New(`(?i:key|name|property)=["']$`)
	setting   = lazy.New(`^[ \t]*(?:- )?["']?[\w.-]+["']?[ \t]*[:=](?:[ \t]+[^{}()\[\];,<>|]+)?$`)
	defines   = lazy.New(`(?:define|def|set|let) $`)
	directive = lazy.New(`(?:^|\n|(?i:config set) )[ \t]*\w+$`)
	section   = lazy.New(`(?m)^\s*\[[\w .:"-]+\]\s*$`)
	before    = lazy.New(`(?:^|[\s;&{"'?])[\w.-]+[:=][^\s:=;&,()]+[ ;&]\s?$`)
	braces    = lazy.New(`[\w=] ?[{\[](?:\w+=[^{}()\[\]]*, )?$`)
	after     = lazy.New(`^(?:[ ;&]\s?[\w.-]+[:=][^\s=]|, \w+=[^{}()]*\})`)
)

// isSure reports whether what follows the name that ends at end stands where there can be no variable.
func (v assignment) isSure(s, name string, end int) bool {
	begin := nameBegin(s, end)
	whole, lead := s[begin:end], s[end:v.from]
	if v.quoted {
		isUpper := strings.ToUpper(name) == name && (strings.Contains(name, "_") || lead[0] != '"')
		isDirective := strings.TrimSpace(lead[:len(lead)-1]) == "" && (lastWord(whole) != strings.ToLower(whole) || defines.Matches(s[max(0, begin-10):begin]) || isAfterUser(s, begin))
		isRow := lead[0] != ' ' && defines.Matches(s[max(0, begin-12):begin])
		isAtom := lead[0] == ',' && begin > 0 && strings.IndexByte(":{", s[begin-1]) >= 0
		return v.called && (isUpper || isDirective || isRow || isAtom || words.IsQuote(lead[0]) && strings.Contains(whole, "."))
	}
	low, high := max(0, begin-400), min(len(s), v.to+200)
	isAttached := (lead[0] == '=' || lead[0] == ':') && (len(lead) == 1 || lead == ":=" || lead == ":-")
	isLine := (begin == 0 || s[begin-1] == '\n') && (v.to == len(s) || s[v.to] == '\n')
	switch {
	case v.called, strings.ContainsAny(lead, "|>") && strings.Contains(lead, "\n"), !v.flag && strings.TrimSpace(lead) == "":
		return true
	case !isAttached:
	case strings.HasSuffix(s[:begin], "${"), strings.HasPrefix(name, "--"), isLine, before.Matches(s[max(low, begin-80):begin]), lead[0] == '=' && braces.Matches(s[max(low, begin-80):begin]), after.Matches(s[v.to:high]):
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
	if hasField("requirepass masterauth bindpw rootpw", name) && strings.HasPrefix(s[end:], " ") && directive.Matches(s[max(0, end-40):end]) {
		return valueAt(s, words.SkipBlanks(s, end))
	}
	if i := words.SkipBlanks(s, end); i > end && i+1 < len(s) && words.IsLower(s[i]) && !strings.Contains("is or st va", s[i:i+2]) {
		return v, false // most prose: no lead has such letters
	}
	if v, ok = typedValue(s, end); ok {
		return v, true
	}
	if v, ok = elementValue(s, end); ok {
		return v, true
	}
	// The name may be a value itself, as in key="Password" value="x".
	if m := valued.Get().FindStringIndex(s[end:min(len(s), end+80)]); m != nil {
		if v, ok = operator.valueAfter(s, end+m[1]); ok {
			return v, true
		}
	}
	for _, l := range leads {
		if v, ok = l.valueAfter(s, end); ok {
			break
		}
	}
	if ok && !v.quoted {
		if m := fallback.Get().FindStringIndex(s[v.to:min(len(s), v.to+120)]); m != nil {
			return assignment{from: v.to + strings.LastIndexAny(s[v.to:v.to+m[1]-1], "\"'") + 1, to: v.to + m[1] - 1, quoted: true}, true
		}
	}
	v.env = ok && !v.called && s[v.from-1] == '=' && v.from-1 == end && strings.ToUpper(name) == name
	return v, ok
}

// valueAfter finds the value that the lead leads to from i on.
func (l lead) valueAfter(s string, i int) (v assignment, ok bool) {
	i = words.SkipBlanks(s, words.Skip(s, i, 3, l.around))
	for _, sign := range l.signs {
		if !strings.HasPrefix(s[i:], sign) {
			continue
		}
		i += len(sign)
		v, ok = valueAt(s, words.SkipBlanks(s, words.Skip(s, i, 3, "*")))
		v.called = l.called
		return v, ok && (!l.called || v.quoted && (sign != "" || s[i-1] == ' ' && s[v.to] != '`'))
	}
	return v, false
}

// typedValue finds the string literal after a type, as in token: string = "x"
// and TOKEN: &'static str = "x".
func typedValue(s string, end int) (v assignment, ok bool) {
	i := words.SkipBlanks(s, end)
	if strings.HasPrefix(s[i:], ":") {
		i = words.Skip(s, i+1, 46, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 _&'<>[]?*.|")
		if strings.HasPrefix(s[i:], "=") && s[i-1] != ':' {
			v, ok = valueAt(s, words.SkipBlanks(s, i+1))
		}
	}
	return v, ok && v.quoted
}

// nameBegin returns where the name that ends at end begins, with the names before it that dots part from it.
func nameBegin(s string, end int) int {
	for end > 0 && (words.IsNameByte(s[end-1]) || s[end-1] == '.') {
		end--
	}
	return end
}

// elementValue finds the bare text of an element of XML whose name or key ends at end.
func elementValue(s string, end int) (v assignment, ok bool) {
	if end == len(s) || strings.IndexByte(" \t\"'><", s[end]) < 0 {
		return v, false
	}
	begin := nameBegin(s, end)
	isTag := s[end] == '>' || s[end] == '<' || begin > 0 && strings.IndexByte("<:", s[begin-1]) >= 0 || words.IsQuote(s[end]) && keyed.Matches(s[max(0, begin-12):begin])
	if !isTag {
		return v, false
	}
	m := element.Get().FindStringIndex(s[end:min(len(s), end+120)])
	if m == nil {
		return v, false
	}
	v, ok = valueAt(s, end+m[1])
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
	switch n := strings.IndexAny(rest, "\"'"); {
	case n > 0 && n < 24 && words.IsAlnum(rest[0]|0x20) || n > 0 && strings.IndexByte("![", rest[0]) >= 0:
		if hasField(wrappers, strings.ToLower(strings.ReplaceAll(rest[:n], " ", "_"))) {
			return i + n
		}
	case n == 0 && markLen(rest[1:]) > 0 && strings.HasPrefix(rest[1+markLen(rest[1:]):], `" -> "`):
		return i + 1 + markLen(rest[1:]) + len(`" -> `)
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

// bareLen returns the length of the word s begins with, up to white space, a
// closing character, or a backslash that escapes something.
func bareLen(s string) int {
	for i := range len(s) {
		c := s[i]
		escapes := c == '\\' && (i+1 == len(s) || strings.IndexByte("nrtu\"'\\/\n", s[i+1]) >= 0)
		if c <= ' ' || escapes || c == '&' && !isInside(s, i) || strings.IndexByte("\"'`,;)]}<>|", c) >= 0 {
			return i
		}
	}
	return len(s)
}

// closingQuote returns the end of the string literal at i on the same line, or
// 0.
func closingQuote(s string, i int) int {
	for end := i + 1; end < len(s) && s[end] != '\n'; end++ {
		switch s[end] {
		case s[i]:
			return end
		case '\\':
			end++
		}
	}
	return 0
}
