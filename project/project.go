// Package project says what project a folder is of, and where its memory lies.
//
// A project is a repository, wherever it is worked on: in its main work tree, in linked ones, in one
// that was removed since. It looks at files only and changes none: no git runs and no variable of git
// counts, so that a hook of another repository cannot mislead it.
package project

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// A Project is a repository of code, as a folder sees it.
type Project struct {
	Top    string // main work tree; the one around the folder, if there is none that git knows of
	Tree   string // work tree around the folder, which may be a linked one
	GitDir string // shared by all work trees
}

// ExcludePath is the file that says what git ignores in this clone alone.
func (p Project) ExcludePath() string { return filepath.Join(p.GitDir, "info", "exclude") }

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
	text, _ := os.ReadFile(filepath.Join(p.Tree, ".gitmodules"))
	name := ""
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if rest, ok := strings.CutPrefix(line, `[submodule "`); ok {
			name = strings.TrimSuffix(rest, `"]`)
		}
		key, value, _ := strings.Cut(line, "=")
		tree := filepath.Join(p.Tree, filepath.FromSlash(strings.Trim(strings.TrimSpace(value), `"`)))
		git := filepath.Join(p.GitDir, "modules", filepath.FromSlash(name))
		if strings.TrimSpace(key) == "path" && tree != p.Tree && isWithin(dir, tree) && isGitFolder(git) {
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
	if top := filepath.Dir(p.GitDir); p.GitDir != git && filepath.Base(p.GitDir) == dotGit && !isBare(p.GitDir) {
		p.Top = top
	}
	return p, true
}

const dotGit = ".git"

// readPointer returns the folder to which a file named .git leads.
func readPointer(file string) (folder string, ok bool) {
	text, err := os.ReadFile(file)
	folder, ok = strings.CutPrefix(strings.TrimSpace(string(text)), "gitdir: ")
	if !filepath.IsAbs(folder) {
		folder = filepath.Join(filepath.Dir(file), folder)
	}
	return filepath.Clean(folder), ok && err == nil
}

// commonFolder returns what the work trees of a git folder share: itself, if it is not that of a
// linked one.
func commonFolder(git string) string {
	text, err := os.ReadFile(filepath.Join(git, "commondir"))
	common := strings.TrimSpace(string(text))
	switch {
	case err != nil:
		return git
	case filepath.IsAbs(common):
		return filepath.Clean(common)
	}
	return filepath.Join(git, common)
}

func isGitFolder(dir string) bool {
	return exists(filepath.Join(dir, "HEAD")) && (exists(filepath.Join(dir, "objects")) && exists(filepath.Join(dir, "refs")) || exists(filepath.Join(dir, "commondir")))
}

// isBare reports whether a git folder has no main work tree, as its configuration says.
func isBare(git string) bool {
	text, _ := os.ReadFile(filepath.Join(git, "config"))
	for line := range strings.Lines(string(text)) {
		if key, value, _ := strings.Cut(strings.ToLower(line), "="); strings.TrimSpace(key) == "bare" && strings.TrimSpace(value) == "true" {
			return true
		}
	}
	return false
}

// Folders returns the work trees of the repository that git knows of, the main one first. Some may be
// gone.
func (p Project) Folders() []string {
	list := []string{p.Top}
	pointers, _ := filepath.Glob(filepath.Join(escapeGlob.Replace(p.GitDir), "worktrees", "*", "gitdir"))
	for _, file := range pointers {
		text, err := os.ReadFile(file)
		tree := strings.TrimSpace(string(text))
		if err == nil && !filepath.IsAbs(tree) {
			tree = filepath.Join(filepath.Dir(file), tree)
		}
		if tree = filepath.Dir(tree); err == nil && !slices.Contains(list, tree) {
			list = append(list, tree)
		}
	}
	return list
}

var escapeGlob = strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`)
