package speech

import (
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// wordSet returns the test whether a word, in any letters, is one of a list of
// words in small letters between white space, which is read on first use.
func wordSet(list string) func(word string) bool {
	set := sync.OnceValue(func() map[string]bool {
		words := map[string]bool{}
		for w := range strings.FieldsSeq(list) {
			words[w] = true
		}
		return words
	})
	return func(word string) bool { return set()[strings.ToLower(word)] }
}

// isVerb: the base forms of what an instruction to a coding agent starts with.
var isVerb = wordSet(`
add adjust allow amend append apply ask assume attach backport base batch block branch break bring build bump bypass cache
call capture cast catch change check checkout choose clean clear clone close collapse combine comment commit compare compile
compress compute configure connect consult convert copy create cut debug declare default define delete deploy derive describe
disable document downgrade download drop dump duplicate edit embed emit enable encode enforce ensure escape execute expect
export expose extend extract fetch fill filter find finish fix fold follow force forget fork format freeze generate get give go
group guess handle hardcode hide hoist ignore implement import include indent inherit inline insert inspect install introduce
invent invoke isolate join keep kill launch leave limit link lint list load lock log look lower make manage mark match measure
merge migrate mirror mix mock modify mount move mutate name nest normalize obtain omit open order overwrite override parse pass
patch pick pin place point poll prefer prefix preserve print propose publish pull push put query quote raise read rebase rebuild
recreate redefine refactor reference reformat regenerate register release reload rely remove rename render reorder repeat replace
report request require rerun reset resolve respect restart restore retry return reuse revert review rewrite round run save scan
schedule search seed send separate serialize set share ship show silence simplify skip sort split squash stage start stash stick
stop store strip stub submit suppress swallow swap switch sync tag take target test throw touch track translate treat trim truncate prune purge flush nuke enlarge shrink reindent rewire pollute stringify concatenate interpolate leak fake spawn
restructure reinvent reimplement paste post email mention sign bundle minify transpile vary iterate loop
trust tweak type undo uninstall unwrap update upgrade upload use validate vendor verify wait wipe wire wrap write`)

var (
	// doublesLast: verbs that double their last letter before "ing".
	doublesLast = wordSet(`
commit cut debug drop forget get log put rerun run set ship skip split squat stop strip stub submit swap trim unwrap wrap zip pin tag
omit begin plan reset snap map scan chop clip hit let quit spin unset`)
	// isOutputVerb: verbs that are more often said of a program's output than of
	// an agent's work.
	isOutputVerb = wordSet("show display render hide highlight wrap sort repeat trim return list load send save")
	// followsNo: words that begin a "no X" that does not ask for X to be left out.
	followsNo = wordSet(`
need problem problems worries thanks idea rush way more one luck longer it it's that that's this you we i the not matter changes error
errors output comment wait clue use difference dice response reason worry doubt they there just still issue issues don't but sorry thank
go i'm results result`)
	// isForPeople: words that begin a "they must never" that is not a rule about things.
	isForPeople = wordSet("it this that they there he she i which you we users user")
	// isVague: words that point at something that only those present could see.
	isVague = wordSet(`
it it's that that's this them those these one so both stuff thing things something anything shit what whatever there here again
ahead him her back yourself you i another yet now which they he she if bot`)
	// isSwearWord: words that carry no meaning.
	isSwearWord = wordSet("fucking fuckoing damn goddamn bloody freaking ffs wtf omfg omg lol haha")
	// isDangling: words that do not end a whole sentence.
	isDangling = wordSet("it that this them those these there one the a an of to and or with as")
)

// gerund turns "delete" into "deleting"; ok is false for words that are not
// known verbs.
func gerund(verb string) (ing string, ok bool) {
	v := strings.ToLower(verb)
	switch {
	case v == "be" || v == "do" || v == "try":
		return v + "ing", true
	case v == "have":
		return "having", true
	case !isVerb(v):
		return "", false
	case doublesLast(v):
		return v + v[len(v)-1:] + "ing", true
	case strings.HasSuffix(v, "e") && !strings.HasSuffix(v, "ee"):
		return v[:len(v)-1] + "ing", true
	}
	return v + "ing", true
}

// fromGerund returns w, spelled right, if it is the "ing" form of a known verb.
func fromGerund(w string) (string, bool) {
	stem, ok := strings.CutSuffix(strings.ToLower(w), "ing")
	if !ok || len(stem) < 2 {
		return "", false
	}
	for _, b := range []string{stem, stem + "e", stem[:len(stem)-1]} {
		if g, ok := gerund(b); ok && b != "have" {
			return g, true
		}
	}
	return "", false
}

// participles leads from those of irregular verbs to their base forms.
var participles = readPairs(`
run run read read written write put put kept keep made make built build taken take set set sent send found find left leave gotten get
got get given give chosen choose thrown throw split split cut cut`)

// readPairs reads, on first use, a list of words and what each leads to.
func readPairs(list string) func() map[string]string {
	return sync.OnceValue(func() map[string]string {
		pairs := map[string]string{}
		for pair := range slices.Chunk(strings.Fields(list), 2) {
			pairs[pair[0]] = pair[1]
		}
		return pairs
	})
}

// baseForm turns "run" or "used" behind "should have" into the base form; ok is
// false for words that are not known verbs.
func baseForm(participle string) (verb string, ok bool) {
	p := strings.ToLower(participle)
	if b := participles()[p]; b != "" {
		return b, true
	}
	stems := []string{strings.TrimSuffix(p, "d")}
	if s, ok := strings.CutSuffix(p, "ed"); ok {
		stems = append(stems, s)
		if len(s) > 2 && s[len(s)-1] == s[len(s)-2] {
			stems = append(stems, s[:len(s)-1])
		}
	}
	for _, s := range stems {
		if s != p && isVerb(s) {
			return s, true
		}
	}
	return "", false
}

// doing rewrites "delete tests" as "deleting tests", with verbs that hang on it by
// "or" and "and". A command set as code is run.
func doing(phrase string) (string, bool) {
	words := strings.Fields(phrase)
	if len(words) == 0 {
		return "", false
	}
	if strings.HasPrefix(phrase, "`") {
		return "running " + phrase, true
	}
	if words[0] == "just" && len(words) > 1 {
		words = words[1:]
	}
	at := 0
	if len(words) > 1 && isVerb(words[1]) && slices.Contains([]string{"force", "hard", "squash", "auto"}, words[0]) {
		at = 1 // "force push"
	}
	head, tail := "", strings.TrimRight(words[at], ",;")
	mark := words[at][len(tail):]
	if i := strings.LastIndexByte(tail, '-'); i > 0 {
		head, tail = tail[:i+1], tail[i+1:] // "force-push"
	}
	g, ok := gerund(tail)
	if !ok {
		return "", false
	}
	words[at] = head + g + mark
	for i := 1; i+1 < len(words); i++ {
		g, ok := gerund(words[i+1])
		if ok && (words[i] == "or" || words[i] == "and" && i == 1) {
			words[i+1] = g
		}
	}
	return strings.Join(words, " "), true
}

// slips leads from what people mistype in a hurry to what they mean.
var slips = readPairs(`
dont don't dont' don't do'nt don't don´t don't don’t don't plase please pls please plz please pleae please teh the hte the
commiting committing comit commit comimt commit shoud should shuold should alway always allways always alwasy always alwyas always
nver never fo of isntead instead instad instead doesnt doesn't shouldnt shouldn't cant can't conosle console`)

// firstWord returns the first word of a text without the marks around it.
func firstWord(s string) string {
	w, _, _ := strings.Cut(strings.TrimSpace(s), " ")
	return strings.Trim(w, ",.;:!")
}

// upperFirst makes the first letter of a sentence large, unless it is code.
func upperFirst(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	if n == 0 || isCode(firstWord(s)) || strings.ContainsAny(strings.SplitN(s, " ", 2)[0], "_/.()") {
		return s
	}
	return string(unicode.ToUpper(r)) + s[n:]
}

// LowerFirst makes the first letter small, unless it begins a name.
func LowerFirst(s string) string {
	w := strings.SplitN(s, " ", 2)[0]
	r, n := utf8.DecodeRuneInString(w)
	if n == 0 || w == "I" || strings.ToLower(w[n:]) != w[n:] {
		return s
	}
	return string(unicode.ToLower(r)) + s[n:]
}
