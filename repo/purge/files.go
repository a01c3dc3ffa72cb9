package purge

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"mem/facts"
	"mem/guard"
	"mem/index"
	"mem/repo/disk"
	"mem/repo/gitstore"
	"mem/repo/gitstore/gitconfig"
)

// maxFile bounds a file that is looked at.
const maxFile = 1 << 30

// shortcuts are files of mem's own that are made anew where they are missing.
var shortcuts = []string{".git/mem/digest", ".git/mem/cues", ".git/mem/cache", ".git/mem/sessions"}

// eachFile calls f for the regular files of a memory that are not objects of git's. One that another process was done with
// meanwhile is left out.
func (p Purger) eachFile(f func(name string) error) error {
	return filepath.WalkDir(p.Folder, func(full string, e fs.DirEntry, err error) error {
		name, errRel := filepath.Rel(p.Folder, full)
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
func (p Purger) cleanFiles(d *disk.Dir, c cleaner, ids map[string]string, res *Result) error {
	for _, name := range shortcuts {
		if err := d.RemoveAll(name); err != nil {
			return err
		}
	}
	return p.eachFile(func(name string) error {
		data, err := d.ReadFile(name, maxFile)
		if err != nil {
			return fmt.Errorf("read %s: %w", guard.Line(name), err)
		}
		to, cleaned, err := c.cleanFile(name, data, ids)
		if err == nil && name == KnownPath && p.Reseal != nil {
			cleaned, err = p.Reseal(cleaned, data)
		}
		isGits := strings.HasPrefix(name, ".git/") && !strings.HasPrefix(name, gitstore.PrivateDir+"/") // whose logs go later
		if err == nil && !isGits && (c.finds(cleaned) || c.finds([]byte(to))) {
			err = fmt.Errorf("%w, in %s", ErrLeft, guard.Line(name))
		}
		if err != nil || bytes.Equal(cleaned, data) && to == name {
			return err
		}
		res.Files++
		if !c.drops(name) {
			err = errors.Join(d.MkdirAll(path.Dir(to)), d.WriteFile(to, cleaned, gitstore.TempDir))
		}
		if err == nil && (c.drops(name) || to != name) {
			err = errors.Join(d.Remove(name), d.SyncDir(path.Dir(name)))
		}
		return err
	})
}

// cleanFile returns what a file is called and holds without the words.
func (c cleaner) cleanFile(name string, data []byte, ids map[string]string) (string, []byte, error) {
	switch {
	case strings.HasPrefix(name, ".git/mem/") || name == stashLog: // they name commits
		return name, reCommit.Get().ReplaceAllFunc(c.replace(data), func(id []byte) []byte { return []byte(cmp.Or(ids[string(id)], string(id))) }), nil
	case strings.HasPrefix(name, ".git/"): // Git's own have their forms; verify names one that holds the words.
		return name, data, nil
	}
	if to, cleaned, err := c.cleanFact(data); err != nil || to != "" && strings.HasPrefix(name, facts.Folder+"/") {
		return to, cleaned, err
	}
	return c.rename(name), c.clean(data), nil
}

// maxPlaces is how many places an error names.
const maxPlaces = 5

// eachPlace calls f for every object, and for the files that isIn picks.
func (p Purger) eachPlace(ctx context.Context, isIn func(name string) bool, f func(what string, data []byte)) error {
	if err := p.eachObject(ctx, f); err != nil {
		return err
	}
	return p.eachFile(func(name string) error {
		if !isIn(name) {
			return nil
		}
		data, err := os.ReadFile(filepath.Join(p.Folder, filepath.FromSlash(name)))
		if err == nil {
			f(name, data)
		}
		return err
	})
}

// search returns an error that names what holds the words.
func (p Purger) search(ctx context.Context, c cleaner, isIn func(name string) bool) error {
	var places []string
	err := p.eachPlace(ctx, isIn, func(what string, data []byte) {
		if c.finds(data) || !strings.HasPrefix(what, "object ") && c.finds([]byte(what)) {
			places = append(places, what)
		}
	})
	if err == nil && len(places) > 0 {
		err = fmt.Errorf("%w, in %s", ErrLeft, guard.Line(strings.Join(places[:min(len(places), maxPlaces)], ", ")))
	}
	return err
}

// Count returns how many objects of the history, and files that mem keeps beside it, hold the words. Words that
// facts could not be read without wrap ErrRefused.
func (p Purger) Count(ctx context.Context, w Words) (n int, err error) {
	c := newCleaner(w)
	isOurs := func(name string) bool { return strings.HasPrefix(name, gitstore.PrivateDir+"/") }
	errEach := p.eachPlace(ctx, isOurs, func(_ string, data []byte) {
		if c.finds(data) {
			n++
			_, _, errFact := c.cleanFact(data)
			err = cmp.Or(err, errFact)
		}
	})
	return n, cmp.Or(errEach, err)
}

// FindWordings returns what lessons said in all facts that git has, and in all versions of the index that were before
// there were facts. A later one says nothing more, and where git merged it as text it may give a lesson another's words.
func (p Purger) FindWordings(ctx context.Context, ids ...string) ([]string, error) {
	said := map[string]bool{}
	err := p.eachObject(ctx, func(_ string, data []byte) {
		if f, err := facts.Parse(data); err == nil {
			for _, text := range f.Wordings(ids) {
				said[index.StripAvoid(text)] = true
			}
			return
		}
		if bytes.Contains(data, []byte("\n  \"log\": ")) {
			return
		}
		for _, id := range ids {
			from, to := findRecord(data, id)
			_, line, _ := bytes.Cut(data[from:to], []byte("\n      \"text\": "))
			line, _, _ = bytes.Cut(line, []byte("\n"))
			if text, err := jsontext.AppendUnquote(nil, bytes.TrimSuffix(line, []byte(","))); err == nil {
				said[index.StripAvoid(string(text))] = true
			}
		}
	})
	return slices.Sorted(maps.Keys(said)), err
}
