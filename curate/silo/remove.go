package silo

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"mem/curate/proposal"
	"mem/frontmatter"
	"mem/repo"
	"mem/repo/disk"
)

// asidePrefix starts the names that only mem gives to files in a silo: then come
// the sum of the file, a tilde, and its name. None is that of a memory.
const asidePrefix = ".mem-gone-"

const (
	maxIndex = 1 << 20
	maxSwaps = 5 // how often a list that others write is tried
)

// committed says which versions of which files a memory has for good: by the
// path of the file, their sums.
type committed map[string]map[string]bool

// taken reads out of the last commit what it holds. Files that were taken over
// before count as well: the entries say where they came from.
func taken(m *repo.Memory) (committed, error) {
	list := committed{}
	for _, kind := range Types() {
		names, err := m.Texts(home(kind))
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			data, err := m.Committed(home(kind) + "/" + name)
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
			if err != nil {
				return nil, err
			}
			f, err := frontmatter.Parse(data)
			if err != nil {
				continue // a person's own file
			}
			if s := first(f, fieldStatus); s != active && s != superseded {
				continue
			}
			for _, s := range sightings(f) {
				if list[s.path] == nil {
					list[s.path] = map[string]bool{}
				}
				list[s.path][s.sum] = true
			}
		}
	}
	return list, nil
}

func (c committed) has(path, sum string) bool { return c[path][sum] }

// open opens the folder of a silo for changes.
func (s *Silo) open(opts Options) (*disk.Dir, error) { return disk.OpenFaulty(s.real, opts.Fault) }

// heal finishes or takes back what an interrupted run left: files that were set
// aside, and lists that were being written.
func (s *Silo) heal(m *repo.Memory, opts Options) (err error) {
	d, err := s.open(opts)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	if err := d.SweepBeside(context.Background(), IndexName); err != nil {
		return err
	}
	names, err := d.List(".")
	if err != nil {
		return err
	}
	var has committed
	healed := false
	for _, name := range names {
		rest, aside := strings.CutPrefix(name, asidePrefix)
		sum, file, ok := strings.Cut(rest, "~")
		if !aside || !ok || !candidate(file) {
			continue
		}
		if has == nil {
			if has, err = taken(m); err != nil {
				return err
			}
		}
		err := s.finish(d, file, sum, has, opts)
		if errors.Is(err, errStays) {
			s.notes = append(s.notes, err.Error())
		} else if err != nil {
			return err
		}
		healed = true
	}
	if !healed {
		return nil
	}
	return d.SyncDir(".")
}

const changedMeanwhile = "it was changed meanwhile; the next run looks at it again"

var errStays = errors.New("it stays")

// finish removes a file that was set aside, if it still is what the last commit
// holds, and otherwise puts it back under its name. The error wraps errStays if
// neither can be done now.
func (s *Silo) finish(d *disk.Dir, file, sum string, has committed, opts Options) error {
	aside := asidePrefix + sum + "~" + file
	info, err := d.Lstat(aside)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	data, err := content(d, aside, info.Mode().Type() == fs.ModeSymlink, opts)
	if err == nil && sumOf(data) == sum && has.has(filepath.Join(s.Dir, file), sum) {
		return d.Remove(aside)
	}
	// A rename would replace what the agent wrote under the name meanwhile.
	err = d.Link(aside, file)
	switch {
	case err == nil, d.SameFile(aside, file): // both names, if a run died between the two steps
		return d.Remove(aside)
	case d.Exists(file):
		return fmt.Errorf("%s and %s are both there: %w", aside, file, errStays)
	case errors.Is(err, fs.ErrPermission), errors.Is(err, errors.ErrUnsupported): // a disk without second names
		return d.Rename(aside, file)
	}
	return err
}

func sumOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// empty takes out of a silo what the last commit holds: first out of its list,
// so that whoever is interrupted leaves a file without a line, which the next
// run finds, rather than a line without a file.
func (s *Silo) empty(m *repo.Memory, res *Result, opts Options) (err error) {
	has, err := res.taken(m)
	if err != nil {
		return err
	}
	d, err := s.open(opts)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	if info, err := d.Lstat(IndexName); err == nil && opts.young(info.ModTime()) != "" {
		if slices.ContainsFunc(res.Items, func(it Item) bool { return it.Source.Silo == s && it.State == Ready }) {
			s.leave(res, IndexName+" was "+opts.young(info.ModTime()))
		}
		return nil
	}
	going := map[string]*Item{}
	for i := range res.Items {
		it := &res.Items[i]
		if it.Source.Silo != s || it.State != Ready || !has.has(it.Source.Path, it.Source.Sum) {
			continue
		}
		if data, err := content(d, it.Source.File, it.Source.linked, opts); err != nil || sumOf(data) != it.Source.Sum {
			it.Why = changedMeanwhile
			continue
		}
		going[it.Source.File] = it
	}
	gone := func(name string) bool {
		if going[name] != nil {
			return true
		}
		// Taken over earlier, while the agent wrote the line only afterwards.
		return candidate(name) && filepath.Base(name) == name && has[filepath.Join(s.Dir, name)] != nil && !d.Exists(name)
	}
	stays, err := s.rewrite(d, gone)
	if errors.Is(err, disk.ErrChanged) || errors.Is(err, errIndex) {
		s.leave(res, err.Error())
		return nil
	}
	if err != nil {
		return err
	}
	for _, name := range stays {
		res.Problems = append(res.Problems, proposal.Problem{
			Path: filepath.Join(s.Dir, IndexName), Why: "a line that says more than where " + name + " is was left",
		})
	}
	return s.removeAll(d, going, has, opts)
}

// removeAll removes the files.
func (s *Silo) removeAll(d *disk.Dir, going map[string]*Item, has committed, opts Options) error {
	names, err := d.List(".")
	if err != nil || len(going) == 0 {
		return err
	}
	for _, name := range names {
		it := going[name]
		if it == nil {
			continue
		}
		err := d.Rename(name, asidePrefix+it.Source.Sum+"~"+name)
		if errors.Is(err, fs.ErrNotExist) {
			it.Why = "somebody else removed it"
			continue
		}
		if err == nil {
			err = s.finish(d, name, it.Source.Sum, has, opts)
		}
		switch {
		case errors.Is(err, errStays):
			it.Why = err.Error()
		case err != nil:
			return err
		case d.Exists(name):
			it.Why = changedMeanwhile
		default:
			it.State = Removed
		}
	}
	return d.SyncDir(".")
}

// leave says why what is ready is not removed from a silo.
func (s *Silo) leave(res *Result, why string) {
	for i := range res.Items {
		if it := &res.Items[i]; it.Source.Silo == s && it.State == Ready {
			it.Why = why
		}
	}
	res.Problems = append(res.Problems, proposal.Problem{Path: s.Dir, Why: why + "; run the command again later"})
}

var errIndex = errors.New(IndexName + " cannot be edited")

// rewrite takes the items of what is gone out of the list of a silo. It
// returns the names that other lines lead to.
func (s *Silo) rewrite(d *disk.Dir, gone func(string) bool) (stays []string, err error) {
	for try := 1; ; try++ {
		old, err := d.Read(IndexName, maxIndex)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil, nil
		case errors.Is(err, disk.ErrLink), errors.Is(err, disk.ErrTooLarge):
			return nil, fmt.Errorf("%w: %w", errIndex, err)
		case err != nil:
			return nil, err
		}
		e := unlist(old, gone)
		if e.removed == 0 {
			return e.stays, nil
		}
		err = d.ReplaceIf(IndexName, old, e.data)
		if !errors.Is(err, disk.ErrChanged) || try == maxSwaps {
			return e.stays, err
		}
	}
}
