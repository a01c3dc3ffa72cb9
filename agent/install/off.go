package install

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/go-json-experiment/json"

	"mem/agent"
	"mem/config"
	"mem/lazy"
	"mem/repo/disk"
)

// FindOff returns the file and the setting by which an agent's own settings keep it from running hooks; "" if
// none does. An unreadable file counts as having no such setting.
func FindOff(name string, p Place) (file, setting string) {
	r := agent.Find(name)
	dirs := map[string]string{"project": filepath.Join(p.Project, r.Folder)}
	dirs["user"], _ = globalFolder(r, p)
	for _, off := range r.Off {
		if file, setting = findOff(off.Keys, lazy.New(off.Fits), r.OffIn, dirs, p.Machine); setting != "" {
			break
		}
	}
	return file, setting
}

// findOff looks through files: the first that says yes or no decides.
func findOff(keys []string, off *lazy.Regexp, files []string, dirs map[string]string, machine string) (file, setting string) {
	for _, path := range files {
		scope, rest, _ := strings.Cut(path, "/")
		dir, isOurs := dirs[scope]
		file := filepath.Join(dir, rest)
		if !isOurs {
			file = machine + path
		} else if dir == "" {
			continue
		}
		key, value := findIn(keys, file)
		if value != "" && off.Matches(value) {
			return file, fmt.Sprintf("%s = %s", key, value)
		}
		if value == "true" || value == "false" {
			break
		}
	}
	return "", ""
}

// findIn returns the value in a file of TOML, or of JSON with comments.
func findIn(keys []string, file string) (key, value string) {
	data, err := disk.ReadRegular(file, maxFile)
	if err != nil {
		return "", ""
	}
	if filepath.Ext(file) == ".toml" {
		tree, _ := config.ReadTables(data)
		data, _ = json.Marshal(tree)
	}
	d, err := readDocument(data)
	if err != nil || d.blank {
		return "", ""
	}
	for _, key := range keys {
		if v := d.root.Find(key); v != nil {
			v.Minimize()
			return strings.ReplaceAll(key[1:], "/", "."), v.String()
		}
	}
	return "", ""
}

// enabledPlugin matches Claude Code settings that switch on the plugin in packaging/claude, which brings the hooks.
var enabledPlugin = lazy.New(`"mem@mem":true`)

// FindPlugin returns the file in which an agent's settings switch on the plugin that brings its hooks, for a place or
// for all projects; "" if none does.
func FindPlugin(name string, p Place) string {
	r := agent.Find(name)
	own, _ := globalFolder(r, p)
	files := []string{filepath.Join(own, "settings.json")}
	if !p.Global {
		files = append(files, filepath.Join(p.Project, r.Folder, "settings.local.json"), filepath.Join(p.Project, r.Folder, "settings.json"))
	}
	for _, file := range files {
		if _, value := findIn([]string{"/enabledPlugins"}, file); name == "claude" && enabledPlugin.Matches(value) {
			return file
		}
	}
	return ""
}

// IsSecond reports whether Claude Code called this hook for the plugin although the settings call it too:
// Claude Code runs both.
func IsSecond(p Place) bool {
	root := p.Getenv("CLAUDE_PLUGIN_ROOT")
	if root == "" {
		return false
	}
	ours := Edit{Path: filepath.Join(root, "hooks", "hooks.json"), Change: hooksOf(agent.Find("claude")).remove} // another plugin's process may have started the agent
	everywhere := p
	everywhere.Global = true
	return ours.Plan() == nil && ours.IsChange() && (IsInstalled("claude", p) || IsInstalled("claude", everywhere))
}
