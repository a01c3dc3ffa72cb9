package redistill

import (
	"regexp"
	"strings"
	"sync"

	"mem/index"
)

// BuiltIn is the name of the rules that need no model.
const BuiltIn = "built-in"

// A rule is one safe rewording. It removes what cannot matter elsewhere and
// adds nothing.
type rule struct {
	name    string
	global  bool // only in wording for all projects
	pattern func() *regexp.Regexp
	with    string
}

func lazily(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}

var rules = [...]rule{
	{"ticket numbers", true, lazily(`\s*[\[(]?\b[A-Z][A-Z0-9]{1,9}-\d{1,6}\b[\])]?:?`), ""},
	{"issue numbers", true, lazily(`\s*[\[(]?(?:\b[Ii]ssue |\bPR |\B)#\d{1,6}\b[\])]?:?`), ""},
	{"line numbers", true, lazily(`(\.[a-z]{1,5})(?::\d+(?::\d+)?\b|, line \d+\b)`), "$1"},
	{"absolute paths", true, lazily(`(?:/(?:home|Users|root|tmp|var|opt|usr|srv|mnt|workspace)/|\b[A-Za-z]:\\)[^\s` + "`" + `'",;)]*[/\\]([^\s/\\` + "`" + `'",;)]+)`), "$1"},
	{"spaces before punctuation", true, lazily(`\s+([,.;:])(\s|$)`), "$1$2"},
}

// keep is what a pattern must not take although it looks like a ticket:
// standards that carry meaning.
var keep = lazily(`^\s*[\[(]?(?:UTF|SHA|ISO|RFC|CVE|ES|AES|RSA|HTTP|IEEE|MD|TLS|CP|GB|PEP|X)-\d`)

// Simplify rewords a lesson by rules alone and names those it used: white
// space and, in wording for all projects, ticket and line numbers and the
// folders of absolute paths. It never touches a text that would become empty
// or lose a backtick pair.
func Simplify(text string, global bool) (after, why string) {
	var used []string
	after = index.Fold(text)
	if after != text {
		used = append(used, "white space")
	}
	for _, r := range rules {
		if r.global && !global {
			continue
		}
		next := r.pattern().ReplaceAllStringFunc(after, func(m string) string {
			if keep().MatchString(m) {
				return m
			}
			return r.pattern().ReplaceAllString(m, r.with)
		})
		next = index.Fold(next)
		if next == after || index.StripAvoid(next) == "" || strings.Count(next, "`")%2 != strings.Count(after, "`")%2 {
			continue
		}
		after = next
		used = append(used, r.name)
	}
	return after, strings.Join(used, ", ")
}
