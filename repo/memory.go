package repo

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"
	"time"

	"mem/guard"
	"mem/index"
	"mem/index/codec"
	"mem/render"
	"mem/repo/disk"
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
	// Report says what could not be taken over when the index was loaded.
	Report codec.Report

	now     time.Time
	replica string
	tx      *gitstore.Tx // nil when there is no repository yet
	store   *gitstore.Store
	maxCore int

	files  map[string]*file // looked at so far
	edits  []string         // paths that a person changed
	writes map[string]write // what was changed since the last commit
	order  []string         // of the keys of writes

	odd     func(string)   // told of files that are left alone
	learned []index.Change // by the callback so far
	follow  func(*Memory, []index.Change, *Message) error

	begin func(data []byte) *gitstore.Blob // starts work on new content; nil in a preview
}

// A write is new content for a file; without any it removes the file.
type write struct {
	data []byte
	blob *gitstore.Blob // of data; nil in a preview
}

// A file is one file of the root: what it holds, hand edits and earlier
// commits of the same Settle included, and where that stands.
type file struct {
	exist bool
	data  []byte      // nil until it is asked for
	blob  object.Hash // in the history so far; zero for none
	work  object.Hash // in the work tree; zero for none
}

// BlankMemory returns the memory of a root that does not exist yet.
func BlankMemory(now time.Time, opts Options) *Memory {
	return &Memory{
		Index: &index.Index{UpdatedAt: now.UTC()}, now: now.UTC(),
		maxCore: cmp.Or(opts.MaxCoreItems, defaultCoreItems), files: map[string]*file{}, follow: opts.Learned,
	}
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

// Learn counts the lessons of a reflection, as index.Apply does, after taking
// secrets and invisible characters out of them. A tag with one is left out.
func (m *Memory) Learn(r index.Reflection) []index.Change {
	clean := func(lessons []index.Lesson) []index.Lesson {
		lessons = slices.Clone(lessons)
		for i := range lessons {
			l := &lessons[i]
			l.Text = guard.Scrub(l.Text)
			l.Tags = slices.DeleteFunc(slices.Clone(l.Tags), func(tag string) bool { return guard.Scrub(tag) != tag })
			// The names of sessions and of what is in them are the trace's own.
			for _, s := range []*string{&l.Source.Trace, &l.Source.Session, &l.Source.Span, &l.Source.Model} {
				*s = guard.Scrub(*s)
			}
		}
		return lessons
	}
	changes := m.Index.Apply(index.Reflection{Fixes: clean(r.Fixes), Mistakes: clean(r.Mistakes)}, m.now, m.replica)
	m.learned = append(m.learned, changes...)
	return changes
}

// callback calls a callback, and then the function that wants to know what it counted.
func (m *Memory) callback(f func(*Memory) (Message, error)) (Message, error) {
	m.learned = nil
	msg, err := f(m)
	if err == nil && msg.Subject != "" && len(m.learned) > 0 && m.follow != nil {
		err = m.follow(m, m.learned, &msg)
	}
	return msg, err
}

// JoinRecords takes over records of another memory, as index.JoinRecords does, after taking
// secrets out of what they say. share is the name of that memory.
func (m *Memory) JoinRecords(records []index.Item, share string) []index.Change {
	records = slices.Clone(records)
	for i := range records {
		it := &records[i]
		it.Text = guard.Scrub(it.Text)
		it.Sources = slices.Clone(it.Sources)
		for j := range it.Sources {
			s := &it.Sources[j]
			for _, text := range []*string{&s.Trace, &s.Session, &s.Span, &s.Model} {
				*text = guard.Scrub(*text)
			}
		}
	}
	changes := m.Index.JoinRecords(records, m.now, share)
	m.learned = append(m.learned, changes...)
	return changes
}

// ReadFile returns the content of a file of the root. A missing one wraps
// fs.ErrNotExist.
func (m *Memory) ReadFile(path string) ([]byte, error) {
	if w, ok := m.writes[path]; ok {
		if w.data == nil {
			return nil, fmt.Errorf("%s: %w", path, fs.ErrNotExist)
		}
		return w.data, nil
	}
	f, err := m.lookAt(path, true)
	if err != nil {
		return nil, err
	}
	if !f.exist {
		return nil, fmt.Errorf("%s: %w", path, fs.ErrNotExist)
	}
	return f.data, nil
}

// WriteFile replaces a file. Secrets in what is new are taken out; the lines that
// the file began and ended with before stay as they are.
func (m *Memory) WriteFile(path string, data []byte) error {
	old, err := m.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	m.stageWrite(path, scrubNew(old, data))
	return nil
}

// ErrSecret is wrapped when a text that is to be kept as it is holds a secret.
var ErrSecret = errors.New("it holds what looks like a secret")

// KeepFile replaces a file by what a person or another program wrote, byte for
// byte. A secret cannot be taken out of such a text, so that with one that the
// file did not hold before the error wraps ErrSecret and nothing is kept.
func (m *Memory) KeepFile(path string, data []byte) error {
	old, err := m.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if n := guard.CountSecrets(string(data)); n > 0 && n > guard.CountSecrets(string(old)) {
		return fmt.Errorf("%s: %w", path, ErrSecret)
	}
	m.stageWrite(path, append([]byte{}, data...))
	return nil
}

// ReadCommitted returns the content that a file has in the last commit, whatever
// a person or the callback made of it since. A missing one wraps
// fs.ErrNotExist.
func (m *Memory) ReadCommitted(path string) ([]byte, error) {
	if m.tx == nil {
		return nil, fmt.Errorf("%s: %w", path, fs.ErrNotExist)
	}
	blob, err := m.store.FindBlob(m.tx.Tree, path)
	if err != nil {
		return nil, err
	}
	if blob.IsZero() {
		return nil, fmt.Errorf("%s: %w", path, fs.ErrNotExist)
	}
	return m.store.ReadBlob(blob)
}

// MoveFile gives a file another path and new content. Only what is new in it is
// scrubbed, as for Write.
func (m *Memory) MoveFile(from, to string, data []byte) error {
	old, err := m.ReadFile(from)
	if err != nil {
		return err
	}
	if _, err := m.lookAt(to, true); err != nil { // a person's file there gets its commit first
		return err
	}
	m.stageWrite(to, scrubNew(old, data))
	return m.RemoveFile(from)
}

// scrubNew is data with the lines scrubbed that are not those of old.
func scrubNew(old, data []byte) []byte {
	head, tail := len(old), 0
	if !bytes.HasPrefix(data, old) {
		for head = 0; head < min(len(old), len(data)) && old[head] == data[head]; head++ {
		}
		head = bytes.LastIndexByte(data[:head], '\n') + 1
		for tail < min(len(old), len(data))-head && old[len(old)-1-tail] == data[len(data)-1-tail] {
			tail++
		}
		// Only whole lines are old: a secret may begin like the one before.
		if begin := len(data) - tail; begin > head && data[begin-1] != '\n' {
			line := bytes.IndexByte(data[begin:], '\n') + 1
			if line == 0 {
				line = tail
			}
			tail -= line
		}
	}
	fresh := string(data[head : len(data)-tail])
	middle := guard.Scrub(fresh)
	if n := strings.Count(fresh, "\n"); n > 0 && n == strings.Count(fresh, "\r\n") { // in a file with such line ends
		middle = strings.ReplaceAll(middle, "\n", "\r\n")
	}
	return append(append(append(make([]byte, 0, len(data)), data[:head]...), middle...), data[len(data)-tail:]...)
}

// RemoveFile takes a file out of the root; one that is not there is no error. What
// it said stays in the history.
func (m *Memory) RemoveFile(path string) error {
	f, err := m.lookAt(path, true) // a person's edit of it gets its commit first
	if err != nil {
		return err
	}
	if _, written := m.writes[path]; f.exist || written {
		m.stageWrite(path, nil)
	}
	return nil
}

// stageWrite is Write for content that needs no look, such as a view. The content
// must not change afterwards: work on it begins at once.
func (m *Memory) stageWrite(path string, data []byte) {
	if m.writes == nil {
		m.writes = map[string]write{}
	}
	if _, again := m.writes[path]; !again {
		m.order = append(m.order, path)
	}
	w := write{data: data}
	if data != nil && m.begin != nil {
		w.blob = m.begin(data)
	}
	m.writes[path] = w
}

// lookAt reads a file once, its content only when asked to. What a person
// changed in it becomes part of the edits.
func (m *Memory) lookAt(path string, content bool) (*file, error) {
	f := m.files[path]
	if f != nil && (f.data != nil || !f.exist || !content) {
		return f, nil
	}
	if m.tx == nil {
		return &file{}, nil
	}
	tip, err := m.store.FindBlob(m.tx.Tree, path)
	if err != nil {
		return nil, err
	}
	seen, err := m.tx.Look(path, tip, content)
	if err != nil {
		return nil, err
	}
	if f != nil {
		f.data = seen.Data
		return f, nil
	}
	f = &file{exist: seen.Exists, data: seen.Data, blob: tip, work: seen.Blob}
	m.files[path] = f
	if seen.Changed {
		m.edits = append(m.edits, path)
	}
	return f, nil
}

// EditedFiles returns the paths that a person changed since the last commit and
// that were looked at.
func (m *Memory) EditedFiles() []string {
	return slices.Sorted(slices.Values(m.edits))
}

// renderViews writes the index and the views of it.
func (m *Memory) renderViews() error {
	var core, long []byte
	var views sync.WaitGroup
	views.Go(func() {
		ranked := m.Index.Rank(m.Index.UpdatedAt)
		core = render.Core(m.Index, ranked, m.maxCore)
		long = render.LongTerm(m.Index, ranked)
	})
	data, err := codec.AppendEncode(disk.NewBuffer(codec.EncodedSize(m.Index)), m.Index)
	if err == nil {
		m.stageWrite(IndexPath, data) // compressing it begins while the views are made
	}
	views.Wait()
	if err != nil {
		return err
	}
	m.stageWrite(render.CorePath, core)
	m.stageWrite(render.LongTermPath, long)
	return nil
}

// Preview calls f and says what Settle would commit. Nothing is written.
func (m *Memory) Preview(f func(*Memory) (Message, error)) (Commit, error) {
	msg, err := m.callback(f)
	if err != nil || msg.Subject == "" {
		return Commit{}, err
	}
	if err := m.renderViews(); err != nil {
		return Commit{}, err
	}
	var changed []string
	for _, path := range m.order {
		old, err := m.lookAt(path, true)
		if err != nil {
			return Commit{}, err
		}
		if !bytes.Equal(old.data, m.writes[path].data) {
			changed = append(changed, path)
		}
	}
	slices.Sort(changed)
	return Commit{Subject: msg.Subject, Files: changed, Edits: m.EditedFiles()}, nil
}
