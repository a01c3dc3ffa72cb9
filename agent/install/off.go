package install

import (
	"bytes"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/tailscale/hujson"

	"mem/config"
)

// A toggle is a setting that keeps an agent from running hooks.
type toggle struct {
	keys    string         // with dots between tables; several are names of one setting, the current one first
	isOff   func(any) bool // what the value says
	managed bool           // it counts only where an administrator sets it
}

var (
	claudeToggles = []toggle{
		{"disableAllHooks", is(true), false}, {"allowManagedHooksOnly", is(true), true},
		{"strictPluginOnlyCustomization", func(v any) bool { return v == true || has(v, func(s string) bool { return s == "hooks" }) }, true},
	}
	codexToggles  = []toggle{{"features.hooks features.codex_hooks", is(false), false}, {"allow_managed_hooks_only", is(true), true}}
	geminiToggles = []toggle{
		{"hooksConfig.enabled hooks.enabled", is(false), false}, {"tools.enableHooks", is(false), false},
		{"hooksConfig.disabled hooks.disabled", func(v any) bool {
			return has(v, func(s string) bool { return strings.Contains(s, geminiHooks.Command) })
		}, false},
	}
	piToggles = []toggle{{"extensions", leavesOut, false}}
)

func is(off bool) func(any) bool { return func(v any) bool { return v == off } }

func has(v any, fits func(string) bool) bool {
	list, _ := v.([]any)
	return slices.ContainsFunc(list, func(e any) bool { s, _ := e.(string); return fits(s) })
}

// leavesOut reports whether pi's list of extensions names mem's behind a minus, or in a pattern
// behind "!" and not behind a plus.
func leavesOut(v any) bool {
	names := func(mark string) bool {
		return has(v, func(s string) bool {
			rest, marked := strings.CutPrefix(s, mark)
			fits, _ := path.Match(path.Base(rest), "mem.ts")
			return marked && fits
		})
	}
	return names("-") || names("!") && !names("+")
}

// machines are the folders of settings that an administrator makes, by agent.
var machines = map[string]map[string]string{
	"linux":   {"claude": "/etc/claude-code", "codex": "/etc/codex", "gemini": "/etc/gemini-cli"},
	"darwin":  {"claude": "/Library/Application Support/ClaudeCode", "codex": "/etc/codex", "gemini": "/Library/Application Support/GeminiCli"},
	"windows": {"claude": `C:\Program Files\ClaudeCode`, "codex": `C:\ProgramData\OpenAI\Codex`, "gemini": `C:\ProgramData\gemini-cli`},
}

// FindOff returns the file in which an agent's own settings keep it from running hooks, and
// the setting; "" if none does. A file that cannot be read keeps it from nothing.
func FindOff(name string, p Place) (file, setting string) {
	t := findTarget(name)
	user, _ := t.globalFolder(p)
	dirs := map[string]string{"project": filepath.Join(p.Project, t.project), "user": user}
	if dir := machines[runtime.GOOS][name]; dir != "" {
		dirs["machine"] = p.Machine + dir
	}
	for _, g := range t.toggles {
		if file, setting = g.find(t.settings, dirs); setting != "" {
			break
		}
	}
	return file, setting
}

// find looks through files, the strongest first: the first that says yes or no decides.
func (g toggle) find(files []string, dirs map[string]string) (file, setting string) {
	for _, name := range files {
		scope, base, _ := strings.Cut(name, "/")
		if dirs[scope] == "" || g.managed && scope != "machine" {
			continue
		}
		found := []string{filepath.Join(dirs[scope], base)}
		if strings.Contains(base, "*") {
			found, _ = filepath.Glob(found[0]) // of which the last counts most
		}
		for _, file := range slices.Backward(found) {
			switch key, v := g.valueIn(readSettings(file)); {
			case v != nil && g.isOff(v):
				text, _ := json.Marshal(v)
				return file, fmt.Sprintf("%s = %s", key, text)
			case v == true, v == false:
				return "", ""
			}
		}
	}
	return "", ""
}

// valueIn returns the value in a file, of the profile that the file chooses if that has one.
func (g toggle) valueIn(tree map[string]any) (key string, v any) {
	profile, _ := tree["profile"].(string)
	for _, within := range [][]string{{"profiles", profile}, nil} {
		for key := range strings.FieldsSeq(g.keys) {
			v = tree
			steps := append(within, strings.Split(key, ".")...)
			for _, step := range steps {
				table, _ := v.(map[string]any)
				v = table[step]
			}
			if v != nil {
				return strings.Join(steps, "."), v
			}
		}
	}
	return "", nil
}

// readSettings reads TOML, or JSON with comments; nil if it cannot be read.
func readSettings(file string) (tree map[string]any) {
	info, err := os.Stat(file)
	if err != nil || !info.Mode().IsRegular() || info.Size() > MaxFile {
		return nil
	}
	data, _ := os.ReadFile(file)
	if filepath.Ext(file) == ".toml" {
		tree, _ = config.ReadTables(data)
		return tree
	}
	plain, err := hujson.Standardize(bytes.TrimPrefix(data, []byte(bom)))
	if err != nil || json.Unmarshal(plain, &tree) != nil {
		return nil
	}
	return tree
}
