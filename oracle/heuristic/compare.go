package heuristic

import (
	"slices"
	"strings"
)

// equalWords reports whether two commands are the same but for settings and
// runner.
func equalWords(a, b simple) bool {
	return slices.EqualFunc(a.words, b.words, func(x, y word) bool { return x.val == y.val })
}

// plain is a command without its settings.
func plain(c simple) simple {
	c.env = nil
	return c
}

// sameJob reports whether two commands do the same with different programs:
// equal arguments, or one run through something else.
func sameJob(a, b simple) bool {
	if a.program == b.program && a.wrapper == b.wrapper {
		return false
	}
	x, y := a.operands(), b.operands()
	switch {
	case slices.Equal(x, y):
		return kin(a.program, b.program) && (len(x) > 0 || a.program == b.program || stem(a.program) == stem(b.program))
	case b.program == "docker" && a.program == "docker-compose":
		return len(y) > 0 && y[0] == "compose" && slices.Equal(x, y[1:])
	case managers(a.program) && managers(b.program):
		return verb(x) != "" && verb(x) == verb(y) && slices.Equal(operandsOnly(x), operandsOnly(y))
	}
	return false
}

// kin reports whether two programs are known to stand in for each other.
func kin(a, b string) bool {
	if a == b || stem(a) == stem(b) || managers(a) && managers(b) {
		return true
	}
	for _, group := range [][]string{
		{"python", "python3", "py"}, {"pip", "pip3", "pipx"}, {"grep", "ggrep", "egrep"}, {"sed", "gsed"}, {"timeout", "gtimeout"},
		{"make", "gmake"}, {"vim", "nvim"}, {"docker", "podman"}, {"mvn", "mvnw"}, {"gradle", "gradlew"}, {"node", "bun", "deno", "tsx", "ts-node"},
		{"date", "gdate"}, {"readlink", "greadlink"}, {"awk", "gawk"}, {"eslint", "biome"}, {"tsc", "tsgo"}, {"rake", "rails"},
	} {
		if slices.Contains(group, a) && slices.Contains(group, b) {
			return true
		}
	}
	return false
}

// stem is a program's name without a version.
func stem(p string) string { return strings.TrimRight(p, "0123456789.") }

// managers reports whether p is a package manager of the JavaScript world.
func managers(p string) bool {
	return slices.Contains([]string{"npm", "pnpm", "yarn", "bun"}, p)
}

// verb returns what a package manager is asked to do, with synonyms folded.
func verb(args []string) string {
	words := operandsOnly(args)
	if len(words) == 0 {
		return "install"
	}
	switch words[0] {
	case "i", "ci", "install", "add":
		return "install"
	case "run":
		if len(words) > 1 {
			return words[1]
		}
	}
	return words[0]
}

// operandsOnly leaves out flags and the verbs that managers disagree on.
func operandsOnly(args []string) []string {
	var out []string
	for _, a := range args {
		if !strings.HasPrefix(a, "-") && !slices.Contains([]string{"i", "ci", "install", "add", "run"}, a) {
			out = append(out, a)
		}
	}
	return out
}

// difference returns the arguments of a that b lacks.
func difference(a, b simple) []string {
	have := b.operands()
	var out []string
	for _, x := range a.operands() {
		if i := slices.Index(have, x); i >= 0 {
			have = slices.Delete(slices.Clone(have), i, i+1)
			continue
		}
		out = append(out, x)
	}
	return out
}

// related reports whether two commands of a family are about the same thing.
func related(a, b simple) bool {
	x, y := a.operands(), b.operands()
	shared := 0
	for _, v := range x {
		if slices.Contains(y, v) {
			shared++
		}
	}
	return shared >= 1 && 3*shared >= max(len(x), len(y))
}

// blamed reports whether an error names one of the arguments.
func blamed(args []string, line string) bool {
	return slices.ContainsFunc(args, func(a string) bool {
		name, _, _ := strings.Cut(strings.TrimLeft(a, "-"), "=")
		return len(name) > 0 && containsWord(strings.ReplaceAll(line, "-", " "), strings.ReplaceAll(name, "-", " "))
	})
}

// onlyShows reports whether a flag changes what is printed and nothing else.
func onlyShows(flag string) bool {
	name, _, _ := strings.Cut(flag, "=")
	switch name {
	case "-v", "-vv", "-vvv", "--verbose", "--debug", "-q", "--quiet", "-s", "--silent", "-count", "--oneline", "--stat", "-n",
		"--color", "--no-color", "--json", "--nocapture", "--help", "-h", "--version", "-x", "-l", "--name-only", "-1", "-5", "-10",
		"--tb", "-run", "--dry-run", "--reporter", "--porcelain", "--short", "--no-pager":
		return true
	}
	return false
}
