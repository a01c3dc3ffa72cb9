// Package gitstore keeps commits durable in the git repository of a memory
// root: it writes objects, moves the branch, appends to the reflog and
// updates git's index, each with git's own lock protocol and each flushed to
// the disk in the order that a crash at any moment demands.
//
// A commit begins with Begin, is prepared in a Writer, and becomes visible with
// Publish; Recover finishes what a dead process began. The forms of git's files
// are the business of the rooms below: object, gitindex, gitlock, reflog, gitconfig.
//
// Objects are written loose, each in a file of its own, and git puts them into packs (see
// Repack). go-git reads both, and the configuration. Its own ways of writing are not used:
// they flush nothing, replace files in place and take none of git's locks.
package gitstore

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/go-git/go-git/v5/storage/filesystem"

	"mem/repo/disk"
	"mem/repo/gitstore/gitconfig"
	"mem/repo/gitstore/gitlock"
	"mem/repo/gitstore/object"
	"mem/repo/gitstore/reflog"
)

// Errors that callers tell apart.
var (
	// ErrBusy is wrapped when a person is in the middle of something: a
	// merge, a rebase, another branch. Nothing was changed.
	ErrBusy = errors.New("repository is busy")
	// ErrLost is wrapped when another program moved the branch first.
	ErrLost = errors.New("branch was moved by another program")
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

	rescueDir     = PrivateDir + "/rescue" // what would otherwise have been overwritten
	journalPath   = PrivateDir + "/journal"
	indexPath     = gitDir + "/index"
	indexLockPath = gitDir + "/index.lock"
)

// A Store is the repository of one memory root. It is used by one goroutine;
// writers must hold the lock at LockPath.
type Store struct {
	d       *disk.Dir
	objects *filesystem.Storage
	trees   map[object.Hash][]object.Entry // read or made so far
	made    map[object.Hash][]byte         // blobs and commits of the latest Writer, that the disk may not have yet
	damaged bool                           // an object stayed unreadable: further ones are not waited for
	Warn    func(string)                   // of what a person should know but need not act on
	Purging bool                           // a purge that is not finished holds up nothing: it is ours
	locks   gitlock.Locker
}

// Open opens the repository in the folder d. It refuses what mem cannot write
// to safely, and changes nothing. anyOwner says that it may be another user's. warn
// gets what a person should know but need not act on.
func Open(d *disk.Dir, anyOwner bool, warn func(string)) (*Store, error) {
	if err := gitconfig.Check(d, anyOwner); err != nil {
		return nil, err
	}
	s := &Store{
		d: d, trees: map[object.Hash][]object.Entry{}, Warn: warn,
		locks: gitlock.Locker{Dir: d, Temp: TempDir, Proof: PrivateDir + "/proof"},
	}
	s.reopen()
	return s, nil
}

// maxSmall bounds what is read of a small file.
const maxSmall = 1 << 20

// A Head is where the repository stands.
type Head struct {
	Ref string      // "refs/heads/main"; "" when detached
	Tip object.Hash // zero when there is no commit yet
}

// ReadHead reads where HEAD points. A branch without a commit is fine, but
// one whose ref is damaged is an error, and so is one that had commits before:
// neither may be mistaken for a new repository.
func (s *Store) ReadHead() (Head, error) {
	text, err := s.d.ReadFile(gitDir+"/HEAD", maxSmall)
	if err != nil {
		return Head{}, asDamage(fmt.Errorf("HEAD: %w", err))
	}
	target, symbolic := strings.CutPrefix(strings.TrimSpace(string(text)), "ref: ")
	if !symbolic {
		tip, ok := object.ParseHash(target)
		if !ok {
			return Head{}, fmt.Errorf("%w: HEAD holds neither a branch nor a commit", object.ErrDamaged)
		}
		return Head{Tip: tip}, nil
	}
	target = strings.TrimSpace(target)
	if !isRef(target) {
		return Head{}, fmt.Errorf("%w: HEAD points to %q", object.ErrDamaged, target)
	}
	tip, err := s.readRef(target)
	return Head{Ref: target, Tip: tip}, err
}

// isRef reports whether name may be the full name of a branch.
func isRef(name string) bool { return strings.HasPrefix(name, "refs/") && disk.IsPortable(name) }

// readRef reads a ref, loose or packed. Zero means that it was never born.
func (s *Store) readRef(name string) (object.Hash, error) {
	tip, err := s.findRef(name)
	if err != nil || !tip.IsZero() {
		return tip, err
	}
	if _, exists := reflog.ReadTips(s.d, name); !exists {
		return object.Hash{}, nil
	}
	// Perhaps it was born since: the log is written after the ref.
	if tip, err = s.findRef(name); err == nil && tip.IsZero() {
		err = fmt.Errorf("%w: %s is gone; %s", object.ErrDamaged, name, reflog.DescribeLast(s.d, name))
	}
	return tip, err
}

// findRef is readRef, but returns zero for a ref that is gone.
func (s *Store) findRef(name string) (object.Hash, error) {
	text, err := s.d.ReadFile(gitDir+"/"+name, maxSmall)
	if err == nil {
		if tip, ok := object.ParseHash(strings.TrimSpace(string(text))); ok {
			return tip, nil
		}
		return object.Hash{}, fmt.Errorf("%w: %s holds no commit; %s", object.ErrDamaged, name, reflog.DescribeLast(s.d, name))
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return object.Hash{}, fmt.Errorf("read %s: %w", name, err)
	}
	packed, err := s.d.ReadFile(gitDir+"/packed-refs", 16*maxSmall)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return object.Hash{}, fmt.Errorf("read packed-refs: %w", err)
	}
	for line := range strings.Lines(string(packed)) {
		if h, ref, ok := strings.Cut(strings.TrimSpace(line), " "); ok && ref == name {
			if tip, ok := object.ParseHash(h); ok {
				return tip, nil
			}
		}
	}
	return object.Hash{}, nil
}

// shortRef is a branch as people name it.
func shortRef(ref string) string { return strings.TrimPrefix(ref, "refs/heads/") }
