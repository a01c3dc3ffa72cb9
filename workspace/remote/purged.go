package remote

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"mem/index"
	"mem/repo"
	"mem/repo/disk"
	"mem/repo/purge"
	"mem/repo/transport"
	"mem/workspace"
	"mem/workspace/purging"
)

// ErrUnpurged is wrapped by a sync with a remote that still has what was purged. Nothing was sent.
var ErrUnpurged = errors.New("it still has what was purged here")

// purgeRef is where the history of the remote is while it is purged.
const purgeRef = "refs/mem/purge/theirs"

// fetch returns what the remote has. What it or the memory says was purged, and this clone
// still has, is purged first, be it of its own or of what was fetched. A remote that
// brings it again was not purged itself.
func (s *session) fetch(ctx context.Context) (theirs string, err error) {
	for again := false; ; again = true {
		if theirs, err = s.git.Fetch(ctx, s.peer.name, s.peer.ref, s.peer.tracking); err != nil {
			return "", fmt.Errorf("fetch from %s: %w", s.peer.show(), err)
		}
		words, err := s.findLeft(ctx, theirs)
		if err != nil || len(words.Texts) == 0 {
			return theirs, err
		}
		if _, err := s.purge(ctx, words); err != nil {
			return "", err
		}
		if again {
			return "", fmt.Errorf("%s: %w", s.peer.show(), ErrUnpurged)
		}
		s.w.Note("what was purged elsewhere was purged here too")
	}
}

// findLeft returns what this clone still has of what the memory, or a commit of the remote, says was purged. It refuses to exchange
// anything where one side was told words to purge, and the other was not: which words cannot be told by their names.
func (s *session) findLeft(ctx context.Context, theirs string) (words purge.Words, err error) {
	m, err := s.root.View(s.w.Now)
	if err != nil || theirs == "" {
		return words, err
	}
	data, err := s.git.ReadFile(ctx, theirs, repo.IndexPath)
	if err != nil {
		return words, err
	}
	here, there := m.Index.Purged, []string(nil)
	if ix, _, err := index.Load(data, time.Time{}); err == nil {
		there = ix.Purged
	}
	lacks := func(in, of []string) bool {
		return slices.ContainsFunc(purge.ListWords(of), func(name string) bool { return !slices.Contains(in, name) })
	}
	switch {
	case s.peer.isNew: // it never had the words of the other
	case lacks(there, here):
		return words, fmt.Errorf("%s: %w", s.peer.show(), ErrUnpurged)
	case lacks(here, there):
		return words, fmt.Errorf("%s: %w", s.peer.show(), purge.ErrWords)
	}
	return purging.NewPurger(s.w).FindPurged(ctx, slices.Concat(here, there))
}

// openSettled opens the memory and settles, after it ended a purge that broke off, or that of what git brought back.
func (s *session) openSettled(ctx context.Context) (err error) {
	for range 2 {
		found, err := purging.Continue(ctx, s.w)
		if err != nil {
			return err
		}
		if found {
			s.w.Note("what was to be purged is purged")
		}
		if s.root, err = s.w.CreateRoot(ctx); err == nil {
			err = s.settle(ctx, "")
		}
		if !errors.Is(err, purge.ErrReturned) {
			return err
		}
	}
	return purge.ErrReturned
}

// purge purges words, and opens the memory anew.
func (s *session) purge(ctx context.Context, words purge.Words) (res purge.Result, err error) {
	if res, err = purging.Finish(ctx, s.w, words); err == nil {
		s.root, err = s.w.CreateRoot(ctx)
	}
	return res, err
}

// Purge is purging.Run, and lets the remote follow if that is asked for: what others sent
// meanwhile is purged too, and kept.
func Purge(ctx context.Context, w *workspace.Workspace, root *repo.Root, opts purging.Options) (res purging.Result, err error) {
	if opts.IsNamed() {
		res, err = purging.Run(ctx, w, root, opts)
	} else if res.Status, err = "planned", root.CheckBusy(); err == nil && !opts.DryRun && !opts.Yes {
		err = opts.Confirm(ctx, "Put the history of this memory in the place of what the remote has?", "replace what the remote has")
	}
	if !opts.Push || opts.DryRun || err != nil && !errors.Is(err, purging.ErrNothing) {
		return res, err
	}
	if root, err = w.CreateRoot(ctx); err != nil {
		return res, err
	}
	s := &session{w: w, root: root, res: &Result{}, git: transport.Git{Folder: w.At.Root, Environ: w.Environ, Files: disk.Files{Fault: w.Fault}}}
	if s.peer, err = s.findPeer(ctx); err != nil {
		return res, err
	}
	res.Status = "purged"
	err = s.exchange(ctx, func(ctx context.Context) error {
		more, err := s.replace(ctx, res.Words)
		res.Commits += more.Commits
		return err
	})
	if err == nil {
		res.Pushed = s.peer.show()
	}
	return res, err
}

// replace puts the purged history in the place of what the remote has, with what others
// sent there, purged. What is fetched has the words: until they are purged nothing else is written here.
func (s *session) replace(ctx context.Context, words purge.Words) (res purge.Result, err error) {
	isNamed := len(words.Texts) > 0
	if isNamed {
		if err := purging.NewPurger(s.w).Announce(ctx, words); err != nil {
			return res, err
		}
	}
	seen, err := s.git.Fetch(ctx, s.peer.name, s.peer.ref, purgeRef)
	if err == nil && seen == "" {
		err = fmt.Errorf("%s has nothing: %w", s.peer.show(), ErrNoRemote)
	}
	if err == nil && !isNamed {
		if words, err = s.findLeft(ctx, seen); err != nil { // what was fetched may have the words
			err = errors.Join(err, s.git.DropRef(ctx, purgeRef))
		}
	}
	if isNamed || err == nil {
		var errPurge error
		res, errPurge = s.purge(ctx, words)
		err = errors.Join(err, errPurge)
	}
	if err != nil {
		return res, err
	}
	theirs, err := s.root.FindRef(strings.TrimPrefix(purgeRef, "refs/"))
	if err == nil {
		err = s.takeIn(ctx, theirs.String())
	}
	if err = errors.Join(err, s.git.DropRef(ctx, purgeRef)); err == nil {
		var ours string
		if ours, err = s.readTip(); err == nil {
			err = s.git.Replace(ctx, s.peer.name, ours, s.peer.ref, seen)
		}
	}
	return res, err
}
