package gitstore

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"time"

	"github.com/go-git/go-git/v5/plumbing/format/index"

	"mem/repo/disk"
)

const maxFile = 1 << 30

// A Tx is one attempt to commit. A person's git goes first: only Publish takes git's lock of its index, and
// only while it changes what git may see. If git changed anything before that, the attempt fails with ErrLost,
// and the caller begins again.
//
// The caller holds the lock at LockPath, and ends every Tx with Publish, Resolve or Abort.
type Tx struct {
	Head Head
	Tree Hash // of the tip; zero when there is no commit yet

	Store *Store

	wait    time.Duration          // for git's locks
	held    *disk.Lock             // of the proof: this process works here; nil in a Peek
	lock    *gitLock               // of git's index, while it is ours
	index   indexFile              // blank when there is none that can be read
	was     []byte                 // the file of git's index; nil for none
	next    []byte                 // what Publish makes of it
	written int64                  // when mem wrote git's index
	isAhead bool                   // git's index holds what the branch was to get
	odd     error                  // why mem cannot keep git's index up to date; nil if it can
	seen    map[string]fs.FileInfo // of the files looked at; nil for an absent one

	// What a commit needs becomes visible, all of it durable, when Publish returns.
	b     *disk.Batch // new objects, which Store.made lists, and the journal
	files *disk.Batch // of the work tree
	marks *disk.Batch // the branch and git's index
	size  int64       // of the files of objects, once they are staged
	kept  string      // the file that keeps git from their pack; "" for none

	Sign func(content []byte) ([]byte, error) // returns the signature of a commit; nil if it has none
	Err  error                                // after which nothing may be published
}

// maxLost is how many attempts in turn may be lost to a person's git before mem goes first.
const maxLost = 8

// Begin reads the tip of the branch and git's index, once git has left its index alone (see leaveRoom). It
// waits for that, and Publish for git's locks, at most wait. After maxLost lost attempts it takes git's lock at
// once: a program that uses git without a pause must not block mem for ever.
func (s *Store) Begin(ctx context.Context, wait time.Duration) (*Tx, error) {
	if s.lost < maxLost {
		if err := s.leaveRoom(ctx, wait); err != nil {
			return nil, err
		}
	}
	t, err := s.begin(ctx, wait, s.lost >= maxLost)
	if err != nil || s.findSetBack(t.Head).IsZero() {
		return t, err
	}
	if err := errors.Join(t.Abort(), s.takeUp(ctx, wait)); err != nil {
		return nil, err
	}
	return s.Begin(ctx, wait)
}

// begin is Begin; with isLocked it takes the lock of git's index at once.
func (s *Store) begin(ctx context.Context, wait time.Duration, isLocked bool) (t *Tx, err error) {
	t = &Tx{Store: s, wait: wait, seen: map[string]fs.FileInfo{}, b: s.d.NewBatch(TempDir), files: s.d.NewBatch(TempDir), marks: s.d.NewBatch(TempDir)}
	s.made = map[Hash]made{}
	if t.held, err = s.hold(ctx, wait); err == nil && isLocked {
		t.lock, err = s.lock(ctx, indexPath, wait)
	}
	if err == nil {
		err = disk.InOrder(t.readTip, t.readIndex)
	}
	if err != nil {
		return nil, errors.Join(err, t.Abort())
	}
	return t, nil
}

// room is how long many waiting writers leave git's index alone after git wrote it: long enough for a person's
// "git add" to be followed by "git commit".
const room = 250 * time.Millisecond

// leaveRoom lets a person's git go first. It waits, at most wait, until git releases its index. If other mem
// processes are waiting too, it also waits once until git's last change of the index is older than room; mem's
// own changes do not count. After a lost attempt it waits for a short pause of git's, so that the next attempt
// does not start between two calls, unless git seems never to pause.
func (s *Store) leaveRoom(ctx context.Context, wait time.Duration) error {
	err := disk.Await(ctx, wait, func() error { return s.checkFree(indexPath) })
	quiet := room
	if s.lost > 0 {
		quiet = room / 4
	}
	if err != nil || s.lost > maxLost/2 || s.lost == 0 && !s.IsCrowded {
		return err
	}
	info, err := s.d.Lstat(indexPath)
	if err != nil || info.ModTime().UnixNano() == s.readLoose().index {
		return nil
	}
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(min(quiet, time.Until(info.ModTime().Add(quiet)))): // of a time to come, too
		return nil
	}
}

// PeekTip reads, for readers, the tip of the branch that mem commits to, and nothing of the work tree or git's
// index. It ignores another commit that is checked out, which may hold another person's words, and warns of
// that, or of the git operation that a person has not finished.
func (s *Store) PeekTip() (t *Tx, err error) {
	t = &Tx{Store: s, seen: map[string]fs.FileInfo{}}
	if err = t.readTip(); err != nil {
		return t, err
	}
	why, home := findOperation(s.d), s.Home()
	if away := t.Head.describeAway(home); away != "" && home != "" {
		if tip, errRef := s.FindRef(home); errRef != nil || !tip.IsZero() { // else it has another name
			t.Head, why = Head{home, tip}, cmp.Or(why, away)
			err = errors.Join(errRef, t.readCommit())
		}
	}
	if why != "" {
		s.Warn("the last commit is read: " + why)
	}
	return t, err
}

// Peek is Begin without the lock, to find uncommitted changes: it changes nothing on the disk, and its result
// cannot be published.
func (s *Store) Peek() (*Tx, error) {
	t := &Tx{Store: s, seen: map[string]fs.FileInfo{}}
	err := t.readTip()
	_ = t.parseIndex() // only a shortcut here: without it the files themselves are read
	return t, err
}

func (t *Tx) readTip() (err error) {
	t.Store.damaged = false
	if t.Head, err = t.Store.ReadHead(); err != nil {
		return err
	}
	return t.readCommit()
}

func (t *Tx) readCommit() error {
	if t.Head.Tip.IsZero() {
		return nil
	}
	tip, err := t.Store.ReadCommit(t.Head.Tip)
	t.Tree = tip.Tree
	return err
}

// Rescue keeps a copy of content that is about to be replaced, and returns where.
func (s *Store) Rescue(name string, content []byte) (string, error) {
	to := rescueDir + "/" + HashOf(KindBlob, content).String()[:12] + "-" + path.Base(name)
	if s.d.Exists(to) {
		return to, nil
	}
	if err := s.d.WriteFile(to, content, TempDir); err != nil {
		return "", fmt.Errorf("rescue %s: %w", name, err)
	}
	return to, nil
}

// A File is a file of the work tree as Look found it.
type File struct {
	Exists bool
	Data   []byte // unless the caller did not ask for it and it equals the tip's
	Blob   Hash   // of Data; zero for an absent file
	Staged bool   // git's index differs from the tip
}

// Look reads the file at name and compares it with the tip, whose blob there
// is tip. With content false, a file that git's index proves unchanged is not
// read. One that a person told git to leave out of the work tree is as the tip has it.
func (t *Tx) Look(name string, tip Hash, content bool) (f File, err error) {
	_, e := t.index.find(name)
	f.Staged = e.Name == name && isOther(&e, tip)
	info, err := t.Store.d.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		t.seen[name] = nil
		if err = nil; !tip.IsZero() && e.SkipWorktree {
			f.Exists, f.Blob = true, tip
			f.Data, err = t.Store.ReadBlob(tip)
		}
		return f, err
	}
	if err != nil {
		return f, fmt.Errorf("look at %s: %w", name, err)
	}
	t.seen[name] = info
	f.Exists = true
	proven := !tip.IsZero() && Hash(e.Hash) == tip && t.index.provesUnchanged(&e, info)
	if proven && !content {
		f.Blob = tip
		return f, nil
	}
	if f.Data, t.seen[name], err = t.Store.d.ReadState(name, maxFile); err != nil {
		return f, fmt.Errorf("read %s: %w", name, err)
	}
	f.Blob = tip
	if !proven || !sameState(info, t.seen[name]) {
		f.Blob = HashOf(KindBlob, f.Data)
	}
	return f, nil
}

// IsSteady reports whether no commit is under way, whose files would look edited, and none was made since the
// attempt began.
func (t *Tx) IsSteady() bool {
	now, err := t.Store.ReadHead()
	return err == nil && now == t.Head && !t.Store.d.Exists(journalPath)
}

func (t *Tx) hasMoved(path string) bool {
	was, looked := t.seen[path]
	now, err := t.Store.d.Lstat(path)
	switch {
	case !looked, err != nil && !errors.Is(err, fs.ErrNotExist):
		return true
	case was == nil || err != nil:
		return was != nil || err == nil
	}
	return !sameState(was, now)
}

// Abort ends an attempt. One that is over may be ended again.
func (t *Tx) Abort() error {
	err := errors.Join(t.b.Discard(), t.files.Discard(), t.marks.Discard(), t.lock.release())
	if t.kept != "" && t.Store.d.SameFile(proofPath, t.kept) {
		err = errors.Join(err, t.Store.d.Remove(t.kept))
	}
	if held := t.held; held != nil {
		t.held = nil
		err = errors.Join(err, held.Release())
	}
	return err
}

// findUnderWay names the operation that a person has not finished, and how to finish it; "" if there is none. A
// staged squash counts: mem would take half of it in as edits.
func (t *Tx) findUnderWay() string {
	what := findOperation(t.Store.d)
	if t.Store.d.Exists(PurgePath) && !t.Store.Purging {
		what = "a purge is not finished, and what it takes out may still be here; 'mem purge --continue' finishes it"
	}
	entries := t.index.file.Entries
	if what == "" && slices.ContainsFunc(entries, func(e *index.Entry) bool { return e.Stage != 0 }) {
		what = fmt.Sprintf("a conflict is not resolved yet in %s; 'git status' there names the files, and 'git add' marks each as resolved", t.Store.d.Path())
	}
	if what == "" && t.Store.d.Exists(".git/SQUASH_MSG") {
		files, err := t.Store.ListFiles(t.Tree, nil)
		isStaged := func(e *index.Entry) bool { return isOther(e, files[e.Name]) }
		if err == nil && slices.ContainsFunc(entries, isStaged) {
			what = fmt.Sprintf("a squash merge is staged in %s; 'git commit' there ends it", t.Store.d.Path())
		}
	}
	return what
}

// CheckBusy returns an error that wraps ErrBusy if a person is in the middle of
// something or nothing can be committed now.
func (t *Tx) CheckBusy() error { return t.checkBusy(t.Store.Home()) }

// checkBusy is CheckBusy, given the branch to commit to; "" stands for any.
func (t *Tx) checkBusy(branch string) error {
	if what := cmp.Or(t.findUnderWay(), t.Head.describeAway(branch)); what != "" {
		return fmt.Errorf("%w: %s", ErrBusy, what)
	}
	if t.odd != nil {
		// Committing without it would leave the old content staged, for a
		// person's next commit to bring back.
		return fmt.Errorf("%w: %w", ErrBusy, t.odd)
	}
	return nil
}
