package repo

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"mem/facts"
	"mem/fault"
	"mem/guard"
	"mem/index"
	"mem/render"
	"mem/repo/gitstore"
	"mem/topic"
)

// Memory is the content of a root during one Settle, Preview or View: the last commit with hand edits on top.
//
// A callback reads and changes it freely; nothing reaches the disk before the callback has returned.
type Memory struct {
	// Index is the current index. Records are added with Learn; other changes are made in place.
	Index *index.Index
	// Report counts what could not be read when the index was loaded.
	Report index.Report

	now  time.Time
	opts Options
	tx   *gitstore.Tx // nil when there is no root yet

	root         *Root                            // nil when there is none yet
	tree         gitstore.Hash                    // whose log the memory builds on
	facts        []facts.Fact                     // what the callback said so far
	was          *index.Index                     // the index as it was read, which nothing changes; nil if its bytes are not known
	encoded      []byte                           // its bytes
	base         *index.Index                     // the index with those facts, before the callback's later changes
	soft         map[string]bool                  // ids of lessons whose words rules chose
	files        map[string]*file                 // looked at so far
	edits        []string                         // paths that a person changed
	staged       staging                          // changes since the last commit before this Settle
	learned      []index.Change                   // by the callback so far
	then         []func(*Memory) (Message, error) // what follows the callback, the first one last
	lastProposal int                              // highest proposal number so far; 0 until the whole log is folded

	atTip   bool     // read only a commit, without later hand edits: for readers, and for the chain beside the branch
	waiting *Waiting // unaccepted changes that arrived by git; nil if there are none

	last  func() gitstore.Hash     // the tree that the views in the work tree were made of; nil for none
	known map[string]gitstore.Hash // the files of the last commit except the facts

	reads struct { // how far sessions were read, as last staged
		facts.Traces
		data []byte
	}

	withheld   *index.Withheld // see Withheld
	withheldBy *index.Index    // the index that they come from
}

type staging map[string]write

func (s staging) paths() []string { return slices.Sorted(maps.Keys(s)) }

// A write is new content for a file; nil data removes the file.
type write struct {
	data []byte
	blob gitstore.Hash // of data; zero without any
}

// A file is one file of the root: its current content, with hand edits and earlier commits of the same Settle,
// and its blobs there and in the history.
type file struct {
	gitstore.File               // with the Blob of the work tree, and nil for Data until it is asked for
	committed     gitstore.Hash // in the history so far; zero for none
}

// BlankMemory returns the memory of a root that does not exist yet.
func BlankMemory(now time.Time, opts Options) *Memory {
	return &Memory{
		now: now.UTC(), opts: opts.withDefaults(), Index: &index.Index{}, base: &index.Index{}, soft: map[string]bool{},
		files: map[string]*file{}, staged: staging{},
	}
}

func (m *Memory) setIndex(ix *index.Index) { m.Index, m.base = ix, ix.Clone() }

// Now is the moment of the change.
func (m *Memory) Now() time.Time { return m.now }

// Tip names the commit that the memory builds on; "" if there is none.
func (m *Memory) Tip() string {
	if m.tx == nil || m.tx.Head.Tip.IsZero() {
		return ""
	}
	return m.tx.Head.Tip.String()
}

// Then queues f to run after the callback of a Settle, in a commit of its own dated at. The one queued last
// runs first. A nil f is ignored.
func (m *Memory) Then(at time.Time, f func(*Memory) (Message, error)) {
	if f != nil {
		m.then = append(m.then, func(m *Memory) (Message, error) { m.now = at.UTC(); return f(m) })
	}
}

// callback calls f, and Options.Learned if f counted lessons, then what follows; commit takes each message.
func (m *Memory) callback(f func(*Memory) (Message, error), commit func(Message) error) (err error) {
	for m.Then(m.now, f); len(m.then) > 0 && err == nil; {
		f, m.then = m.then[len(m.then)-1], m.then[:len(m.then)-1]
		m.learned = nil
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

// ReadFile returns the content of a file of the root. A missing one wraps fs.ErrNotExist.
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
	if !f.Exists {
		return nil, notFound(path)
	}
	return f.Data, nil
}

// PeekFile is ReadFile without side effects: hand edits in the file do not join the edits, and a file that the
// person staged in git's index is left for the person to commit.
func (m *Memory) PeekFile(path string) ([]byte, error) {
	if _, ok := m.staged[path]; ok || m.files[path] != nil {
		return m.ReadFile(path)
	}
	return m.ReadCommitted(path)
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
	data, err := m.root.ReadAt(m.tx.Tree, path)
	if err == nil && data == nil {
		err = notFound(path)
	}
	return data, err
}

// ReadLast returns a list of rules and their files, by path, as of mem's last rendering here, without later
// hand edits. It reports false if that state is not known.
func (m *Memory) ReadLast(list string) (files map[string][]byte, ok bool) {
	if files = map[string][]byte{}; m.last == nil || m.last().IsZero() {
		return files, false
	}
	folder := topic.RuleFolder(list)
	isOther := func(at string) bool { return at != folder && !strings.HasPrefix(folder, at+"/") }
	blobs, err := m.tx.Store.ListFiles(m.last(), isOther)
	for at, blob := range blobs {
		if at == list || path.Dir(at) == folder {
			files[at], err = m.tx.Store.ReadBlob(blob)
		}
		if err != nil {
			return nil, false
		}
	}
	return files, err == nil
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
var ErrSecret = fault.New(fault.Refused, "it holds what looks like a secret", "take it out of the file, and run the command again")

// KeepFile replaces a file by what a person or another program wrote, byte for byte. A secret cannot be taken out of
// such a text: if the file did not hold it before, the error wraps ErrSecret and nothing is kept.
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
	if f, err := m.lookAt(from, true); err == nil && f.Exists && m.isLeak(from, f.Data) {
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
	if _, written := m.staged[path]; f.Exists || written {
		m.stageWrite(path, nil)
	}
	return nil
}

// stageWrite queues a write without comparing it to the old content; for views. The content must not change afterwards.
func (m *Memory) stageWrite(path string, data []byte) { m.staged[path] = newWrite(data) }

func newWrite(data []byte) write {
	w := write{data: data}
	if data != nil {
		w.blob = gitstore.HashOf(gitstore.KindBlob, data)
	}
	return w
}

// lookAt reads a file once, its content only on request. Hand edits in it join the edits.
func (m *Memory) lookAt(path string, content bool) (*file, error) {
	f := m.files[path]
	if f != nil && (f.Data != nil || !f.Exists || !content) {
		return f, nil
	}
	if m.tx == nil {
		return &file{}, nil
	}
	tip, err := m.tx.Store.FindBlob(m.tx.Tree, path)
	if err != nil {
		return nil, err
	}
	seen, err := m.readNow(path, tip, content)
	if err != nil {
		return nil, err
	}
	if f != nil {
		f.Data = seen.Data
		return f, nil
	}
	if seen.Blob != tip {
		m.edits = append(m.edits, path)
	}
	f = &file{seen, tip}
	m.files[path] = f
	return f, nil
}

// readNow reads a file from the work tree, or from the commit if atTip is set.
func (m *Memory) readNow(path string, tip gitstore.Hash, content bool) (f gitstore.File, err error) {
	if !m.atTip {
		return m.tx.Look(path, tip, content)
	}
	if f = (gitstore.File{Exists: !tip.IsZero(), Blob: tip}); f.Exists && content {
		f.Data, err = m.tx.Store.ReadBlobOf(path, tip)
	}
	return f, err
}

// editedFiles returns the paths that a person changed since the last commit, among those that were looked at.
func (m *Memory) editedFiles() []string { return slices.Compact(slices.Sorted(slices.Values(m.edits))) }

func (m *Memory) renderViews() error {
	ranked := m.Index.Rank(m.Index.UpdatedAt)
	m.stageWrite(render.CorePath, render.Core(m.Index, ranked, m.opts.MaxCoreItems))
	m.stageWrite(render.LongTermPath, render.LongTerm(m.Index, ranked))
	data, err := m.Index.EncodeAfter(m.encoded, m.was)
	if err == nil {
		m.stageWrite(IndexPath, data)
	}
	return err
}

// Preview calls f and returns the commit that Settle would make. Nothing is written.
func (m *Memory) Preview(f func(*Memory) (Message, error)) (Commit, error) {
	var subject string
	m.setIndex(m.Index)
	err := m.callback(f, func(msg Message) error { subject = cmp.Or(msg.Subject, subject); return nil })
	if err != nil || subject == "" {
		return Commit{}, err
	}
	m.flush()
	if err := errors.Join(m.noteStaged(), m.stageFacts(), m.renderViews()); err != nil {
		return Commit{}, err
	}
	var changed []string
	for _, path := range m.staged.paths() {
		old, err := m.lookAt(path, true)
		if err != nil {
			return Commit{}, err
		}
		if !bytes.Equal(old.Data, m.staged[path].data) {
			changed = append(changed, path)
		}
	}
	return Commit{Subject: subject, Files: changed}, nil
}

// Withheld returns the words of the lessons that no session is shown. It is for a memory that is only read: the
// first call fixes the result.
func (m *Memory) Withheld() *index.Withheld {
	if m.withheld == nil || m.withheldBy != m.Index {
		m.withheld, m.withheldBy = m.Index.Withheld(), m.Index
	}
	return m.withheld
}

// ReadShown reads a file as sessions are shown it: without lines that state a withheld lesson or that read as
// an order. A missing file wraps fs.ErrNotExist.
func (m *Memory) ReadShown(path string) (string, error) {
	data, err := m.ReadFile(path)
	text, _ := guard.DropOrders(m.Withheld().Drop(string(data)))
	return text, err
}

// ReadMarked reads a file for a person who wants to see everything: a line that states a withheld lesson ends
// with the lesson's status.
func (m *Memory) ReadMarked(path string) (string, error) {
	data, err := m.ReadFile(path)
	return m.Withheld().Mark(string(data)), err
}
