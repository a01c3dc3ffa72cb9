package gitstore

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"time"

	"github.com/go-json-experiment/json"

	"mem/repo/disk"
)

// A Put is one file that a commit changes.
type Put struct {
	Path   string
	Data   []byte
	Blob   Hash // of Data; zero removes the file
	Before Hash // of what the work tree holds now; zero for nothing
}

// A Publication is what Publish makes visible.
type Publication struct {
	Tip     Hash   // the new tip, a commit whose ancestors include the old one
	Puts    []Put  // files of the work tree that follow
	Subject string // for the reflog
	Who     Identity
	When    time.Time
}

// A journal says what a commit under way changes, so that the next process
// can finish it.
type journal struct {
	Ref  string       `json:"ref"`
	Old  string       `json:"old"`
	New  string       `json:"new"`
	Puts []journalPut `json:"puts"`
}

type journalPut struct {
	Path   string `json:"path"`
	Before string `json:"before"`
	Blob   string `json:"blob"`
}

// Publish makes the objects of w durable, moves the branch to p.Tip and lets
// the work tree and git's index follow.
//
// When it returns an error, the branch is as it was, unless the error says
// that the outcome is unknown. Once the branch has moved nothing fails any
// more: what could not be done is told to the store's warn function and
// finished by the next Recover.
func (t *Tx) Publish(ctx context.Context, w *Writer, p Publication) error {
	files := t.s.d.NewBatch(TempDir)
	ref := t.s.d.NewBatch(TempDir)
	clean := func(err error) error {
		return errors.Join(err, w.b.Discard(), files.Discard(), ref.Discard(), t.Abort())
	}
	if err := t.stage(w, files, ref, p); err != nil {
		return clean(err)
	}
	lock, err := t.s.lockWith(ctx, ref.Temps()[0], gitDir+"/"+t.Head.Ref+".lock", time.Second)
	if err != nil {
		return clean(errors.Join(err, t.s.d.Remove(journalPath)))
	}
	if err := t.move(lock, p); err != nil {
		return clean(err)
	}
	if err := t.follow(files, lock, p); err != nil {
		t.s.warn(fmt.Sprintf("commit %s is safe, but the work tree could not follow yet: %v", p.Tip, err))
	}
	return nil
}

// stage writes everything that must be on the disk before the branch moves,
// and flushes all of it at the same time.
func (t *Tx) stage(w *Writer, files, ref *disk.Batch, p Publication) error {
	j := journal{Ref: t.Head.Ref, Old: t.Head.Tip.String(), New: p.Tip.String()}
	for _, put := range p.Puts {
		j.Puts = append(j.Puts, journalPut{put.Path, put.Before.String(), put.Blob.String()})
		if !put.Blob.IsZero() && put.Blob != put.Before {
			if err := files.Add(put.Path, put.Data); err != nil {
				return err
			}
		}
	}
	line, err := json.Marshal(j)
	if err != nil {
		return fmt.Errorf("encode journal: %w", err)
	}
	if err := w.b.Add(journalPath, line); err != nil {
		return err
	}
	if err := ref.Add(gitDir+"/"+t.Head.Ref, []byte(p.Tip.String()+"\n")); err != nil {
		return err
	}
	if err := disk.Sync(w.b, files, ref); err != nil {
		return err
	}
	if err := w.b.Publish(); err != nil {
		return err
	}
	return t.s.d.MkdirAll(path.Dir(gitDir + "/" + t.Head.Ref))
}

// move is the commit: after it the branch names the new tip, durably.
func (t *Tx) move(lock *gitLock, p Publication) error {
	err := t.check(p)
	if err != nil {
		return errors.Join(err, t.s.d.Remove(journalPath), lock.release())
	}
	if err := lock.d.Rename(lock.path, gitDir+"/"+t.Head.Ref); err != nil {
		return errors.Join(fmt.Errorf("move %s: %w", t.Head.Ref, err), t.s.d.Remove(journalPath), lock.release())
	}
	if err := t.s.d.SyncDir(path.Dir(gitDir + "/" + t.Head.Ref)); err != nil {
		// The journal stays: whatever the disk remembers, the next process
		// can tell and act on it.
		return errors.Join(fmt.Errorf("outcome unknown, the disk did not confirm: %w", err), lock.forget())
	}
	return nil
}

// check makes sure, under the lock of the branch, that the commit still
// builds on what is there.
func (t *Tx) check(p Publication) error {
	now, err := t.s.Head()
	if err != nil {
		return err
	}
	if now != t.Head {
		return fmt.Errorf("%w: %s", ErrLost, short(t.Head.Ref))
	}
	for _, put := range p.Puts {
		if t.moved(put.Path) {
			return fmt.Errorf("%w: %s was edited meanwhile", ErrLost, put.Path)
		}
	}
	return nil
}

// follow brings the reflog, the work tree and git's index to the new tip.
func (t *Tx) follow(files *disk.Batch, lock *gitLock, p Publication) error {
	errs := []error{t.s.appendReflog(t.Head, p)}
	for _, put := range p.Puts {
		if put.Blob == put.Before {
			continue
		}
		if t.moved(put.Path) {
			errs = append(errs, t.s.setAside(put.Path))
		}
		if put.Blob.IsZero() {
			errs = append(errs, t.s.d.Remove(put.Path))
		}
	}
	errs = append(errs, files.Publish())
	if err := errors.Join(errs...); err != nil {
		return errors.Join(err, files.Discard(), lock.forget(), t.Abort())
	}
	return errors.Join(t.writeIndex(p.Puts), t.s.d.Remove(journalPath), lock.forget())
}

// setAside keeps what somebody wrote in the instant between the last check
// and now; the file is about to be replaced.
func (s *Store) setAside(path string) error {
	content, err := s.d.Read(path, maxFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	s.warn(fmt.Sprintf("%s was edited in the same instant; that version is in %s", path, RescueDir))
	return s.rescue(path, content)
}

// writeIndex records the files in git's index, and gives its lock back.
func (t *Tx) writeIndex(puts []Put) error {
	if t.index == nil {
		return t.lock.release()
	}
	for _, put := range puts {
		if put.Blob.IsZero() {
			t.index.remove(put.Path)
			continue
		}
		info, err := t.s.d.Lstat(put.Path)
		if err != nil {
			return errors.Join(err, t.lock.release())
		}
		t.index.set(put.Path, put.Blob, info)
	}
	if err := t.lock.write(t.index.encode()); err != nil {
		return errors.Join(fmt.Errorf("write git index: %w", err), t.lock.release())
	}
	return errors.Join(t.lock.commit(indexPath), t.lock.forget())
}

// appendReflog notes the move where git looks for it.
func (s *Store) appendReflog(from Head, p Publication) error {
	line := fmt.Appendf(nil, "%s %s %s\tmem: %s\n", from.Tip, p.Tip, signature(p.Who, p.When), p.Subject)
	return errors.Join(
		s.d.Append(gitDir+"/logs/"+from.Ref, line),
		s.d.Append(gitDir+"/logs/HEAD", line),
	)
}

// sameState reports whether two looks at a file saw the same content, as far
// as stat data can tell.
func sameState(a, b fs.FileInfo) bool {
	return os.SameFile(a, b) && a.Size() == b.Size() && a.ModTime().Equal(b.ModTime())
}
