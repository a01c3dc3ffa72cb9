package remote

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"mem/curate"
	"mem/curate/evidence"
	"mem/curate/evidence/expertise"
	"mem/curate/evidence/search"
	"mem/curate/pattern"
	"mem/guard"
	"mem/index"
	"mem/render"
	"mem/repo"
	"mem/repo/incoming"
	"mem/workspace"
)

// ErrRemains is wrapped when a file says in other lines what is about the person.
var ErrRemains = errors.New("it says what looks private, and mem cannot take it out")

// movePrivate moves what was found to the person's own memory, and starts the history that
// is sent from one commit, on what the remote has. The one before stays here by a ref. A
// crash between the steps leaves the private part in both memories, and nothing is sent.
func (s *session) movePrivate(ctx context.Context, theirs string, found []finding) (tip string, err error) {
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
	if err == nil {
		_, err = s.w.Change(ctx, false, p.takeOut)
	}
	if err != nil {
		return "", err
	}
	s.res.Moved += len(p.items) + len(p.files)
	return s.restart(ctx, theirs, p)
}

// gatherPrivate reads what was found and is still in the memory, if none of that waits:
// another's words would become the person's.
func (s *session) gatherPrivate(ctx context.Context, found []finding) (p aboutMe, err error) {
	m, _, paths, err := s.listFiles(ctx)
	if err != nil {
		return p, err
	}
	if n := m.Foreign().CountWaiting(); n > 0 {
		return p, fmt.Errorf("%s for 'mem trust': %w", render.Count(n, "lesson or file waits", "lessons or files wait"), ErrPrivate)
	}
	p = aboutMe{paths: paths, files: map[string][]byte{}}
	for _, f := range found {
		var data []byte
		name := cmp.Or(f.file, f.text)
		isThere := slices.Contains(paths, name)
		if isThere {
			if data, err = m.ReadFile(name); err != nil {
				return p, err
			}
		}
		switch {
		case f.file != "" && strings.Contains(string(data), f.text):
			return p, fmt.Errorf("%s: %w", guard.Line(name), ErrRemains)
		case f.file != "": // only the history has the line
			continue
		case isThere:
			p.files[name] = data
			continue
		case notes[folderOf(name)] != "":
			continue
		}
		p.keys = append(p.keys, " "+index.SpokenKey(f.text)+" ", " "+index.SpokenKey(guard.Line(f.text))+" ")
		if title := pattern.PhraseOf(f.text); s.findWhy(title) != "" {
			p.titles = append(p.titles, " "+index.SpokenKey(title))
		}
	}
	for _, it := range m.Index.Items {
		if slices.ContainsFunc(found, func(f finding) bool { return f.text == it.Text || f.text == it.Why }) {
			p.items = append(p.items, it)
		}
	}
	return p, err
}

// listFiles returns the memory, the commit that it stands at, and the paths of its files.
func (s *session) listFiles(ctx context.Context) (m *repo.Memory, tip string, paths []string, err error) {
	if tip, err = s.readTip(); err == nil {
		m, err = s.root.View(s.w.Now)
	}
	if err == nil {
		paths, err = s.git.ListFiles(ctx, tip)
	}
	return m, tip, paths, err
}

// restart leaves the history behind, if no file that is to be sent says it any more.
func (s *session) restart(ctx context.Context, theirs string, p aboutMe) (string, error) {
	m, tip, paths, err := s.listFiles(ctx)
	if err == nil {
		err = p.check(m, paths)
	}
	if err != nil {
		return "", err
	}
	s.res.History = "refs/mem/before/" + tip[:12]
	if err := s.git.KeepRef(ctx, s.res.History, tip); err != nil {
		return "", err
	}
	if err = s.onBranch(ctx, s.newMerge("", tip, theirs), (*incoming.Branch).Restart); err == nil {
		tip, err = s.readTip()
	}
	if err != nil {
		return "", err
	}
	left, err := s.listPrivate(ctx, theirs, tip)
	if err == nil && len(left) > 0 {
		err = fmt.Errorf("%s: %w", guard.Line(left[0].text), ErrPrivate)
	}
	return tip, err
}

// aboutMe is what is about the person in a memory.
type aboutMe struct {
	keys   []string          // what the lessons say that were found, be they still in the index or not
	titles []string          // what rules made of them are called
	paths  []string          // of all files of the memory
	items  []index.Item      // of its index
	files  map[string][]byte // of memories/user
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
		msg := repo.Message{Subject: fmt.Sprintf("sync: %s from %s", render.Count(len(p.items)+len(p.files), "lesson or file", "lessons or files"), from)}
		for _, c := range m.JoinRecords(slices.Clone(p.items), from) {
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

// isView reports whether a file is made of others: of the index with each commit, or of the
// patterns.
func isView(name string) bool {
	return path.Dir(name) == "core" && name != expertise.Path || name == render.LongTermPath || name == pattern.IndexPath
}

// takeOut removes it from the memory: records, the files that are about it, and the lines
// of others that say it.
func (p *aboutMe) takeOut(m *repo.Memory) (repo.Message, error) {
	msg := repo.Message{Subject: fmt.Sprintf("sync: move %s to the own memory", render.Count(len(p.items)+len(p.files), "lesson or file", "lessons or files"))}
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
		if _, isWhole := p.files[name]; err == nil && (isWhole || p.says(name, string(data))) {
			err = p.clean(m, name, string(data), isWhole)
		}
		if err != nil {
			return msg, err
		}
	}
	return msg, curate.RenderPatterns(m)
}

// clean takes it out of one file.
func (p *aboutMe) clean(m *repo.Memory, name, text string, isWhole bool) error {
	top, _, _ := strings.Cut(name, "/")
	if name == expertise.Path {
		_, _, err := (&evidence.Proof{Survey: new(search.Survey)}).Apply(m) // of what is noted, not of the code
		return err
	}
	if isWhole || top == "learnings" || top == "patterns" {
		return m.RemoveFile(name)
	}
	var kept strings.Builder
	for line := range strings.Lines(text) {
		if !p.says(name, line) {
			kept.WriteString(line)
		}
	}
	if p.says(name, kept.String()) {
		return fmt.Errorf("%s: %w", guard.Line(name), ErrRemains)
	}
	return m.WriteFile(name, []byte(kept.String()))
}

// says reports whether a text of a file has the words of a lesson that was found, or is called so
// where rules have titles.
func (p *aboutMe) says(name, text string) bool {
	said := " " + index.SpokenKey(text) + " "
	if slices.ContainsFunc(p.keys, func(key string) bool { return strings.Contains(said, key) }) {
		return true
	}
	isLog := path.Base(name) == "CHANGELOG.md"
	for line := range strings.Lines(text) {
		said = " " + index.SpokenKey(line)
		isTitle := strings.HasPrefix(name, "rules/") && strings.HasPrefix(line, "#") && slices.Contains(p.titles, said)
		if isTitle || isLog && slices.ContainsFunc(p.titles, func(title string) bool { return strings.HasSuffix(said, title) }) {
			return true
		}
	}
	return false
}

// check makes sure that no file of the memory says it any more, the views included.
func (p *aboutMe) check(m *repo.Memory, paths []string) error {
	for _, name := range paths {
		if data, err := m.ReadCommitted(name); err != nil {
			return err
		} else if p.says(name, name+"\n"+string(data)) {
			return fmt.Errorf("%s: %w", guard.Line(name), ErrRemains)
		}
	}
	return nil
}
