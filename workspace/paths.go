package workspace

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"mem/curate/ingest"
	"mem/guard"
	"mem/project"
	"mem/repo"
)

// Person is where the person keeps what is theirs.
func (e Environ) Person() project.Person {
	return project.Person{Home: e.Home(), AgentDir: e.Getenv("PI_CODING_AGENT_DIR")}
}

// AbsPath returns a path that a person gave, from the working directory on.
func (w World) AbsPath(path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(w.Dir, path)
}

// ShowPath shortens a path that is below the working directory, for people.
func (w World) ShowPath(path string) string {
	if rel, err := filepath.Rel(w.Dir, path); err == nil && filepath.IsLocal(rel) {
		path = rel
	}
	return guard.Line(path)
}

// HomePath shortens a path in a person's home, for people and agents alike.
func (w World) HomePath(path string) string { return guard.Line(w.fromHome(path)) }

func (w World) fromHome(path string) string {
	if rel, err := filepath.Rel(w.Home(), path); err == nil && filepath.IsLocal(rel) {
		return strings.TrimSuffix("~/"+filepath.ToSlash(rel), "/.")
	}
	return path
}

// StablePath is the name of a file in a memory: by where it is in the project,
// or in the home, so that it is the same on each machine.
func (w *Workspace) StablePath(path string) string {
	path = filepath.Clean(path)
	if rel, err := filepath.Rel(w.At.Project, path); err == nil && filepath.IsLocal(rel) {
		return filepath.ToSlash(rel)
	}
	return filepath.ToSlash(w.fromHome(path))
}

// ChooseMemories completes from with which of Claude Code's memories this one imports. The person's own memory
// imports everything or, from a project, what is left (ForPerson). An error says why the person's own memory is
// left out.
func (w *Workspace) ChooseMemories(from ingest.Options) (_ ingest.Options, err error) {
	at, found, isOwn := w.FindOwn()
	if isOwn || at == w.At.Root { // which may not be there yet
		from.HasOwn = false
		return from, nil
	}
	if found {
		err = w.openOwn(at)
		from.HasOwn = w.own != nil
	}
	from.Here = w.isOfProject
	return from, err
}

// LookForMemories lists Claude Code's memories that can be imported, here and into the person's own.
func (w *Workspace) LookForMemories(m *repo.Memory, from ingest.Options) (*ingest.Result, error) {
	from, _ = w.ChooseMemories(from)
	res, err := ingest.Plan(m, from)
	if err != nil || !from.HasOwn {
		return res, err
	}
	if m, err = w.own.View(w.Now); err != nil {
		return res, err
	}
	from.ForPerson = true
	mine, err := ingest.Plan(m, from)
	res.Add(mine)
	return res, err
}

// InProject returns a function that tells whether a path is in the project, or in
// the work tree that the command runs in, which may be another one. Nothing
// outside is looked at. done closes what it keeps open.
func (w *Workspace) InProject() (exists func(path string) bool, done func()) {
	var roots []*os.Root
	for _, dir := range []string{w.At.Project, w.Dir} {
		if root, err := os.OpenRoot(dir); err == nil {
			roots = append(roots, root)
		}
	}
	exists = func(path string) bool {
		for _, root := range roots {
			if _, err := root.Lstat(filepath.FromSlash(path)); !errors.Is(err, fs.ErrNotExist) {
				return true // or it cannot be found out
			}
		}
		return len(roots) == 0
	}
	return exists, func() {
		for _, root := range roots {
			_ = root.Close() // only read
		}
	}
}
