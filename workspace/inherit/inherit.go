// Package inherit takes what pi-self-learning was told, in pi's settings, over into the
// memory that mem makes or adopts.
package inherit

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"mem/config"
	"mem/guard"
	"mem/repo"
	"mem/workspace"
)

// FindSettings returns what the settings are for the memory that a command is to make or adopt,
// at root, or where it is found; nothing for one that has settings of its own.
func FindSettings(world workspace.World, root string) (config.FromPi, error) {
	at, err := workspace.LocateRoot(world, root)
	if _, errOwn := os.Stat(filepath.Join(at.Root, repo.ConfigPath)); err != nil || errOwn == nil {
		return config.FromPi{}, err
	}
	isGlobal := at.Root == world.Person().GlobalRoot().Root
	switch {
	case isGlobal:
		return config.TranslatePi(world.Person().ReadPiSettings(world.Home()), true), nil
	case root != "" || world.Getenv("MEM_ROOT") != "":
		return config.FromPi{}, nil
	}
	return config.TranslatePi(world.Person().ReadPiSettings(world.Dir), false), nil
}

// KeepSettings writes what a memory's own file can hold of it, unless there is one.
func KeepSettings(m *repo.Memory, f config.FromPi) (repo.Message, error) {
	if len(f.Keys) == 0 {
		return repo.Message{}, nil
	}
	if _, err := m.ReadFile(repo.ConfigPath); !errors.Is(err, fs.ErrNotExist) {
		return repo.Message{}, err
	}
	data, err := f.WriteFile()
	if err != nil {
		return repo.Message{}, err
	}
	return repo.Message{Subject: "chore(memory): settings of this memory"}, m.WriteFile(repo.ConfigPath, data)
}

// TellRest names what is not taken over.
func TellRest(f config.FromPi, note func(format string, args ...any)) {
	if f.Model != "" {
		note("pi's settings name a model; to have it asked: mem model set command pi/%s --global", guard.Line(f.Model))
	}
	if len(f.Left) > 0 {
		note("not taken over from pi's settings: %s", guard.Line(strings.Join(f.Left, ", ")))
	}
}
