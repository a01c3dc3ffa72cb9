package purge

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"mem/facts"
	"mem/guard"
	"mem/repo"
	"mem/repo/gitstore"
	"mem/repo/gitstore/gitconfig"
)

// maxFile bounds a file that is looked at.
const maxFile = 1 << 30

// isPrivate reports whether mem keeps a file beside git's own.
func isPrivate(name string) bool { return strings.HasPrefix(name, gitstore.PrivateDir+"/") }

// eachFile calls f for the regular files of a memory that are not objects of git's. One that another process was done with
// meanwhile is left out.
func (g git) eachFile(f func(name string) error) error {
	return filepath.WalkDir(g.folder, func(full string, e fs.DirEntry, err error) error {
		name, errRel := filepath.Rel(g.folder, full)
		if name = filepath.ToSlash(name); name == ".git/objects" || name == copyPath {
			return filepath.SkipDir
		}
		if err = errors.Join(err, errRel); err == nil && e.Type().IsRegular() && name != gitconfig.PurgePath {
			err = f(name)
		}
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	})
}

// cleanFiles takes the words out of the work tree and of what mem keeps beside it, and gives commits and files their new ids.
// What only makes reading fast goes: it is made anew.
func (p *purger) cleanFiles(c cleaner, ids map[string]string, res *Result) error {
	for _, name := range []string{"/cues", "/cache"} {
		if err := p.d.RemoveAll(gitstore.PrivateDir + name); err != nil {
			return err
		}
	}
	return p.eachFile(func(name string) error {
		data, err := p.d.ReadFile(name, maxFile)
		if err != nil {
			return fmt.Errorf("read %s: %w", guard.Line(name), err)
		}
		to, cleaned, err := c.cleanFile(name, data, ids)
		if err == nil && name == repo.KnownPath {
			cleaned, err = p.w.Reseal(cleaned, data)
		}
		if err != nil || bytes.Equal(cleaned, data) && to == name {
			return err
		}
		res.Files++
		if !c.drops(name) {
			err = errors.Join(p.d.MkdirAll(path.Dir(to)), p.d.WriteFile(to, cleaned, gitstore.TempDir))
		}
		if err == nil && (c.drops(name) || to != name) {
			err = errors.Join(p.d.Remove(name), p.d.SyncDir(path.Dir(name)))
		}
		return err
	})
}

// cleanFile returns what a file is called and holds without the words. Git's own have their forms: the search names one that
// holds the words.
func (c cleaner) cleanFile(name string, data []byte, ids map[string]string) (string, []byte, error) {
	switch {
	case isPrivate(name) || name == stashLog: // they name commits
		return name, reCommit.Get().ReplaceAllFunc(c.replace(data), func(id []byte) []byte { return []byte(cmp.Or(ids[string(id)], string(id))) }), nil
	case strings.HasPrefix(name, ".git/"):
		return name, data, nil
	}
	to, cleaned, err := c.clean(data)
	if to == "" || !strings.HasPrefix(name, facts.Folder+"/") {
		to = c.rename(name)
	}
	return to, cleaned, err
}

// search returns what holds the words: objects, and the files that isIn picks. Words that facts could not be read without wrap
// repo.ErrNotPurged.
func (c cleaner) search(ctx context.Context, g git, isIn func(name string) bool) (places []string, err error) {
	look := func(what string, data []byte) {
		if c.finds(data) {
			places = append(places, what)
			_, _, errFact := c.clean(data)
			err = cmp.Or(err, errFact)
		}
	}
	if errGit := gitconfig.EachObject(ctx, g.folder, g.environ, look); errGit != nil {
		return nil, errGit
	}
	errFiles := g.eachFile(func(name string) error {
		if !isIn(name) {
			return nil
		}
		data, err := os.ReadFile(filepath.Join(g.folder, filepath.FromSlash(name)))
		if c.finds([]byte(name)) {
			data = []byte(name) // is enough
		}
		if err == nil {
			look(name, data)
		}
		return err
	})
	return places, cmp.Or(errFiles, err)
}

// maxPlaces is how many places an error names.
const maxPlaces = 5

// check returns an error that names what holds the words.
func (c cleaner) check(ctx context.Context, g git, isIn func(name string) bool) error {
	places, err := c.search(ctx, g, isIn)
	if err == nil && len(places) > 0 {
		err = fmt.Errorf("%w, in %s", ErrLeft, guard.Line(strings.Join(places[:min(len(places), maxPlaces)], ", ")))
	}
	return err
}
