package remote

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"mem/fault"
	"mem/index"
	"mem/purge"
	"mem/repo"
	"mem/workspace"
)

// errUnpurged is wrapped by a sync with a remote that still has purged words. Nothing was sent.
var errUnpurged = fault.New(fault.Refused, "it still has what was purged here", "'mem purge --push' lets it follow; after a purge of words it needs them again, on standard input, with -")

// purgeRef holds the remote's history while it is being purged.
const purgeRef = "refs/mem/purge/theirs"

// fetch returns the remote's commit as seen there, and the commit it has become here. Words that the remote or the
// memory records as purged, and that this clone still has, are purged first, from its own or the fetched history. A
// remote that brings them back was not purged itself: that is an error, unless its history is to be replaced.
func (s *session) fetch(ctx context.Context) (seen, theirs string, err error) {
	into, words := s.peer.tracking, s.purges
	if s.replaces {
		into = purgeRef
	}
	if len(words.Texts) > 0 { // what is fetched has them: until they are purged nothing else is written here
		if err := purge.Announce(ctx, s.w, &words); err != nil {
			return "", "", err
		}
	}
	for again := false; ; again = true {
		seen, err = s.git.fetch(ctx, s.root.Dir(), s.peer.name, s.peer.ref, into)
		if err != nil {
			err = fmt.Errorf("fetch from %s: %w", s.peer.show(), err)
		} else if seen == "" && s.replaces {
			err = fmt.Errorf("%s has nothing: %w", s.peer.show(), errNoRemote)
		}
		if err == nil && len(s.purges.Texts) == 0 {
			words, err = s.findLeft(ctx, seen)
		}
		if len(words.Texts) == 0 {
			return seen, seen, err
		}
		err = errors.Join(err, s.purge(ctx, words))
		if s.replaces && err == nil {
			here, err := s.git.run(ctx, "", "rev-parse", "--verify", purgeRef)
			return seen, strings.TrimSpace(string(here)), err
		}
		if again && err == nil {
			err = fmt.Errorf("%s: %w", s.peer.show(), errUnpurged)
		}
		if err != nil {
			return "", "", err
		}
		s.w.Note("what was purged elsewhere was purged here too")
	}
}

// findLeft returns the words that this clone still has although the memory, or a commit of the remote, records them
// as purged. It returns an error if only one side was told words to purge: their names do not reveal the words.
func (s *session) findLeft(ctx context.Context, theirs string) (words repo.Words, err error) {
	m, err := s.root.View(s.w.Now)
	if err != nil || theirs == "" {
		return words, err
	}
	data, _ := s.git.run(ctx, "", "cat-file", "blob", theirs+":"+repo.IndexPath) // a commit may have none
	here, there := m.Index.Purged, []string(nil)
	if ix, _, err := index.Load(data, time.Time{}); err == nil {
		there = ix.Purged
	}
	lacks := func(in, of []string) bool {
		return slices.ContainsFunc(of, func(name string) bool {
			words, commit := repo.CutPurged(name)
			return strings.HasPrefix(words, repo.WordsStart) && commit == "" && !slices.Contains(in, name)
		})
	}
	switch {
	case s.peer.isNew: // it never had the words of the other
	case lacks(there, here):
		return words, fmt.Errorf("%s: %w", s.peer.show(), errUnpurged)
	case lacks(here, there):
		return words, fmt.Errorf("%s: %w", s.peer.show(), repo.ErrWords)
	}
	return s.root.FindWords(ctx, slices.Concat(here, there))
}

// openSettled opens the memory and commits hand edits, after it finished an interrupted purge or repeated one that git undid.
func (s *session) openSettled(ctx context.Context) (err error) {
	for range 2 {
		words, found, err := repo.ReadPurge(s.w.At.Root)
		if err == nil && found {
			_, err = purge.Finish(ctx, s.w, words)
		}
		if err != nil {
			return err
		}
		if found {
			s.w.Note("what was to be purged is purged")
		}
		if s.root, err = s.w.CreateRoot(ctx); err == nil {
			_, err = s.w.Change(ctx, false, func(*repo.Memory) (repo.Message, error) { return repo.Message{}, nil })
		}
		if !errors.Is(err, repo.ErrReturned) {
			return err
		}
	}
	return repo.ErrReturned
}

func (s *session) purge(ctx context.Context, words repo.Words) error {
	res, err := purge.Finish(ctx, s.w, words)
	if s.rewritten += res.Commits; err == nil {
		s.root, err = s.w.CreateRoot(ctx)
	}
	return err
}

// Purge is purge.Run and, with opts.Push, replaces the remote's history too: commits that others sent meanwhile
// are purged and kept.
func Purge(ctx context.Context, w *workspace.Workspace, root *repo.Root, opts purge.Options) (res purge.Result, err error) {
	if opts.Item != "" || opts.Resume || opts.Pattern != nil {
		res, err = purge.Run(ctx, w, root, opts)
	} else if res.Status, err = "planned", root.CheckBusy(); err == nil && !opts.DryRun && !opts.Yes {
		err = w.Confirm(ctx, "Put the history of this memory in the place of what the remote has?", "replace what the remote has")
	}
	if !opts.Push || opts.DryRun || err != nil && !errors.Is(err, purge.ErrNothing) {
		return res, err
	}
	if root, err = w.CreateRoot(ctx); err != nil {
		return res, err
	}
	s := &session{w: w, root: root, res: &Result{}, git: gitCLI{Folder: w.At.Root, Environ: w.Environ},
		replaces: true, purges: res.Words}
	if s.peer, err = s.findPeer(ctx); err == nil {
		err = s.exchange(ctx)
		err = errors.Join(err, s.git.dropRef(ctx, purgeRef))
		res.Status, res.Commits = "purged", res.Commits+s.rewritten
	}
	if err == nil {
		res.Pushed = s.peer.show()
	}
	return res, err
}
