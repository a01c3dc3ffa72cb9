package heuristic

import (
	"slices"
	"strings"
)

// isTool reports whether a word surely names a program that work is done
// with. Programs with the name of an English word are left out.
func isTool(w string) bool {
	w = strings.ToLower(w)
	switch w {
	case "bun", "yarn", "deno", "docker", "podman", "poetry", "pipenv", "pdm", "conda", "cargo", "jest", "vitest", "mocha", "prettier",
		"webpack", "vite", "gradle", "mvn", "bazel", "terraform", "helm", "nvim", "python", "git", "gh", "glab", "tox", "nox", "pipx",
		"pylint", "flake8", "playwright", "cypress", "unittest", "ts-node", "docker-compose", "gmake", "gsed", "nvm", "mise":
		return true
	}
	return isProgram(w)
}

// rivals reports whether a person can mean b as a choice over a. Unlike kin,
// the two need not do the same with the same arguments.
func rivals(a, b string) bool {
	for _, group := range [][]string{
		{"pip", "pip3", "pipx", "uv", "poetry", "pipenv", "pdm", "conda"}, {"jest", "vitest", "mocha"}, {"pytest", "unittest", "nose"},
		{"black", "ruff", "flake8", "pylint", "isort"}, {"prettier", "biome", "eslint"}, {"gofmt", "gofumpt", "goimports"},
		{"webpack", "vite", "esbuild", "rollup"}, {"grep", "rg"}, {"find", "fd"}, {"curl", "wget", "httpie"}, {"make", "just", "task"},
		{"npx", "bunx", "pnpm", "yarn"}, {"mvn", "gradle", "bazel"}, {"playwright", "cypress", "selenium"},
	} {
		if slices.Contains(group, a) && slices.Contains(group, b) {
			return true
		}
	}
	return kin(a, b)
}

// namesTool reports whether text holds a tool or a command such as "make test".
func namesTool(text string) bool {
	words := strings.Fields(text)
	for i, w := range words {
		if isTool(toolWord(w)) || commandLength(words[i:]) > 1 {
			return true
		}
	}
	return false
}

// toolWord strips a word of marks and backticks.
func toolWord(w string) string { return strings.Trim(w, "`'\",.;:!?()") }

// rival returns the program the agent just ran for which choice can stand in,
// or "".
func (sc scene) rival(choice string) string {
	choice = strings.ToLower(strings.Trim(choice, "`"))
	if choice == "" || slices.Contains(sc.ran, choice) {
		return ""
	}
	for _, p := range sc.ran {
		if rivals(p, choice) {
			return p
		}
	}
	return ""
}

// ranBefore returns the programs that the agent ran between two steps.
func (s *timeline) ranBefore(from, to int) []string {
	var out []string
	for _, c := range s.calls {
		if c.at <= from || c.at >= to || c.subagent {
			continue
		}
		for _, seg := range c.cmd.segs {
			if seg.program != "" && !prepares(seg.program) {
				out = append(out, seg.program)
			}
		}
	}
	return out
}

// toolPair: "pnpm, not npm", "it's pnpm instead of npm": two names of a kind.
func toolPair(m []string, r remark, _ scene) (heard, bool) {
	return preferred(m[1], m[2], m[3], r)
}

// turnedPair: "not npm, pnpm".
func turnedPair(m []string, r remark, _ scene) (heard, bool) {
	return preferred(m[2], "not", m[1], r)
}

// preferred words the choice between two tools that can stand in for each
// other, or, after a no, between two identifiers.
func preferred(x, how, y string, r remark) (heard, bool) {
	x, y = toolWord(x), toolWord(y)
	a, b := strings.ToLower(x), strings.ToLower(y)
	names := r.no && reName().MatchString(x) && reName().MatchString(y)
	if a == b || !names && (!rivals(a, b) || !isTool(a) && !isTool(b)) {
		return heard{}, false
	}
	sep := " "
	if how = strings.ToLower(how); strings.HasSuffix(how, "not") {
		sep = ", "
	}
	return heard{side: fix, text: "use " + code(x) + sep + how + " " + code(y)}, true
}

// loneTool: "no, pnpm", "wrong: it's pnpm".
func loneTool(m []string, r remark, sc scene) (heard, bool) {
	return heard{side: fix, text: "use " + m[1], choice: firstChoice(m[1])}, r.no && sc.rival(m[1]) != ""
}

// reName matches names in code that cannot be English words.
var reName = lazy(`^(?:[a-zA-Z]\w*(?:_\w+)+|[a-z]+[A-Z]\w*|[A-Z][a-z0-9]+[A-Z]\w*|\w+\(\))$`)
