package heuristic

import (
	"slices"
	"strings"
	"sync"
)

// verbs are the words that an instruction to a coding agent starts with.
var verbs = sync.OnceValue(func() map[string]bool {
	m := map[string]bool{}
	for _, v := range strings.Fields(`
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
trust tweak type undo uninstall unwrap update upgrade upload use validate vendor verify wait wipe wire wrap write`) {
		m[v] = true
	}
	return m
})

// isVerb reports whether w is a verb in its base form.
func isVerb(w string) bool { return verbs()[strings.ToLower(w)] }

// gerund turns "delete" into "deleting"; ok is false for words that are no
// known verbs.
func gerund(verb string) (string, bool) {
	v := strings.ToLower(verb)
	switch {
	case v == "be" || v == "do" || v == "try":
		return v + "ing", true
	case v == "have":
		return "having", true
	case !isVerb(v):
		return "", false
	case doubles(v):
		return v + v[len(v)-1:] + "ing", true
	case strings.HasSuffix(v, "ie"):
		return v[:len(v)-2] + "ying", true
	case strings.HasSuffix(v, "e") && !strings.HasSuffix(v, "ee"):
		return v[:len(v)-1] + "ing", true
	}
	return v + "ing", true
}

// doubles reports whether a verb doubles its last letter before "ing".
func doubles(v string) bool {
	return slices.Contains(strings.Fields(`
commit cut debug drop forget get log put rerun run set ship skip split squat stop strip stub submit swap trim unwrap wrap zip pin tag
omit begin plan reset snap map scan chop clip hit let quit spin unset`), v)
}

// base turns "run" or "used" behind "should have" into the base form.
func base(participle string) (string, bool) {
	p := strings.ToLower(participle)
	irregular := map[string]string{
		"run": "run", "read": "read", "written": "write", "put": "put", "kept": "keep", "made": "make", "built": "build",
		"taken": "take", "set": "set", "sent": "send", "found": "find", "left": "leave", "gotten": "get", "got": "get", "given": "give",
		"chosen": "choose", "thrown": "throw", "split": "split", "cut": "cut",
	}
	if b, ok := irregular[p]; ok {
		return b, true
	}
	for _, b := range []string{strings.TrimSuffix(p, "d"), strings.TrimSuffix(p, "ed")} {
		if b != p && isVerb(b) {
			return b, true
		}
	}
	if s, ok := strings.CutSuffix(p, "ed"); ok && len(s) > 2 && s[len(s)-1] == s[len(s)-2] && isVerb(s[:len(s)-1]) {
		return s[:len(s)-1], true
	}
	return "", false
}

// fromGerund reports whether w is the "ing" form of a known verb and returns
// it spelled right.
func fromGerund(w string) (string, bool) {
	stem, ok := strings.CutSuffix(strings.ToLower(w), "ing")
	if !ok || len(stem) < 2 {
		return "", false
	}
	for _, b := range []string{stem, stem + "e", stem[:len(stem)-1]} {
		if b == "be" || b == "do" || b == "try" || isVerb(b) {
			g, _ := gerund(b)
			return g, true
		}
	}
	return "", false
}

// doing rewrites "delete tests" as "deleting tests", with further verbs that
// hang on it by "or" and "and". A command set as code is run.
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
	if len(words) > 1 && isVerb(words[1]) && (words[0] == "force" || words[0] == "hard" || words[0] == "squash" || words[0] == "auto") {
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
		if words[i] == "or" || words[i] == "and" {
			if g, ok := gerund(words[i+1]); ok && (i == 1 || words[i] == "or") {
				words[i+1] = g
			}
		}
	}
	return strings.Join(words, " "), true
}

// respell mends the few slips that people make most when typing in a hurry.
func respell(w string) string {
	switch strings.ToLower(w) {
	case "dont", "dont'", "do'nt", "don´t", "don’t":
		return "don't"
	case "plase", "pls", "plz", "pleae":
		return "please"
	case "teh", "hte":
		return "the"
	case "commiting":
		return "committing"
	case "comit", "comimt":
		return "commit"
	case "shoud", "shuold":
		return "should"
	case "alway", "allways", "alwasy", "alwyas":
		return "always"
	case "nver":
		return "never"
	case "fo":
		return "of"
	case "isntead", "instad":
		return "instead"
	case "doesnt":
		return "doesn't"
	case "shouldnt":
		return "shouldn't"
	case "cant":
		return "can't"
	case "conosle":
		return "console"
	}
	return w
}
