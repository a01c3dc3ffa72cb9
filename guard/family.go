package guard

import (
	_ "embed" // for the families
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"mem/lazy"
	"mem/words"
)

//go:embed families.txt
var familyTable string

// value matches what separates a name in families.txt from its value. assigned does so after the name
// of a vendor, which alone is too little: FASTLY_API_TOKEN=, "fastlyKey": ", fastly token is.
// authorization is the header, up to its scheme.
const (
	value         = `["'\]]{0,2}(?:\s{0,3}(?:=>|:=|=|:)|\sis\s|\s)\s{0,3}["']?`
	authorization = `(?i:authorization)["'\x60\]*\\]{0,3}\s{0,8}[:=!][:=>]{0,2}\s{0,8}[bfruL@]?["'\x60]?`
	assigned      = `[\w. -]{0,20}(?i:key|token|secret|auth|password)[\w-]{0,8}` + value
	uuid          = `[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}`
)

// looks and checks are what families.txt names.
var (
	looks = map[string]func(text string, at int) (from, to int){
		"pem-block": findPEMBlock, "pem-tail": findPEMTail, "jwt": findJWT, "url": findURLPassword, "command": findCommandSecret, "stored": findStored,
		"piped": findPiped, "code": findOneTimeCode, "password": findPassword, "login": findLogin, "token": findToken,
	}
	checks = map[string]func(secret string) bool{
		"has-digit": words.HasDigit, "is-drawn": words.IsDrawn, "is-random": words.IsRandom, "is-chosen": isChosen, "is-literal": isLiteral, "is-logged": isLogged, "is-opaque": isOpaque,
		"is-argument": func(s string) bool { // that a call gets after a user
			return isPasswordLike(s, assignment{quoted: true, called: true}) && !isPathLike(s) && !isKnown(s)
		},
		"is-cookie":     func(s string) bool { return isLiteral(s[strings.IndexByte(s, '=')+1:]) },          // name=value
		"is-credential": func(s string) bool { return isLiteral(s) && (words.HasDigit(s) || len(s) >= 20) }, // behind the scheme of a header
		"is-strong":     func(s string) bool { return isStrongValue(s, 12) },
		"is-password":   func(s string) bool { return isPasswordLike(s, assignment{}) },
	}
)

func readFamilies() (tokens, contexts []family) {
	parts := strings.NewReplacer("{assigned}", assigned, "{authorization}", authorization, "{value}", value, "{uuid}", uuid)
	for line := range strings.Lines(familyTable) {
		columns := strings.Split(strings.TrimRight(line, "\r\n"), "\t")
		if strings.HasPrefix(line, "# Contexts") {
			tokens, contexts = contexts, nil
		}
		if len(columns) < 4 {
			continue // a comment
		}
		how := strings.Fields(columns[1])
		f := family{name: columns[0], keys: columns[2], expr: parts.Replace(columns[3]), inside: slices.Contains(how, "inside"), lines: slices.Contains(how, "lines")}
		for _, word := range how {
			switch name, n, _ := strings.Cut(word, "="); name {
			case "back":
				f.back, _ = strconv.Atoi(n)
			case "roles":
				f.roles = strings.ReplaceAll(n, "+", " ")
			case "column":
				f.each = findColumn
			case "manifest":
				f.each = findManifest
			case "inside", "lines":
			default:
				f.look, f.only = looks[name], checks[name]
			}
		}
		contexts = append(contexts, f)
	}
	return tokens, contexts
}

// A family is one kind of secret. To add one, add a line to families.txt.
type family struct {
	// name stands in the replacement. It is lower-case with hyphens.
	name string

	// keys are literals of three bytes or more, separated by spaces and found
	// in any case: where one is found, the family is tried. ␣ stands for a
	// blank in one. Rare ones keep it fast.
	keys string

	// roles are those of the words in all languages that are keys, too; see tongues.txt.
	roles string

	// expr matches the secret from back bytes before the key on. If it has
	// a group, only the group is replaced. Repetitions without an upper
	// bound must come last, or the time taken stops being linear.
	expr string
	back int

	// look stands in for expr where an expression is not enough. It gets
	// the text and the place of the key; an empty range means no.
	look func(text string, at int) (from, to int)

	// each is look for a family that has many secrets after one key.
	each func(text string, at int, found func(from, to int))

	// inside lets the match begin within a word; lines says that it runs
	// over line breaks by itself.
	inside, lines bool

	// only, if set, has the last word on what would be replaced.
	only func(secret string) bool
}

// A detector finds secrets. Looking for them does not change it.
type detector struct {
	families []family
	tokens   int            // families[:tokens] are known by their own shape; then comes user:password@host
	exprs    []*lazy.Regexp // by rank: most texts need none
	keys     finder

	privateKey, password int // the ranks of what is called so
}

// sharedDetector is made on first use: a hook that never redacts should not pay for
// it.
var sharedDetector = sync.OnceValue(func() *detector {
	return newDetector(readFamilies())
})

// Prepare begins to make what Scrub looks with, for a caller that reads or waits before it has a text.
func Prepare() { go sharedDetector() }

// newDetector returns a detector of tokens and of secrets that their context gives away.
func newDetector(tokens, contexts []family) *detector {
	d := &detector{
		families: slices.Concat(tokens, contexts),
		tokens:   len(tokens),
	}
	rank := func(name string) int {
		return slices.IndexFunc(d.families, func(f family) bool { return f.name == name })
	}
	d.privateKey, d.password = rank("private-key"), rank("password")
	for rank, f := range d.families {
		d.exprs = append(d.exprs, lazy.New(`\A(?:`+f.expr+`)`))
		keys := f.keys
		for role := range strings.FieldsSeq(f.roles) {
			keys += " " + strings.NewReplacer(" ", "␣", "\n", " ").Replace(strings.Join(spoken()[role], "\n"))
		}
		for word := range strings.FieldsSeq(keys) {
			word = strings.ReplaceAll(strings.ToLower(word), "␣", " ")
			d.keys.add(key{word, rank})
			if first, n := utf8.DecodeRuneInString(word); n > 1 && unicode.ToUpper(first) != first { // the case of other letters is no bit
				d.keys.add(key{string(unicode.ToUpper(first)) + word[n:], rank})
			}
		}
	}
	return d
}

// A finder finds many literals in one pass, in any case. A window of three bytes
// moves over the text; where one of the literals may begin so, each literal that
// does is compared. It costs next to nothing to make, which counts more than the
// last bit of speed: most processes look at a few texts only.
type finder struct {
	at   [windows]uint16 // for each window, the place in keys of those that begin with it, from 1 on
	keys [][]key
}

// A key is a literal in lower case that makes a family worth trying.
type key struct {
	word string
	rank int
}

const (
	window  = 3       // bytes that a key has at least
	windows = 1 << 15 // different ones that are distinguished
)

// slide moves a window on by one byte; the one before the last three has no
// share in it any more. Letters count the same in either case.
func slide(h uint32, c byte) uint32 { return (h<<5 ^ uint32(c|0x20)) % windows }

func (f *finder) add(k key) {
	h := uint32(0)
	for i := range window {
		h = slide(h, k.word[i])
	}
	if f.at[h] == 0 {
		f.keys = append(f.keys, nil)
		f.at[h] = uint16(len(f.keys))
	}
	f.keys[f.at[h]-1] = append(f.keys[f.at[h]-1], k)
}

// each calls found for each key in s, in order of where they begin.
func (f *finder) each(s string, found func(rank, at int)) {
	h := uint32(0)
	for i := 0; i < len(s); i++ {
		h = slide(h, s[i])
		if f.at[h] == 0 || i < window-1 {
			continue
		}
		at := i - (window - 1)
		for _, k := range f.keys[f.at[h]-1] {
			if end := at + len(k.word); end <= len(s) && (s[end-1]^k.word[len(k.word)-1])&^0x20 == 0 && strings.EqualFold(s[at:end], k.word) {
				found(k.rank, at)
			}
		}
	}
}
