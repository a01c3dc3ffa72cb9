package named

import (
	"strings"

	"mem/guard/chars"
)

// FindURLPassword finds the password in scheme://user:password@host, whose :// is
// at at, or a token that stands there alone.
func FindURLPassword(s string, at int) (from, to int) {
	if at == 0 || !chars.IsAlnum(s[at-1]) {
		return 0, 0
	}
	from = at + len("://")
	authority := s[from:min(len(s), from+300)]
	if i := strings.IndexFunc(authority, func(r rune) bool { return r <= ' ' || strings.ContainsRune("/?\"'`<>\\,", r) }); i >= 0 {
		authority = authority[:i]
	}
	end := from + strings.LastIndexByte(authority, '@')
	if end < from {
		return 0, 0
	}
	colon := from + strings.IndexByte(authority, ':')
	if colon < from || colon > end {
		if end-from >= 20 && chars.IsRandom(s[from:end]) {
			return from, end
		}
		return 0, 0
	}
	if secret := s[colon+1 : end]; secret == "" || IsStandIn(secret) {
		return 0, 0
	}
	return colon + 1, end
}

// FindAuthorization finds the credentials in an Authorization header.
func FindAuthorization(s string, at int) (from, to int) {
	v, ok := afterName(s, at+len("authorization"))
	if !ok {
		return 0, 0
	}
	from = v.from
	scheme := strings.ToLower(s[from : from+chars.WordLen(s[from:])])
	if !isAuthScheme(scheme) {
		if to = lineEnd(s, from, true); IsStrongValue(s[from:to], 12) {
			return from, to
		}
		return 0, 0
	}
	from += len(scheme)
	start := from
	for from < len(s) && (s[from] == ' ' || s[from] == '+') {
		from++
	}
	// Digest and AWS4 have several fields, the others one word.
	to = lineEnd(s, from, scheme != "digest" && scheme != "aws4-hmac-sha256")
	secret := s[from:to]
	if from == start || len(secret) < 4 || IsStandIn(secret) || scheme != "basic" && !chars.HasDigit(secret) && len(secret) < 20 {
		return 0, 0
	}
	return from, to
}

// isAuthScheme reports whether a word says how credentials are given.
func isAuthScheme(word string) bool {
	switch word {
	case "bearer", "basic", "token", "apikey", "bot", "negotiate", "digest", "ssws", "aws4-hmac-sha256", "geniekey":
		return true
	}
	return false
}

// lineEnd returns the end of the value at i: a quote, a line break, and unless
// spaces belong to it a space.
func lineEnd(s string, i int, word bool) int {
	for ; i < len(s); i++ {
		switch c := s[i]; {
		case c == '\n', c == '\r', c == '"', c == '\'', c == '`', c == '\\', c == '<':
			return i
		case word && (c == ' ' || c == '\t' || c == ',' || c == ';'):
			return i
		}
	}
	return i
}

// FindOneTimeCode finds the digits that follow the name of a code, or stand before
// it: --otp 123456, verification code: 123456, the PIN is 4711, 123456 is your login
// code. at is where the name begins.
func FindOneTimeCode(s string, at int) (from, to int) {
	name, end := nameAt(s, at)
	name = strings.ToLower(strings.TrimLeft(name, "-"))
	least := 6
	switch name {
	case "pin", "passcode":
		least = 4
	case "otp", "totp", "one-time", "verification", "auth", "2fa", "mfa", "sms", "login", "security", "confirmation":
	default:
		return 0, 0
	}
	before := strings.Fields(s[max(0, at-30):at])
	if n := len(before); n > 2 && hasField("your the a", before[n-1]) && hasField("is as", before[n-2]) && isCode(before[n-3], least) {
		from = strings.LastIndex(s[:at], before[n-3])
		return from, from + len(before[n-3])
	}
	for n := 0; n < 4; n++ {
		from = end
		for from < len(s) && from-end < 4 && strings.IndexByte(" =:\"'`*", s[from]) >= 0 {
			from++
		}
		for to = from; to < len(s) && chars.IsAlnum(s[to]); to++ {
		}
		word := s[from:to]
		if isCode(word, least) {
			return from, to
		}
		if !hasField("code password passcode pin token", strings.ToLower(word)) && !isSmallWord(word) {
			return 0, 0
		}
		end = to
	}
	return 0, 0
}

// isCode reports whether a word is a number of at most eight digits, not all alike.
func isCode(word string, least int) bool {
	return len(word) >= least && len(word) <= 8 && !IsStandIn(word) && strings.Trim(word, "0123456789") == ""
}

// FindUserPassword finds the password in user:password@host, without a scheme,
// whose @ is at at. name:alias@version, a person's address after a label, and an
// image with its digest have the same form: so the password must be a good one, or
// the host a number.
func FindUserPassword(s string, at int) (from, to int) {
	from = at
	for from > 0 && at-from < 64 && strings.IndexByte(" \t\n\"'`/:=,;()<>[]{}", s[from-1]) < 0 {
		from--
	}
	user := from - 1
	for user > 0 && chars.IsWordByte(s[user-1]) {
		user--
	}
	if from == 0 || s[from-1] != ':' || user == from-1 || user > 0 && s[user-1] == ':' {
		return 0, 0
	}
	host := at + 1
	for host < len(s) && (chars.IsWordByte(s[host]) || s[host] == '.') {
		host++
	}
	if isLogin(s[from:at], strings.Trim(s[at+1:host], ".")) {
		return from, at
	}
	return 0, 0
}

// isLogin reports whether a word is a password, given what stands for its host.
func isLogin(password, host string) bool {
	if len(password) < 6 || IsStandIn(password) || !chars.HasLetter(password) || !chars.HasDigit(password) {
		return false
	}
	if strings.Count(host, ".") == 3 && !chars.HasLetter(host) {
		return true
	}
	return (strings.Contains(host, ".") && chars.HasLetter(host) || host == "localhost") &&
		((isMixed(password) || len(password) >= 16) && IsOpaque(password) || strings.ContainsAny(password, "!#%^*$&"))
}
