package remote

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"mem/curate"
	"mem/curate/evidence"
	"mem/curate/evidence/expertise"
	"mem/curate/evidence/search"
	"mem/curate/pattern"
	"mem/guard"
	"mem/index"
	"mem/lazy"
	"mem/render"
	"mem/repo"
	"mem/repo/incoming"
	"mem/words"
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
		data, errRead := m.ReadFile(f.file)
		switch isThere := slices.Contains(paths, f.file); {
		case f.file == "":
			p.keys = append(p.keys, " "+index.SpokenKey(f.text)+" ", " "+index.SpokenKey(guard.Line(f.text))+" ")
			if title := pattern.PhraseOf(f.text); s.findWhy(title) != "" {
				p.titles = append(p.titles, " "+index.SpokenKey(title))
			}
		case isThere && errRead != nil:
			return p, errRead
		case isThere && f.text == "":
			p.files[f.file] = data
		case isThere && strings.Contains(string(data), f.text):
			return p, fmt.Errorf("%s: %w", guard.Line(f.file), ErrRemains)
		}
	}
	for _, it := range m.Index.Items {
		if slices.ContainsFunc(found, func(f finding) bool { return f.file == "" && (f.text == it.Text || f.text == it.Why) }) {
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
		err = fmt.Errorf("%s: %w", guard.Line(left[0].file+left[0].text), ErrPrivate)
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

// ErrPrivate is wrapped when a remote would get what looks private, and the person did not
// let it go. Nothing was sent.
var ErrPrivate = errors.New("it looks private, and nothing was sent")

// A finding is what looks private in what would be sent: a lesson, a note, or a line of
// another file.
type finding struct {
	file string // "" for a lesson
	text string // "" for a note
	why  string
}

// notes are files about the person, and looked what is looked at: other files are made of these.
var (
	notes  = lazy.New(`^(?:memories/(?:user|feedback)|context/(?:voice|preferences))/`)
	looked = []string{repo.IndexPath, "CHANGELOG.md", "MEMORY.md", "context", "daily", "learnings", "memories", "monthly", "patterns", "rules"}
)

// checkPrivate shows the person what looks private, in the files as they are or in the
// history, before a remote gets all of it, with no way back. They send it, move it to their
// own memory, or stop. Off a terminal it goes where they alone push, or once they said so.
// theirs is what the remote has already. It returns the commit to send: another one than ours
// if something was moved.
func (s *session) checkPrivate(ctx context.Context, theirs, ours string) (string, error) {
	isAllowed, err := s.isNoted(ctx, "memWhole", s.opts.Whole)
	isOwn, err2 := s.isNoted(ctx, "memOwn", false)
	errAgent := s.opts.RequirePerson()
	if err = errors.Join(err, err2); err != nil || errAgent != nil && (isAllowed || isOwn) {
		return ours, err // an agent is not shown it
	}
	found, err := s.listPrivate(ctx, theirs, ours)
	if err != nil || len(found) == 0 {
		return ours, err
	}
	stop := fmt.Errorf("%s of this memory or its history: %w", render.Count(len(found), "lesson, line or file", "lessons, lines or files"), ErrPrivate)
	if errAgent != nil {
		return ours, fmt.Errorf("%w; %w", stop, errAgent)
	}
	shown := ""
	for _, f := range found {
		shown += "\n  " + guard.Line(strings.Trim(f.file+": "+f.text, ": ")) + " (" + f.why + ")"
	}
	s.w.Note("what looks private would go to %s, with the history:%s", s.peer.show(), shown)
	answer, err := s.choosePrivate(ctx, isAllowed, isOwn)
	switch {
	case err != nil || answer == "s":
		return ours, err
	case answer == "l":
		return s.movePrivate(ctx, theirs, found)
	}
	return ours, stop
}

// choosePrivate asks what to do with it: "s" sends it, "l" leaves it out.
func (s *session) choosePrivate(ctx context.Context, isAllowed, isOwn bool) (string, error) {
	switch {
	case s.opts.Move:
		return "l", nil
	case isAllowed, isOwn && !s.opts.MayAsk:
		return "s", nil
	case !s.opts.MayAsk:
		return "", nil
	}
	question := "to leave it out moves it to your own memory, ~/.mem, and sends the rest in one commit, without the history\n"
	answer, err := s.opts.Ask(ctx, question+"[s]end it, [l]eave it out, or [n]ot now? ")
	if answer = answer[:min(1, len(answer))]; err == nil && answer == "s" && isOwn { // asked once
		_, err = s.isNoted(ctx, "memWhole", true)
	}
	return answer, err
}

// listPrivate returns what looks private of what the commits of ours, and not of theirs,
// added: a lesson once, wherever it stands.
func (s *session) listPrivate(ctx context.Context, theirs, ours string) (found []finding, err error) {
	add := func(f finding) {
		if f.why != "" && !slices.Contains(found, f) {
			found = append(found, f)
		}
	}
	err = s.git.ListAdded(ctx, theirs, ours, looked, func(file, line string) {
		line = strings.TrimSpace(line)
		key, quoted, _ := strings.Cut(line, ": ")
		switch {
		case notes.Matches(file):
			add(finding{file, "", "a note about you"})
		case key == `"text"` || key == `"why"`:
			text := ""
			_ = json.Unmarshal([]byte(strings.TrimSuffix(quoted, ",")), &text) // nothing private is in no text
			add(finding{"", text, s.findWhy(text)})
		case file != repo.IndexPath && !isView(file) && key != "tags": // which are words of the text
			add(finding{file, line, s.findAddress(line)})
		}
	})
	lessons := slices.DeleteFunc(slices.Clone(found), func(f finding) bool { return f.file != "" })
	return slices.DeleteFunc(found, func(f finding) bool {
		return f.file != "" && slices.ContainsFunc(lessons, func(l finding) bool {
			return strings.Contains(index.SpokenKey(f.text), index.SpokenKey(l.text))
		})
	}), err
}

// findWhy says why a lesson looks private; "" if it does not.
func (s *session) findWhy(text string) string {
	if guard.IsAboutPerson(text) {
		return "about you"
	}
	return s.findAddress(text)
}

// findAddress says what a text names that is the person's: a home, an e-mail address, or a
// project beside this one; "" for none.
func (s *session) findAddress(text string) string {
	if s.beside == nil {
		s.beside = nameNeighbors(s.w.At.Project)
	}
	if name := s.beside.FindStringSubmatch(text); name != nil {
		return "the project " + name[1] + " beside this one"
	}
	if home := s.w.Home(); guard.NamesPerson(text) || len(home) > 1 && strings.Contains(text, home) {
		return "a home or an e-mail address"
	}
	return ""
}

// nameNeighbors matches the names of the projects in the folder around one, but words that
// any lesson may have.
func nameNeighbors(project string) *regexp.Regexp {
	names := []string{`\z.`}                                    // which nothing has
	for _, mark := range []string{"/.git/HEAD", "/.mem/core"} { // .git of a linked work tree is a file
		found, _ := fs.Glob(os.DirFS(filepath.Dir(project)), "*"+mark)
		for _, at := range found {
			if name := strings.TrimSuffix(at, mark); len(name) > 3 && name != filepath.Base(project) && !words.IsCommon(name) {
				names = append(names, regexp.QuoteMeta(name))
			}
		}
	}
	return lazy.New(`(?i)(?:^|[^\w-])(` + strings.Join(names, "|") + `)(?:$|[^\w-])`).Get()
}
