package remote

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"mem/guard"
	"mem/index"
	"mem/render"
	"mem/repo"
	"mem/repo/incoming"
	"mem/workspace"
)

// ErrRemains is wrapped when a file says in other lines what is about the person.
var ErrRemains = errors.New("it says what is about you, and mem cannot take it out")

// agreeToMove is an error unless the person wants what is private moved.
func (s *session) agreeToMove(ctx context.Context) error {
	if s.opts.Move {
		return nil
	}
	if !s.opts.MayAsk {
		return ErrPrivate
	}
	return s.opts.Confirm(ctx, "Move it to your own memory, ~/.mem, and send the rest in one commit, without the history?", "not moved")
}

// movePrivate moves what was found to the person's own memory, and starts the history that
// is sent from one commit, on what the remote has. The one before stays here by a ref. A
// crash between the steps leaves the private part in both memories, and nothing is sent.
func (s *session) movePrivate(ctx context.Context, theirs string, found []string) (tip string, err error) {
	own, err := workspace.New(s.w.World, workspace.Options{Root: s.w.Person().GlobalRoot().Root, Now: s.w.Now})
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, own.LeaveRoots()) }()
	if workspace.IsSameFolder(own.At.Root, s.w.At.Root) {
		return "", fmt.Errorf("this is your own memory: %w", ErrPrivate)
	}
	p, err := s.gatherPrivate(ctx, found)
	if err == nil {
		err = s.take(ctx, own, p)
	}
	if err != nil {
		return "", err
	}
	if _, err = s.w.Change(ctx, false, p.takeOut); err != nil {
		return "", err
	}
	s.res.Moved += len(p.items) + len(p.files)
	m, err := s.root.View(s.w.Now) // with its views
	if err == nil {
		err = p.check(m)
	}
	if err != nil {
		return "", err
	}
	return s.restart(ctx, theirs)
}

// gatherPrivate reads what was found, if none of the memory waits: another's words would
// become the person's.
func (s *session) gatherPrivate(ctx context.Context, found []string) (p aboutMe, err error) {
	m, err := s.root.View(s.w.Now)
	if err != nil {
		return p, err
	}
	if n := m.Foreign().CountWaiting(); n > 0 {
		return p, fmt.Errorf("%s for 'mem trust': %w", render.Count(n, "lesson or file waits", "lessons or files wait"), ErrPrivate)
	}
	p.found = found
	tip, err := s.readTip()
	if err == nil {
		p.paths, err = s.git.ListFiles(ctx, tip)
	}
	if err == nil {
		err = p.gather(m)
	}
	return p, err
}

// restart leaves the history behind.
func (s *session) restart(ctx context.Context, theirs string) (string, error) {
	tip, err := s.readTip()
	if err != nil {
		return "", err
	}
	s.res.History = "refs/mem/before/" + tip[:12]
	if err := s.git.KeepRef(ctx, s.res.History, tip); err != nil {
		return "", err
	}
	if err := s.onBranch(ctx, s.newMerge("", tip, theirs), (*incoming.Branch).Restart); err != nil {
		return "", err
	}
	if tip, err = s.readTip(); err != nil {
		return "", err
	}
	left, err := s.listPrivate(ctx, theirs, tip)
	if err == nil && len(left) > 0 {
		err = fmt.Errorf("%s: %w", left[0], ErrPrivate)
	}
	return tip, err
}

// aboutMe is what is about the person in a memory.
type aboutMe struct {
	found []string          // as listPrivate returns it
	paths []string          // of all files of the memory
	items []index.Item      // of its index
	files map[string][]byte // of memories/user
}

// gather reads what is still in the memory.
func (p *aboutMe) gather(m *repo.Memory) (err error) {
	for _, it := range m.Index.Items {
		if slices.Contains(p.found, guard.Line(it.Text)) {
			p.items = append(p.items, it)
		}
	}
	p.files = map[string][]byte{}
	for _, name := range p.paths {
		if slices.Contains(p.found, guard.Line(name)) && err == nil {
			p.files[name], err = m.ReadFile(name)
		}
	}
	return err
}

// take adds it to the person's own memory; what is there already does not count twice.
func (s *session) take(ctx context.Context, own *workspace.Workspace, p aboutMe) error {
	if len(p.items)+len(p.files) == 0 { // only the history has it
		return nil
	}
	if _, err := own.CreateRoot(ctx); err != nil {
		return err
	}
	from := filepath.Base(s.w.At.Project)
	_, err := own.Change(ctx, false, func(m *repo.Memory) (repo.Message, error) {
		changes := m.JoinRecords(slices.Clone(p.items), from)
		msg := repo.Message{Subject: fmt.Sprintf("sync: %s from %s", render.Count(len(p.items)+len(p.files), "lesson or file", "lessons or files"), from)}
		for _, c := range changes {
			msg.Trailers = append(msg.Trailers, repo.Trailer{Key: "Mem-Item", Value: m.Index.Items[c.Pos].ID})
		}
		for _, name := range slices.Sorted(maps.Keys(p.files)) {
			to := name
			if old, err := m.ReadFile(to); err == nil && string(old) != string(p.files[name]) {
				to = path.Join(path.Dir(name), from+"-"+path.Base(name))
			} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
				return msg, err
			}
			if err := m.KeepFile(to, p.files[name]); err != nil {
				return msg, err
			}
		}
		return msg, nil
	})
	return err
}

// isView reports whether a file is made of the index with each commit.
func isView(name string) bool {
	return path.Dir(name) == "core" || name == "long-term-memory.md" || name == "patterns/index.md"
}

// takeOut removes it from the memory: records, the files that are about it, and the lines
// of others that say it.
func (p *aboutMe) takeOut(m *repo.Memory) (repo.Message, error) {
	msg := repo.Message{Subject: fmt.Sprintf("sync: move %s to the own memory", render.Count(len(p.items)+len(p.files), "lesson or file", "lessons or files"))}
	if len(p.items)+len(p.files) == 0 {
		return repo.Message{}, nil
	}
	isGone := func(id string) bool {
		return slices.ContainsFunc(p.items, func(it index.Item) bool { return it.ID == id })
	}
	m.Index.Items = slices.DeleteFunc(m.Index.Items, func(it index.Item) bool { return isGone(it.ID) })
	maps.DeleteFunc(m.Index.Undone.Fields, func(f index.FieldMark, _ index.Register) bool { return isGone(f.Record) })
	for _, name := range p.paths {
		if isView(name) {
			continue
		}
		data, err := m.ReadFile(name)
		if _, isWhole := p.files[name]; err == nil && (isWhole || p.says(string(data))) {
			err = p.clean(m, name, string(data), isWhole)
		}
		if err != nil {
			return msg, err
		}
	}
	return msg, nil
}

// clean takes it out of one file.
func (p *aboutMe) clean(m *repo.Memory, name, text string, isWhole bool) error {
	top, _, _ := strings.Cut(name, "/")
	if isWhole || top == "learnings" || top == "patterns" {
		return m.RemoveFile(name)
	}
	var kept strings.Builder
	for line := range strings.Lines(text) {
		if !p.says(line) {
			kept.WriteString(line)
		}
	}
	if p.says(kept.String()) {
		return fmt.Errorf("%s: %w", guard.Line(name), ErrRemains)
	}
	return m.WriteFile(name, []byte(kept.String()))
}

// says reports whether a text has the words of a record that moves.
func (p *aboutMe) says(text string) bool {
	said := " " + index.SpokenKey(text) + " "
	return slices.ContainsFunc(p.items, func(it index.Item) bool {
		key := index.SpokenKey(it.Text)
		return key != "" && strings.Contains(said, " "+key+" ")
	})
}

// check makes sure that no file of the memory says it any more, the views included.
func (p *aboutMe) check(m *repo.Memory) error {
	for _, name := range p.paths {
		data, err := m.ReadCommitted(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err == nil && p.says(string(data)) {
			err = fmt.Errorf("%s: %w", guard.Line(name), ErrRemains)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
