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

// assignedPassword finds a value assigned to a name that ends in password,
// passwd, pwd, passphrase or pass. at is somewhere in the name.
func assignedPassword(s string, at int) (from, to int) {
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
	if v.declared(s, name) {
		return 0, 0
	}
	if secret := s[v.from:v.to]; passwordLike(secret, v) && !strings.EqualFold(flatten(secret), flatten(name)) {
		return v.whole(s)
	}
	return 0, 0
}

// assignedToken finds a value assigned to a name that ends in token, secret,
// api key, access key and the like. at is somewhere in the name.
func assignedToken(s string, at int) (from, to int) {
	name, end := nameAt(s, at)
	if !tokenName(name) {
		return 0, 0
	}
	v, ok := valueOf(s, name, end)
	if !ok || v.declared(s, name) {
		return 0, 0
	}
	least := 12
	switch {
	case v.called:
		least = 16
	case v.quoted, v.env, v.flag:
		least = 8
	}
	if secret := s[v.from:v.to]; strongValue(secret, least) && (v.quoted || !reference(secret)) {
		return v.whole(s)
	}
	return 0, 0
}

// declared reports whether the value is a bare name after :=, which is code:
// where a secret may stand without quotes, as in a Makefile, names are in
// capitals.
func (v assignment) declared(s, name string) bool {
	value := s[v.from:v.to]
	return !v.quoted && strings.HasSuffix(strings.TrimRight(s[:v.from], " \t"), ":=") && strings.ToUpper(name) != name &&
		chars.WordLen(value) == len(value) && !chars.IsDigit(value[0]) && !strings.Contains(value, "-")
}

// tokenName reports whether a name says that its value is secret.
func tokenName(name string) bool {
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
	if strings.HasPrefix(name, "-") {
		if v, ok := valueAt(s, chars.SkipBlanks(s, end)); ok && end < len(s) && s[end] == ' ' {
			v.flag = true
			return v, true
		}
	}
	if v, ok := afterName(s, end, ":="); ok {
		v.env = s[v.from-1] == '=' && v.from-1 == end && strings.ToUpper(name) == name
		if next := chars.SkipBlanks(s, v.to); !v.quoted && next < len(s) && s[next] == '=' && !strings.HasPrefix(s[next:], "==") {
			// What stood there was a type: token: string = "x".
			if typed, ok := valueAt(s, chars.SkipBlanks(s, next+1)); ok && typed.quoted {
				return typed, true
			}
		}
		return v, true
	}
	i := end
	switch {
	case i < len(s) && (s[i] == '(' || s[i] == '>'):
		i++
	case i+1 < len(s) && chars.IsQuote(s[i]) && s[i+1] == ',':
		i = chars.SkipBlanks(s, i+2)
	case strings.HasPrefix(s[i:], " is "):
		i += len(" is ")
		v, ok := valueAt(s, i)
		return v, ok
	case strings.HasPrefix(s[i:], " string = "):
		i += len(" string = ")
	default:
		return assignment{}, false
	}
	v, ok := valueAt(s, i)
	v.called = true
	element := ok && s[i-1] == '>' && strings.HasPrefix(s[v.to:], "</")
	return v, ok && v.quoted || element
}

// afterName finds the value after the operator that follows a name ending at
// i. The operator is made of the bytes in ops.
func afterName(s string, i int, ops string) (assignment, bool) {
	for n := 0; n < 3 && i < len(s) && strings.IndexByte("\"'`]*\\", s[i]) >= 0; n++ {
		i++
	}
	i = chars.SkipBlanks(s, i)
	op := i
	for i < len(s) && i-op < 3 && (strings.IndexByte(ops, s[i]) >= 0 || i > op && s[i] == '>' || s[i] == '!' && i == op) {
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
	if i >= limit || mark(s[i:]) > 0 {
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

// whole returns the range of a secret value.
func (v assignment) whole(s string) (from, to int) {
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

// passwordLike reports whether the value of a password is one. People choose
// bad passwords, so a literal needs little; a bare word may be a variable and
// needs a digit or a sign.
func passwordLike(s string, v assignment) bool {
	if len(s) < 4 || standIn(s) {
		return false
	}
	if strings.ContainsAny(s, " \t") {
		return false // prose about passwords
	}
	if v.quoted {
		return !v.called || len(s) >= 6 && chars.HasDigit(s)
	}
	if v.env {
		return !strings.HasPrefix(s, "/")
	}
	if len(s) < 6 || pathLike(s) || reference(s) || strings.ContainsAny(s, "([") {
		return false
	}
	return chars.HasDigit(s) || strings.ContainsAny(s, "!#%^*+=?~@$")
}

// strongValue reports whether the value of a token is one: long enough, with
// a digit, and neither words nor a path.
func strongValue(s string, least int) bool {
	return len(s) >= least && !standIn(s) && !pathLike(s) && !strings.ContainsAny(s, " \t([{") && chars.IsRandom(s)
}

// reference reports whether a bare word names something instead of being it:
// a.b, a->b, a::b, testKey2.
func reference(s string) bool {
	if chars.WordLen(s) == len(s) && !chars.IsRandom(s[len(s)/2:]) {
		name, _ := nameAt(s, 0)
		return tokenName(name)
	}
	if !strings.Contains(s, ".") && !strings.Contains(s, "->") && !strings.Contains(s, "::") {
		return false
	}
	split := func(r rune) bool { return strings.ContainsRune(".->:", r) }
	member := false // one part is plainly a word, as in rsa2048Options.Value
	for part := range strings.FieldsFuncSeq(s, split) {
		member = member || len(part) >= 4 && !chars.HasDigit(part) && chars.IsWordy(part)
	}
	for part := range strings.FieldsFuncSeq(s, split) {
		if part[0] >= '0' && part[0] <= '9' || chars.IsRandom(part) && len(part) > 12 && !member {
			return false
		}
		for i := range len(part) {
			if !chars.IsWordByte(part[i]) {
				return false
			}
		}
	}
	return true
}

// pathLike reports whether s names a file or an address.
func pathLike(s string) bool {
	for _, p := range []string{"/", "./", "../", "~/", "urn:", "file:", "http:", "https:"} {
		if strings.HasPrefix(s, p) {
			return strings.Count(s, "/") > 1 || p != "/"
		}
	}
	return strings.Contains(s, "://") || len(s) > 2 && s[1] == ':' && s[2] == '\\'
}

// standIn reports whether s only stands in for a secret: a variable, a
// template, a row of stars, a word such as changeme, or a replacement.
func standIn(s string) bool {
	if strings.IndexByte("$<{", s[0]) >= 0 || strings.HasPrefix(s, "#{") || mark(s) > 0 {
		return true
	}
	if strings.HasPrefix(s, "%") && (len(s) < 3 || strings.IndexByte("(sdvq{", s[1]) >= 0) {
		return true
	}
	if strings.Count(s, s[:1]) == len(s) {
		return true
	}
	l := strings.ToLower(s)
	for _, p := range []string{"your", "process.env", "os.environ", "os.getenv", "env.", "xxxx", "***"} {
		if strings.HasPrefix(l, p) {
			return true
		}
	}
	if strings.Contains(s, "${") || strings.Contains(s, "{{") || strings.Contains(s, "...") || strings.Contains(s, "…") {
		return true
	}
	return placeholders(l)
}

// literal reports whether s does not only stand in for a secret.
func literal(s string) bool { return !standIn(s) }

// placeholders reports whether a lower-case word is what documentation,
// schemas and code write where a secret belongs.
func placeholders(l string) bool {
	switch strings.Trim(l, "-_:*") {
	case "password", "passwd", "passphrase", "pwd", "pass", "secret", "token", "apikey", "api_key", "api-key",
		"string", "text", "hidden", "none", "null", "nil", "true", "false", "undefined", "required", "optional",
		"changeme", "change-me", "change_me", "placeholder", "example", "redacted", "masked", "empty", "default",
		"unknown", "missing", "invalid", "wrong", "incorrect", "str", "bool", "bytes", "number", "integer",
		"username", "user", "file", "prompt", "plain", "value", "enter", "new-password", "current-password":
		return true
	}
	return false
}
