package config

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
)

// piKeys are the settings of pi-self-learning that a key of a memory stands for.
var piKeys = map[string]string{
	"enabled": "enabled", "maxCoreItems": "max_core_items", "maxLearnings": "max_lessons", "context.maxChars": "budget_tokens",
	"context.instructionMode": "instruction_mode", "context.includeLatestMonthly": "include_monthly", "context.includeLastNDaily": "include_daily",
}

// A FromPi holds settings of pi-self-learning in mem's terms.
type FromPi struct {
	Keys  map[string]string // of a memory's own file, with their values as text
	Left  []string          // settings without a matching key, or with a value that the key does not accept
	Model string            // by pi's name; a memory may not choose the model
}

// TranslatePi translates the settings of pi-self-learning for a memory, or with isGlobal for the one that all
// projects share. It leaves out the settings of the memory's location, which are handled elsewhere.
func TranslatePi(settings map[string]any, isGlobal bool) FromPi {
	f := FromPi{Keys: map[string]string{}}
	f.addAll("", settings)
	storage, _ := settings["storage"].(map[string]any)
	f.Left = slices.DeleteFunc(f.Left, func(name string) bool {
		return name == "storage.projectPath" || name == "storage.globalPath" || name == "storage.mode" && (isGlobal || storage["mode"] == "project")
	})
	if named, _ := storage["projectPath"].(string); named != "" && !filepath.IsLocal(named) && !isGlobal {
		f.Left = append(f.Left, "storage.projectPath (outside of the project)")
	}
	if len(settings) > 0 { // a session reads as much as it did
		f.Keys["context.start"] = StartCore
	}
	if isGlobal {
		f.Keys["mode"] = ModeGlobal
	}
	return f
}

// addAll adds the settings of an object, whose names begin with prefix.
func (f *FromPi) addAll(prefix string, settings map[string]any) {
	for _, name := range slices.Sorted(maps.Keys(settings)) {
		value := settings[name]
		if prefix+name == "model" {
			f.Model = modelName(value)
			continue
		}
		if inner, ok := value.(map[string]any); ok {
			f.addAll(prefix+name+".", inner)
			continue
		}
		k, err := keyNamed(piKeys[prefix+name])
		text := fmt.Sprint(value)
		if n, ok := value.(float64); ok {
			if k.name == "budget_tokens" {
				n = float64(int(n / 4)) // a token is about four characters
			}
			text = strconv.FormatFloat(n, 'f', -1, 64)
		}
		if err == nil {
			err = k.store(&Config{}, text)
		}
		if k.name == "instruction_mode" && text == "off" { // a memory's own file cannot say that
			f.Left = append(f.Left, prefix+name+" (off is yours to say, in your own configuration)")
		} else if err != nil {
			f.Left = append(f.Left, prefix+name)
		} else {
			f.Keys[k.name] = text
		}
	}
}

// modelName is the name of a model that is given as one or as an object.
func modelName(value any) string {
	name, _ := value.(string)
	of, _ := value.(map[string]any)
	provider, _ := of["provider"].(string)
	if id, _ := of["id"].(string); provider != "" && id != "" {
		name = provider + "/" + id
	}
	return name
}

// Source returns a memory's own file with the keys; nil if there are none.
func (f FromPi) Source() *Source {
	if len(f.Keys) == 0 {
		return nil
	}
	var data []byte
	for _, name := range slices.Sorted(maps.Keys(f.Keys)) {
		data, _ = Edit(data, name, f.Keys[name]) // the key takes it, and the file is as Edit wrote it
	}
	return &Source{Name: "of pi's settings", Data: data}
}
