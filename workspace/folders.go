package workspace

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"mem/project"
	"mem/repo"
	"mem/repo/disk"
	"mem/trace"
)

const maxFolders = 512

// A circle holds the known folders of a project.
type circle struct {
	known   []string              // that git knows of, or are remembered
	claimed []string              // by the person, whatever is there now
	owned   map[project.Stay]bool // what was found out
}

// ListFolders returns the folders of the project: those that git knows of, the main work tree first, and those that
// are remembered and have no memory of their own. Some may be gone.
func (w *Workspace) ListFolders() (list []string) {
	list = []string{w.At.Project}
	if code, ok := project.Find(w.At.Project); ok && code.Top == w.At.Project {
		list = code.Folders()
	}
	hasOwn := func(folder string) bool { // the folder that this one is a copy of, for one
		at := filepath.Join(folder, ".mem")
		_, err := os.Stat(at)
		return err == nil && !IsSameFolder(at, w.At.Root)
	}
	for _, folder := range append(slices.DeleteFunc(readNote[[]string](w, repo.NoteFolders), hasOwn), w.circle.claimed...) {
		if !slices.Contains(list, folder) {
			list = append(list, folder)
		}
	}
	return list
}

// isOfProject reports whether a folder, or the name that Claude Code gives it, is of the project.
func (w *Workspace) isOfProject(folder string) bool { return w.owns(project.Stay{Folder: folder}) }

func (w *Workspace) owns(s project.Stay) bool {
	if w.circle.owned == nil {
		w.circle.owned, w.circle.known = map[project.Stay]bool{}, withReal(w.ListFolders())
	}
	is, ok := w.circle.owned[s]
	if !ok {
		is = w.claims(s.Folder) || w.Person().Owns(w.At, s, w.circle.known) ||
			!filepath.IsAbs(s.Folder) && slices.ContainsFunc(w.circle.known, func(k string) bool { return s.Folder == trace.ClaudeSlug(k) })
		w.circle.owned[s] = is
	}
	return is
}

// claims reports whether the person said that a folder is of the project. It skips separate repositories below the named folder.
func (w *Workspace) claims(folder string) bool {
	own, isCode := project.Find(folder)
	return slices.ContainsFunc(w.circle.claimed, func(k string) bool {
		around, _ := project.Find(k)
		return project.IsWithin(folder, k) && (!isCode || own.GitDir == around.GitDir)
	})
}

// withReal adds to folders the paths without links that agents use for them. The folders may be gone.
func withReal(folders []string) []string {
	for _, folder := range folders {
		if up, err := filepath.EvalSymlinks(filepath.Dir(folder)); err == nil && up != filepath.Dir(folder) {
			folders = append(folders, filepath.Join(up, filepath.Base(folder)))
		}
	}
	return folders
}

// ClaimFolder makes a folder one of the project's, because the person says so.
func (w *Workspace) ClaimFolder(folder string) {
	w.circle = circle{claimed: append(w.circle.claimed, withReal([]string{folder})...)}
}

// RememberFolders notes the folders of the project in its memory, so that their sessions are found once they are gone. It
// writes only what is new.
func (w *Workspace) RememberFolders() {
	if w.root == nil || w.IsNamed {
		return
	}
	was := readNote[[]string](w, repo.NoteFolders)
	news := slices.DeleteFunc(w.ListFolders(), func(f string) bool { return slices.Contains(was, f) })
	if len(news) > 0 {
		now := append(was, news...)
		_ = w.keepNote(repo.NoteFolders, now[max(0, len(now)-maxFolders):]) // it is a convenience
	}
}

// SessionFilter lets the sessions of the project through, wherever they were held.
func (w *Workspace) SessionFilter() trace.Filter {
	return trace.Filter{Folders: w.ListFolders(), Owns: w.owns}
}

// HowToMove returns how to move a memory that git can delete to where it outlives every work tree; "" if it is safe.
func (w *Workspace) HowToMove() string {
	if w.IsNamed || !w.At.Exists || w.At.Root == w.At.ID || filepath.Base(w.At.Root) != ".mem" || w.CheckPlace() == nil {
		return ""
	}
	return fmt.Sprintf("'mv %s %s', and then 'mem init', move it to where it outlives every work tree", w.ShowPath(w.At.Root), w.ShowPath(w.At.ID))
}

// SessionFolder returns the folder whose memory a session belongs to: the first project among the session's own
// folder, which may be gone or unknown, the folder where its agent started, and the shell's. If only the
// shell's is a project, the first one found stays in force for the whole session, which key identifies.
func (w World) SessionFolder(named, started, shell, key string) string {
	for _, dir := range []string{w.standing(named), started} {
		if w.isProject(dir) {
			return dir
		}
	}
	if state := w.stateFolder(); key != "" && state != "" {
		sum := sha256.Sum256([]byte(key))
		note := filepath.Join(state, "sessions", hex.EncodeToString(sum[:8]))
		data, err := os.ReadFile(note)
		if err == nil && w.isProject(string(data)) {
			return string(data)
		}
		if at, err := project.LocateRoot(shell, w.Person()); err == nil && w.isProject(shell) {
			w.sweepSessions(filepath.Dir(note))
			_ = disk.Files{Fault: w.Fault}.WriteFile(note, []byte(at.Project), 0o600) // if not, the next hook asks the shell again
		}
	}
	return shell
}

// standing returns a folder or, if it is gone, its nearest existing parent below the home.
func (w World) standing(folder string) string {
	if !filepath.IsAbs(folder) {
		return ""
	}
	for at := folder; at != filepath.Dir(at) && at != w.Home(); at = filepath.Dir(at) {
		if _, err := os.Stat(at); err == nil {
			return at
		}
	}
	return ""
}

// isProject reports whether a folder is of a repository, or has a memory.
func (w World) isProject(dir string) bool {
	info, err := os.Stat(dir)
	if err != nil || !info.IsDir() {
		return false
	}
	at, err := project.LocateRoot(dir, w.Person())
	return err == nil && (at.IsCode || at.Exists)
}

func (w World) sweepSessions(folder string) {
	entries, _ := os.ReadDir(folder)
	for _, e := range entries {
		if info, err := e.Info(); err == nil && w.Clock().Sub(info.ModTime()) > 30*24*time.Hour {
			_ = disk.Files{}.RemoveFile(filepath.Join(folder, e.Name()))
		}
	}
}
