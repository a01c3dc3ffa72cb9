package guard

import (
	"slices"
	"strings"

	"mem/words"
)

// This file finds secrets by the text before them: a name that says password, token or key, a header,
// a flag, or a URL's user. It separates secrets from lookalikes: references, words, placeholders. A
// function gets the text and a place in the name, and returns the range of the secret; an empty range
// means that there is none.

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
		isUse := isSpoken("of", lettersOf(s[at+strings.LastIndexByte(s[at:at+n], ' ')+1:at+n])) // as in clave del
		w = walk{led: !isPlain, use: isUse, phrase: strings.Contains(s[at:at+n], " "), chosen: true}
		name, end = "password", at+n
	case !isPasswordName(name):
		return 0, 0
	case strings.EqualFold(name, "pass"): // more often said of what is not a password
		w, near = walk{after: true}, func(word string, w walk) bool { return isStrong(word, w.direct) }
	default:
		near = nearUser(s, at)
	}
	return findValue(s, noun{name, at, end}, w, near, func(secret string, v assignment) bool {
		v.sure = v.sure || !isPlain && v.isSaid(s)
		return isPasswordLike(secret, v) && (!w.after || words.HasLetter(secret)) && !strings.EqualFold(flatten(secret), flatten(name))
	})
}

// nearUser returns isPasswordNear for a name at at, to which a user before it leads, too.
func nearUser(s string, at int) func(word string, w walk) bool {
	return func(word string, w walk) bool {
		w.led = w.led || w.direct && !w.below && isAfterUser(s, at)
		return isPasswordNear(word, w)
	}
}

// isSaid reports whether a value is a word that ends a sentence.
func (v assignment) isSaid(s string) bool {
	return !v.quoted && isSentenceEnd(s, v.to) && isOwnWord(s[v.from:v.to])
}

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
		case v.isChosenToken(name, secret):
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

// findValue finds the value assigned to a name, if it is accepted, or else a secret near the name:
// after it or before.
func findValue(s string, n noun, w walk, near func(word string, w walk) bool, accepts func(secret string, v assignment) bool) (from, to int) {
	v, ok := valueOf(s, n.name, n.end)
	if ok {
		v.sure, v.phrase = isLiteral(s[v.from:v.to]) && v.isSure(s, n.name, n.end), v.mayBePhrase(s, n, w)
	}
	switch {
	case ok && !v.isDeclared(s, n.name) && accepts(s[v.from:v.to], v):
		return v.from, v.complete(s)
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

// complete returns the end of a value, which valueAt may have cut.
func (v assignment) complete(s string) int {
	if !v.quoted && v.to-v.from > 500 {
		return v.to + bareLen(s[v.to:])
	}
	return v.to
}

// mayBePhrase reports whether a value may have blanks: a string literal after an equals sign, where no label has them.
func (v assignment) mayBePhrase(s string, n noun, w walk) bool {
	lead := s[n.end:v.from]
	isShell := strings.HasPrefix(lead, "=") && strings.ToUpper(n.name) == n.name
	return v.quoted && (v.flag || isShell || w.phrase && strings.HasPrefix(strings.TrimLeft(lead, " "), "="))
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
	"secretvalue tokenvalue jwtkey subscriptionkey productkey serialkey activationkey webhooksecret authorizationkey signaturekey sessionkey functionskey macaroon totpseed otpseed 2faseed mfaseed")

// isChosenFor reports whether a name is that of a secret that people think up as they do passwords.
func isChosenFor(name string) bool {
	flat := flatten(name)
	return anyField("clientsecret jwtsecret sessionsecret appsecret cookiesecret sharedsecret signingsecret webhooksecret consumersecret authsecret hmacsecret "+
		"secretkey jwtkey signingkey secretstring", func(end string) bool { return strings.HasSuffix(flat, end) })
}

// isChosenToken reports whether the value of a token is one that people think up, or has signs as no token has.
func (v assignment) isChosenToken(name, secret string) bool {
	switch {
	case !isLiteral(secret) || isPathLike(secret):
		return false
	case v.sure && words.HasDigit(secret) && v.isWhole(name):
		return true
	}
	isPlace := v.sure || !v.called && (v.quoted || v.env)
	return isPlace && isChosenFor(name) && isPasswordLike(secret, v) && flatten(secret) != flatten(name)
}

// isWhole reports whether a value in a sure place needs no more than a digit: a long literal, or what is called secret.
func (v assignment) isWhole(name string) bool {
	return v.quoted && v.to-v.from >= 32 || !v.quoted && strings.EqualFold(name, "secret")
}

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
	name = strings.TrimRight(s[from:end], "0123456789_-")
	if i := strings.LastIndexAny(name, "_-"); i > 0 && hasField("plain plaintext raw clear cleartext confirm confirmation repeat", strings.ToLower(name[i+1:])) {
		name = name[:i]
	}
	return name, end
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

func flatten(name string) string { return separators.Replace(strings.ToLower(name)) }

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
