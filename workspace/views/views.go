// Package views puts what was agreed where other tools read it: into a block of
// their file, or into files that are all mem's.
//
// It changes nothing that mem did not write, and takes away what it wrote once
// nothing is agreed any more.
package views

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"mem/agent/install"
	"mem/curate/export"
	"mem/repo"
	"mem/repo/disk"
	"mem/workspace"
)

// Errors that callers tell apart.
var (
	ErrForeign = errors.New("mem did not write it")
	ErrPlace   = errors.New("the view cannot go there")
)

// MakeView returns what was agreed in a memory, in a form. It is the same for
// everybody who works on the project, wherever the project lies.
func MakeView(w *workspace.Workspace, m *repo.Memory, form export.Form) (export.View, error) {
	from := filepath.Base(w.At.Root)
	if rel, err := filepath.Rel(w.At.Project, w.At.Root); err == nil && filepath.IsLocal(rel) {
		from = filepath.ToSlash(rel)
	} else if w.Home() != "" && strings.HasPrefix(w.HomePath(w.At.Root), "~/") {
		from = w.HomePath(w.At.Root)
	}
	v, err := export.MakeView(m, form, from)
	if err != nil {
		return v, fmt.Errorf("export: %w", err)
	}
	return v, nil
}

// PlanEdits returns the edits that make the files at a path show a view, those
// that change nothing too. A file in the way that is not mem's wraps ErrForeign,
// and a path that is of no use ErrPlace.
func PlanEdits(w *workspace.Workspace, form export.Form, v export.View, to string) ([]install.Edit, error) {
	if err := checkPlace(w, form, to); err != nil {
		return nil, err
	}
	var edits []install.Edit
	if form == export.AgentsMD {
		edits = []install.Edit{blockEdit(to, v)}
	} else {
		skill := filepath.Join(to, filepath.FromSlash(export.SkillFiles[0]))
		if data, err := install.ReadFile(skill); form == export.Skill && err == nil && data != nil && !export.IsOurs(data, form) {
			v = v.Beside()
		}
		for _, f := range v.Files {
			edits = append(edits, fileEdit(form, filepath.Join(to, filepath.FromSlash(f.Path)), []byte(f.Text)))
		}
		for _, path := range findOldViews(form, to) {
			if !slices.ContainsFunc(edits, func(e install.Edit) bool { return e.Path == path }) {
				edits = append(edits, fileEdit(form, path, nil))
			}
		}
	}
	for i := range edits {
		e := &edits[i]
		if rel, err := filepath.Rel(w.At.Project, e.Path); err == nil && filepath.IsLocal(rel) {
			e.Project = w.At.Project
		}
		if err := e.Plan(); err != nil {
			return nil, err
		}
	}
	return edits, nil
}

func checkPlace(w *workspace.Workspace, form export.Form, to string) error {
	if rel, err := filepath.Rel(w.At.Root, to); err == nil && filepath.IsLocal(rel) {
		return fmt.Errorf("%w: %s is in the memory, which only holds what mem puts there", ErrPlace, w.ShowPath(to))
	}
	info, err := os.Stat(to)
	switch {
	case err != nil: // there is nothing in the way
	case form == export.AgentsMD && info.IsDir():
		return fmt.Errorf("%w: %s is a folder, and %s goes into a file", ErrPlace, w.ShowPath(to), form)
	case form != export.AgentsMD && !info.IsDir():
		return fmt.Errorf("%w: %s is a file, and %s goes into a folder", ErrPlace, w.ShowPath(to), form)
	}
	return nil
}

// blockEdit puts the block of a view into a file, or takes it out.
func blockEdit(path string, v export.View) install.Edit {
	b := install.Block{Begin: export.Begin, End: export.End}
	return install.Edit{Path: path, Mode: 0o644, Change: func(before []byte) ([]byte, error) {
		if len(v.Files) == 0 {
			return b.Remove(before)
		}
		return b.Put(before, v.Files[0].Text)
	}}
}

// fileEdit makes a file that is all mem's, or, if text is nil, removes it.
func fileEdit(form export.Form, path string, text []byte) install.Edit {
	return install.Edit{Path: path, Mode: 0o644, Change: func(before []byte) ([]byte, error) {
		if before != nil && !export.IsOurs(before, form) {
			return nil, ErrForeign
		}
		return text, nil
	}}
}

// findOldViews lists the files of an earlier view in a folder.
func findOldViews(form export.Form, dir string) (paths []string) {
	names := export.SkillFiles[:]
	if form == export.ClaudeRules {
		names = nil
		entries, _ := os.ReadDir(dir) // one that cannot be read has none
		for _, e := range entries {
			if strings.HasPrefix(e.Name(), export.Prefix) && strings.HasSuffix(e.Name(), ".md") {
				names = append(names, e.Name())
			}
		}
	}
	for _, name := range names {
		path := filepath.Join(dir, filepath.FromSlash(name))
		info, err := os.Lstat(path)
		if err != nil || info.Mode()&fs.ModeType != 0 {
			continue
		}
		if data, err := install.ReadFile(path); err == nil && export.IsOurs(data, form) {
			paths = append(paths, path)
		}
	}
	return paths
}

// A File is a file of a view, and what became of it.
type File struct {
	Path   string `json:"path"`   // "" for a block that was not written
	Status string `json:"status"` // "printed", "written", "removed", "unchanged", "planned"
	Text   string `json:"text"`   // "" for one that is removed
	Diff   []byte `json:"-"`      // of one that is planned
}

// WriteEdits carries out edits and returns the files; with dryRun it only says
// what would become of them. A file that is missing as it should be is left out.
func WriteEdits(files disk.Files, edits []install.Edit, dryRun bool) (list []File, err error) {
	for _, e := range edits {
		f := File{Path: e.Path, Status: "written", Text: string(e.After)}
		switch {
		case !e.IsChange() && e.After == nil:
			continue
		case !e.IsChange():
			f.Status = "unchanged"
		case dryRun:
			f.Status, f.Diff = "planned", e.Diff()
		case e.After == nil:
			f.Status = "removed"
		}
		if !dryRun && e.IsChange() {
			if err := e.Write(files); err != nil {
				return nil, err
			}
		}
		list = append(list, f)
	}
	return list, nil
}
