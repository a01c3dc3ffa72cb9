package remote

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"mem/guard"
	"mem/repo"
	"mem/repo/transport"
)

// Many writers would lose the race for one ref again and again. So each may hand in what it
// has under a ref of its own, beside the shared one, and one clone, such as a scheduled job,
// folds all of them into that. A writer only ever takes in the shared ref.

// handIns is where the clones of a memory hand in: below a name, so that several memories
// can be kept in one repository.
func (p peer) handIns() string { return "refs/mem/in/" + path.Base(p.ref) + "/" }

// findHandIn returns the ref under which this clone hands in; "" if it pushes to the
// shared one. Once said, it is so for this remote.
func (s *session) findHandIn(ctx context.Context) (string, error) {
	if s.opts.Fold {
		return "", nil
	}
	key := "remote." + s.peer.name + ".memHandIn"
	id, err := s.git.ReadConfig(ctx, key)
	if err == nil && id == "" && s.opts.HandIn {
		id, err = s.renameHandIn(ctx)
	}
	if err != nil || id == "" {
		return "", err
	}
	ref := s.peer.handIns() + id
	if !validRef.Get().MatchString(ref) {
		return "", fmt.Errorf("%q: %w", ref, ErrRef)
	}
	return ref, nil
}

// renameHandIn gives this clone another name, for the first time or because it was copied.
func (s *session) renameHandIn(ctx context.Context) (string, error) {
	id := strings.ToLower(rand.Text()[:12])
	return id, s.git.NoteRemote(ctx, s.peer.name, "memHandIn", id)
}

// send lets the remote have ours, and reports whether it did not have it yet.
func (s *session) send(ctx context.Context, ours string) (bool, error) {
	to, err := s.findHandIn(ctx)
	if err != nil {
		return false, err
	}
	if to != "" {
		refs, err := s.git.ListRefs(ctx, s.peer.name, to)
		if err != nil || refs[to] == ours { // it waits there to be folded
			return false, err
		}
		s.res.HandedIn = to
	} else {
		to = s.peer.ref
	}
	err = s.git.Push(ctx, s.peer.name, ours, to)
	if errors.Is(err, transport.ErrRace) && to != s.peer.ref { // another clone has this name
		_, errName := s.renameHandIn(ctx)
		err = errors.Join(err, errName)
	}
	return err == nil, err
}

// takeHandedIn makes what was handed in part of the memory. What cannot be is named, and
// left there. It returns the refs that were taken in, with their commits.
func (s *session) takeHandedIn(ctx context.Context) (taken map[string]string, err error) {
	refs, err := s.git.ListRefs(ctx, s.peer.name, s.peer.handIns()+"*")
	if err != nil {
		return nil, err
	}
	s.res.LeftThere = s.res.LeftThere[:0]
	taken = map[string]string{}
	for _, ref := range slices.Sorted(maps.Keys(refs)) {
		tip, err := s.takeRef(ctx, ref)
		switch {
		case ctx.Err() != nil, isPassing(err):
			return nil, err
		case err != nil:
			s.w.Note("left there: %s: %s", guard.Line(ref), guard.Line(err.Error()))
			s.res.LeftThere = append(s.res.LeftThere, ref)
		case tip != "":
			taken[ref] = tip
		}
	}
	return taken, nil
}

// takeRef makes what one clone handed in part of the memory; it returns the commit.
func (s *session) takeRef(ctx context.Context, ref string) (tip string, err error) {
	if !validRef.Get().MatchString(ref) {
		return "", fmt.Errorf("%q: %w", ref, ErrRef)
	}
	tracking := "refs/remotes/" + s.peer.name + "/" + strings.TrimPrefix(ref, "refs/")
	tip, err = s.git.Fetch(ctx, s.peer.name, ref, tracking)
	if err != nil || tip == "" {
		return tip, err
	}
	if err := s.checkHandedIn(ctx, tip); err != nil {
		return tip, errors.Join(err, s.git.DropRef(ctx, tracking))
	}
	return tip, s.takeIn(ctx, tip)
}

// checkHandedIn refuses a history with a record that was purged, or of a clone that was not told
// words to purge: it has not synced since.
func (s *session) checkHandedIn(ctx context.Context, tip string) error {
	here, there, err := s.listPurged(ctx, tip)
	if err == nil {
		err = checkWords(here, there, tip)
	}
	if err != nil || len(here) == 0 {
		return err
	}
	ours, err := s.readTip()
	if err != nil {
		return err
	}
	isLeft := false
	err = s.git.ListAdded(ctx, ours, tip, []string{repo.IndexPath}, func(_, line string) {
		_, id, isID := strings.Cut(strings.TrimRight(line, ","), `"id": `)
		isLeft = isLeft || isID && slices.Contains(here, strings.Trim(id, `"`))
	})
	if err == nil && isLeft {
		err = ErrUnpurged
	}
	return err
}

// isPassing reports whether the same may go well later: nothing is wrong with what was
// handed in.
func isPassing(err error) bool {
	return slices.ContainsFunc([]error{transport.ErrOffline, repo.ErrLost, repo.ErrBusy, repo.ErrLocked}, func(is error) bool { return errors.Is(err, is) })
}

// removeFolded removes there what the shared ref has now, each only if it still names the
// commit that was folded.
func (s *session) removeFolded(ctx context.Context, taken map[string]string) error {
	shared, err := s.git.Fetch(ctx, s.peer.name, s.peer.ref, s.peer.tracking)
	if err != nil {
		return err
	}
	for _, ref := range slices.Sorted(maps.Keys(taken)) {
		base, err := s.git.FindBase(ctx, taken[ref], shared)
		if err != nil {
			return err
		}
		if base != taken[ref] { // another fold was faster and made another history
			delete(taken, ref)
		}
	}
	if len(taken) == 0 {
		return nil
	}
	n, err := s.git.RemoveRefs(ctx, s.peer.name, taken)
	s.res.Folded += n
	if n > 0 {
		s.res.Status = Synced
	}
	return err
}
