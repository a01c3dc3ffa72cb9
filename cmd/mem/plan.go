package main

import (
	"errors"
	"io/fs"

	"github.com/rogpeppe/go-internal/diff"

	"mem/guard"
	"mem/repo"
)

// A planned commit is what a command would do, for --dry-run.
type planned struct {
	commit repo.Commit
	files  []plannedFile
}

// A plannedFile is one file of it.
type plannedFile struct {
	path string
	diff []byte
}

// preview returns what a callback would commit, as a diff. root is nil if there
// is no memory yet.
func (w *workspace) preview(root *repo.Root, f func(*repo.Memory) (repo.Message, error)) (planned, error) {
	before, after := repo.Blank(w.now, w.options()), repo.Blank(w.now, w.options())
	if root != nil {
		var err error
		if before, err = root.View(w.now); err != nil {
			return planned{}, err
		}
		if after, err = root.View(w.now); err != nil {
			return planned{}, err
		}
	}
	var p planned
	var err error
	if p.commit, err = after.Preview(f); err != nil {
		return planned{}, err
	}
	for _, path := range p.commit.Files {
		old, err := before.Read(path)
		from := "a/" + path
		if errors.Is(err, fs.ErrNotExist) {
			from = "/dev/null"
		} else if err != nil {
			return planned{}, err
		}
		now, err := after.Read(path)
		to := "b/" + path
		if errors.Is(err, fs.ErrNotExist) {
			to = "/dev/null"
		} else if err != nil {
			return planned{}, err
		}
		p.files = append(p.files, plannedFile{path, diff.Diff(from, old, to, now)})
	}
	return p, nil
}

// print writes the subject and the diff.
func (p planned) print(env Env) {
	if p.commit.Subject == "" {
		env.Printf("nothing would change\n")
		return
	}
	env.Note("would be committed: %s", guard.Scrub(p.commit.Subject))
	for _, f := range p.files {
		env.Printf("%s", guard.Scrub(string(f.diff)))
	}
}
