// Package named finds secrets that are known by what stands before them: a name
// that says password, token or key, a header, a flag, or a URL's user. It tells
// what stands for a secret from what only looks like one: a reference, a word,
// a placeholder.
//
// Only secret uses it. A function gets the text and a place in the name, and
// returns the range of the secret; an empty range means that there is none.
package named

import (
	"strings"

	"mem/guard/chars"
)

// An assignment is the value that follows a name: s[from:to].
type assignment struct {
	from, to int
	quoted   bool // a string literal
	env      bool // NAME=value with nothing in between, as in a shell or .env
	flag     bool // --name value
	called   bool // name("value") or ("name", "value")
	said     bool // name is value
}

// FindPassword finds a value assigned to a name that ends in password,
// passwd, pwd, passphrase or pass, or standing near it. at is somewhere in the
// name.
func FindPassword(s string, at int) (from, to int) {
	name, end := nameAt(s, at)
	if n := foreignLen(s[at:]); n > 0 {
		name, end = "password", at+n
	} else if !isPasswordName(name) {
		return 0, 0
	}
	v, ok := valueOf(s, name, end)
	if ok && !v.isDeclared(s, name) {
		if secret := s[v.from:v.to]; isPasswordLike(secret, v) && !strings.EqualFold(flatten(secret), flatten(name)) {
			return v.secretRange(s)
		}
	}
	if ok && !v.said {
		return 0, 0
	}
	return findNear(s, end, isPasswordNear)
}

// isCut reports whether only the beginning of a token is shown: sk-live-...
func (v assignment) isCut(s string) bool {
	return v.to-v.from < 16 && (strings.HasPrefix(s[v.to:], "...") || strings.HasPrefix(s[v.to:], "…"))
}

// isPasswordName reports whether a name says that its value is a password, and
// is not the working directory or the verdict of a test.
func isPasswordName(name string) bool {
	switch word := lastWord(name); word {
	case "password", "passwd", "pwd", "pw", "pass", "passphrase", "passcode", "psk", "storepass", "keypass", "requirepass", "masterauth", "bindpw", "rootpw":
		return name != "PWD" && name != "OLDPWD" && name != "PASS"
	default:
		return strings.HasSuffix(word, "password") || strings.HasSuffix(word, "passwd")
	}
}

// FindToken finds a value assigned to a name that ends in token, secret,
// api key, access key and the like, or standing near it. at is somewhere in the
// name.
func FindToken(s string, at int) (from, to int) {
	name, end := nameAt(s, at)
	if strings.EqualFold(name, "key") {
		before := wordBefore(s, at)
		if !isTokenName(before + "key") { // as in API key: X
			if from, to = findNear(s, end, isKeyNear); from < to && !identifies(before) {
				return from, to
			}
			return 0, 0
		}
		name = before + "key"
	}
	if !isTokenName(name) {
		return 0, 0
	}
	v, ok := valueOf(s, name, end)
	if ok && !v.isDeclared(s, name) {
		least := 12
		switch {
		case v.called:
			least = 16
		case v.quoted, v.env, v.flag:
			least = 8
		}
		if secret := s[v.from:v.to]; IsStrongValue(secret, least) && (v.quoted || !isReference(secret)) && !v.isCut(s) {
			return v.secretRange(s)
		}
	}
	switch flatten(name) {
	case "credential", "credentials", "creds": // a name and a password
		return findNear(s, end, isPasswordNear)
	}
	if ok && !v.said {
		return 0, 0
	}
	return findNear(s, end, isTokenNear)
}

// isDeclared reports whether the value is a bare name after :=, which is code:
// where a secret may stand without quotes, as in a Makefile, names are in
// capitals.
func (v assignment) isDeclared(s, name string) bool {
	value := s[v.from:v.to]
	return !v.quoted && strings.HasSuffix(strings.TrimRight(s[:v.from], " \t"), ":=") && strings.ToUpper(name) != name &&
		chars.WordLen(value) == len(value) && !chars.IsDigit(value[0]) && !strings.Contains(value, "-")
}

// isTokenName reports whether a name says that its value is secret.
func isTokenName(name string) bool {
	flat := flatten(name)
	for _, end := range []string{
		"token", "secret", "apikey", "accesskey", "secretkey", "privatekey", "authkey",
		"signingkey", "encryptionkey", "masterkey", "accountkey", "sharedkey", "licensekey",
		"servicekey", "adminkey", "deploykey", "keybase", "credential", "credentials", "creds",
		"secretstring", "secretvalue", "tokenvalue", "webhooksecret", "authorizationkey",
	} {
		if strings.HasSuffix(flat, end) {
			return true
		}
	}
	if strings.HasSuffix(name, "_auth") || strings.HasSuffix(name, "_PAT") {
		return true
	}
	// In the environment any NAME_KEY is worth a look, but for keys that
	// identify.
	if !strings.HasSuffix(name, "_KEY") || strings.ToUpper(name) != name {
		return false
	}
	return !identifies(name)
}

// identifies reports whether the name of a key says that it only identifies.
func identifies(name string) bool {
	name = strings.ToUpper(name)
	for _, harmless := range []string{"PUBLIC", "CACHE", "PRIMARY", "FOREIGN", "PARTITION", "SORT", "HOST", "IDEMPOTENCY"} {
		if strings.Contains(name, harmless) {
			return true
		}
	}
	return false
}

// wordBefore returns the word that stands before the one at i.
func wordBefore(s string, i int) string {
	if i < 2 || s[i-1] != ' ' {
		return ""
	}
	from := i - 1
	for from > 0 && i-from < 24 && chars.IsWordByte(s[from-1]) {
		from--
	}
	return s[from : i-1]
}

// nameAt returns the identifier around at and its end. Digits at its end do
// not count as part of it: password2 is a password.
func nameAt(s string, at int) (name string, end int) {
	const longest = 64
	from, to := at, at
	for from > 0 && at-from < longest && chars.IsWordByte(s[from-1]) {
		from--
	}
	for to < len(s) && to-at < longest && chars.IsWordByte(s[to]) {
		to++
	}
	return strings.TrimRight(s[from:to], "0123456789_-"), to
}

// lastWord returns the last word of a name in snake, kebab or camel case, in
// lower case.
func lastWord(name string) string {
	i := strings.LastIndexAny(name, "_-") + 1
	word := name[i:]
	for k := len(word) - 1; k > 0; k-- {
		if chars.IsUpper(word[k]) && !chars.IsUpper(word[k-1]) {
			word = word[k:]
			break
		}
	}
	return strings.ToLower(word)
}

// flatten returns a name in lower case without its separators.
func flatten(name string) string {
	return strings.Map(func(r rune) rune {
		if r == '_' || r == '-' || r == '.' {
			return -1
		}
		return r
	}, strings.ToLower(name))
}

// valueOf finds the value of the name that ends at end.
func valueOf(s, name string, end int) (assignment, bool) {
	if strings.HasPrefix(name, "-") && end < len(s) && s[end] == ' ' {
		if v, ok := valueAt(s, chars.SkipBlanks(s, end)); ok {
			v.flag = true
			return v, true
		}
	}
	for _, find := range []func(string, int) (assignment, bool){typedValue, pairedValue, fallbackValue} {
		if v, ok := find(s, end); ok {
			return v, true
		}
	}
	v, ok := afterName(s, end)
	if !ok {
		return calledValue(s, end)
	}
	if !v.quoted {
		if f, ok := fallbackValue(s, v.to); ok {
			return f, true
		}
	}
	v.env = s[v.from-1] == '=' && v.from-1 == end && strings.ToUpper(name) == name
	return v, true
}

// typedValue finds the string literal after a type, as in token: string = "x"
// and TOKEN: &'static str = "x".
func typedValue(s string, end int) (assignment, bool) {
	i := chars.SkipBlanks(s, end)
	if i >= len(s) || s[i] != ':' || strings.HasPrefix(s[i:], ":=") {
		return assignment{}, false
	}
	for i++; i < min(len(s), end+48) && (chars.IsAlnum(s[i]) || strings.IndexByte(" _&'<>[]?*.|", s[i]) >= 0); i++ {
	}
	if i >= len(s) || s[i] != '=' || strings.HasPrefix(s[i:], "==") {
		return assignment{}, false
	}
	v, ok := valueAt(s, chars.SkipBlanks(s, i+1))
	return v, ok && v.quoted
}

// pairedValue finds the value of a name that is a value itself, as in
// key="Password" value="x" and name: PASSWORD, value: x.
func pairedValue(s string, i int) (assignment, bool) {
	for n := 0; n < 24 && i < len(s) && strings.IndexByte("\"'` ,;-\t\r\n", s[i]) >= 0; n++ {
		i++
	}
	const word = "value"
	if i+len(word) > len(s) || !strings.EqualFold(s[i:i+len(word)], word) {
		return assignment{}, false
	}
	return afterName(s, i+len(word))
}

// fallbackValue finds the string literal that stands in where a name has no
// value: getenv("TOKEN") or "x", process.env.TOKEN || "x".
func fallbackValue(s string, i int) (assignment, bool) {
	for n := 0; n < 3 && i < len(s) && strings.IndexByte("\"')]", s[i]) >= 0; n++ {
		i++
	}
	rest := s[chars.SkipBlanks(s, i):]
	for _, or := range []string{"or ", "|| ", "?? "} {
		if strings.HasPrefix(rest, or) {
			v, ok := valueAt(s, chars.SkipBlanks(s, len(s)-len(rest)+len(or)))
			v.called = true
			return v, ok && v.quoted
		}
	}
	return assignment{}, false
}

// calledValue finds the value of the name that ends at end where no operator
// follows the name: an argument, an XML element, or a sentence.
func calledValue(s string, end int) (assignment, bool) {
	i := end
	switch {
	case i < len(s) && (s[i] == '(' || s[i] == '>'):
		i++
	case i+1 < len(s) && chars.IsQuote(s[i]) && s[i+1] == ',':
		i = chars.SkipBlanks(s, i+2)
	case strings.HasPrefix(s[i:], " is "):
		v, ok := valueAt(s, i+len(" is "))
		v.said = true
		return v, ok
	case strings.HasPrefix(s[i:], " string = "):
		i += len(" string = ")
	default:
		return assignment{}, false
	}
	v, ok := valueAt(s, i)
	v.called = true
	element := s[i-1] == '>' && strings.HasPrefix(s[v.to:], "</")
	return v, ok && (v.quoted || element)
}

// afterName finds the value after the operator that follows a name ending at
// i.
func afterName(s string, i int) (assignment, bool) {
	for n := 0; n < 3 && i < len(s) && strings.IndexByte("\"'`]*\\", s[i]) >= 0; n++ {
		i++
	}
	op := chars.SkipBlanks(s, i)
	i = op
	for i < len(s) && i-op < 3 && isOperator(s[i], i == op) {
		i++
	}
	if i == op {
		return assignment{}, false
	}
	for i < len(s) && s[i] == '*' {
		i++
	}
	return valueAt(s, chars.SkipBlanks(s, i))
}

// isOperator reports whether c can be the first or a later byte of an operator.
func isOperator(c byte, first bool) bool {
	return c == ':' || c == '=' || first && c == '!' || !first && c == '>'
}

// valueAt returns the value that begins at i: a string literal, or what comes
// before a space or a closing character. Values have a longest length, or a
// text of nothing but names and values takes quadratic time; whole completes
// those that turn out to be secret.
func valueAt(s string, i int) (assignment, bool) {
	const longest = 512
	limit := min(len(s), i+longest)
	if i+1 < limit && strings.IndexByte("bfruL@", s[i]) >= 0 && chars.IsQuote(s[i+1]) {
		i++
	}
	if i >= limit || MarkLen(s[i:]) > 0 {
		return assignment{}, false
	}
	if chars.IsQuote(s[i]) {
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
		switch c := s[i]; {
		case c <= ' ':
			return i
		case chars.IsAlnum(c):
		case c == '\\':
			if i+1 == len(s) || strings.IndexByte("nrtu\"'\\/\n", s[i+1]) >= 0 {
				return i
			}
		case c == '&' && isInside(s, i):
		case strings.IndexByte("\"'`,;)]}<>&|", c) >= 0:
			return i
		}
	}
	return len(s)
}

// secretRange returns the range of a secret value.
func (v assignment) secretRange(s string) (from, to int) {
	if !v.quoted && v.to-v.from > 500 {
		v.to += bareLen(s[v.to:])
	}
	return v.from, v.to
}

// closingQuote returns the end of the string literal at i on the same line, or
// 0.
func closingQuote(s string, i int) int {
	for end := i + 1; end < len(s); end++ {
		switch s[end] {
		case s[i]:
			return end
		case '\n':
			return 0
		case '\\':
			end++
		}
	}
	return 0
}
