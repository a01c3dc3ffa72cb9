package remote

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"mem/guard"
	"mem/render"
	"mem/repo"
)

// ErrPrivate is wrapped when a remote that is not the person's own would get what is
// about the person. Nothing was sent.
var ErrPrivate = errors.New("it is about you, and the remote is not said to be your own")

// checkPrivate refuses to send what is about the person, in the files as they are or in
// the history, to a remote that is not their own: it would get all of it, with no way
// back. theirs is what it has already. It returns the commit to send: another one than
// ours if the person had it moved.
func (s *session) checkPrivate(ctx context.Context, theirs, ours string) (string, error) {
	isAllowed, err := s.isNoted(ctx, "memWhole", s.opts.Whole)
	if err == nil && !isAllowed {
		isAllowed, err = s.isOwn(ctx)
	}
	if err != nil || isAllowed {
		return ours, err
	}
	found, err := s.listPrivate(ctx, theirs, ours)
	if err != nil || len(found) == 0 {
		return ours, err
	}
	if err = s.opts.RequirePerson(); err == nil {
		var shown strings.Builder
		list(&shown, "", found)
		s.w.Note("would be sent, with the history:\n%s", strings.TrimSuffix(shown.String(), "\n"))
		if !s.opts.Move && !s.opts.MayAsk {
			err = ErrPrivate
		} else if !s.opts.Move {
			err = s.opts.Confirm(ctx, "Move it to your own memory, ~/.mem, and send the rest in one commit, without the history?", "not moved")
		}
	}
	if err == nil {
		ours, err = s.movePrivate(ctx, theirs, found)
	} else if !s.opts.Move && ctx.Err() == nil {
		err = fmt.Errorf("%s of this memory or its history: %w", render.Count(len(found), "lesson or file", "lessons or files"), ErrPrivate)
	}
	return ours, err
}

// listPrivate returns what is about the person of what the commits of ours, and not of
// theirs, added.
func (s *session) listPrivate(ctx context.Context, theirs, ours string) (found []string, err error) {
	err = s.git.ListAdded(ctx, theirs, ours, []string{repo.IndexPath, "memories/user"}, func(file, line string) {
		if file == repo.IndexPath {
			_, quoted, isText := strings.Cut(line, `"text": `)
			if err := json.Unmarshal([]byte(strings.TrimSuffix(quoted, ",")), &file); !isText || err != nil || !guard.IsAboutPerson(file) {
				return
			}
		}
		if !slices.Contains(found, file) {
			found = append(found, file)
		}
	})
	if err == nil {
		found, err = s.addNotes(ctx, theirs, ours, found)
	}
	return found, err
}

// addNotes adds the notes about the person of ours that theirs does not have: an empty one has no line.
func (s *session) addNotes(ctx context.Context, theirs, ours string, found []string) (_ []string, err error) {
	var known, all []string
	if theirs != "" {
		known, err = s.git.ListFiles(ctx, theirs)
	}
	if err == nil {
		all, err = s.git.ListFiles(ctx, ours)
	}
	for _, name := range all {
		if strings.HasPrefix(name, "memories/user/") && !slices.Contains(known, name) && !slices.Contains(found, name) {
			found = append(found, name)
		}
	}
	return found, err
}

// isOwn reports whether the person said that all of the remote is their own.
func (s *session) isOwn(ctx context.Context) (bool, error) {
	if isOwn, err := s.isNoted(ctx, "memOwn", false); err != nil || isOwn {
		return isOwn, err
	}
	m, err := s.root.View(s.w.Now)
	if err != nil {
		return false, err
	}
	list := m.Foreign()
	return list != nil && list.Remotes[s.peer.name] == s.peer.url, nil
}
