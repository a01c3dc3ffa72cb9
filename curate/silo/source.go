package silo

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"mem/curate/proposal"
	"mem/frontmatter"
	"mem/repo/disk"
)

var errNotPlain = errors.New("not a plain file")

// maxTotal is how much of all silos is taken at a time; the rest waits for the
// next run.
const maxTotal = 256 << 20

// A Source is one file of a silo.
type Source struct {
	Silo *Silo
	File string // its name
	Path string // of it, as the silo is found
	Cwd  string // where the session ran that wrote it; the slug if nobody knows

	*Entry       // nil if it was not recognised
	linked bool  // it is a link
	at     int64 // when it was written, in nanoseconds
}

// modified is when the text was written: as the file says, else as the disk does.
func (s *Source) modified() time.Time {
	if !s.Modified.IsZero() {
		return s.Modified
	}
	return time.Unix(0, s.at).UTC()
}

// A survey is what lies in the silos.
type survey struct {
	silos    []*Silo
	sources  []*Source // recognised
	left     []Item    // the others
	problems []proposal.Problem
	size     int
}

// look reads the silos. Nothing is changed.
func look(silos []*Silo, opts Options) *survey {
	v := &survey{silos: silos}
	for _, s := range silos {
		if s.why == "" {
			s.busy = opts.locked(s.real)
			v.silo(s, opts)
		}
		if s.why != "" {
			v.problems = append(v.problems, proposal.Problem{Path: s.Dir, Why: s.why})
		}
		for _, note := range s.notes {
			v.problems = append(v.problems, proposal.Problem{Path: s.Dir, Why: note})
		}
	}
	return v
}

func (v *survey) silo(s *Silo, opts Options) {
	d, err := disk.Open(s.real)
	if err != nil {
		s.why = "it cannot be opened: " + reason(err)
		return
	}
	defer d.Close()
	names, err := d.List(".")
	if err != nil {
		s.why = "it cannot be read: " + reason(err)
		return
	}
	for _, name := range names {
		if strings.HasPrefix(name, ".") || name == IndexName {
			continue
		}
		src := &Source{Silo: s, File: name, Path: filepath.Join(s.Dir, name)}
		if err := src.read(d, opts); err != nil {
			v.left = append(v.left, Item{Source: src, State: Left, Why: err.Error()})
			continue
		}
		if v.size += len(src.data); v.size > maxTotal {
			v.left = append(v.left, Item{Source: src, State: Left, Why: "there is too much for one run; the next one takes it"})
			continue
		}
		src.Cwd = s.origin(src.Session)
		if opts.Here != nil && !opts.Here(src.Cwd) {
			v.left = append(v.left, Item{Source: src, State: Left, Why: "it is of another project, " + src.Cwd})
			continue
		}
		v.sources = append(v.sources, src)
	}
}

// Of reports whether a source_cwd says that a memory is of a project: a folder
// of it, or its slug.
func Of(project, cwd string) bool {
	if project == "" {
		return false
	}
	if rel, err := filepath.Rel(project, cwd); err == nil && filepath.IsLocal(rel) {
		return true
	}
	return cwd == Slug(project)
}

// read recognises a file. The error says why it is left alone.
func (s *Source) read(d *disk.Dir, opts Options) error {
	info, err := d.Lstat(s.File)
	switch {
	case err != nil:
		return errors.New("it cannot be read: " + reason(err))
	case info.IsDir():
		return errors.New("a folder")
	case info.Mode().Type() == os.ModeSymlink:
		s.linked = true
		if !opts.Follow {
			return errors.New("a link")
		}
	case !info.Mode().IsRegular():
		return errNotPlain
	}
	switch {
	case !candidate(s.File):
		return errors.New("not a Markdown file")
	case !s.named():
		return errors.New("a name that cannot be written down")
	}
	s.at = info.ModTime().UnixNano()
	if why := opts.young(info.ModTime()); why != "" {
		return errors.New(why)
	}
	if s.Silo.busy != "" {
		return errors.New(s.Silo.busy)
	}
	data, err := content(d, s.File, s.linked, opts)
	switch {
	case errors.Is(err, disk.ErrTooLarge):
		return errors.New("larger than 256 KiB")
	case err != nil:
		return errors.New("it cannot be read: " + reason(err))
	}
	s.Entry, err = Parse(data)
	return err
}

// named reports whether the path can be kept in fields, by which the next run
// knows the file again: one that is not UTF-8 or has control characters cannot.
func (s *Source) named() bool {
	f := frontmatter.New("")
	f.Set(fieldPath, s.Path)
	f.SetList(fieldSources, []string{s.Path})
	path, _ := f.Get(fieldPath)
	return path == s.Path && slices.Equal(f.List(fieldSources), []string{s.Path})
}

// content reads a file of a silo, through a link if that is meant.
func content(d *disk.Dir, name string, linked bool, opts Options) ([]byte, error) {
	if !linked {
		return d.Read(name, maxEntry)
	}
	real, err := filepath.EvalSymlinks(filepath.Join(d.Path(), name))
	if err != nil {
		return nil, err
	}
	if !inside(real, opts.Places.Home) {
		return nil, errors.New("a link that leads out of the home")
	}
	data, err := readHead(real, maxEntry+1)
	if err == nil && len(data) > maxEntry {
		err = disk.ErrTooLarge
	}
	return data, err
}

// young says that a file was written just now; "" if it was not. Claude Code
// writes a file and then the index. Times from beyond the near future are those
// of a wrong clock, and say nothing.
func (o Options) young(at time.Time) string {
	age := o.Moment.Sub(at)
	if o.Settle <= 0 || age >= o.Settle || age <= -o.Settle {
		return ""
	}
	return fmt.Sprintf("written less than %s ago; it may not be finished", o.Settle)
}

// How long the housekeeper's lock holds, and its name.
const (
	lockName = ".consolidate-lock"
	lockFor  = time.Hour
)

// locked says that the agent's housekeeper is at work; "" if it is not.
func (o Options) locked(dir string) string {
	path := filepath.Join(dir, lockName)
	info, err := os.Lstat(path)
	if err != nil || o.Moment.Sub(info.ModTime()) >= lockFor || o.Alive == nil {
		return ""
	}
	data, err := readHead(path, 64)
	if err != nil {
		return ""
	}
	first, _, _ := strings.Cut(strings.TrimSpace(string(data)), "\n")
	pid, err := strconv.Atoi(strings.TrimSpace(first))
	if err != nil || pid <= 0 || !o.Alive(pid) {
		return ""
	}
	return fmt.Sprintf("process %d of Claude Code is tidying up there", pid)
}
