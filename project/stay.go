package project

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// commonBranches are those that tell nothing about a repository.
var commonBranches = []string{"", "HEAD", "main", "master", "trunk", "dev", "develop", "staging", "release", "test"}

// mayHaveHeld reports whether a session in a folder that is gone was held in a work tree of the repository: it was fetched from where this one
// is; or it had a branch of this repository, and lay beside a work tree of it or has its name in its path.
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
	packed, _ := os.ReadFile(filepath.Join(p.GitDir, "packed-refs"))
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
