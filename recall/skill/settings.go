package skill

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/go-json-experiment/json"
)

// piPlaces returns the places that the settings of pi in a folder name: files and folders
// of skills, and packages that lie on this disk. A pattern, and a package that is to be
// installed, is skipped. What cannot be read names none, as for pi.
func piPlaces(name, folder, home string) (list []Place) {
	var settings struct {
		Skills   []string `json:"skills"`
		Packages []any    `json:"packages"`
	}
	readJSON(filepath.Join(folder, "settings.json"), &settings)
	add := func(from string, paths ...string) {
		for _, path := range paths {
			path, isPath := resolvePath(path, from, home)
			switch info, err := os.Stat(path); {
			case !isPath || err != nil:
			case info.IsDir():
				list = append(list, Place{Name: name, Path: path})
			case strings.HasSuffix(path, ".md"):
				list = append(list, Place{Name: name, Path: filepath.Dir(path), File: filepath.Base(path)})
			}
		}
	}
	add(folder, settings.Skills...)
	for _, source := range settings.Packages {
		if of, isObject := source.(map[string]any); isObject {
			source = of["source"]
		}
		given, _ := source.(string)
		if !filepath.IsAbs(given) && !strings.HasPrefix(given, ".") && !strings.HasPrefix(given, "~") {
			continue // from npm or git
		}
		if root, isPath := resolvePath(given, folder, home); isPath {
			add(root, skillsOf(root)...)
		}
	}
	return list
}

// skillsOf returns where a package of pi has its skills.
func skillsOf(root string) []string {
	var about struct {
		Pi *struct {
			Skills []string `json:"skills"`
		} `json:"pi"`
	}
	if readJSON(filepath.Join(root, "package.json"), &about); about.Pi != nil {
		return about.Pi.Skills
	}
	return []string{"skills"}
}

// resolvePath returns the path that is given relative to a folder. A pattern is none.
func resolvePath(given, folder, home string) (string, bool) {
	if given == "" || strings.ContainsAny(given, "*?!{") || given[0] == '+' || given[0] == '-' {
		return "", false
	}
	if rest, ok := strings.CutPrefix(given, "~/"); ok {
		return filepath.Join(home, rest), home != ""
	}
	if filepath.IsAbs(given) {
		return given, true
	}
	return filepath.Join(folder, filepath.FromSlash(given)), true
}

// readJSON reads a regular file of bounded size, if it can.
func readJSON(path string, into any) {
	if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() && info.Size() <= maxFile {
		data, _ := os.ReadFile(path)
		_ = json.Unmarshal(data, into)
	}
}
