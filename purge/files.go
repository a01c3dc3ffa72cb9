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

// eachFile calls f for the regular files of a repository that are not objects of git's. One that another process was done with
// meanwhile is left out.
func (g git) eachFile(f func(name string) error) error {
	return fs.WalkDir(os.DirFS(g.folder), ".", func(name string, e fs.DirEntry, err error) error {
		if name == path.Join(g.dir, "objects") || name == copyPath {
			return fs.SkipDir
		}
		if err == nil && e.Type().IsRegular() && name != gitconfig.PurgePath {
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
	if err := errors.Join(p.d.RemoveAll(gitstore.PrivateDir+"/cues"), p.d.RemoveAll(gitstore.PrivateDir+"/cache")); err != nil {
		return err
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
	case strings.HasPrefix(name, gitstore.PrivateDir+"/") || name == stashLog: // they name commits
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

// search returns which objects and files hold the words. Words that facts could not be read without wrap repo.ErrNotPurged.
func (c cleaner) search(ctx context.Context, g git) (places []string, err error) {
	look := func(what string, data []byte) {
		if c.finds(data) {
			places = append(places, what)
			_, _, errFact := c.clean(data)
			err = cmp.Or(err, errFact)
		}
	}
	errRead := gitconfig.EachObject(ctx, g.folder, g.environ, look)
	if errRead == nil {
		errRead = g.eachFile(func(name string) error {
			data, err := os.ReadFile(filepath.Join(g.folder, filepath.FromSlash(name)))
			if c.finds([]byte(name)) {
				data = []byte(name) // is enough
			}
			look(name, data)
			return err
		})
	}
	return places, cmp.Or(errRead, err)
}

// maxPlaces is how many places an error names.
const maxPlaces = 5

// check returns an error that names what holds the words.
func (c cleaner) check(ctx context.Context, g git) error {
	places, err := c.search(ctx, g)
	if err == nil && len(places) > 0 {
		err = fmt.Errorf("%w, in %s", ErrLeft, guard.Line(strings.Join(places[:min(len(places), maxPlaces)], ", ")))
	}
	return err
}
