package gitstore

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"time"

	"mem/repo/disk"
)

// A Put is one file that a commit changes, as its journal says.
type Put struct {
	Path   string `json:"path"`
	Before Hash   `json:"before"` // of the work tree's current content; zero for none
	Index  Hash   `json:"index"`  // in git's index, which Publish finds out
	Blob   Hash   `json:"blob"`   // what the commit puts there, which is of Data; zero removes the file
	Data   []byte `json:"-"`
}

// A Publication is what Publish makes visible.
type Publication struct {
	Tip     Hash   // the new tip, a commit whose ancestors include the old one
	Puts    []Put  // files of the work tree that follow
	Notes   Notes  // files of mem's own that follow, by name
	Subject string // for the reflog
	Who     By
	When    time.Time
}

// refWait is how long the lock of a branch is waited for, while git's index is locked.
const refWait = time.Second

// Publish makes the new objects durable, moves the branch to p.Tip and updates the work tree and git's index.
//
// When it returns an error, the branch is unchanged, unless the error says that the outcome is unknown. Once
// the branch has moved nothing fails any more: the store's warn function gets what could not be done, and the
// next Recover finishes it.
//
// It never waits for the disk while it holds something that a person's git waits for.
func (t *Tx) Publish(ctx context.Context, p Publication) error {
	end := func(err error) error { return errors.Join(err, t.Abort()) }
	var ref *gitLock
	err := disk.InOrder(
		func() error { return t.stage(p) },
		func() error { return t.lockIndex(ctx) },
		func() (err error) { ref, err = t.Store.lock(ctx, t.refPath(), refWait); return err },
		func() error { return t.move(ref, p) },
	)
	if err != nil { // git's index and the branch are as they were
		return end(errors.Join(t.lose(err), ref.release()))
	}
	unknown, late := t.follow(ref, p)
	if unknown != nil {
		// The journal stays: whatever the disk remembers, the next process
		// can tell and act on it.
		return end(fmt.Errorf("outcome unknown, the disk did not confirm: %w", unknown))
	}
	if now, err := t.Store.ReadHead(); err == nil && now == t.Head {
		// "git reset", and "git stash" with it, lets a branch name what it saw there before it had any
		// lock. The caller was not told of the commit yet: it is made anew.
		return end(t.lose(fmt.Errorf("%w: git set %s back", ErrLost, shortRef(t.Head.Ref))))
	}
	t.Store.lost = 0
	if late == nil {
		late = t.refreshIndex(ctx)
	}
	if late == nil {
		late = t.Store.d.Remove(journalPath)
	}
	if late = end(late); late != nil {
		t.Store.Warn(fmt.Sprintf("commit %s is safe, but the work tree could not follow yet: %v", p.Tip, late))
	}
	done := t.Store.readLoose()
	for _, o := range t.Store.made {
		if o.kind == KindCommit {
			done.commits++
		}
	}
	t.Store.noteLoose(looseNote{done.commits, done.bytes + t.size, t.written})
	t.Store.reopen() // for a pack that was made
	return nil
}

// lose counts a lost attempt and drops the journal. If git's index is ahead, the journal stays, so that the
// next process can put the index back.
func (t *Tx) lose(err error) error {
	if errors.Is(err, ErrLost) {
		t.Store.lost++
	}
	if t.isAhead {
		return err
	}
	return errors.Join(err, t.Store.d.Remove(journalPath))
}

// Resolve writes the files that git left with conflicts, and marks them as resolved in its index. No branch
// moves. The transaction ends.
func (t *Tx) Resolve(ctx context.Context, puts []Put) error {
	err := disk.InOrder(
		func() error { return t.lockIndex(ctx) },
		t.stageObjects,
		func() error { return t.stageAll(puts) },
		func() error { return disk.SyncBatches(t.b, t.files) },
		t.b.Publish,
		func() error { return t.replaceNow(puts) }, // the index last: until then git has all versions
	)
	return errors.Join(err, t.Abort())
}

func (t *Tx) refPath() string { return gitDir + "/" + t.Head.Ref }

// stage writes everything that must be on the disk before the branch moves, such as the journal and git's next index,
// and flushes all of it at the same time. No lock of git's is needed for that.
func (t *Tx) stage(p Publication) error {
	j := journal{Ref: t.Head.Ref, Old: t.Head.Tip, New: p.Tip, Notes: maps.Clone(p.Notes)}
	maps.DeleteFunc(j.Notes, t.Store.isNoted) // one that is there already would say that the commit happened
	next := &indexFile{file: t.index.file}    // without what the files look like on the disk
	next.file.Entries = slices.Clone(next.file.Entries)
	for _, put := range p.Puts {
		put.Index = t.index.blobAt(put.Path)
		j.Puts = append(j.Puts, put)
		if next.blobAt(put.Path) != put.Blob {
			next.Set(put.Path, put.Blob, nil)
		}
	}
	return disk.InOrder(
		func() error { return t.stageAll(p.Puts) },
		func() error { return p.Notes.stage(t.files) },
		t.stageObjects,
		func() (err error) { t.next, err = t.addIndex(next); return err },
		func() error { return j.stage(t.b) },
		func() error { return t.marks.Add(t.refPath(), []byte(p.Tip.String()+"\n")) },
		func() error { return disk.SyncBatches(t.b, t.files, t.marks) },
		t.b.Publish,
		func() error { return t.Store.d.MkdirAll(path.Dir(t.refPath())) },
	)
}

// Notes are files of mem's own in .git, by name.
type Notes map[string][]byte

func (s *Store) isNoted(name string, data []byte) bool {
	is, err := s.d.ReadFile(name, maxFile)
	return err == nil && bytes.Equal(is, data)
}

func (n Notes) stage(files *disk.Batch) (err error) {
	for _, name := range slices.Sorted(maps.Keys(n)) {
		err = errors.Join(err, files.Add(name, n[name]))
	}
	return err
}

func (t *Tx) stageAll(puts []Put) error {
	for _, put := range puts {
		switch {
		case !isValidPath(put.Path):
			return fmt.Errorf("path %q: %w", put.Path, fs.ErrInvalid)
		case put.Blob == put.Before:
		case put.Blob.IsZero():
			t.files.Remove(put.Path)
		default:
			if err := t.files.Add(put.Path, put.Data); err != nil {
				return err
			}
		}
	}
	return nil
}

// move makes git's index and the branch name the commit's content, under both locks. follow then makes that
// durable.
//
// The index goes first. "git commit" reads the branch, then the index, without a lock, and names as parent the
// branch that it read. If it could see the new branch and the old index, it would bring back what the commit
// replaced. This way it sees an old branch at worst; it finds that locked or moved when it wants to move it,
// and is refused. "git add" and the like write under the lock of the index, into one that they read under it.
// What they staged before is in the index that is compared here; what comes after is added to mem's.
func (t *Tx) move(ref *gitLock, p Publication) error {
	err := t.checkBase(p)
	if err == nil {
		err = t.putIndex()
	}
	if err != nil {
		return err
	}
	t.isAhead = true
	if err := ref.put(t.marks); err != nil {
		err = fmt.Errorf("move %s: %w", t.Head.Ref, err)
		back := t.putBack()
		t.isAhead = back != nil
		return errors.Join(err, back)
	}
	t.isAhead = false // of the branch
	return nil
}

// checkBase makes sure, under git's locks, that the commit still builds on what is there.
func (t *Tx) checkBase(p Publication) error {
	now, err := t.Store.ReadHead()
	if err != nil {
		return err
	}
	if now != t.Head {
		return fmt.Errorf("%w: %s was moved", ErrLost, shortRef(t.Head.Ref))
	}
	if what := findOperation(t.Store.d); what != "" {
		return fmt.Errorf("%w: %s", ErrLost, what)
	}
	for _, put := range p.Puts {
		if t.hasMoved(put.Path) {
			return fmt.Errorf("%w: %s was edited meanwhile", ErrLost, put.Path)
		}
	}
	return nil
}

// follow updates the work tree, git's log and git's index (except what refreshIndex does) and releases git's
// locks. Then it waits until all of it and the branch's move are durable: this is the point of commit. unknown
// is set if the move itself may not be durable.
//
// A power cut before that leaves any of it without the rest. From the journal, which was durable before,
// Recover knows what was meant, and moves the branch again.
func (t *Tx) follow(ref *gitLock, p Publication) (unknown, late error) {
	late = errors.Join(t.replace(p.Puts), t.lock.release())
	if t.Head.Tip.IsZero() { // a log without its branch counts as damage
		if err := t.Store.d.SyncDirs(path.Dir(t.refPath())); err != nil {
			return errors.Join(err, ref.release()), nil
		}
	}
	line := logLine(t.Head.Tip, p.Tip, Signature(p.Who.Committer, p.When), Own+p.Subject)
	logs, err := t.Store.d.StartAppend(line, logs+t.Head.Ref, logs+"HEAD")
	if err != nil { // nothing depends on it
		t.Store.Warn(fmt.Sprintf("git's log of %s could not be written: %v", shortRef(t.Head.Ref), err))
	}
	late = errors.Join(late, ref.release())
	unknown, others := t.Store.d.FlushAll(path.Dir(t.refPath()), logs, t.files, t.marks)
	return unknown, errors.Join(late, others)
}

// replace lets the work tree follow, and prepares git's index. Neither is durable yet.
func (t *Tx) replace(puts []Put) error {
	if err := disk.SyncBatches(t.files); err != nil {
		return err
	}
	stats := t.files.FileInfos()
	for _, put := range puts {
		if put.Blob != put.Before && t.hasMoved(put.Path) {
			if err := t.Store.setAside(put.Path); err != nil {
				return err
			}
		}
		if _, written := stats[put.Path]; !written {
			stats[put.Path] = t.seen[put.Path]
		}
	}
	if err := t.files.Move(); err != nil {
		return err
	}
	return t.stageIndex(puts, stats)
}

// replaceNow is replace, durably, under the lock of git's index, which it gives back unless it fails.
func (t *Tx) replaceNow(puts []Put) error {
	return disk.InOrder(
		func() error { return t.replace(puts) },
		func() error { return errors.Join(t.Store.d.FlushAll(gitDir, t.files, t.marks)) },
		t.putIndex,
		func() error { return errors.Join(t.Store.d.SyncDirs(gitDir), t.lock.release()) },
	)
}

// setAside keeps what a person wrote in the instant between the last check and
// now. The file is about to be replaced.
func (s *Store) setAside(path string) error {
	content, err := s.d.ReadFile(path, maxFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	s.Warn(fmt.Sprintf("%s was edited in the same instant; that version is in %s", path, rescueDir))
	_, err = s.Rescue(path, content)
	return err
}

// sameState reports whether two looks at a file saw the same content, as far
// as stat data can tell.
func sameState(a, b fs.FileInfo) bool {
	return os.SameFile(a, b) && a.Size() == b.Size() && a.ModTime().Equal(b.ModTime())
}
