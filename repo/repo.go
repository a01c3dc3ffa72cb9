// Package repo is the memory root: a folder with a git repository of its own that holds what was learned.
//
// Every change to a root goes through Root.Settle. It takes in hand edits, hands the current memory to a
// callback, renders the views and makes one commit that no crash can tear. Nothing else writes.
//
// repo knows of lessons only what packages index and render offer. How a lesson comes about is left to the
// packages above.
package repo

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"mem/facts"
	"mem/fault"
	"mem/index"
	"mem/repo/disk"
	"mem/repo/gitstore"
)

// Errors that callers tell apart. The first four mean that nothing was changed and that the work can wait in the queue.
var (
	ErrLocked      = disk.ErrLocked          // another process kept the root locked for the whole wait
	ErrBusy        = gitstore.ErrBusy        // a person is in the middle of a merge, on another branch, …
	ErrLost        = gitstore.ErrLost        // other programs kept moving the branch
	ErrUnsigned    = gitstore.ErrUnsigned    // commits are to be signed, and cannot be now
	ErrUnsupported = gitstore.ErrUnsupported // a kind of repository that mem does not write to
	ErrOwner       = gitstore.ErrOwner       // one of them, unless the person's configuration names it
	ErrDamaged     = gitstore.ErrDamaged     // git's own data is damaged
	ErrNoRoot      = fault.New(fault.Missing, "no memory here yet", "run 'mem init' here, or name a memory with --root")
)

// Paths in a root that are not views.
const (
	IndexPath  = index.Path
	TracesPath = "core/traces.json"
	ConfigPath = "mem.toml"
	ReadmePath = "README.md"
)

// Options are what a Root needs to know about its surroundings; zero works.
type Options struct {
	Project      string        // folder whose git identity commits get if the root sets none
	MaxCoreItems int           // size of CORE.md's selection; 0 means 20
	Version      string        // of mem, for the trailer of commits
	LockWait     time.Duration // for another process; 0 means ten seconds
	Warn         func(string)  // gets what a person should know; nil drops it
	Fault        disk.Fault    // for tests
	AnyOwner     bool          // the root may belong to another user
	Keys         Sealer        // seals what the person knows, so that changes by git need approval; nil accepts all
	Purging      bool          // this is the unfinished purge that blocks all other changes
	Environ      []string      // of git
	MayAsk       bool          // a person can answer the program that signs commits
	Queue        string        // folder for work that cannot be committed now; "" is one in the root itself

	// Learned is called after a callback that counted lessons: what follows from them goes into the same commit, whose
	// message it may change. Like the callback it may be called again, and must be pure over the memory. Nil does
	// nothing.
	Learned func(*Memory, []index.Change, *Message) error

	// Views writes the views that the rooms above make, such as the list of proposals, after everything was made anew
	// of the facts. It must be pure over the memory. Nil does nothing.
	Views func(*Memory) error

	// Follow is called when a memory was read, before any other callback. It brings
	// the records in line with files that a person changed: a change gets a commit
	// of its own, and Warn gets the note about it. It must be pure over the memory. Nil does nothing.
	Follow func(*Memory) (msg Message, note string, err error)
}

func (o Options) withDefaults() Options {
	o.MaxCoreItems = cmp.Or(o.MaxCoreItems, 20)
	o.LockWait = cmp.Or(o.LockWait, 10*time.Second)
	if o.Warn == nil {
		o.Warn = func(string) {}
	}
	return o
}

// A Root is an open memory root. It is used by one goroutine.
type Root struct {
	Queue // in the root itself if the options name no folder

	opts  Options
	d     *disk.Dir
	store *gitstore.Store

	decoded map[factFile]facts.Fact // read so far: each command, and each batch of sessions, reads the log more than once

	unseen    bool // git changed something that mem has not taken in
	TakesLost bool // Settle commits the facts that CheckLog finds lost
}

// Open opens the root at path. It wraps ErrNoRoot when there is none and
// ErrNotRoot when the folder holds something else.
func Open(path string, opts Options) (*Root, error) {
	r, err := open(path, opts)
	if err != nil {
		return nil, err
	}
	if !gitstore.IsThere(r.d) {
		return nil, errors.Join(fmt.Errorf("%s: %w", path, ErrNoRoot), r.Close())
	}
	if err := r.openStore(); err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", path, err), r.Close())
	}
	return r, nil
}

// Create opens the root at path, after making it if there is none. It adopts a folder that pi-self-learning
// left, with or without a repository. A project repository around the root is configured to ignore it.
func Create(ctx context.Context, path string, opts Options) (*Root, error) {
	_, err := os.Lstat(path)
	isNew := errors.Is(err, fs.ErrNotExist)
	if _, err := os.Lstat(filepath.Join(path, ".git")); err != nil { // else the folder is durable
		if err := (disk.Files{Fault: opts.Fault}).MakeFolder(path); err != nil {
			return nil, fmt.Errorf("create memory root: %w", err)
		}
	}
	r, err := open(path, opts)
	if err != nil {
		return nil, err
	}
	if err := r.create(ctx); err != nil {
		err = errors.Join(fmt.Errorf("%s: %w", path, err), r.Close())
		if isNew {
			// Unless it is empty it is left in place: the next command continues with it.
			_ = disk.Files{Fault: opts.Fault}.RemoveFile(path)
		}
		return nil, err
	}
	return r, nil
}

func (r *Root) create(ctx context.Context) error {
	if err := hide(r.Path()); err != nil { // first, so that no crash leaves it in sight
		return err
	}
	if err := r.d.MkdirAll("core"); err != nil {
		return err
	}
	if err := gitstore.Init(ctx, r.d, r.opts.LockWait); err != nil {
		return err
	}
	return r.openStore()
}

func open(path string, opts Options) (*Root, error) {
	opts = opts.withDefaults()
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("%s: %w", path, ErrNoRoot)
	case err != nil:
		return nil, fmt.Errorf("open memory root: %w", err)
	case !info.IsDir():
		return nil, fmt.Errorf("%s is a file: %w", path, ErrNotRoot)
	}
	d, err := disk.Files{Fault: opts.Fault}.Open(path)
	if err != nil {
		return nil, fmt.Errorf("open memory root: %w", err)
	}
	r := &Root{opts: opts, d: d, decoded: map[factFile]facts.Fact{}}
	if r.Queue = r.ownQueue(); opts.Queue != "" {
		r.Queue.Folder = opts.Queue
	}
	if err := checkFolder(path, r.d); err != nil {
		return nil, errors.Join(err, r.Close())
	}
	return r, nil
}

func (r *Root) openStore() (err error) {
	if r.store, err = gitstore.Open(r.d, r.opts.AnyOwner, r.opts.Warn); err == nil {
		r.store.Purging = r.opts.Purging
	}
	return err
}

// Path returns the root's folder.
func (r *Root) Path() string { return r.d.Path() }

// Close releases the root.
func (r *Root) Close() error { return r.d.Close() }

// CheckBusy returns nil when the root takes commits, and otherwise an error that
// wraps ErrBusy and says what a person is in the middle of.
func (r *Root) CheckBusy() error {
	tx, err := r.store.Peek()
	if err != nil {
		return err
	}
	return tx.CheckBusy()
}

// CheckSigning returns nil if commits can be signed now, or need not be; else an error that wraps ErrUnsigned.
func (r *Root) CheckSigning() error {
	_, signer := gitstore.ReadCommitter(r.d, r.opts.Project, r.opts.Environ)
	_, err := signer.Sign([]byte("mem\n"), false)
	return err
}

// Email returns the address with which commits are made here.
func (r *Root) Email() string {
	author, _ := gitstore.ReadCommitter(r.d, r.opts.Project, r.opts.Environ)
	return author.Author.Email
}

// ReadTip returns a file as the branch holds it, including changes that readers are not shown yet.
func (r *Root) ReadTip(path string) ([]byte, error) {
	tx, err := r.store.PeekTip()
	if err != nil {
		return nil, err
	}
	return r.newMemory(tx, time.Time{}).ReadCommitted(path)
}

// ReadConfig returns the configuration with the person's uncommitted edits, which count at once. It leaves out
// changes that arrived by git unaccepted, are staged in git's index, or are half merged.
func (r *Root) ReadConfig() ([]byte, error) {
	m, err := r.peekMemory(time.Time{})
	if err != nil {
		return nil, err
	}
	data, err := m.ReadFile(ConfigPath)
	if now, errNow := r.d.ReadFile(ConfigPath, maxFound); errNow == nil && err == nil && bytes.Equal(now, data) {
		return data, nil
	}
	tx, errPeek := r.store.Peek()
	if errPeek != nil || tx.Head.Tip != m.tx.Head.Tip || tx.CheckBusy() != nil {
		return data, err
	}
	if f, errLook := tx.Look(ConfigPath, m.files[ConfigPath].committed, true); errLook == nil && !f.Staged {
		return f.Data, nil // none where they took it out
	}
	return data, err
}

// A Packing is the result of asking git to pack the objects, of which each commit writes several as single files.
type Packing struct {
	At     time.Time `json:"at,omitzero"`
	Failed string    `json:"failed,omitzero"` // why git did nothing
}

// IsPackDue reports whether enough was committed since the last packing that a worker should run git again.
func (r *Root) IsPackDue() bool { return r.store.IsRepackDue(1) || r.store.IsMostlyLoose() }

// Pack lets git pack the objects, if that is due and no other process does it. It records git's error.
func (r *Root) Pack(ctx context.Context, now time.Time) error {
	if !r.IsPackDue() {
		return nil
	}
	p := Packing{At: now.UTC()}
	if err := r.store.Repack(ctx, now); ctx.Err() != nil || errors.Is(err, ErrLocked) {
		return ctx.Err()
	} else if err != nil {
		p.Failed = fmt.Sprintf("on %s git did not pack the history: %v", p.At.Format(time.DateOnly), err)
	}
	return r.KeepValue(NotePacked, p)
}

// The table of cues is for hooks that an agent waits for. Each commit of mem's rebuilds it. It is valid only
// while the index file is the one it was made of: a stale, torn or missing table yields no hints until the next
// commit or the worker rebuilds it.
const (
	cuesPath = gitstore.PrivateDir + "/cues"
	maxCues  = 16 << 20
)

// sealCues names the index without reading it.
func (r *Root) sealCues() string {
	info, err := r.d.Lstat(IndexPath)
	if err != nil {
		return "none"
	}
	return fmt.Sprintf("%d@%d", info.Size(), info.ModTime().UnixNano())
}

// ReadCues returns what index.FindCues looks in; nil if there is no table of the index as it is.
func (r *Root) ReadCues() []byte {
	table, err := r.d.ReadFile(cuesPath, maxCues)
	if err != nil || !index.AreCuesOf(table, r.sealCues()) {
		return nil
	}
	return table
}

// AreCuesOld reports whether there is a table that another mem made: the worker makes it anew.
func (r *Root) AreCuesOld() bool {
	table, err := r.d.ReadFile(cuesPath, maxCues)
	return err == nil && index.IsOldCues(table)
}

// updateCues makes the table of a memory, which must be the one on the disk, unless a valid one exists. The
// caller holds the root's lock. Without a table only hints are lost.
func (r *Root) updateCues(m *Memory) {
	if r.ReadCues() == nil {
		_ = r.d.WriteLoose(cuesPath, index.MakeCues(m.Index, r.sealCues()))
	}
}
