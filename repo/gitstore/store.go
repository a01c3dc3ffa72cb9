// Package gitstore keeps commits durable in the git repository of a memory
// root: it writes objects, moves the branch, appends to the reflog and
// updates git's index, each with git's own lock protocol and each flushed to
// the disk in the order that a crash at any moment demands.
//
// A commit begins with Begin, is prepared in a Tx, and becomes visible with Publish; Recover finishes what a dead process began. Command is the one way to call git.
//
// Objects are written loose, each in a file of its own, and git puts them into packs (see
// Repack). go-git reads both, and the configuration. Its own ways of writing are not used:
// they flush nothing, replace files in place and take none of git's locks.
package gitstore

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/go-git/go-git/v5/plumbing/cache"

	"mem/fault"
	"mem/repo/disk"
)

// Errors that callers tell apart.
var (
	// ErrBusy is wrapped when a person is in the middle of something: a
	// merge, a rebase, another branch. Nothing was changed.
	ErrBusy = fault.New(fault.Later, "repository is busy", "finish or leave what git is in the middle of, then run any mem command")
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
)

// A Store is the repository of one memory root. It is used by one goroutine;
// writers must hold the lock at LockPath.
type Store struct {
	d       *disk.Dir
	packs   []pack           // nil until they are listed
	bases   cache.Object     // of what git packed as differences
	trees   map[Hash][]entry // read or made so far
	made    map[Hash]made    // by the latest attempt to commit: the disk may not have them yet
	damaged bool             // an object stayed unreadable: further ones are not waited for
	Warn    func(string)     // of what a person should know but need not act on
	Purging bool             // a purge that is not finished holds up nothing: it is ours
	lost    int              // attempts in turn

	// IsCrowded says that others waited for mem's own lock when it was taken: see Begin.
	IsCrowded bool
}

// Open opens the repository in the folder d. It refuses what mem cannot write
// to safely, and changes nothing. anyOwner says that it may be another user's. warn
// gets what a person should know but need not act on.
func Open(d *disk.Dir, anyOwner bool, warn func(string)) (*Store, error) {
	if err := check(d, anyOwner); err != nil {
		return nil, err
	}
	s := &Store{d: d, trees: map[Hash][]entry{}, Warn: warn}
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

// IsThere reports whether a folder has a repository, whatever its state: what Init began has no HEAD, no log and no index
// yet, and one that only lost its HEAD must not be taken for that.
func IsThere(d *disk.Dir) bool {
	info, err := d.Lstat(gitDir)
	return err == nil && (!info.IsDir() || d.Exists(gitDir+"/HEAD") || d.Exists(gitDir+"/logs") || d.Exists(indexPath))
}

// Init makes the folder d a repository on the given branch, without a commit,
// unless it is one already. Two processes may try at once. HEAD comes last: without it there is no repository to git
// either, and what a crash leaves a later Init continues.
func Init(ctx context.Context, d *disk.Dir, branch string, wait time.Duration) error {
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
		err = build(d, branch)
	}
	return errors.Join(err, lock.Release())
}

func build(d *disk.Dir, branch string) error {
	for _, folder := range []string{"objects/info", "objects/pack", "refs/heads", "refs/tags", "info"} {
		if err := d.MkdirAll(gitDir + "/" + folder); err != nil {
			return err
		}
	}
	head := "refs/heads/" + branch + "\n"
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
