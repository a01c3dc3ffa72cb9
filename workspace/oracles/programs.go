package oracles

import (
	"os/exec"
	"slices"

	"mem/config"
)

// A Program is an agent on the PATH that can read sessions.
type Program struct {
	Name  string `json:"name"`
	Model string `json:"model"` // a small one, as the program names it; "" leaves it to the program
	Allow string `json:"allow"` // the command that lets it read sessions
}

// smallModels are names that the programs themselves document for whatever is their small
// model of the day. opencode has one in its settings; Codex and pi have no such name.
var smallModels = map[string]string{"claude": "haiku", "gemini": "flash"}

// ListPrograms lists the agents that are on the PATH, those of first before the others.
func ListPrograms(first ...string) (list []Program) {
	names := append(slices.Clone(first), config.Programs...)
	for i, name := range names {
		if slices.Contains(names[:i], name) || !slices.Contains(config.Programs, name) {
			continue
		}
		if _, err := exec.LookPath(name); err != nil {
			continue
		}
		p := Program{Name: name, Model: smallModels[name]}
		p.Allow = "mem model set command " + p.choice() + " --global"
		list = append(list, p)
	}
	return list
}

// Choice is what a person who wants this program chooses.
func (p Program) Choice() config.Choice { return config.Choice{Name: "command", Model: p.choice()} }

func (p Program) choice() string {
	if p.Model == "" {
		return p.Name
	}
	return p.Name + "/" + p.Model
}

// Describe names the program with its model, for people.
func (p Program) Describe() string {
	switch {
	case p.Name == "gemini":
		return "gemini, with its model " + p.Model + "; its own tools stay on"
	case p.Model != "":
		return p.Name + ", with its model " + p.Model
	case p.Name == "opencode":
		return "opencode, with the small_model of its settings if there is one"
	}
	return p.Name + ", with the model of its settings"
}
