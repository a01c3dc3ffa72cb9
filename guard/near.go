package guard

import (
	"slices"
	"strings"
	"unicode/utf8"

	"mem/lazy"
	"mem/words"
)

// findNear finds a secret among the words that follow a name ending at i, where
// no operator leads to it: the token X expired, Password:, a line break, X, or a
// cell of a table. accepts gets each word, and what stands between it and the name.
func findNear(s string, i int, w walk, accepts func(word string, w walk) bool) (from, to int) {
	const reach, most, spaces = 80, 12, " \t\r\n"
	limit := min(len(s), i+reach)
	if i < limit && strings.IndexByte("./-\\@,)", s[i]) >= 0 {
		return 0, 0 // a part of a path or a longer name, or an argument
	}
	if w.direct = true; !w.phrase && !w.chosen && !strings.ContainsAny(s[i:min(len(s), limit+16)], "0123456789"+ownSigns) {
		return 0, 0 // most prose
	}
	for n := range most {
		next := words.Skip(s, i, limit-i, spaces)
		if next == limit || !w.reaches(s, i, next) {
			return 0, 0
		}
		i = wordEnd(s, next)
		if i > next && (s[next] >= utf8.RuneSelf || s[i-1] >= utf8.RuneSelf) && isSpoken("link", lettersOf(s[next:i])) {
			w.pass(s[next:i])
			continue
		}
		from, to = trimWord(s, next, i)
		if strings.Contains(s[next:i], markOpen) {
			return 0, 0
		}
		w.pass(s[next:from])
		w.look(s, next, from, to)
		if n := phraseLen(s[from:], w); w.led && (w.phrase || w.quoted) && n > 0 {
			return from, from + n
		}
		w.first = n == 0 && from == next && w.chosen
		if from < to && !isStandIn(s[from:to]) && accepts(s[from:to], w) {
			return from, to
		}
		if to < i && strings.IndexByte(".;?!", s[i-1]) >= 0 {
			return 0, 0 // the sentence ends
		}
		w.pass(s[next:i])
	}
	return 0, 0
}

func wordEnd(s string, i int) int {
	for limit := min(len(s), i+200); i < limit && strings.IndexByte(" \t\r\n", s[i]) < 0; i++ {
	}
	return i
}

// A walk goes from a name to the words after it.
type walk struct {
	direct bool // nothing parts the name and the word
	led    bool // a word or a sign leads to it, perhaps after what the secret is for
	use    bool // what comes is what the secret is for
	below  bool // the word is on a line after the name's
	phrase bool // the secret may be some words
	chosen bool // or so it may in quotes, or one word
	quoted bool // a quote stands before the word
	after  bool // the secret never comes before the name
	first  bool // the word is the first after the name
	copula bool // the word before says that the secret is what comes
	last   bool // so it does, and the sentence ends with it
}

// look notes what stands around the word s[from:to], before which signs begin at next.
func (w *walk) look(s string, next, from, to int) {
	if !w.chosen {
		return
	}
	w.quoted, w.last = strings.ContainsAny(s[next:from], quotes), w.copula && isSentenceEnd(s, to)
	w.led = w.led || w.direct && s[next-1] == ' ' && s[next:from] == "(" && strings.HasPrefix(s[to:], ")")
}

const quotes = "\"'`“„«"

const lowers = "abcdefghijklmnopqrstuvwxyz"

// reaches reports whether the name that ends before i may still mean the word at
// next: the first one of the line below, if the line of the name is a label, or
// any in the next rows of a table.
func (w *walk) reaches(s string, i, next int) bool {
	switch breaks := strings.Count(s[i:next], "\n"); {
	case breaks == 0:
		return !w.below || !w.direct
	case breaks == 1 && s[next] == '|':
		w.direct = false
	case breaks > 2 || w.below || !w.direct && !w.led || !isLabel(s, i, breaks):
		return false
	}
	line, _, _ := strings.Cut(s[next:min(len(s), next+80)], "\n")
	w.below, w.led = true, w.led && w.chosen && isMixed(line) && !strings.ContainsAny(line, " \t:") // alone below a colon
	return true
}

// pass goes past a word, or past what stands before one.
func (w *walk) pass(word string) {
	said := lettersOf(word)
	w.copula = w.isCopula(said)
	switch {
	case isLead(word, said):
		w.direct, w.led = w.direct || word == ":", w.direct || w.use // below a colon it must be good by itself
		w.use = w.use || isSpoken("of", said)
	case said == "", hasField(fillers, said):
	case w.use:
		w.direct, w.led = false, strings.HasSuffix(word, ":")
	case w.direct && (isSpoken("of", said) || word[0] == '('):
		w.use, w.direct, w.led = true, false, strings.HasSuffix(word, ":")
	default:
		w.direct, w.led = strings.HasSuffix(word, ":"), false // what follows must be good by itself
	}
}

// isCopula reports whether a word with these letters, or the one before it, announces the secret ("is").
func (w *walk) isCopula(said string) bool {
	return w.chosen && !w.below && (isSpoken("be", said) && (w.direct || w.use) || w.copula && said == "")
}

// isLead reports whether a word with these letters, or signs without any, lead to a secret.
func isLead(word, said string) bool {
	return said == "" && strings.ContainsAny(word, ":=→—–->：") || isSpoken("link", said)
}

// fillers may stand between a name and its secret without parting them.
const fillers = "should will has have been as the a an it new old here below nueva nuevo nouvelle nouveau neue neues nova novo nuova nieuwe"

// isSentenceEnd reports whether nothing follows i that a name for more than a word would have after it.
func isSentenceEnd(s string, i int) bool {
	i = words.Skip(s, i, 3, "\"'`*)!?.")
	next := strings.TrimLeft(s[i:min(len(s), i+20)], " ")
	return i == len(s) || strings.IndexByte(",;\n}", s[i]) >= 0 || strings.IndexByte(".!?", s[i-1]) >= 0 && s[i] == ' ' || slices.ContainsFunc(spoken()["end"], func(end string) bool {
		return strings.HasPrefix(next, end)
	})
}

// phraseLen returns the length of the words of a passphrase that s begins with: four or
// more, or two in quotes after "is", up to the end of the sentence, and none of those that prose has.
func phraseLen(s string, w walk) int {
	least := 4
	if w.quoted && w.copula {
		least = 2
	}
	s = s[:min(len(s), 120)]
	if end := strings.IndexAny(s, ".,;:!?\n\"'`“”»」)"); end >= 0 {
		s = s[:end]
	}
	if s = strings.TrimRight(s, " \t\r"); !isWords(s, least) || strings.HasSuffix(strings.Fields(s)[0], "ed") {
		return 0
	}
	return len(s)
}

// isWords reports whether s is so many small words or more, and none of those that prose has.
func isWords(s string, least int) bool {
	words := strings.Fields(s)
	return len(words) >= least && !slices.ContainsFunc(words, func(word string) bool {
		return len(word) < 3 || len(word) > 12 || strings.Trim(word, lowers) != "" || isSpoken("no", word) || isSpoken("link", word) || isSpoken("said", word)
	})
}

// findBefore finds a secret before the name s[at:end]: with X as the password, X is the
// root password.
func findBefore(s string, at, end int, w walk, accepts func(word string, w walk) bool) (from, to int) {
	low := max(0, at-80)
	low += strings.LastIndexByte(s[low:at], '\n') + 1
	if w.after || !w.led && !isLast(s[end:]) {
		return 0, 0
	}
	from, to = leadBack(s, low, at)
	if word := s[from:to]; from < to && (isWords(word, 4) || !isStandIn(word) && accepts(word, walk{led: true})) {
		return from, to
	}
	return 0, 0
}

// leadBack returns the word, or more in quotes, that the words before i lead back to, down to low.
func leadBack(s string, low, i int) (from, to int) {
	for led := false; ; {
		stop := low + len(strings.TrimRight(s[low:i], " "))
		if i = low + strings.LastIndexAny(s[low:stop], " \t|") + 1; i == stop {
			return 0, 0
		}
		if open := openQuote(s, low, stop); led && isWords(s[open:stop-1], 4) {
			return open, stop - 1
		}
		from, to = trimWord(s, i, stop)
		word, tail := s[from:to], lettersOf(s[to:stop])
		led = led || isSpoken("as", tail) || word == "" && strings.ContainsAny(s[i:stop], "—–")
		switch {
		case led && word != "":
			return from, to
		case isSpoken("as", lettersOf(s[i:stop])):
			led = true
		case word != "" && (tail != "" || strings.Trim(strings.ToLower(word), lowers+"'-") != ""):
			return 0, 0
		}
	}
}

// openQuote returns where what a quote at the end of s[low:stop] closes begins, or its place.
func openQuote(s string, low, stop int) int {
	last := stop - 1
	if open := strings.LastIndexByte(s[low:last], s[last]); open >= 0 && words.IsQuote(s[last]) {
		return low + open + 1
	}
	return last
}

// isLast reports whether the name before rest is the last word of what it says: no
// password hash, and nothing that is assigned.
func isLast(rest string) bool {
	word := strings.TrimLeft(rest[:min(len(rest), 40)], " ")
	if word == "" || word[0] >= utf8.RuneSelf || word != rest[:len(word)] && !words.IsNameByte(word[0]) {
		return true
	}
	return strings.IndexByte(".,;!?)\n\"'`", rest[0]) >= 0 || rest[0] == ' ' && isSpoken("rest", lettersOf(strings.Fields(word)[0]))
}

// isLabel reports whether the line that ends at i names what comes below it after
// some line breaks: it ends with a colon, or has plain words only.
func isLabel(s string, i, breaks int) bool {
	line := s[max(0, i-100):i]
	line = strings.TrimRight(line[strings.LastIndexByte(line, '\n')+1:], " \t\r*_`>|-")
	if strings.HasSuffix(line, ":") {
		return true
	}
	words := strings.ReplaceAll(strings.Trim(line, " #*-"), " ", "")
	return breaks == 1 && len(line) < 40 && strings.Contains(line, " ") && !strings.ContainsFunc(words, isNoLetter)
}

func isNoLetter(r rune) bool { return r > 0x7f || !words.IsLower(byte(r)|0x20) }

// trimWord returns s[from:to] without the signs that stand around words.
func trimWord(s string, from, to int) (int, int) {
	isAround := func(r rune) bool { return r >= 0x80 || strings.ContainsRune("\"'`*()<>|,;:.=[]{}", r) }
	word := strings.TrimRightFunc(s[from:to], func(r rune) bool { return isAround(r) || r == '-' && strings.Trim(s[from:to], "-=>") == "" })
	if word == "" {
		return to, to
	}
	to = from + len(word)
	return to - len(strings.TrimLeftFunc(word, func(r rune) bool { return isAround(r) || r == '-' || r == '/' })), to
}

func isTokenNear(word string, w walk) bool {
	direct := w.direct || w.led
	if w.led && isStrongValue(word, 12) && !isHex(word) && !isReference(word) && !isKnown(word) && (words.IsDrawn(word) || isMixed(word) && !strings.Contains(word, "/")) {
		return true
	}
	if strings.HasPrefix(word, "0x") && direct {
		return len(word) >= 66 && isHex(word[2:])
	}
	if direct && isMixed(word) && strings.ContainsAny(word, "!#%^*$&") && isStrong(word, direct) {
		return true
	}
	if len(word) < 16 || isOther(word) || !words.IsDrawn(word) {
		return false
	}
	if isHex(word) {
		return direct && len(word) >= 32
	}
	isLong := func(run string) bool { return len(run) >= 14 } // as in names
	return isMixed(word) || direct && len(word) >= 20 && !slices.ContainsFunc(strings.FieldsFunc(word, isNoLetter), isLong)
}

// isKeyNear is isTokenNear for a name that is only key: many things have keys.
func isKeyNear(word string, w walk) bool {
	direct := w.direct || w.led
	if len(word) < 20 || isHex(word) || !direct && len(word) < 24 {
		return false
	}
	return (isMixed(word) || direct && len(word) >= 24) && isTokenNear(word, walk{direct: direct})
}

// isOther reports whether a word has what no token has, or is the form of
// something else: a path, an address, an identifier with parts, a public key.
func isOther(word string) bool {
	isOdd := func(r rune) bool { return r > 0x7f || !words.IsBase64(byte(r)) && r != '.' && r != '~' }
	return strings.ContainsFunc(word, isOdd) || isPathLike(word) || strings.Count(word, "/") > 3 || strings.Count(word, "-") > 3 ||
		strings.HasPrefix(word, "AAAA") || strings.HasPrefix(word, "sha") || isReference(word)
}

// isPasswordNear reports whether a word near the name of a password is one: where
// something leads to it, what people choose is enough.
func isPasswordNear(word string, w walk) bool {
	isLed := w.led && (isChosen(word) || w.quoted && isQuotable(word) || w.last && isOwnWord(word))
	return isStrong(word, w.direct || w.led) || isLed || w.first && isFirst(word)
}

// isQuotable reports whether a word in quotes is one of small letters, perhaps with hyphens.
func isQuotable(word string) bool {
	return len(word) > 5 && isWords(strings.ReplaceAll(word, "-", " "), 1)
}

// isFirst reports whether a word right behind a name is a password.
func isFirst(word string) bool {
	return len(word) > 6 && isChosen(word) && !strings.ContainsAny(word, "<>(){}[]|/=:,")
}

// isOwnWord reports whether a word after "the password is" is the password, and does not say how it is.
func isOwnWord(word string) bool {
	word = strings.ToLower(word[:1]) + word[1:]
	return len(word) > 4 && strings.Trim(word, lowers+"-") == "" && isPasswordLike(word, assignment{sure: true}) &&
		!isSpoken("no", word) && !isSpoken("link", word) && !isSpoken("of", word) && !predicate.Matches(word)
}

// predicate matches the words that say how something is, by their endings.
var predicate = lazy.New(`(?:ed|ing|[ai]ble|ly|less|ous|[ei]nt|ive|wn|ten|ert|isch|lich|[ai]d[oa]|[aiu]t[oa])$`)

// isChosen reports whether a word that a sentence leads to is a password as people choose
// them, and no name of a thing with digits in it.
func isChosen(word string) bool {
	return isPasswordLike(word, assignment{}) && words.HasDigit(word) && words.HasLetter(word) && !isKnown(word)
}

// isKnown reports whether a word with a digit is a version, a file, or the name of an
// algorithm or of something in code.
func isKnown(word string) bool {
	l := strings.ToLower(word)
	starts := func(known string) bool { return strings.HasPrefix(l, known) }
	return strings.Trim(strings.TrimPrefix(l, "v"), "0123456789.-x:/,") == "" || strings.ContainsAny(word, "_.") && !words.IsDrawn(word) && !isTitled(word) || strings.ToUpper(word) == word && len(word) < 8 ||
		len(l) > 1 && l[0] == 'v' && words.IsDigit(l[1]) && !isMixed(word) ||
		anyField("sha1 sha2 sha3 sha5 md5 base64 base32 utf8 utf-8 argon2 pbkdf2 bcrypt aes- oauth2 http2 http/ aes1 aes2 rsa2 rsa4 ed25519 x509 pkcs1 k8s ipv4 ipv6 1password windows", starts)
}

// isTitled reports whether a word is some with capitals and numbers, as people join them to a password: Plum.Tart.19.
func isTitled(word string) bool {
	isCommon := func(part string) bool { return !words.IsUpper(part[0]) && !words.IsDigit(part[0]) }
	return isMixed(word) && !slices.ContainsFunc(strings.FieldsFunc(word, func(r rune) bool { return r == '_' || r == '.' }), isCommon)
}

// isStrong reports whether a word is a password by itself, near the name of one: people mix
// letters, digits and signs, or take what a program drew.
func isStrong(word string, direct bool) bool {
	if len(word) < 8 || len(word) > 64 || strings.ContainsAny(word, "()[]{}<>\"'`,;|\\:") || isPathLike(word) {
		return false
	}
	if isReference(word) || !words.HasLetter(word) || isAddress(word) || strings.HasPrefix(word, "0x") {
		return false
	}
	if !words.HasDigit(word) {
		return direct && isMixedLot(word)
	}
	return isLot(word, direct) || hasSign(word, direct)
}

// isMixedLot reports whether a word without digits is one that a program drew.
func isMixedLot(word string) bool {
	return isMixed(word) && !words.IsWordy(word) && !strings.Contains(word, "$") && (hasSign(word, true) || words.IsDrawn(word))
}

func isAddress(word string) bool {
	_, host, _ := strings.Cut(word, "@")
	return strings.Contains(host, ".") && !strings.ContainsAny(word, "!#%^*?$&~")
}

// isLot reports whether a word is long enough for one that a program drew.
func isLot(word string, direct bool) bool {
	least := 12
	if direct {
		least = 10
	}
	return len(word) >= least && isMixed(word) && words.IsDrawn(word) || direct && len(word) >= 16 && isOpaque(word)
}

func hasSign(word string, direct bool) bool {
	inner := word[1 : len(word)-1] // a sentence may end with a sign
	if direct && isMixed(word) {
		inner = word[1:]
	}
	return strings.ContainsAny(inner, "!#%^*+?@$&~") && !strings.Contains(word, "/") && (direct || isMixed(word))
}

// isMixed reports whether a word has small letters and capitals.
func isMixed(word string) bool {
	return strings.ToLower(word) != word && strings.ToUpper(word) != word
}

func isHex(s string) bool { return strings.Trim(s, "0123456789abcdefABCDEF") == "" }
