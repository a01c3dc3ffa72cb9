package walk

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"mem/index"
	"mem/index/merge"
	"mem/repo/disk"
	"mem/repo/gitstore"
	"mem/repo/gitstore/object"
	"mem/repo/gitstore/reflog"
	"mem/repo/message"
	"mem/repo/purge"
)

// Files are those of a memory, with what a person edited since.
type Files interface {
	ReadFile(path string) ([]byte, error)
	WriteFile(path string, data []byte) error
}

// SettleIndex returns what the index should be after what git did since mem
// committed last, and how the commit reads that makes it so; a message without a
// subject if git did nothing. The journal in files is made to follow. current is the
// index as it stands, with what a person edited since. Where git brought back what was purged
// the error is as of purge.Purger.CheckReturned; environ is for it.
func SettleIndex(ctx context.Context, d *disk.Dir, store *gitstore.Store, head gitstore.Head, current *index.Index, files Files, now time.Time, environ []string) (*index.Index, message.Message, error) {
	moves := reflog.ReadMoves(d, head.Ref)
	seen := moves.Own
	if len(seen) == 0 || slices.Contains(seen, head.Tip) || current.ReadOnly() {
		return current, message.Message{}, nil
	}
	p := purge.Purger{Folder: d.Path(), Environ: environ, Now: now}
	if err := p.CheckReturned(ctx, d, store, head.Tip, moves, current.Purged); err != nil {
		return current, message.Message{}, err
	}
	w := newWalker(store, now)
	should, is, err := w.liftIndex(ctx, seen, head.Tip)
	if err != nil || should == nil {
		return current, message.Message{}, err
	}
	ix := should
	if is != nil { // what a person wrote since stands, also where a commit without it seems to take it back
		ix = merge.ApplyEdit(is, should, current)
	}
	merge.JoinTwins(ix, now, func(*index.Item) bool { return false }) // records that two clones made of one lesson
	ix = merge.OpenCircles(ix)
	ix.Normalize()
	w.files = files
	if err := w.settleJournal(head.Tip, ix); err != nil {
		return current, message.Message{}, err
	}
	ix.Bytes = current.Bytes
	return ix, describe(head.Tip, current, ix), nil
}

// ListLeftOut returns the files, with their content, that mem committed last and
// that head, whose tree is given, lacks or has otherwise. Git left them out, and
// left them in the work tree, where it made a commit of an index that it had read
// before mem wrote to it.
func ListLeftOut(d *disk.Dir, store *gitstore.Store, head gitstore.Head, tree object.Hash) (map[string]object.Hash, error) {
	seen := reflog.ReadMoves(d, head.Ref).Own
	if len(seen) == 0 || head.Tip.IsZero() || seen[0] == head.Tip {
		return nil, nil
	}
	last, err := store.ReadCommit(seen[0])
	if errors.Is(err, object.ErrDamaged) {
		return nil, nil // git collected it
	}
	if err != nil {
		return nil, err
	}
	files, err := store.ListFiles(last.Tree, nil)
	if err != nil {
		return nil, err
	}
	now, err := store.ListFiles(tree, nil)
	maps.DeleteFunc(files, func(path string, blob object.Hash) bool { return now[path] == blob })
	return files, err
}

// HasReapplied reports whether a commit since the last one that was looked at is git's
// revert of a revert, whose text does not say that sightings count again.
func HasReapplied(store *gitstore.Store, seen, tip object.Hash) (found bool) {
	_ = store.WalkHistory(tip, func(c object.Commit) bool { // as far as it can be read
		if c.Hash != seen {
			found = found || strings.HasPrefix(c.Message, `Revert "Revert "`) || strings.HasPrefix(c.Message, `Reapply "`)
		}
		return c.Hash != seen && !found
	})
	return found
}

// NoteSeen writes into the log of the branch that mem has looked at its head, if that
// is news: no commit says so.
func NoteSeen(d *disk.Dir, head gitstore.Head, who func() object.By, now time.Time) error {
	if seen := reflog.ReadMoves(d, head.Ref).Own; len(seen) == 0 || seen[0] == head.Tip {
		return nil
	}
	return reflog.Append(d, head.Ref, head.Tip, head.Tip, object.Signature(who().Committer, now), reflog.Own+"looked at what git did")
}

// ReadIndex returns the index as it should be at a head where it cannot be read, be it
// for the marks of a conflict that a person committed; nil if nothing is known of it.
func ReadIndex(d *disk.Dir, store *gitstore.Store, head gitstore.Head, now time.Time) *index.Index {
	seen := reflog.ReadMoves(d, head.Ref).Own
	ix, is, err := newWalker(store, now).liftIndex(context.Background(), seen, head.Tip)
	if err != nil || ix == nil || is != nil {
		return nil
	}
	return ix
}

// describe writes the message of the commit: how many sightings count again, and how
// many no longer.
func describe(head object.Hash, before, after *index.Index) message.Message {
	hits := map[string]int{}
	for i := range before.Items {
		hits[before.Items[i].ID] = before.Items[i].Hits
	}
	restored, back := 0, 0
	for i := range after.Items {
		it := &after.Items[i]
		restored += max(0, it.Hits-hits[it.ID])
		back += max(0, hits[it.ID]-it.Hits)
		delete(hits, it.ID)
	}
	for _, n := range hits {
		back += n
	}
	subject := fmt.Sprintf("settle: %.12s", head)
	if restored+back > 0 {
		subject += fmt.Sprintf(" (%d restored, %d taken back)", restored, back)
	}
	return message.Message{
		Subject:  subject,
		Trailers: []message.Trailer{{Key: "Mem-Settles", Value: head.String()}},
	}
}
