// Package openpack finds the pack that commits go into, writes it anew with what a commit adds,
// and takes away the one before. The holder of the lock of the root calls it.
//
// A file with the ending .keep tells git, which packs anew from time to time, to leave
// the pack alone; what the file says tells mem that the pack is its own. A pack gets its name
// before its index does: git gc takes an index that stands alone for garbage, and without
// one no program looks at a pack. What a crash leaves is at worst two packs of mem's, of which the
// one with the tip is the open one, a pack without an index, which the next writer makes,
// or an index without a pack, which the next writer removes.
package openpack

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"mem/repo/disk"
	"mem/repo/gitstore/gitread"
	"mem/repo/gitstore/object"
	"mem/repo/gitstore/pack"
)

// folder is where git has its packs.
const folder = ".git/objects/pack"

// keepText is what mem's own files with the ending .keep hold.
const keepText = "mem: the pack that commits go into\n"

const (
	maxPack = 1 << 31
	maxKeep = 1 << 10
)

// A Pack is the pack that the next commit goes into. The zero value is not one.
type Pack struct {
	d       *disk.Dir
	temp    string // a folder for temporary files
	entries []pack.Entry
	copied  []string // packs of mem's whose objects the entries are
	others  []string // of mem's, which become git's like any other
	name    string   // of what Stage staged

	made chan made // by Roll; nil before it
}

// made is the pack that is to take the place of the open one.
type made struct {
	data, index []byte
	sum         string
	err         error
}

// Find reads the open pack. tip is the commit that the branch names, temp a folder for
// temporary files.
func Find(d *disk.Dir, temp string, tip object.Hash) (*Pack, error) {
	p := &Pack{d: d, temp: temp}
	names, err := listOwn(d)
	if err != nil {
		return nil, err
	}
	read, open, err := p.readAll(names, tip)
	if err != nil {
		return nil, err
	}
	if entries := read[open]; !pack.IsFull(entries) {
		p.entries = entries
	}
	for _, name := range names {
		if entries := read[name]; entries != nil && holdsAll(p.entries, entries) {
			p.copied = append(p.copied, name)
		} else {
			p.others = append(p.others, name)
		}
	}
	return p, nil
}

// listOwn returns the names of mem's packs, and removes what a crash left of others.
func listOwn(d *disk.Dir) ([]string, error) {
	files, err := d.ListFolder(folder)
	if err != nil {
		return nil, fmt.Errorf("list packs: %w", err)
	}
	var own []string
	for _, file := range files {
		name, isKeep := strings.CutSuffix(file, ".keep")
		if !isKeep {
			continue
		}
		text, err := d.ReadFile(path.Join(folder, file), maxKeep)
		if err != nil || !bytes.Equal(text, []byte(keepText)) {
			continue
		}
		if d.Exists(path.Join(folder, name+".pack")) {
			own = append(own, name)
			continue
		}
		if err := remove(d, name); err != nil {
			return nil, err
		}
	}
	return own, nil
}

// readAll reads packs, and says which of them is the open one. Those that are damaged are left out:
// git can say what is wrong with one, and nothing is built on it.
func (p *Pack) readAll(names []string, tip object.Hash) (read map[string][]pack.Entry, open string, err error) {
	read = make(map[string][]pack.Entry, len(names))
	for _, name := range names {
		entries, err := p.read(name)
		if errors.Is(err, object.ErrDamaged) {
			continue
		}
		if err != nil {
			return nil, "", err
		}
		if read[name] = entries; open == "" || isBetter(entries, read[open], tip) {
			open = name
		}
	}
	return read, open, nil
}

// read returns the entries of a pack.
func (p *Pack) read(name string) ([]pack.Entry, error) {
	data, err := p.d.ReadFile(path.Join(folder, name+".pack"), maxPack)
	if err != nil {
		return nil, fmt.Errorf("read pack: %w", err)
	}
	at := path.Join(folder, name+".idx")
	index, err := p.d.ReadFile(at, maxPack)
	if errors.Is(err, fs.ErrNotExist) { // a power cut may keep the one file and not the other
		if index, err = gitread.MakeIndex(data); err == nil {
			err = p.d.WriteFile(at, index, p.temp)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("read index of pack: %w", err)
	}
	return pack.Parse(data, index)
}

// isBetter reports whether a rather than b is the open pack: it has the tip, or else more.
func isBetter(a, b []pack.Entry, tip object.Hash) bool {
	hasTip := func(list []pack.Entry) bool {
		return slices.ContainsFunc(list, func(e pack.Entry) bool { return e.Hash == tip })
	}
	if in := hasTip(a); in != hasTip(b) {
		return in
	}
	return len(a) > len(b)
}

// holdsAll reports whether all objects of a pack are in another.
func holdsAll(in, of []pack.Entry) bool {
	have := make(map[object.Hash]bool, len(in))
	for _, e := range in {
		have[e.Hash] = true
	}
	return !slices.ContainsFunc(of, func(e pack.Entry) bool { return !have[e.Hash] })
}

// Roll begins to make the pack with new objects, in the background.
func (p *Pack) Roll(front, behind []pack.Entry, updates []pack.Update) {
	p.made = make(chan made, 1)
	go func() {
		var m made
		m.data, m.index, m.sum, m.err = pack.Encode(pack.Roll(p.entries, front, behind, updates))
		p.made <- m
	}()
}

// Stage adds the pack that Roll makes to a batch.
func (p *Pack) Stage(b *disk.Batch) error {
	if p.made == nil {
		return nil
	}
	m := <-p.made
	if m.err != nil {
		return m.err
	}
	p.name = "pack-" + m.sum
	at, own := path.Join(folder, p.name), slices.Concat(p.copied, p.others)
	var err error
	switch {
	case slices.Contains(own, p.name): // which has one
	case len(own) == 0:
		err = b.Add(at+".keep", []byte(keepText))
	default:
		err = b.AddSame(path.Join(folder, own[0]+".keep"), at+".keep", []byte(keepText))
	}
	if err == nil {
		err = b.Add(at+".pack", m.data)
	}
	if err == nil {
		err = b.Add(at+".idx", m.index)
	}
	return err
}

// Settle removes the packs whose objects are in the one that was staged, and leaves those that
// are full to git. The branch names a commit of the new pack by now, durably. Without a call of
// Stage nothing changes.
func (p *Pack) Settle() error {
	if p.name == "" {
		return nil
	}
	var errs []error
	for _, name := range p.copied {
		if name != p.name {
			errs = append(errs, remove(p.d, name))
		}
	}
	for _, name := range p.others {
		if name != p.name {
			errs = append(errs, p.d.Remove(path.Join(folder, name+".keep")))
		}
	}
	return errors.Join(errs...)
}

// remove removes a pack; the file that says whose it is goes last.
func remove(d *disk.Dir, name string) error {
	for _, ending := range []string{".pack", ".idx", ".rev", ".bitmap", ".keep"} {
		if err := d.Remove(path.Join(folder, name+ending)); err != nil {
			return err
		}
	}
	return nil
}
