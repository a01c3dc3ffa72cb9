package shell

import (
	"path"
	"slices"
	"strings"

	"mem/lazy"
)

// A Project is where the work of a session was done. What is shown of commands
// and errors is written relative to it.
type Project struct {
	Root string // absolute; "" if it is not known
}

// maxPaths bounds the paths that are looked at to find the root.
const maxPaths = 400

// GuessProject guesses the project from the paths that a session names: the
// deepest folder that holds most of the absolute ones, cut before the first
// folder that is usually inside a project.
func GuessProject(named []string) Project {
	var seen []string
	for _, p := range named {
		if strings.HasPrefix(p, "/") && !IsTemporary(p) && !slices.Contains(seen, p) && len(seen) < maxPaths {
			seen = append(seen, path.Clean(p))
		}
	}
	best := deepestFolder(seen)
	if slices.Contains(seen, best) && path.Ext(best) != "" {
		best = path.Dir(best)
	}
	return Project{Root: cutInside(best)}
}

// deepestFolder returns the deepest folder that holds three fifths of the paths.
func deepestFolder(paths []string) string {
	counts := map[string]int{}
	for _, p := range paths {
		for d := p; d != "/" && d != "."; d = path.Dir(d) {
			counts[d]++
		}
	}
	best := ""
	for d, n := range counts {
		if 5*n >= 3*len(paths) && strings.Count(d, "/") >= 2 && (len(d) > len(best) || len(d) == len(best) && d < best) {
			best = d
		}
	}
	return best
}

// cutInside cuts a path before the first folder that is usually inside a project.
func cutInside(p string) string {
	parts := strings.Split(p, "/")
	for i := 3; i < len(parts); i++ { // after "", home or Users, the user
		if listed("src cmd pkg internal packages apps app lib test tests docs components crates server client scripts node_modules .claude .github", parts[i]) {
			return strings.Join(parts[:i], "/")
		}
	}
	if len(parts) < 4 && (len(parts) < 2 || parts[1] == "home" || parts[1] == "Users") {
		return ""
	}
	return p
}

// ShowText writes text with paths relative to the project, and without the names of
// people and of temporary folders.
func (p Project) ShowText(s string) string {
	if p.Root != "" {
		s = strings.ReplaceAll(s, "file://"+p.Root+"/", "")
		s = strings.ReplaceAll(s, p.Root+"/", "")
		s = replaceWhole(s, p.Root, ".")
	}
	s = reTemporary.Get().ReplaceAllString(s, "/tmp/…")
	return reHome.Get().ReplaceAllString(s, "~$1")
}

// ShowFile returns the name of a file as code, as shown in a lesson.
func (p Project) ShowFile(name string) string {
	return Code(p.ShowText(strings.TrimPrefix(name, "./")))
}

// ShowDir returns the name of a folder as shown in a lesson; "" is the root.
func (p Project) ShowDir(name string) string {
	d := strings.TrimSuffix(p.ShowText(name), "/")
	if d == "." {
		return ""
	}
	return strings.TrimPrefix(d, "./")
}

// IsTemporary reports whether a path lies in a folder for temporary files.
func IsTemporary(p string) bool {
	return reInTemporary.Matches(p)
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
	reInTemporary = lazy.New(`^(?:/tmp$|/tmp/|/private/tmp/|/var/folders/|/dev/|/proc/|\$\{?TMPDIR)`)
	reTemporary   = lazy.New("(?:/private)?(?:/tmp|/var/folders|\\$\\{?TMPDIR\\}?)/[^\\s'\"`:,;)\\]]+")
	reHome        = lazy.New(`(?:/Users|/home)/[^/\s'"]+((?:/|\b))`)
)
