package repo

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"mem/facts"
	"mem/guard"
	"mem/index"
	"mem/render"
	"mem/repo/gitstore"
	"mem/repo/gitstore/object"
)

// Memory is a root's content during one Settle, Preview or View: what the
// last commit holds, with the edits of a person on top.
//
// A callback reads and changes it freely; nothing reaches the disk before the
// callback has returned.
type Memory struct {
	// Index is the current index. Records are added with Learn; other
	// changes are made in place.
	Index *index.Index
	// Report counts what could not be read when the index was loaded.
	Report index.Report

	now  time.Time
	opts Options
	tx   *gitstore.Tx // nil when there is no root yet

	logs         logReader        // without a root when there is none yet
	facts        []facts.Fact     // what the callback said so far
	base         *index.Index     // the index with those, as it was before what the callback changed since
	soft         map[string]bool  // ids of lessons whose words rules chose
	files        map[string]*file // looked at so far
	edits        []string         // paths that a person changed
	staged       staging          // what was changed since the last commit before this Settle
	learned      []index.Change   // by the callback so far
	then         func(*Memory) (Message, error)
	lastProposal int // the highest number that a proposal had, once all was folded; 0 before

	isShown bool     // it is for reading: the last commit is shown, whatever a person edited since
	waiting *Waiting // what git brought and the person did not accept; nil for nothing

	known map[string]object.Hash   // the files of the last commit
	skip  func(folder string) bool // whose files known leaves out; nil for none

	warnOnce func(string) // warns of files that are left alone
}

// A staging holds the new contents of files, by path.
type staging map[string]write

// paths returns the paths of the files, in order.
func (s staging) paths() []string { return slices.Sorted(maps.Keys(s)) }

// A write is new content for a file; without any it removes the file.
type write struct {
	data []byte
	blob object.Hash // of data; zero without any
}

// A file is one file of the root: what it holds, hand edits and earlier
// commits of the same Settle included, and where that stands.
type file struct {
	exist  bool
	staged bool        // in git's index
	data   []byte      // nil until it is asked for
	was    []byte      // what the last commit before this Settle holds; nil unless it was read
	blob   object.Hash // in the history so far; zero for none
	work   object.Hash // in the work tree; zero for none
}

// BlankMemory returns the memory of a root that does not exist yet.
func BlankMemory(now time.Time, opts Options) *Memory {
	return &Memory{Index: &index.Index{}, base: &index.Index{}, now: now.UTC(), opts: opts.withDefaults(), files: map[string]*file{}, staged: staging{}}
}

// Now is the moment of the change.
func (m *Memory) Now() time.Time { return m.now }

// Tip names the commit that the memory builds on; "" if there is none.
func (m *Memory) Tip() string {
	if m.tx == nil || m.tx.Head.Tip.IsZero() {
		return ""
	}
	return m.tx.Head.Tip.String()
}

// Learn adds a fact, after taking secrets and invisible characters out of it, and returns what its lessons and
// records did. A reflection without an id counts each time. A tag with a secret is left out.
func (m *Memory) Learn(f facts.Fact) []index.Change {
	m.flush()
	f.Fixes, f.Mistakes, f.Old = scrubLessons(f.Fixes), scrubLessons(f.Mistakes), scrubRecords(f.Old)
	f.Candidates = slices.Clone(f.Candidates)
	for i, raw := range f.Candidates {
		if f.Candidates[i] = jsontext.Value(guard.Scrub(string(raw))); !f.Candidates[i].IsValid() {
			f.Candidates[i] = jsontext.Value("{}")
		}
	}
	if f.Mark != nil {
		mark := *f.Mark
		mark.Last = guard.Scrub(mark.Last)
		f.Mark = &mark
	}
	f.At, f.Kind = m.now.Truncate(time.Millisecond), cmp.Or(f.Kind, facts.Reflection)
	if f.Kind == facts.Reflection {
		f.ID = facts.SightingID(cmp.Or(f.ID, fmt.Sprint(m.Tip(), m.now, len(m.facts), f.Fixes, f.Mistakes)))
		if slices.ContainsFunc(m.facts, func(o facts.Fact) bool { return o.ID == f.ID }) {
			return nil // it counts once
		}
	}
	changes := facts.Begin(m.Index).Add(f)
	m.base = m.Index.Clone()
	m.facts = append(m.facts, f)
	m.learned = append(m.learned, changes...)
	return changes
}

// JoinRecords adds records of another memory, whose name is given, after taking secrets out of what they say.
// Joining them again adds only by how much they have grown since.
func (m *Memory) JoinRecords(records []index.Item, from string) []index.Change {
	f, seen := facts.Fact{Kind: facts.Base, From: from}, map[string]bool{}
	for _, it := range records {
		it.Text, it.Kind = index.TextOf(it.Text, it.Kind == index.AntiPattern)
		if it.Key = index.KeyOf(it.Text); it.Key == "" || seen[it.Key] || it.Hits < 1 {
			continue
		}
		seen[it.Key] = true
		it.Sources = slices.Clone(it.Sources)
		for i := range it.Sources {
			it.Sources[i].ID = ""
		}
		it.ID, it.Pinned, it.Set, it.Was, it.DerivedFrom, it.SupersededBy, it.Evidence, it.By, it.Unknown = "", false, nil, nil, nil, "", nil, nil, nil
		f.Old = append(f.Old, index.Old{Item: it})
	}
	return m.Learn(f)
}

// Decide adds a fact that is not about what the index shows, such as what counts no longer.
func (m *Memory) Decide(f facts.Fact) error {
	m.flush()
	f.Kind, f.At = cmp.Or(f.Kind, facts.Decision), m.now.Truncate(time.Millisecond)
	m.facts = append(m.facts, f)
	if len(f.Undo)+len(f.Redo)+len(f.Purged) == 0 {
		return nil
	}
	log, err := m.log()
	if err == nil {
		*m.Index = *log.With(m.facts...).Fold()
		m.base = m.Index.Clone()
	}
	return err
}

// ChangeSoftly lets f change a lesson by id, as rules choose: a person's later word, or one before, is stronger.
func (m *Memory) ChangeSoftly(id string, f func(*index.Item)) {
	if pos := m.Index.ByID(id); pos >= 0 && m.Index.Items[pos].Change(f) {
		m.soft[id] = true
	}
}

// flush makes a fact of what the callback changed in the index since the last one.
func (m *Memory) flush() {
	changes, fresh := facts.Diff(m.base, m.Index, false)
	if len(changes)+len(fresh) == 0 {
		return
	}
	for i := range changes {
		changes[i].Soft = m.soft[changes[i].Of]
	}
	add := facts.Fact{Kind: facts.Decision, At: m.now.Truncate(time.Millisecond), Changes: changes, Old: fresh}
	m.base = facts.Begin(m.base).AddTo(add)
	if n := len(m.facts); n > 0 && m.facts[n-1].Kind == facts.Reflection {
		f := &m.facts[n-1]
		f.Changes, f.Old = append(f.Changes, changes...), append(f.Old, fresh...)
	} else {
		m.facts = append(m.facts, add)
	}
	*m.Index = *m.base.Clone()
	clear(m.soft)
}

// Then lets f follow the callback of a Settle, in a commit of its own.
func (m *Memory) Then(f func(*Memory) (Message, error)) { m.then = f }

// callback calls f, and Options.Learned if f counted lessons, then what follows; commit takes each message.
func (m *Memory) callback(f func(*Memory) (Message, error), commit func(Message) error) (err error) {
	for ; f != nil && err == nil; f = m.then {
		m.learned, m.then = nil, nil
		var msg Message
		if msg, err = f(m); err == nil && msg.Subject != "" && len(m.learned) > 0 && m.opts.Learned != nil {
			err = m.opts.Learned(m, m.learned, &msg)
		}
		if err == nil {
			err = commit(msg)
		}
	}
	return err
}

func notFound(path string) error { return fmt.Errorf("%s: %w", path, fs.ErrNotExist) }

// ReadFile returns the content of a file of the root. A missing one wraps
// fs.ErrNotExist.
func (m *Memory) ReadFile(path string) ([]byte, error) {
	if w, ok := m.staged[path]; ok {
		if w.data == nil {
			return nil, notFound(path)
		}
		return w.data, nil
	}
	f, err := m.lookAt(path, true)
	if err != nil {
		return nil, err
	}
	if !f.exist {
		return nil, notFound(path)
	}
	return f.data, nil
}

// PeekFile is ReadFile for a look that takes in nothing: what a person changed in
// the file does not become part of the edits, and a file that the person put into
// git's index stays the person's to commit.
func (m *Memory) PeekFile(path string) ([]byte, error) {
	if _, ok := m.staged[path]; ok || m.tx == nil || m.isShown || m.tx.UnderWay() != "" || m.files[path] != nil {
		return m.ReadFile(path)
	}
	return m.tx.Store.ReadFile(path, maxRead)
}

// readOld is ReadFile for a file that is about to be replaced and may be missing.
func (m *Memory) readOld(path string) ([]byte, error) {
	old, err := m.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return old, err
}

// ReadCommitted returns the content that a file has in the last commit, whatever a person or
// the callback made of it since. A missing one wraps fs.ErrNotExist.
func (m *Memory) ReadCommitted(path string) ([]byte, error) {
	if m.tx == nil {
		return nil, notFound(path)
	}
	blob, err := m.tx.Store.FindBlob(m.tx.Tree, path)
	if err != nil {
		return nil, err
	}
	if blob.IsZero() {
		return nil, notFound(path)
	}
	return m.tx.Store.ReadBlob(blob)
}

// WriteFile replaces a file. Secrets are taken out of what is new; the lines that
// the file began and ended with before stay as they are.
func (m *Memory) WriteFile(path string, data []byte) error {
	old, err := m.readOld(path)
	if err == nil {
		m.stageWrite(path, guard.ScrubNew(old, data))
	}
	return err
}

// ErrSecret is wrapped when a text that must be kept as it is holds a secret.
var ErrSecret = errors.New("it holds what looks like a secret")

// KeepFile replaces a file by what a person or another program wrote, byte for
// byte. A secret cannot be taken out of such a text: if the file did not hold it
// before, the error wraps ErrSecret and nothing is kept.
func (m *Memory) KeepFile(path string, data []byte) error {
	old, err := m.readOld(path)
	if err != nil {
		return err
	}
	if isNewLeak(old, data) {
		return fmt.Errorf("%s: %w", path, ErrSecret)
	}
	m.stageWrite(path, append([]byte{}, data...))
	return nil
}

// MoveFile gives a file another path and new content. Only what is new in it is scrubbed, as for WriteFile.
func (m *Memory) MoveFile(from, to string, data []byte) error {
	old, err := m.ReadFile(from)
	if err != nil {
		return err
	}
	if _, err := m.lookAt(to, true); err != nil { // a person's file there gets its commit first
		return err
	}
	if m.holdsSecret(from) {
		old = nil // no commit gets it, here or there
	}
	m.stageWrite(to, guard.ScrubNew(old, data))
	return m.RemoveFile(from)
}

// RemoveFile takes a file out of the root, if it is there. The history keeps it.
func (m *Memory) RemoveFile(path string) error {
	f, err := m.lookAt(path, true) // a person's edit of it gets its commit first
	if err != nil {
		return err
	}
	if _, written := m.staged[path]; f.exist || written {
		m.stageWrite(path, nil)
	}
	return nil
}

// stageWrite queues a write without comparing it to the old content; for views.
// The content must not change afterwards.
func (m *Memory) stageWrite(path string, data []byte) { m.staged[path] = newWrite(data) }

func newWrite(data []byte) write {
	w := write{data: data}
	if data != nil {
		w.blob = object.HashOf(object.KindBlob, data)
	}
	return w
}

// lookAt reads a file once, its content only when asked to. What a person changed in it becomes part of the edits.
func (m *Memory) lookAt(path string, content bool) (*file, error) {
	f := m.files[path]
	if f != nil && (f.data != nil || !f.exist || !content) {
		return f, nil
	}
	if m.tx == nil {
		return &file{}, nil
	}
	tip, err := m.tx.Store.FindBlob(m.tx.Tree, path)
	if err != nil {
		return nil, err
	}
	seen, err := m.tx.Look(path, tip, content)
	if err != nil {
		return nil, err
	}
	if f != nil {
		if f.data = seen.Data; !seen.Changed && f.blob == tip {
			f.was = seen.Data
		}
		return f, nil
	}
	f = &file{exist: seen.Exists, staged: seen.Staged, data: seen.Data, blob: tip, work: seen.Blob}
	if !seen.Changed {
		f.was = seen.Data
	}
	if seen.Changed {
		m.edits = append(m.edits, path)
	}
	if m.isShown && seen.Blob != tip && (seen.Staged || path != ConfigPath) { // a reader is shown the last commit, and what a person configures now
		f = &file{exist: !tip.IsZero(), blob: tip, work: tip}
		if f.exist {
			f.data, err = m.tx.Store.ReadBlob(tip)
		}
	}
	m.files[path] = f
	return f, err
}

// EditedFiles returns the paths that a person changed since the last commit, among
// those that were looked at.
func (m *Memory) EditedFiles() []string { return slices.Sorted(slices.Values(m.edits)) }

// renderViews writes the index and the views of it.
func (m *Memory) renderViews() error {
	var core, long write
	var views sync.WaitGroup
	views.Go(func() {
		ranked := m.Index.Rank(m.Index.UpdatedAt)
		core = newWrite(render.Core(m.Index, ranked, m.opts.MaxCoreItems))
		long = newWrite(render.LongTerm(m.Index, ranked))
	})
	data, err := m.Index.Encode()
	records := newWrite(data)
	views.Wait()
	if err == nil {
		m.staged[IndexPath], m.staged[render.CorePath], m.staged[render.LongTermPath] = records, core, long
	}
	return err
}

// Preview calls f and says what Settle would commit. Nothing is written.
func (m *Memory) Preview(f func(*Memory) (Message, error)) (Commit, error) {
	var subject string
	err := m.callback(f, func(msg Message) error { subject = cmp.Or(msg.Subject, subject); return nil })
	if err != nil || subject == "" {
		return Commit{}, err
	}
	m.flush()
	if err := errors.Join(m.noteStaged(), m.stageFacts()); err != nil {
		return Commit{}, err
	}
	if err := m.renderViews(); err != nil {
		return Commit{}, err
	}
	var changed []string
	for _, path := range m.staged.paths() {
		old, err := m.lookAt(path, true)
		if err != nil {
			return Commit{}, err
		}
		if !bytes.Equal(old.data, m.staged[path].data) {
			changed = append(changed, path)
		}
	}
	return Commit{Subject: subject, Files: changed, Edits: m.EditedFiles()}, nil
}

// noteStaged makes notes of the files of months and proposals that the callback wrote: they are views of the facts.
func (m *Memory) noteStaged() error {
	var notes []facts.Note
	for _, path := range m.staged.paths() {
		date, isDate := dateOf(path)
		if !isDate && !facts.IsProposal(path) {
			continue
		}
		was, err := m.lookAt(path, false)
		if err != nil {
			return err
		}
		if text := string(m.staged[path].data); was.blob == m.staged[path].blob {
			continue
		} else if isDate {
			notes = append(notes, facts.Note{Day: date, Text: text})
		} else {
			old, err := m.ReadCommitted(path)
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
			notes = append(notes, facts.ProposalNote(path, string(old), text))
		}
	}
	if n := len(m.facts); len(notes) > 0 && (n == 0 || m.facts[n-1].Kind == facts.Base) {
		m.facts = append(m.facts, facts.Fact{Kind: facts.Decision, At: m.now.Truncate(time.Millisecond)})
	}
	if len(notes) > 0 {
		f := &m.facts[len(m.facts)-1]
		f.Notes = append(f.Notes, notes...)
	}
	return nil
}

// stageFacts stages what follows from the facts that are new: the journal and how far sessions were read.
func (m *Memory) stageFacts() error {
	j, reads := facts.Journal{}, false
	for _, f := range m.facts {
		reads = reads || f.Kind == facts.Reflection
		if date, has := f.Day(); has && j[date] == nil {
			old, err := m.readOld(j.PathOf(date))
			if err != nil {
				return err
			}
			j[date] = facts.ParseDay(old)
		}
		f.Notes = nil // their files are staged
		j.Add(f)
	}
	for name, data := range j.Files() {
		m.stageWrite(name, data)
	}
	if !reads {
		return nil
	}
	old, err := m.readOld(TracesPath)
	t := facts.Traces{Version: 1, Marks: map[string]facts.Mark{}}
	if err == nil && old != nil {
		t, err = facts.ReadTraces(old)
	}
	if err != nil {
		return err
	}
	for _, f := range m.facts {
		t.Read(f)
	}
	t.Bound()
	data, err := t.Encode()
	if err == nil {
		m.stageWrite(TracesPath, data)
	}
	return err
}

// LastProposal returns the highest number that a proposal ever had, if all was folded just now; else 0.
func (m *Memory) LastProposal() int { return m.lastProposal }
