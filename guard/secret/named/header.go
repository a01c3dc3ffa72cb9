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
	if i := strings.IndexAny(authority, "/?\"'`<>\\, \t\r\n"); i >= 0 {
		authority = authority[:i]
	}
	to = from + max(0, strings.LastIndexByte(authority, '@'))
	if _, secret, ok := strings.Cut(s[from:to], ":"); ok && secret != "" && !IsStandIn(secret) {
		return to - len(secret), to
	} else if !ok && to-from >= 20 && chars.IsRandom(s[from:to]) {
		return from, to
	}
	return 0, 0
}

// IsCredential reports whether what follows the scheme in an Authorization header is
// a secret, and not a name for one.
func IsCredential(s string) bool {
	return !IsStandIn(s) && (chars.HasDigit(s) || len(s) >= 20)
}

// FindOneTimeCode finds the digits that follow the name of a code, or stand before
// it: --otp 123456, verification code: 123456, the PIN is 4711, 123456 is your login
// code. at is where the name begins.
func FindOneTimeCode(s string, at int) (from, to int) {
	name, end := nameAt(s, at)
	name = strings.ToLower(strings.TrimLeft(name, "-"))
	least := 6
	if hasField("pin passcode", name) {
		least = 4
	} else if !hasField("otp totp one-time verification auth 2fa mfa sms login security confirmation", name) {
		return 0, 0
	}
	before := strings.Fields(s[max(0, at-30):at])
	if n := len(before); n > 2 && hasField("your the a", before[n-1]) && hasField("is as", before[n-2]) && isCode(before[n-3], least) {
		from = strings.LastIndex(s[:at], before[n-3])
		return from, from + len(before[n-3])
	}
	for n := 0; n < 4; n++ {
		from = chars.Skip(s, end, 4, " =:\"'`*")
		end = from + chars.WordLen(s[from:])
		word := strings.ToLower(s[from:end])
		if isCode(word, least) {
			return from, end
		}
		if !hasField("code password passcode pin token "+smallWords, word) {
			return 0, 0
		}
	}
	return 0, 0
}

// isCode reports whether a word is a number of at most eight digits and not a stand-in for one.
func isCode(word string, least int) bool {
	return len(word) >= least && len(word) <= 8 && !IsStandIn(word) && strings.Trim(word, "0123456789") == ""
}

// FindUserPassword finds the password in user:password@host, without a scheme,
// whose @ is at at. name:alias@version, a person's address after a label, and an
// image with its digest have the same form: so the password must be a good one, or
// the host a number.
func FindUserPassword(s string, at int) (from, to int) {
	before := s[max(0, at-64):at]
	from = at - len(before) + strings.LastIndexAny(before, " \t\n\"'`/:=,;()<>[]{}") + 1
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
