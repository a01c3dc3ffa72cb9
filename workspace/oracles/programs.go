package oracles

import (
	"os/exec"
	"slices"

	"mem/config"
)

// A Program is an agent on the PATH that can read sessions.
type Program struct {
	Name  string `json:"name"`
	Model string `json:"model"` // as 'mem model set command' takes it
	About string `json:"-"`     // says which model that is
	Allow string `json:"allow"` // the command that lets it read sessions
}

// small are names of small models that the programs themselves document. opencode has one
// in its settings; Codex and pi have no such name.
var small = map[string]Program{
	"claude":   {Model: "claude/haiku", About: "its model haiku"},
	"gemini":   {Model: "gemini/flash", About: "its model flash, and all its tools"},
	"opencode": {Model: "opencode", About: "the small_model of its settings, if there is one"},
	"codex":    {Model: "codex", About: "the model of its settings"},
	"pi":       {Model: "pi", About: "the model of its settings"},
}

// ListPrograms lists the agents that are on the PATH, those of first before the others.
func ListPrograms(first ...string) (list []Program) {
	names := append(slices.Clone(first), config.Programs...)
	for i, name := range names {
		p, ok := small[name]
		if _, err := exec.LookPath(name); ok && err == nil && !slices.Contains(names[:i], name) {
			p.Name, p.Allow = name, "mem model set command "+p.Model+" --global"
			list = append(list, p)
		}
	}
	return list
}
