package guard

import (
	"strings"

	"mem/lazy"
	"mem/words"
)

// findURLPassword finds the password in scheme://user:password@host, whose :// is
// at at, or a token that stands there alone.
func findURLPassword(s string, at int) (from, to int) {
	if at == 0 || !words.IsAlnum(s[at-1]) {
		return 0, 0
	}
	from = at + len("://")
	authority := strings.Replace(s[from:min(len(s), from+300)], "?@", "!@", 1) // the end of a password
	if i := strings.IndexAny(authority, "/?\"'`<>\\, \t\r\n"); i >= 0 {
		authority = authority[:i]
	}
	to = from + max(0, strings.LastIndexByte(authority, '@'))
	if _, secret, ok := strings.Cut(s[from:to], ":"); ok && secret != "" && !isStandIn(secret) {
		return to - len(secret), to
	} else if !ok && to-from >= 20 && words.IsRandom(s[from:to]) {
		return from, to
	}
	return 0, 0
}

// findOneTimeCode finds the digits that follow the name of a code, or stand before
// it: --otp 123456, verification code: 123456, the PIN is 4711, 123456 is your login
// code. at is where the name begins.
func findOneTimeCode(s string, at int) (from, to int) {
	least, n := 4, nounLen("pin", s, at)
	if n == 0 {
		least, n = 6, nounLen("code", s, at)
	}
	if n == 0 || strings.HasPrefix(s[at+n:], " = ") { // of a chip, in code
		return 0, 0
	}
	near := func(word string, w walk) bool { return (w.direct || w.led) && isCode(word, least) }
	if from, to = findNear(s, at+n, walk{}, near); from < to && !strings.HasPrefix(s[to:], " of ") {
		return from, to
	}
	return findBefore(s, at, at+n, walk{}, near)
}

// findLogin finds the password in a user and a password after the name of both, as in
// credentials: deploy / X and logged in as deploy:X; or after a slash alone, if the word is a
// good password. at is where the name or the blank before the slash begins.
func findLogin(s string, at int) (from, to int) {
	end := at + nounLen("login", s, at)
	isAlone := end == at
	isVerb := hasField("log sig", strings.ToLower(s[at:at+3])) && !strings.HasPrefix(s[end:], ":")
	from, to = afterUser(s, end, isAlone)
	word := s[from:to]
	isGood := usualUser.Matches(s[max(0, from-24):from]) || isMixed(word) && (isStrong(word, true) || !isAlone && len(word) > 7 && words.IsRandom(word))
	if isChosen(word) && !strings.ContainsAny(word, "/\"'`{}[](),;<>|\\") && (isGood || !isAlone && !isVerb) {
		return from, to
	}
	return 0, 0
}

// usualUser matches a name that many systems have for who may do anything, and what parts it from a password.
var usualUser = lazy.New(`(?i:^|\W)(?:admin|administrator|root|sa|postgres|guest|superuser|\S+@\S+\.\w+)["'\x60]?(?:\s?/|:|\s(?:with|using|and))\s?["'\x60]?$`)

// afterUser returns where the word after a user is, who stands at i, or some words later unless
// the slash between them is alone.
func afterUser(s string, i int, isAlone bool) (from, to int) {
	for range 7 {
		next := words.SkipBlanks(s, i)
		i = wordEnd(s, next)
		from, to = trimWord(s, next, i)
		if n := strings.IndexAny(s[from:to], ":/"); n > 0 && !isAlone && n == words.NameLen(s[from:from+n]) {
			return from + n + 1, to
		}
		if strings.HasSuffix(s[next:i], "/") || !isAlone && isSpoken("and", s[next:i]) {
			next = words.SkipBlanks(s, i)
			return trimWord(s, next, wordEnd(s, next))
		}
		if isAlone || i == next {
			break
		}
	}
	return 0, 0
}

// isCode reports whether a word is a number of at most eight digits and no year or stand-in for one.
func isCode(word string, least int) bool {
	if len(word) == 9 && word[4] == '-' {
		word = word[:4] + word[5:] // two halves
	}
	return len(word) >= least && len(word) <= 8 && !isStandIn(word) && strings.Trim(word, "0123456789") == "" && (len(word) > 4 || word < "2010" || word > "2039")
}

// findUserPassword finds the password in user:password@host, without a scheme,
// whose @ is at at. name:alias@version, a person's address after a label, and an
// image with its digest have the same form: so the password must be a good one, or
// the host a number.
func findUserPassword(s string, at int) (from, to int) {
	before := s[max(0, at-64):at]
	from = at - len(before) + strings.LastIndexAny(before, " \t\n\"'`/:=,;()<>[]{}") + 1
	user := from - 1
	for user > 0 && words.IsNameByte(s[user-1]) {
		user--
	}
	if from == 0 || s[from-1] != ':' || user == from-1 || user > 0 && s[user-1] == ':' {
		return 0, 0
	}
	host := at + 1
	for host < len(s) && (words.IsNameByte(s[host]) || s[host] == '.') {
		host++
	}
	if isLogin(s[from:at], strings.Trim(s[at+1:host], ".")) {
		return from, at
	}
	return 0, 0
}

// isLogin reports whether a word is a password, given what stands for its host.
func isLogin(password, host string) bool {
	if len(password) < 6 || isStandIn(password) || !words.HasLetter(password) || !words.HasDigit(password) {
		return false
	}
	if strings.Count(host, ".") == 3 && !words.HasLetter(host) {
		return true
	}
	return (strings.Contains(host, ".") && words.HasLetter(host) || host == "localhost") &&
		((isMixed(password) || len(password) >= 16) && isOpaque(password) || strings.ContainsAny(password, "!?#%^*$&"))
}
