package install

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/go-json-experiment/json"

	"mem/config"
	"mem/lazy"
)

// A toggle is a setting that keeps an agent from running hooks: if one of the keys, names of the
// same setting of which the first counts, has a value that fits off.
type toggle struct {
	keys []string // JSON pointers
	off  *lazy.Regexp
}

var isTrue, isFalse = lazy.New(`^true$`), lazy.New(`^false$`)

// toggles are the toggles of each agent, and the files that they may be in, the strongest first: in
// the person's folder for the agent, in the project's, or where an administrator of any system puts them.
var toggles = map[string]struct {
	files []string
	list  []toggle
}{
	"claude": {[]string{
		"/etc/claude-code/managed-settings.json", "/Library/Application Support/ClaudeCode/managed-settings.json",
		`C:\Program Files\ClaudeCode\managed-settings.json`, "project/settings.local.json", "project/settings.json", "user/settings.json",
	}, []toggle{{[]string{"/disableAllHooks"}, isTrue}}},
	"codex": {[]string{"project/config.toml", "user/config.toml"}, []toggle{{[]string{"/features/hooks", "/features/codex_hooks"}, isFalse}}},
	"gemini": {[]string{"project/settings.json", "user/settings.json"}, []toggle{
		{[]string{"/hooksConfig/enabled"}, isFalse}, {[]string{"/hooksConfig/disabled", "/hooks/disabled"}, lazy.New(`mem hook gemini`)},
	}},
	"pi": {[]string{"project/settings.json", "user/settings.json"}, []toggle{
		{[]string{"/extensions"}, lazy.New(`^[^+]*"[-!][^"+]*(mem\.ts|\*|\*\.ts)"[^+]*$`)}, // what has a plus is put back
	}},
}

// FindOff returns the file in which an agent's own settings keep it from running hooks, and
// the setting; "" if none does. A file that cannot be read keeps it from nothing.
func FindOff(name string, p Place) (file, setting string) {
	dirs := map[string]string{"project": filepath.Join(p.Project, findTarget(name).project)}
	dirs["user"], _ = findTarget(name).globalFolder(p)
	for _, g := range toggles[name].list {
		if file, setting = g.find(toggles[name].files, dirs, p.Machine); setting != "" {
			break
		}
	}
	return file, setting
}

// find looks through files: the first that says yes or no decides.
func (g toggle) find(files []string, dirs map[string]string, machine string) (file, setting string) {
	for _, path := range files {
		scope, rest, _ := strings.Cut(path, "/")
		dir, isOurs := dirs[scope]
		file := filepath.Join(dir, rest)
		if !isOurs {
			file = machine + path
		} else if dir == "" {
			continue
		}
		key, value := g.findIn(file)
		if value != "" && g.off.Matches(value) {
			return file, fmt.Sprintf("%s = %s", key, value)
		}
		if isTrue.Matches(value) || isFalse.Matches(value) {
			break
		}
	}
	return "", ""
}

// findIn returns the value in a file of TOML, or of JSON with comments.
func (g toggle) findIn(file string) (key, value string) {
	info, err := os.Stat(file)
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxFile {
		return "", ""
	}
	data, _ := os.ReadFile(file)
	if filepath.Ext(file) == ".toml" {
		tree, _ := config.ReadTables(data)
		data, _ = json.Marshal(tree)
	}
	d, err := readDocument(data)
	if err != nil || d.blank {
		return "", ""
	}
	for _, key := range g.keys {
		if v := d.root.Find(key); v != nil {
			v.Minimize()
			return strings.ReplaceAll(key[1:], "/", "."), v.String()
		}
	}
	return "", ""
}
