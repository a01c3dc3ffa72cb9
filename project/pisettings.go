package project

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/go-json-experiment/json"

	"mem/repo/disk"
)

// A Person is where a person keeps what is theirs.
type Person struct {
	Home     string
	AgentDir string // PI_CODING_AGENT_DIR, where pi keeps it; "" for the usual folder
}

func (p Person) piFolder() string {
	if p.AgentDir != "" {
		return p.fromHome(p.AgentDir)
	}
	return filepath.Join(p.Home, ".pi", "agent")
}

// fromHome returns a path that may begin with the "~" of the person.
func (p Person) fromHome(path string) string {
	if rest, ok := strings.CutPrefix(path, "~"); ok && (rest == "" || os.IsPathSeparator(rest[0])) {
		return filepath.Join(p.Home, rest)
	}
	return path
}

const maxSettings = 1 << 20

// ReadPiSettings returns the settings of pi about pi-self-learning: those of the
// nearest folder around dir that has some, over the person's own. None of it is checked.
func (p Person) ReadPiSettings(dir string) map[string]any {
	for at := range upwards(dir) {
		if _, isTop := readProject(at); isTop || at == p.Home || exists(filepath.Join(at, ".pi", "settings.json")) {
			return p.settingsOf(at)
		}
	}
	return p.settingsOf(p.Home)
}

// settingsOf returns the settings of a folder over the person's own.
func (p Person) settingsOf(folder string) map[string]any {
	merged := readSettings(p.piFolder())
	if folder != p.Home {
		mergeSettings(merged, readSettings(filepath.Join(folder, ".pi")))
	}
	return merged
}

func readSettings(folder string) map[string]any {
	path := filepath.Join(folder, "settings.json")
	var file struct {
		SelfLearning map[string]any `json:"selfLearning"`
	}
	data, _ := disk.ReadRegular(path, maxSettings)
	if json.Unmarshal(data, &file) == nil && file.SelfLearning != nil { // pi itself takes what it cannot read for none
		return file.SelfLearning
	}
	return map[string]any{}
}

// mergeSettings sets what over sets, in objects within each other too.
func mergeSettings(into, over map[string]any) {
	for name, value := range over {
		inner, isObject := value.(map[string]any)
		if was, ok := into[name].(map[string]any); ok && isObject {
			mergeSettings(was, inner)
			value = was
		}
		into[name] = value
	}
}

// storage is a setting of where pi-self-learning keeps its memory; "" without it.
func storage(settings map[string]any, name string) string {
	of, _ := settings["storage"].(map[string]any)
	text, _ := of[name].(string)
	return text
}

// piRoot is the memory that pi-self-learning has for a folder. A project names one within
// itself, or none: its settings may be another person's.
func (p Person) piRoot(folder string) string {
	if named := storage(p.settingsOf(folder), "projectPath"); filepath.IsLocal(named) {
		return filepath.Join(folder, named)
	}
	return filepath.Join(folder, filepath.FromSlash(piProjectRoot))
}

// GlobalRoot returns the root of a person's own memory, shared by all projects: that of
// mem, else the one that pi-self-learning left. Without a home there is none.
func (p Person) GlobalRoot() Location {
	if p.Home == "" {
		return Location{}
	}
	named := p.fromHome(storage(p.settingsOf(p.Home), "globalPath"))
	return rootIn(p.Home).orElse(named, filepath.Join(p.piFolder(), piMemory), filepath.Join(p.Home, ".pi", "agent", piMemory))
}

// sharesMemory reports whether the person has one memory for all projects and the project's settings do not opt
// out. A project cannot opt in by itself: another person may have written its settings.
func (p Person) sharesMemory(folder string) bool {
	return storage(p.settingsOf(p.Home), "mode") == "global" && storage(p.ReadPiSettings(folder), "mode") == "global"
}
