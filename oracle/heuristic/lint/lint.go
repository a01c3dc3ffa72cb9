// Package lint knows what linters say: which rules of theirs an output shows to be broken.
// Everything is pure.
package lint

import (
	"slices"
	"strings"

	"mem/lazy"
	"mem/oracle/heuristic/shell"
)

// Lints reports whether a command checks how code is written.
func Lints(s shell.Simple) bool {
	switch s.Program {
	case "ruff", "eslint", "biome", "golangci-lint", "markdownlint", "markdownlint-cli2", "flake8", "pylint", "shellcheck", "stylelint", "rubocop":
		return true
	}
	return s.Family() == "cargo clippy"
}

// Rewrites reports whether a command changes the layout of files.
func Rewrites(s shell.Simple) bool {
	has := func(flags ...string) bool {
		return slices.ContainsFunc(s.Words, func(w shell.Word) bool { return slices.Contains(flags, w.Text) })
	}
	switch s.Program {
	case "black", "isort", "rustfmt":
		return !has("--check", "-l")
	case "gofmt", "goimports", "gofumpt":
		return !has("--check", "-l") && (has("-w", "--fix", "--write") || reRewrites.Matches(s.Sub))
	}
	return !has("--check", "-l") && (has("--fix", "--write") || reRewrites.Matches(s.Sub))
}

// maxRules bounds how many rules of an output are told apart.
const maxRules = 12

// FindRules returns the broken rules of linters that an output shows, a code and what it
// says of each.
func FindRules(out string) []string {
	var rules []string
	for _, m := range reRule.Get().FindAllStringSubmatch(out, -1) {
		if rule := shell.HideQuoted(strings.TrimSpace(m[1])); len(rules) < maxRules && !strings.HasPrefix(rule, "TS") && !slices.Contains(rules, rule) {
			rules = append(rules, rule)
		}
	}
	return rules
}

// ShowLimit writes what a linter says of a broken rule with what broke it left out, and of
// numbers the limit alone.
func ShowLimit(rule string) string {
	return reOver.Get().ReplaceAllString(reBreaker.Get().ReplaceAllString(rule, "…"), "more than $1")
}

// DescribeRules says what the rules demand that a command checks, or the program that a hook
// of "git commit" runs, in which kind of files, as far as the output tells.
func DescribeRules(command, out string, rules []string) string {
	by := shell.Code(command)
	if command == "git commit" {
		by = "a hook of `git commit`"
		if m := reHooked.Get().FindStringSubmatch(out); m != nil {
			by = shell.Code(m[1]+m[2]) + ", " + by
		}
	}
	kinds := map[string]bool{}
	kind := ""
	for _, m := range reFile.Get().FindAllStringSubmatch(out, -1) {
		kind, kinds[m[1]] = m[1], true
	}
	if len(kinds) == 1 {
		by += ", in " + shell.Code("*."+kind) + " files"
	}
	var text string
	for i, rule := range rules {
		code, message, _ := strings.Cut(rule, " ")
		if code = shell.Code(strings.TrimRight(code, ":")); i == 0 {
			text = "Rule " + code + " of " + by + ": " + demand(message)
		} else {
			text += "; " + code + ": " + demand(message)
		}
	}
	return text
}

// demand words as a rule what a linter says of what breaks it.
func demand(message string) string {
	message = strings.TrimSpace(message)
	switch what, found := strings.CutPrefix(message, "… is "); {
	case found:
		return "nothing may be " + what
	case reDemands.Matches(message):
		return strings.ToLower(message[:1]) + message[1:]
	}
	return "it refuses '" + message + "'"
}

var (
	reBreaker  = lazy.New("['`\"][\\w.]+['`\"]")
	reOver     = lazy.New(`\b\d+ ?[>/] ?(\d+)\b`)
	reDemands  = lazy.New(`\b(?:should|must)\b`)
	reRewrites = lazy.New(`(?:^|[ :-])(?:fmt|format|fix)$`)
	reRule     = lazy.New(`(?m)(?:^|[\s:])([A-Z]{1,5}\d{3,4}(?:/[\w-]+)?:? +[A-Z\x60][^\n\[]{8,90})`)
	// reHooked matches the program that a hook says has failed, as lint-staged and pre-commit do.
	reHooked = lazy.New(`(?m)^(?:[✖×] |\[FAILED\] |- hook id: )([a-z][\w-]+)|^([a-z][\w-]+)\.{3,}.*Failed$`)
	reFile   = lazy.New(`(?m)^(?:\s*--> )?[\w./-]+\.([a-z]{1,5}):\d+\b`)
)
