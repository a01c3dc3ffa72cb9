// Package project finds the project of a folder, and where its memory lies.
//
// A project is a repository, wherever it is worked on: in its main work tree, in linked ones, in one
// that was removed since. It looks at files only and changes none: no git runs and no variable of git
// counts, so that a hook of another repository cannot mislead it.
package project

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"mem/repo/gitstore"
)

// A Project is a repository of code, as a folder sees it.
type Project struct {
	Top    string // main work tree; the one around the folder, if there is none that git knows of
	Tree   string // work tree around the folder, which may be a linked one
	GitDir string // shared by all work trees
}

// Find finds the repository around dir.
func Find(dir string) (Project, bool) {
	for at := range upwards(dir) {
		if p, ok := readProject(at); ok {
			return p.findModule(dir), true
		}
	}
	return Project{}, false
}

// findModule returns the submodule whose folder, which 'git submodule deinit' emptied, a folder is or was in; else the repository itself.
func (p Project) findModule(dir string) Project {
	for name, paths := range gitstore.ListValues("submodule", "path", p.Tree, ".gitmodules") {
		tree := filepath.Join(p.Tree, filepath.FromSlash(strings.Join(paths, "")))
		git := filepath.Join(p.GitDir, "modules", filepath.FromSlash(name))
		if tree != p.Tree && IsWithin(dir, tree) && isGitFolder(git) {
			return Project{Top: tree, Tree: tree, GitDir: git}
		}
	}
	return p
}

// readProject returns the repository with a work tree at dir, or that is bare and lies there.
func readProject(dir string) (Project, bool) {
	git := filepath.Join(dir, dotGit)
	info, err := os.Stat(git)
	switch {
	case err != nil && isGitFolder(dir) && filepath.Base(dir) != dotGit:
		return Project{Top: dir, Tree: dir, GitDir: commonFolder(dir)}, true
	case err != nil:
		return Project{}, false
	case info.IsDir():
		return Project{Top: dir, Tree: dir, GitDir: git}, exists(filepath.Join(git, "HEAD"))
	}
	git, ok := readPointer(git)
	if !ok {
		return Project{}, false
	}
	p := Project{Top: dir, Tree: dir, GitDir: commonFolder(git)}
	isBare := slices.Contains(gitstore.ListValues("core", "bare", p.GitDir, "config")[""], "true")
	if p.GitDir != git && filepath.Base(p.GitDir) == dotGit && !isBare {
		p.Top = filepath.Dir(p.GitDir)
	}
	return p, true
}

const dotGit = ".git"

// readPointer returns the folder to which a file named .git leads.
func readPointer(file string) (folder string, ok bool) { return readPath(file, "gitdir: ") }

// readPath returns the path that stands in a file of git, behind a word.
func readPath(file, word string) (path string, ok bool) {
	text, err := os.ReadFile(file)
	path, ok = strings.CutPrefix(strings.TrimSpace(string(text)), word)
	if !filepath.IsAbs(path) {
		path = filepath.Join(filepath.Dir(file), path)
	}
	return filepath.Clean(path), ok && err == nil
}

// listAll returns the values of a key in all parts of a section of git's settings.
func listAll(section, key string, file ...string) []string {
	return slices.Concat(slices.Collect(maps.Values(gitstore.ListValues(section, key, file...)))...)
}

// commonFolder returns what the work trees of a git folder share: itself, if it is not that of a
// linked one.
func commonFolder(git string) string {
	if common, ok := readPath(filepath.Join(git, "commondir"), ""); ok {
		return common
	}
	return git
}

func isGitFolder(dir string) bool {
	return exists(filepath.Join(dir, "HEAD")) && (exists(filepath.Join(dir, "objects")) && exists(filepath.Join(dir, "refs")) || exists(filepath.Join(dir, "commondir")))
}

// Folders returns the work trees of the repository that git knows of, the main one first. Some may be
// gone.
func (p Project) Folders() []string {
	list := []string{p.Top}
	linked, _ := os.ReadDir(filepath.Join(p.GitDir, "worktrees"))
	for _, e := range linked {
		file, ok := readPath(filepath.Join(p.GitDir, "worktrees", e.Name(), "gitdir"), "")
		if tree := filepath.Dir(file); ok && !slices.Contains(list, tree) {
			list = append(list, tree)
		}
	}
	return list
}
