// Package gitstore keeps commits durable in the git repository of a memory
// root: it writes objects, moves the branch, appends to the reflog and
// updates git's index, each with git's own lock protocol and each flushed to
// the disk in the order that a crash at any moment demands.
//
// A commit begins with Begin, is prepared in a Writer, and becomes visible with
// Publish; Recover finishes what a dead process began. The forms of git's files
// are the business of the rooms below: object, gitread, pack, openpack, gitindex, gitlock,
// gitinit, branch, journal.
//
// go-git reads objects and configuration. Its own ways of writing are not used:
// they flush nothing, replace files in place and take none of git's locks.
// No other package of mem imports go-git.
package gitstore

import (
	"errors"
	"path/filepath"

	"mem/repo/disk"
	"mem/repo/gitstore/branch"
	"mem/repo/gitstore/gitconfig"
	"mem/repo/gitstore/gitlock"
	"mem/repo/gitstore/gitread"
	"mem/repo/gitstore/object"
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

// A Head is where the repository stands.
type Head = branch.Head

// ReadHead reads where HEAD points, as branch.ReadHead says.
func (s *Store) ReadHead() (Head, error) { return branch.ReadHead(s.d) }

// A Store is the repository of one memory root. It is used by one goroutine;
// writers must hold the lock at LockPath.
type Store struct {
	d       *disk.Dir
	objects *gitread.Reader
	trees   map[object.Hash][]object.Entry // read or made so far
	damaged bool                           // an object stayed unreadable: further ones are not waited for
	warned  bool                           // that readers read the last commit alone
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
		locks: gitlock.Locker{Dir: d, Temp: TempDir, Proof: PrivateDir + "/proof"}, objects: gitread.Open(filepath.Join(d.Path(), gitDir)),
	}
	return s, nil
}
