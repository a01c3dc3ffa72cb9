// Package skill finds Agent Skills, checks them and lists them for a prompt, as pi does: a folder with a SKILL.md is
// one skill, the first of a name wins, and only a skill without a description is turned away.
//
// It changes nothing, and returns texts as they stand in the files: callers clean what they show.
package skill

import (
	"fmt"
	"os"
	"path/filepath"
)

// A Skill is one skill as its file describes it.
type Skill struct {
	Name          string            `json:"name"` // of the frontmatter, else of the folder
	Description   string            `json:"description"`
	License       string            `json:"license"`
	Compatibility string            `json:"compatibility"`
	AllowedTools  string            `json:"allowedTools"`
	Metadata      map[string]string `json:"metadata"`
	Hidden        bool              `json:"hidden"` // disable-model-invocation: not for the prompt

	Location string `json:"location"` // the file
	Place    string `json:"place"`    // name of the place that it was found in: "project", "user" or "path"
}

// The kinds of diagnostics.
const (
	warning   = "warning"   // the skill is listed nevertheless
	rejected  = "rejected"  // the skill is not listed
	collision = "collision" // another skill of this name was there first
)

// A Diagnostic is something that is not as it should be.
type Diagnostic struct {
	Kind    string
	Path    string
	Message string
}

// Found is what there is in some places.
type Found struct {
	Skills      []Skill      // in the order found, each name once
	Diagnostics []Diagnostic // collisions last
}

// A Place is a folder that skills are looked for in.
type Place struct {
	Name string // says who it belongs to
	Path string
	File string // the only file of the folder that is looked at; "" for all
}

func (p Place) locationOf(name string) string { return filepath.Join(p.Path, filepath.FromSlash(name)) }

// realPath returns where a path leads to, or itself if that is unknown.
func realPath(path string) string {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return path
	}
	return real
}

// Find looks for skills in places, in order: of two skills with one name the first counts, and one file is read once
// however many links lead to it. A place that does not exist is empty.
func Find(places ...Place) Found {
	var all Found
	var collisions []Diagnostic
	winner, seen := map[string]string{}, map[string]bool{}
	for _, p := range places {
		w := walk{place: p, folders: map[string]bool{}}
		if p.File != "" {
			w.readSkill(p.File)
		} else {
			w.walkFolder(".", nil)
		}
		all.Diagnostics = append(all.Diagnostics, w.diagnostics...)
		for _, s := range w.found {
			real := realPath(s.Location)
			switch first, taken := winner[s.Name]; {
			case seen[real]:
			case taken:
				collisions = append(collisions, Diagnostic{Kind: collision, Path: s.Location, Message: fmt.Sprintf("the name %q is taken by %s", s.Name, first)})
			default:
				winner[s.Name], seen[real] = s.Location, true
				all.Skills = append(all.Skills, s)
			}
		}
	}
	all.Diagnostics = append(all.Diagnostics, collisions...)
	return all
}

// Places returns where agents look for skills from a folder, those that win first: those of the project before a
// person's own, and of each what pi reads before what other agents do. The project is what lies between dir and the
// repository around it; without one, dir and the folders above it, up to home.
func Places(dir, home string, getenv func(string) string) []Place {
	var list []Place
	add := func(name string, parts ...string) {
		list = append(list, Place{Name: name, Path: filepath.Join(parts...)})
	}
	add("project", dir, ".pi", "skills")
	for _, agent := range [...]string{".agents", ".claude"} {
		for _, folder := range upwards(dir, home) {
			add("project", folder, agent, "skills")
		}
	}
	if home == "" {
		return list
	}
	own := func(variable string, parts ...string) string {
		if v := getenv(variable); filepath.IsAbs(v) {
			return v
		}
		return filepath.Join(append([]string{home}, parts...)...)
	}
	add("user", own("PI_CODING_AGENT_DIR", ".pi", "agent"), "skills")
	add("user", home, ".agents", "skills")
	add("user", own("CLAUDE_CONFIG_DIR", ".claude"), "skills")
	add("user", own("CODEX_HOME", ".codex"), "skills")
	return list
}

// upwards returns dir and the folders above it that belong to a project.
func upwards(dir, home string) (folders []string) {
	for at := dir; at != home || at == dir; at = filepath.Dir(at) {
		folders = append(folders, at)
		if _, err := os.Lstat(filepath.Join(at, ".git")); err == nil || filepath.Dir(at) == at {
			break
		}
	}
	return folders
}
