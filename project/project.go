// Package project finds the project of a folder, and the place of its memory.
//
// A project is a repository in all its work trees: the main one, linked ones, and removed ones. The package
// only reads files: it runs no git and ignores git's variables, so that a hook of another repository cannot
// mislead it.
package project

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"mem/repo/disk"
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

// findModule returns the submodule, emptied by 'git submodule deinit', that dir is or was in; otherwise the repository itself.
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
	text, err := disk.ReadRegular(file, maxSettings)
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
	list := filepath.Dir(git)
	if common := filepath.Dir(list); filepath.Base(list) == "worktrees" && isGitFolder(common) {
		return common // git pruned a work tree that is here after all
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

// commonBranches are those that tell nothing about a repository.
var commonBranches = []string{"", "HEAD", "main", "master", "trunk", "dev", "develop", "staging", "release", "test"}

// mayHaveHeld reports whether a session in a missing folder was held in a work tree of the repository: its remote is one of
// ours; or it names none, its branch exists here, and it lay beside a work tree or has the repository's name in its path.
func (p Project) mayHaveHeld(s Stay) bool {
	if at := trimRemote(s.Remote); at != "" {
		return slices.ContainsFunc(listAll("remote", "url", p.GitDir, "config"), func(url string) bool { return trimRemote(url) == at })
	}
	if slices.Contains(commonBranches, s.Branch) || !p.hasBranch(s.Branch) {
		return false
	}
	name := string(filepath.Separator) + filepath.Base(p.Top)
	return strings.Contains(s.Folder, name) || slices.ContainsFunc(p.Folders(), func(tree string) bool {
		return filepath.Dir(tree) == filepath.Dir(s.Folder)
	})
}

func (p Project) hasBranch(name string) bool {
	if filepath.IsLocal(name) && exists(filepath.Join(p.GitDir, "refs", "heads", filepath.FromSlash(name))) {
		return true
	}
	packed, _ := disk.ReadRegular(filepath.Join(p.GitDir, "packed-refs"), 64*maxSettings)
	return strings.Contains(string(packed), " refs/heads/"+name+"\n")
}

// trimRemote returns the host and path of an address, without what differs between protocols:
// git@host:a/b.git and https://user@host/a/b are one.
func trimRemote(address string) string {
	_, rest, hasScheme := strings.Cut(address, "://")
	if !hasScheme {
		rest = strings.Replace(address, ":", "/", 1)
	}
	if user, at, ok := strings.Cut(rest, "@"); ok && !strings.Contains(user, "/") {
		rest = at
	}
	return strings.TrimSuffix(strings.TrimRight(rest, "/"), ".git")
}
