package install

import (
	"path/filepath"

	"mem/agent"
	"mem/lazy"
)

// enabledPlugin is how settings of Claude Code say that the plugin in packaging/claude, which brings the hooks, is on.
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

// IsSecond reports whether a hook of Claude Code's is called for the plugin while the settings call it as well: Claude
// Code runs both.
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
