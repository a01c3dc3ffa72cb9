// Package gitstore keeps commits durable in the git repository of a memory
// root: it writes objects, moves the branch, appends to the reflog and
// updates git's index, each with git's own lock protocol and each flushed to
// the disk in the order that a crash at any moment demands.
//
// A commit begins with Begin, is prepared in a Tx, and becomes visible with Publish; Recover finishes what a process began
// that died. Command is the one way to call git.
//
// Objects are written loose, each in a file of its own, or many at once as a pack, and git puts them into larger packs
// (see Repack). go-git reads both, and the configuration. Its own ways of writing are not used:
// they flush nothing, replace files in place and take none of git's locks.
package gitstore

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/cache"
	"github.com/go-git/go-git/v5/plumbing/format/objfile"
	"github.com/klauspost/compress/zlib"

	"mem/fault"
	"mem/repo/disk"
)

// Errors that callers tell apart.
var (
	// ErrBusy is wrapped when a person is in the middle of something: a
	// merge, a rebase, another branch. Nothing was changed.
	ErrBusy = fault.New(fault.Later, "repository is busy", "finish or leave what it names, then run any mem command")
	// ErrLost is wrapped when another program changed first what a commit builds on.
	ErrLost = fault.New(fault.Later, "another program was first", "run the command again")
)

// Folders inside the repository.
const (
	gitDir = ".git"

	// PrivateDir holds what mem keeps beside git's own files and never commits.
	PrivateDir = gitDir + "/mem"
	// TempDir holds temporary files, which belong to the holder of the lock.
	TempDir = PrivateDir + "/tmp"
	// LockPath is the file whose lock admits one writer at a time.
	LockPath = PrivateDir + "/lock"

	rescueDir   = PrivateDir + "/rescue" // what would otherwise have been overwritten
	journalPath = PrivateDir + "/journal"
	indexPath   = gitDir + "/index"

	firstBranch = "refs/heads/main" // of a repository of Init
)

// A Store is the repository of one memory root. It is used by one goroutine;
// writers must hold the lock at LockPath.
type Store struct {
	d       *disk.Dir
	packs   []*pack          // nil until they are listed
	bases   cache.Object     // of what git packed as differences
	trees   map[Hash][]entry // read or made so far
	made    map[Hash]made    // by the latest attempt to commit: the disk may not have them yet
	damaged bool             // an object stayed unreadable: further ones are not waited for
	Warn    func(string)     // of what a person should know but need not act on
	Purging bool             // an unfinished purge blocks nothing: it is ours
	lost    int              // attempts in turn

	// IsCrowded says that others waited for mem's own lock when it was taken: see Begin.
	IsCrowded bool
}

// Open opens the repository in the folder d. It refuses what mem cannot write
// to safely, and changes nothing. anyOwner says that it may be another user's. warn
// gets what a person should know but need not act on.
func Open(d *disk.Dir, anyOwner bool, warn func(string)) (*Store, error) {
	info, err := d.Lstat(gitDir)
	if err != nil {
		return nil, fmt.Errorf("open repository: %w", err)
	}
	if !info.IsDir() {
		return nil, fmt.Errorf("%w: .git is not a folder but a link, a linked work tree or a submodule", ErrUnsupported)
	}
	if err := checkOwner(d, anyOwner); err != nil {
		return nil, err
	}
	if err := checkFormat(d); err != nil {
		return nil, err
	}
	if d.Exists(objectsDir + "/info/alternates") {
		return nil, fmt.Errorf("%w: it borrows objects from another repository", ErrUnsupported)
	}
	s := &Store{d: d, Warn: warn}
	s.reopen()
	return s, nil
}

// initialConfig asks for the formats that mem writes, explicitly, because git's
// own defaults are about to change.
const initialConfig = `[core]
	repositoryformatversion = 0
	filemode = true
	bare = false
	logallrefupdates = true
`

// IsThere reports whether a folder has a repository, in whatever state. A repository that only lost its HEAD
// counts; one that Init has just begun, without HEAD, log and index, does not.
func IsThere(d *disk.Dir) bool {
	info, err := d.Lstat(gitDir)
	return err == nil && (!info.IsDir() || d.Exists(gitDir+"/HEAD") || d.Exists(gitDir+"/logs") || d.Exists(indexPath))
}

// Init makes the folder d a repository on the branch main, without a commit,
// unless it is one already. Two processes may try at once. HEAD comes last: without it there is no repository to git
// either, and what a crash leaves a later Init continues.
func Init(ctx context.Context, d *disk.Dir, wait time.Duration) error {
	if IsThere(d) {
		return nil
	}
	if err := d.MkdirAll(PrivateDir); err != nil {
		return err
	}
	lock, err := d.AcquireLock(ctx, LockPath, wait)
	if err != nil {
		return fmt.Errorf("initialize repository: %w", err)
	}
	if !IsThere(d) {
		err = build(d)
	}
	return errors.Join(err, lock.Release())
}

func build(d *disk.Dir) error {
	for _, folder := range []string{"objects/info", "objects/pack", "refs/heads", "refs/tags", "info"} {
		if err := d.MkdirAll(gitDir + "/" + folder); err != nil {
			return err
		}
	}
	const head = firstBranch + "\n"
	b := d.NewBatch(TempDir)
	return errors.Join(disk.InOrder(
		func() error { return b.Add(gitDir+"/config", []byte(initialConfig)) },
		func() error { return b.Add(homePath, []byte(head)) },
		func() error {
			return b.Add(gitDir+"/info/exclude", []byte("# paths that git ignores in this repository only\n"))
		},
		b.Publish,
		func() error { return d.WriteFile(gitDir+"/HEAD", []byte("ref: "+head), TempDir) },
	), b.Discard())
}

const objectsDir = gitDir + "/objects"

func objectPath(h Hash) string {
	name := h.String()
	return objectsDir + "/" + name[:2] + "/" + name[2:]
}

// reopen looks anew for the objects that are there: git packs or removes some meanwhile.
func (s *Store) reopen() {
	for _, p := range s.packs {
		if p.content != nil {
			_ = p.content.Close()
		}
	}
	s.packs, s.bases, s.trees = nil, cache.NewObjectLRU(32*cache.MiByte), map[Hash][]entry{}
}

// readAny returns an object, at the first look.
func (s *Store) readAny(h Hash) (kind Kind, data []byte, err error) {
	for _, p := range s.packs {
		if has, _ := p.Contains(plumbing.Hash(h)); has {
			return s.readPacked(p, h)
		}
	}
	kind, data, err = s.readLooseObject(h)
	switch {
	case !errors.Is(err, fs.ErrNotExist):
		return kind, data, err
	case s.packs != nil:
		return kind, nil, plumbing.ErrObjectNotFound
	}
	packs, err := s.listPacks()
	if err != nil {
		return kind, nil, err
	}
	s.packs = packs
	return s.readAny(h)
}

func (s *Store) readLooseObject(h Hash) (kind Kind, data []byte, err error) {
	f, err := s.d.StreamFile(objectPath(h))
	if err != nil {
		return kind, nil, err
	}
	defer f.Close()
	r, err := objfile.NewReader(f)
	if err != nil {
		return kind, nil, err
	}
	defer r.Close()
	kind, size, err := r.Header()
	if err == nil {
		data, err = io.ReadAll(r)
	}
	if err == nil && int64(len(data)) != size {
		err = io.ErrUnexpectedEOF
	}
	return kind, data, err
}

// FindKind returns what an object is; nothing of one that is not here, at the first look.
func (s *Store) FindKind(h Hash) Kind {
	kind, _, err := s.readAny(h)
	if err != nil {
		return plumbing.InvalidObject
	}
	return kind
}

// asDamage lets an error about git's own files wrap ErrDamaged, unless it
// is the system that could not open them now.
func asDamage(err error) error {
	if disk.IsExhausted(err) || errors.Is(err, fs.ErrPermission) {
		return fmt.Errorf("read git's own files: %w", err)
	}
	return fmt.Errorf("%w: %w", ErrDamaged, err)
}

// stageObjects prepares the files of the objects, including those that the disk seems to have: only the tip's
// objects are known to be durable. The process that wrote another object may have died before the flush, and
// git's collector may be about to remove it.
//
// Go-git's own writer knows one level of compression, which takes four times as long as this one.
func (t *Tx) stageObjects() error {
	if len(t.Store.made) > manyMade {
		return t.stagePack()
	}
	var file bytes.Buffer
	z, err := zlib.NewWriterLevel(&file, zlib.BestSpeed)
	for _, h := range slices.SortedFunc(maps.Keys(t.Store.made), compareHashes) {
		o := t.Store.made[h]
		file.Reset()
		z.Reset(&file)
		_, err1 := fmt.Fprintf(z, "%s %d\x00", o.kind, len(o.content))
		_, err2 := z.Write(o.content)
		if err = errors.Join(err, err1, err2, z.Close()); err == nil {
			err = t.b.AddMode(objectPath(h), file.Bytes(), 0o400)
		}
		if err != nil {
			return err
		}
		t.size += int64(file.Len())
	}
	return nil
}

type made struct {
	kind    Kind
	content []byte
	was     Hash // what it likely differs little from; zero for nothing
	depth   int  // its place in a row of such; 1 where was is none of them, also if that is made later: they may not be in a circle
}

func compareHashes(a, b Hash) int { return bytes.Compare(a[:], b[:]) }

// Keep adds a blob of this name to what Publish makes durable, which follows another one. It can be read from now on.
func (t *Tx) Keep(blob, was Hash, content []byte) { t.add(KindBlob, blob, was, content) }

// add adds one object of this name, which follows another one, and returns the name.
func (t *Tx) add(kind Kind, h, was Hash, content []byte) Hash {
	if _, isMade := t.Store.made[h]; !isMade {
		t.Store.made[h] = made{kind, content, was, t.Store.made[was].depth + 1}
	}
	return h
}

// AddCommit adds a commit object and returns its name. The Hash of c does not
// count.
func (t *Tx) AddCommit(c Commit) Hash {
	content := encodeCommit(c)
	if t.Sign != nil && t.Err == nil {
		var signature []byte
		if signature, t.Err = t.Sign(content); signature != nil {
			head, message, _ := bytes.Cut(content, []byte("\n\n"))
			lines := bytes.ReplaceAll(bytes.TrimRight(signature, "\n"), []byte("\n"), []byte("\n ")) // as git keeps one
			content = slices.Concat(head, []byte("\ngpgsig "), lines, []byte("\n\n"), message)
		}
	}
	return t.add(KindCommit, HashOf(KindCommit, content), Hash{}, content)
}

// EditTree adds the tree that differs from base in the blobs at some paths, zero for
// a file to be removed, and returns its name. Everything else in base is left
// as it is, whatever its mode.
func (t *Tx) EditTree(base Hash, blobs map[string]Hash) (Hash, error) {
	known, err := t.Store.readTree(base)
	if err != nil {
		return Hash{}, err
	}
	entries := slices.Clone(known)
	below := map[string]map[string]Hash{}
	for path, blob := range blobs {
		folder, rest, nested := strings.Cut(path, "/")
		if !nested {
			entries = setEntry(entries, entry{Mode: modeFile, Name: path, Hash: blob})
			continue
		}
		if below[folder] == nil {
			below[folder] = map[string]Hash{}
		}
		below[folder][rest] = blob
	}
	for _, folder := range slices.Sorted(maps.Keys(below)) {
		sub, err := t.Store.FindFolder(base, folder)
		if err == nil {
			sub, err = t.EditTree(sub, below[folder])
		}
		if err != nil {
			return Hash{}, err
		}
		entries = setEntry(entries, entry{Mode: modeTree, Name: folder, Hash: sub})
	}
	if len(entries) == 0 {
		return Hash{}, nil
	}
	if slices.Equal(entries, known) {
		return base, nil
	}
	content := encodeTree(entries)
	h := t.add(KindTree, HashOf(KindTree, content), base, content)
	t.Store.trees[h] = entries
	return h, nil
}
