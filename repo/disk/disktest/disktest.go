// Package disktest interferes with the changes that a disk.Dir makes: it stops a process at any of them, fails them,
// and works out what a power cut would have left on the disk. It is for tests alone.
package disktest

import (
	"bytes"
	"errors"
	"io/fs"
	"maps"
	"math"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"mem/repo/disk"
)

// ErrKilled is what every change gets once the process is taken for dead.
var ErrKilled = errors.New("killed by the test")

// A Plan says which changes go wrong. The zero value lets all of them happen and counts them.
type Plan struct {
	At      int   // the first change that goes wrong, counted from 1; 0 for none
	Err     error // it fails with; nil means that the process dies there
	Forever bool  // so does every change after it
	Disk    *Disk // told of every change that is made; may be nil
	Without int   // the round of flushes that Disk is not told of, counted from 1; 0 for none

	seen, rounds int
}

// Fault is the disk.Fault of the plan. One process at a time may use it.
func (p *Plan) Fault(op disk.Op) error {
	p.seen++
	switch {
	case p.At == 0 || p.seen < p.At:
	case p.Err == nil:
		return ErrKilled
	case p.seen == p.At || p.Forever:
		return p.Err
	}
	if op.First {
		p.rounds++
	}
	isLost := strings.HasPrefix(op.Kind, "sync") && p.rounds == p.Without
	if p.Disk != nil && !isLost {
		p.Disk.note(op)
	}
	return nil
}

// Seen is how many changes were asked for.
func (p *Plan) Seen() int { return p.seen }

// Rounds is how many times what was asked for waited for the disk: flushes that are under way at the same time are one.
func (p *Plan) Rounds() int { return p.rounds }

// A Disk follows the changes to a folder and knows which of them were flushed. It is stricter than any real disk: the
// content of a file lasts when the file was synced, and a name when its folder was.
type Disk struct {
	IsShared bool // other programs, such as git, change the folder too; all that they do lasts
	IsGit    bool // and is as of a git that flushes: the names last once we flush the folder, and the logs once we flush them

	folder string
	root   *node
	seq    int
}

// A node is a file or a folder.
type node struct {
	folder bool
	names  map[string]*node // of a folder, as they are
	last   map[string]*node // of a folder, as they were when it was synced
	since  []change         // since then
	data   []byte           // of a file, as it was when it was synced
	dirty  bool             // written since then
	at     string           // where the file is, for reading it
	as     fs.FileInfo      // of a file, as it was when it last held its data
}

func newFolder() *node {
	return &node{folder: true, names: map[string]*node{}, last: map[string]*node{}}
}

// A change of one name in a folder. Those of one rename within a folder share a number, because they are one step.
type change struct {
	seq  int
	name string
	n    *node // nil if the name went away
}

// Follow returns the disk below a folder as it stands. All of it lasts.
func Follow(folder string) (*Disk, error) {
	d := &Disk{folder: folder}
	var err error
	d.root, err = load(folder, map[fs.FileInfo]*node{})
	return d, err
}

func load(at string, files map[fs.FileInfo]*node) (*node, error) {
	n := newFolder()
	n.at = at
	entries, err := os.ReadDir(at)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		child, err := loadEntry(filepath.Join(at, e.Name()), e, files)
		if err != nil {
			return nil, err
		}
		n.names[e.Name()], n.last[e.Name()] = child, child
	}
	return n, nil
}

func loadEntry(at string, e fs.DirEntry, files map[fs.FileInfo]*node) (*node, error) {
	if e.IsDir() {
		return load(at, files)
	}
	info, err := os.Lstat(at)
	if err != nil {
		return nil, err
	}
	for known, n := range files { // a second name
		if os.SameFile(known, info) {
			return n, nil
		}
	}
	data, err := os.ReadFile(at)
	n := &node{data: data, at: at, as: info}
	files[info] = n
	return n, err
}

// meetAt takes in what other programs did to a name, and to those in the folder of that name. What is
// below them is met in its turn: walking all of it at each change was a third of what the sweeps cost.
func (d *Disk) meetAt(name string) {
	if parent, base := d.find(name); name != "" && name != "." && parent.last != nil {
		d.meet(parent, base, filepath.Join(d.folder, filepath.FromSlash(name)), 1)
	}
}

// meet takes in what other programs did to a name of a folder, and to what is so many folders below it.
func (d *Disk) meet(n *node, name, at string, depth int) {
	child, was := n.names[name], n.names[name]
	if child != nil && !child.folder {
		child.at = at // of a file with two names the other may be gone
	}
	info, err := os.Lstat(at)
	switch {
	case err != nil:
		if child != nil {
			d.keep(n, name, nil)
		}
	case child != nil && child.folder && info.IsDir():
		if depth > 0 {
			d.meetAll(child, at, depth-1)
		}
	case child == nil || child.folder != info.IsDir() || !child.dirty && !child.isStill(info):
		if child, err = loadEntry(at, fs.FileInfoToDirEntry(info), map[fs.FileInfo]*node{}); err == nil {
			if d.keep(n, name, child); child.dirty && was != nil {
				child.data = was.data // of a log to which git appended
			}
		}
	}
}

func (d *Disk) meetAll(n *node, at string, depth int) {
	names := slices.Collect(maps.Keys(n.names))
	entries, _ := os.ReadDir(at) // a folder that is gone has nothing
	for _, e := range entries {
		names = append(names, e.Name())
	}
	for _, name := range names {
		d.meet(n, name, filepath.Join(at, name), depth)
	}
}

// isStill reports whether a file holds its data. Where it is the same file and of the same time and size as when it last
// did, it is not read: git puts a new file in the place of one that it changes, or makes it longer.
func (n *node) isStill(info fs.FileInfo) bool {
	if n.as != nil && os.SameFile(n.as, info) && n.as.Size() == info.Size() && n.as.ModTime().Equal(info.ModTime()) {
		return true
	}
	if !bytes.Equal(n.data, n.content()) {
		return false
	}
	n.as = info
	return true
}

// keep sets a name of a folder, for good unless git did it.
func (d *Disk) keep(n *node, name string, child *node) {
	if d.IsGit {
		d.seq++ // one may last without the other
		if child != nil {
			d.loosen(child)
			n.names[name] = child
		} else {
			delete(n.names, name)
		}
		n.since = append(n.since, change{d.seq, name, child})
		return
	}
	n.since = slices.DeleteFunc(n.since, func(c change) bool { return c.name == name })
	if child == nil {
		delete(n.names, name)
		delete(n.last, name)
		return
	}
	n.names[name], n.last[name] = child, child
}

// loosen takes away from what git made what it does not flush.
func (d *Disk) loosen(n *node) {
	if n.dirty = !n.folder && strings.Contains(filepath.ToSlash(n.at), "/.git/logs/"); n.dirty {
		n.data = nil
	}
	for name, child := range n.names {
		d.loosen(child)
		n.since = append(n.since, change{d.seq, name, child})
		delete(n.last, name)
	}
}

// find returns the folder of a path and the last step.
func (d *Disk) find(name string) (parent *node, base string) {
	parent = d.root
	if folder := path.Dir(name); folder != "." {
		for step := range strings.SplitSeq(folder, "/") {
			if parent = parent.names[step]; parent == nil {
				return &node{names: map[string]*node{}}, ""
			}
		}
	}
	return parent, path.Base(name)
}

func (d *Disk) get(name string) *node {
	if name == "." {
		return d.root
	}
	parent, base := d.find(name)
	return parent.names[base]
}

// set changes a name; n is nil to remove it.
func (d *Disk) set(name string, n *node) {
	parent, base := d.find(name)
	if parent.last == nil {
		return
	}
	parent.since = append(parent.since, change{d.seq, base, n})
	if n == nil {
		delete(parent.names, base)
		return
	}
	parent.names[base] = n
	n.at = filepath.Join(d.folder, filepath.FromSlash(name))
}

// note follows a change that is about to be made, unless it is elsewhere. One that cannot succeed,
// such as the creation of what is there already, is none.
func (d *Disk) note(op disk.Op) {
	below, err := filepath.Rel(d.folder, op.Dir)
	if err != nil || !filepath.IsLocal(below) {
		return
	}
	if op.Path = path.Join(filepath.ToSlash(below), op.Path); op.To != "" {
		op.To = path.Join(filepath.ToSlash(below), op.To)
	}
	d.seq++
	if d.IsShared {
		d.meetAt(op.Path)
		d.meetAt(op.To)
	}
	n := d.get(op.Path)
	switch op.Kind {
	case "mkdir":
		if n == nil {
			d.set(op.Path, newFolder())
		}
	case "create":
		if n == nil {
			d.set(op.Path, &node{})
		}
	case "write":
		if n == nil {
			n = &node{}
			d.set(op.Path, n)
		}
		n.dirty = true
	case "sync":
		if n != nil {
			n.data, n.dirty = n.content(), false
		}
	case "rename":
		if n != nil {
			d.set(op.Path, nil)
			d.set(op.To, n)
			move(n, n.at)
		}
	case "link":
		if n != nil && d.get(op.To) == nil {
			d.set(op.To, n)
		}
	case "remove":
		if n != nil {
			d.set(op.Path, nil)
		}
	case "syncdir":
		if n != nil {
			n.since, n.last = nil, maps.Clone(n.names)
		}
	}
}

// move says where the files below a folder are now.
func move(n *node, at string) {
	n.at = at
	for name, child := range n.names {
		move(child, filepath.Join(at, name))
	}
}

// content is what a file holds now.
func (n *node) content() []byte {
	data, err := os.ReadFile(n.at)
	if err != nil {
		return nil
	}
	return data
}

// lasting is what a power cut leaves of a file: what was synced, and of what was not whatever torn says.
func (n *node) lasting(torn func(flushed, now []byte) []byte) []byte {
	if !n.dirty {
		return n.data
	}
	now := n.content()
	flushed := n.data
	if !bytes.HasPrefix(now, flushed) { // overwritten since
		flushed = nil
	}
	return torn(flushed, now)
}

// Cut writes what a power cut at this moment would leave to a new folder. It
// asks the loss about each change that was not flushed.
func (d *Disk) Cut(to string, loss *Loss) error {
	if d.IsShared {
		d.meetAll(d.root, d.folder, math.MaxInt)
	}
	return d.root.restore(to, loss, map[*node]string{})
}

func (n *node) restore(to string, loss *Loss, done map[*node]string) error {
	if !n.folder {
		if first, ok := done[n]; ok {
			return os.Link(first, to)
		}
		done[n] = to
		return os.WriteFile(to, n.lasting(loss.Torn), 0o600)
	}
	if err := os.Mkdir(to, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	names := maps.Clone(n.last)
	for _, c := range n.since {
		if loss.Keep(c.seq) {
			names[c.name] = c.n
		}
	}
	for name, child := range names {
		if child != nil {
			if err := child.restore(filepath.Join(to, name), loss, done); err != nil {
				return err
			}
		}
	}
	return nil
}
