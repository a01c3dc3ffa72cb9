package workspace

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"mem/config"
	"mem/guard"
	"mem/repo"
)

// FindPiSettings returns the settings of pi-self-learning, as pi has them, as settings of the
// memory that a command is to make or adopt, at root, or where it is found; nothing for one
// that has settings of its own.
func FindPiSettings(world World, root string) (config.FromPi, error) {
	at, err := LocateRoot(world, root)
	if _, errOwn := os.Stat(filepath.Join(at.Root, repo.ConfigPath)); err != nil || errOwn == nil {
		return config.FromPi{}, err
	}
	person := world.Person()
	settings, isGlobal, place := person.ReadPiSettings(world.Dir), false, "projectPath"
	switch {
	case at.Root == person.GlobalRoot().Root:
		settings, isGlobal, place = person.ReadPiSettings(world.Home()), true, "globalPath"
	case root != "" || world.Getenv("MEM_ROOT") != "":
		return config.FromPi{}, nil
	}
	f := config.TranslatePi(settings, isGlobal)
	storage, _ := settings["storage"].(map[string]any)
	named, _ := storage[place].(string)
	isTaken := strings.HasSuffix(at.Root, filepath.Clean(strings.TrimPrefix(named, "~")))
	if named != "" && !isTaken && (isGlobal || filepath.IsLocal(named)) { // nothing was there to adopt
		f.Left = append(f.Left, "storage."+place+" (the memory is in "+filepath.Base(at.Root)+")")
	}
	return f, nil
}

// KeepPiSettings writes what a memory's own file can hold of it, unless there is one.
func KeepPiSettings(m *repo.Memory, f config.FromPi) (repo.Message, error) {
	settings := f.Source()
	if settings == nil {
		return repo.Message{}, nil
	}
	if _, err := m.ReadFile(repo.ConfigPath); !errors.Is(err, fs.ErrNotExist) {
		return repo.Message{}, err
	}
	return repo.Message{Subject: "chore(memory): settings of this memory"}, m.WriteFile(repo.ConfigPath, settings.Data)
}

// TellUntaken names what is not taken over.
func TellUntaken(f config.FromPi, note func(format string, args ...any)) {
	if f.Model != "" {
		note("pi's settings name a model; to have it asked: mem model set command pi/%s --global", guard.Line(f.Model))
	}
	if len(f.Left) > 0 {
		note("not taken over from pi's settings: %s", guard.Line(strings.Join(f.Left, ", ")))
	}
}
