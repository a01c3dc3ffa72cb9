package heuristic

import (
	"path"
	"slices"
	"strings"
)

// paths knows where the project of a session lies, so that what is shown can
// be written relative to it.
type paths struct{ root string }

// maxSeen bounds the paths that are looked at to find the root.
const maxSeen = 400

// newPaths guesses the project's root from the absolute paths that calls
// name: the deepest folder that holds most of them, cut before the first
// folder that is usually inside a project.
func newPaths(calls []*call) paths {
	var seen []string
	for _, c := range calls {
		for _, p := range []string{c.args.file, c.cmd.dir} {
			if strings.HasPrefix(p, "/") && !isTemp(p) && !slices.Contains(seen, p) && len(seen) < maxSeen {
				seen = append(seen, path.Clean(p))
			}
		}
	}
	counts := map[string]int{}
	for _, p := range seen {
		for d := p; d != "/" && d != "."; d = path.Dir(d) {
			counts[d]++
		}
	}
	best := ""
	for d, n := range counts {
		if 5*n >= 3*len(seen) && strings.Count(d, "/") >= 2 && (len(d) > len(best) || len(d) == len(best) && d < best) {
			best = d
		}
	}
	if slices.Contains(seen, best) && path.Ext(best) != "" {
		best = path.Dir(best)
	}
	return paths{root: beforeInside(best)}
}

// beforeInside cuts a path before the first folder that is usually inside a
// project rather than above one.
func beforeInside(p string) string {
	parts := strings.Split(p, "/")
	for i, part := range parts {
		if i < 3 {
			continue // "", home or Users, the user
		}
		switch part {
		case "src", "cmd", "pkg", "internal", "packages", "apps", "app", "lib", "test", "tests", "docs", "components",
			"crates", "server", "client", "scripts", "node_modules", ".claude", ".github":
			return strings.Join(parts[:i], "/")
		}
	}
	if len(parts) < 4 && (len(parts) < 2 || parts[1] == "home" || parts[1] == "Users") {
		return ""
	}
	return p
}

// show writes text without absolute paths where shorter ones are known and
// without the names of temporary folders.
func (p paths) show(s string) string {
	if p.root != "" {
		s = strings.ReplaceAll(s, "file://"+p.root+"/", "")
		s = strings.ReplaceAll(s, p.root+"/", "")
		s = replaceWhole(s, p.root, ".")
	}
	s = reTemp().ReplaceAllString(s, "/tmp/…")
	return reHome().ReplaceAllString(s, "~$1")
}

// file returns the name of a file as shown in a lesson.
func (p paths) file(name string) string {
	return p.show(strings.TrimPrefix(name, "./"))
}

// dir returns the name of a folder as shown in a lesson; "" is the root.
func (p paths) dir(name string) string {
	d := strings.TrimSuffix(p.show(name), "/")
	if d == "." {
		return ""
	}
	return strings.TrimPrefix(d, "./")
}

// isTemp reports whether a path lies in a folder for temporary files.
func isTemp(p string) bool {
	for _, t := range []string{"/tmp/", "/private/tmp/", "/var/folders/", "/dev/", "/proc/", "$TMPDIR", "${TMPDIR"} {
		if strings.HasPrefix(p, t) {
			return true
		}
	}
	return p == "/tmp"
}

// replaceWhole replaces old where no further path follows it.
func replaceWhole(s, old, new string) string {
	var b strings.Builder
	for {
		before, after, ok := strings.Cut(s, old)
		b.WriteString(before)
		if !ok {
			return b.String()
		}
		if after == "" || strings.ContainsRune(" '\"`:;,)]", rune(after[0])) {
			b.WriteString(new)
		} else {
			b.WriteString(old)
		}
		s = after
	}
}

var (
	reTemp = lazy("(?:/private)?(?:/tmp|/var/folders|\\$\\{?TMPDIR\\}?)/[^\\s'\"`:,;)\\]]+")
	reHome = lazy(`(?:/Users|/home)/[^/\s'"]+((?:/|\b))`)
)
