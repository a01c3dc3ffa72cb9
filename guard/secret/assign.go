package secret

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
}

// findPassword finds a value assigned to a name that ends in password,
// passwd, pwd, passphrase or pass. at is somewhere in the name.
func findPassword(s string, at int) (from, to int) {
	name, end := nameAt(s, at)
	switch word := lastWord(name); word {
	case "password", "passwd", "pwd", "pass", "passphrase", "passwort", "passcode":
	default:
		if !strings.HasSuffix(word, "password") && !strings.HasSuffix(word, "passwd") {
			return 0, 0
		}
	}
	v, ok := valueOf(s, name, end)
	if !ok {
		return 0, 0
	}
	if name == "PWD" || name == "OLDPWD" || name == "PASS" {
		return 0, 0 // the working directory, the verdict of a test
	}
	if v.isDeclared(s, name) {
		return 0, 0
	}
	if secret := s[v.from:v.to]; isPasswordLike(secret, v) && !strings.EqualFold(flatten(secret), flatten(name)) {
		return v.secretRange(s)
	}
	return 0, 0
}

// findToken finds a value assigned to a name that ends in token, secret,
// api key, access key and the like. at is somewhere in the name.
func findToken(s string, at int) (from, to int) {
	name, end := nameAt(s, at)
	if !isTokenName(name) {
		return 0, 0
	}
	v, ok := valueOf(s, name, end)
	if !ok || v.isDeclared(s, name) {
		return 0, 0
	}
	least := 12
	switch {
	case v.called:
		least = 16
	case v.quoted, v.env, v.flag:
		least = 8
	}
	if secret := s[v.from:v.to]; isStrongValue(secret, least) && (v.quoted || !isReference(secret)) {
		return v.secretRange(s)
	}
	return 0, 0
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
		"servicekey", "adminkey", "deploykey", "keybase", "credential", "credentials",
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
	for _, harmless := range []string{"PUBLIC", "CACHE", "PRIMARY", "FOREIGN", "PARTITION", "SORT"} {
		if strings.Contains(name, harmless) {
			return false
		}
	}
	return true
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
	v, ok := afterName(s, end)
	if !ok {
		return calledValue(s, end)
	}
	v.env = s[v.from-1] == '=' && v.from-1 == end && strings.ToUpper(name) == name
	if typed, ok := typedValue(s, v); ok {
		return typed, true
	}
	return v, true
}

// typedValue returns the value that follows v if v is a type only, as in
// token: string = "x".
func typedValue(s string, v assignment) (assignment, bool) {
	next := chars.SkipBlanks(s, v.to)
	if v.quoted || next >= len(s) || s[next] != '=' || strings.HasPrefix(s[next:], "==") {
		return v, false
	}
	typed, ok := valueAt(s, chars.SkipBlanks(s, next+1))
	return typed, ok && typed.quoted
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
		return valueAt(s, i+len(" is "))
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
	if i >= limit || markLen(s[i:]) > 0 {
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
