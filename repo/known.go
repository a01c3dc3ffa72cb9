package repo

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"mem/facts"
	"mem/index"
	"mem/render"
	"mem/repo/disk"
	"mem/repo/gitstore"
	"mem/topic"
)

// Only this clone holds back changes that arrived by git. known is the whole memory as the person knows it: a commit
// of this clone with its own index and views, sealed with the person's key. If its tree equals the branch's, as it
// nearly always does, nothing is pending. Otherwise readers read known, and each change is made to both.
type known struct {
	Commit  gitstore.Hash     `json:"commit"`
	Remotes map[string]string `json:"remotes"` // addresses, by name, of the remotes that the person declared all their own
	Waits   gitstore.Hash     `json:"waits"`   // branch tree when changes were last pending; they stay so even where an own remote has them
}

const (
	// KnownPath is where a clone keeps what the person knows.
	KnownPath = gitstore.PrivateDir + "/known"

	knownRef = ".git/refs/worktree/mem-known" // protects it from git's garbage collection; clones do not copy it
	maxKnown = 1 << 20
)

// A Sealer signs a line with the person's key. Unseal returns the line if that key signed the note; "" otherwise.
type Sealer interface {
	Seal(line string) (note []byte, err error)
	Unseal(note []byte) (line string, err error)
}

// A Waiting describes changes that arrived by git and that the person has not accepted. Nil means none.
type Waiting struct {
	Commit string   // the tip that holds the changes
	Texts  []string // a lesson or a file each: its first line, and below it what is new of it
}

// readKnown reads the note of what the person knows; zero if this clone has none, or works without keys.
func (r *Root) readKnown() (k known, err error) {
	k.Remotes = map[string]string{}
	if r.opts.Keys == nil {
		return k, nil
	}
	data, err := r.d.ReadFile(KnownPath, maxKnown)
	if errors.Is(err, fs.ErrNotExist) {
		return k, nil
	}
	said := ""
	if err == nil {
		said, err = r.opts.Keys.Unseal(data)
	}
	if err == nil && said != "" {
		err = json.Unmarshal([]byte(said), &k)
	}
	if err != nil {
		return k, fmt.Errorf("read %s: %w", KnownPath, err)
	}
	return k, nil
}

// peekMemory returns a memory for reading that has read nothing yet. It is the branch's or, if unaccepted
// changes arrived by git, the one that the person knows.
func (r *Root) peekMemory(now time.Time) (*Memory, error) {
	tx, err := r.store.PeekTip()
	if err != nil {
		return nil, err
	}
	m := r.newMemory(tx, now)
	m.atTip = true
	k, err := r.readKnown()
	if err != nil || k.Commit.IsZero() || k.Commit == tx.Head.Tip {
		return m, err
	}
	c, err := r.store.ReadCommit(k.Commit)
	if errors.Is(err, gitstore.ErrDamaged) || c.Tree == tx.Tree {
		return m, nil // git collected it: nothing was pending
	} else if err != nil {
		return nil, err
	}
	if m.waiting, err = r.findWaiting(c.Tree, tx.Head.Tip, tx.Tree); err != nil {
		return nil, err
	}
	if r.unseen = true; m.waiting == nil {
		r.opts.Warn("git changed the branch; the memory is shown as it was before, until the next command that writes, such as 'mem review', takes that in")
	}
	tx.Head.Tip, tx.Tree, m.tree = c.Hash, c.Tree, c.Tree
	return m, nil
}

// noteKnown returns the files that record what the person knows; none if they are up to date.
func (r *Root) noteKnown(k known) (map[string][]byte, error) {
	if was, err := r.readKnown(); r.opts.Keys == nil || err == nil && was.Commit == k.Commit && was.Waits == k.Waits && maps.Equal(was.Remotes, k.Remotes) {
		return nil, nil
	}
	said, err := json.Marshal(k, json.Deterministic(true))
	note := []byte(nil)
	if err == nil {
		note, err = r.opts.Keys.Seal(string(said))
	}
	if err != nil {
		return nil, fmt.Errorf("keep what is known: %w", err)
	}
	return map[string][]byte{knownRef: []byte(k.Commit.String() + "\n"), KnownPath: note}, nil
}

// writeKnown notes what the person knows, durably. The caller holds the root's lock.
func (r *Root) writeKnown(k known) error {
	files, err := r.noteKnown(k)
	b := r.d.NewBatch(gitstore.TempDir)
	for name, data := range files {
		err = errors.Join(err, b.Add(name, data))
	}
	if err == nil && files != nil {
		err = b.Publish()
	}
	return errors.Join(err, b.Discard())
}

// isText reports whether people or commands, rather than views, write a file, so that sessions may be shown its text.
func isText(name string) bool {
	return name != IndexPath && !IsView(name) && !strings.HasPrefix(name, ".git")
}

// isUnsplit reports whether a file is a list whose rules have no files in a tree: then it is what sessions are shown.
func (r *Root) isUnsplit(tree gitstore.Hash, name string) bool {
	folder := topic.RuleFolder(name)
	if folder == "" {
		return false
	}
	files, err := r.store.FindFolder(tree, folder)
	return err != nil || files.IsZero()
}

// listUnknown returns the names of a tree's text files that differ from those of the tree that the person knows.
func (r *Root) listUnknown(tree, known gitstore.Hash) (names []string, err error) {
	changes, err := r.store.Compare(known, tree)
	for name, pair := range changes {
		if (isText(name) || r.isUnsplit(tree, name)) && !pair[1].IsZero() {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names, err
}

// findWaiting returns the changes in a commit's tree against the tree that the person knows, and warns how many
// there are; nil if there are none.
func (r *Root) findWaiting(known, tip, tree gitstore.Hash) (*Waiting, error) {
	names, err := r.listUnknown(tree, known)
	if err != nil || len(names) == 0 {
		return nil, err // nothing is new to the person: the next writing command lets it in
	}
	news := &facts.News{}
	was, err := r.readIndexAt(known)
	is, err2 := r.readIndexAt(tree)
	if err = errors.Join(err, err2); err == nil {
		news.AddLessons(was, is)
	}
	if errors.Is(err, index.ErrNewerVersion) || errors.Is(err, facts.ErrUnreadable) {
		news.Texts, err = append(news.Texts, err.Error()), nil
	}
	if err == nil {
		err = r.addFiles(news, known, tree, names)
	}
	if err != nil {
		return nil, err
	}
	if len(news.Texts) == 0 {
		news.Texts = []string{"decisions about lessons"}
	}
	n := len(news.Texts)
	r.opts.Warn(fmt.Sprintf("%s that git brought %s"+ForApproval, render.Count(n, "lesson or file", "lessons or files"), render.Plural(n, "waits", "wait")))
	return &Waiting{tip.String(), news.Texts}, nil
}

// addFiles adds to news some files of a tree, and the content of their facts other than lessons, unless it is listed already.
func (r *Root) addFiles(news *facts.News, known, tree gitstore.Hash, names []string) error {
	hasNotes := false
	for _, name := range names {
		was, err := r.ReadAt(known, name)
		is, err2 := r.ReadAt(tree, name)
		if err = errors.Join(err, err2); err != nil {
			return err
		}
		if !strings.HasPrefix(name, facts.Folder+"/") {
			news.AddText(name, string(is), string(was), !strings.HasPrefix(name, "learnings/"))
			continue
		}
		f, err := facts.Decode(name, is)
		if err != nil {
			continue
		}
		if len(f.Notes) > 0 && !hasNotes { // another clone may have made the same fact
			hasNotes = true
			log, err := r.readLogAt(known, 0)
			if err != nil {
				return err
			}
			for _, f := range log.Facts() {
				news.Know(f.Notes...)
			}
		}
		news.AddFact(f)
	}
	return nil
}

func (r *Root) readBlobs(blobs []gitstore.Hash) (texts [3][]byte, err error) {
	for i, blob := range blobs {
		data, errRead := r.ReadBlob(blob)
		texts[i], err = data, errors.Join(err, errRead)
	}
	return texts, err
}

// readIndexAt returns the index of a tree. If that index belongs to another log, it folds the tree's own log.
func (r *Root) readIndexAt(tree gitstore.Hash) (*index.Index, error) {
	p, err := r.findPair(gitstore.Hash{}, tree)
	if err != nil || p.index.IsZero() {
		return &index.Index{}, err
	}
	if ix, _, err := r.loadBlob(p.index, time.Time{}); err == nil && (p.log.IsZero() || ix.Log == p.log.String()) {
		return ix, nil
	}
	log, err := r.readLog(p.log, 0)
	if err != nil {
		return nil, err
	}
	return log.Fold(), nil
}

// Waiting returns the unaccepted changes that arrived by git; nil if there are none.
func (m *Memory) Waiting() *Waiting { return m.waiting }

// CountWaiting returns the number of lessons and files pending approval.
func (m *Memory) CountWaiting() int {
	if m.waiting == nil {
		return 0
	}
	return len(m.waiting.Texts)
}

// ForApproval ends the warning that counts the pending changes of a root.
const ForApproval = " for your approval: 'mem trust'"

// Accept records that the person approved the changes in shown. remotes lists, by name and address, the remotes
// whose content is all the person's own.
func (r *Root) Accept(ctx context.Context, shown *Waiting, remotes map[string]string) error {
	return r.exclude(ctx, func(*disk.Lock) error {
		if err := r.recover(ctx); err != nil { // otherwise it would overwrite this note with an older one
			return err
		}
		k, err := r.readKnown()
		if err != nil {
			return err
		}
		maps.Copy(k.Remotes, remotes)
		if shown != nil {
			if h, ok := gitstore.ParseHash(shown.Commit); ok {
				k.Commit, k.Waits = h, gitstore.Hash{}
			}
		}
		if k.Commit.IsZero() {
			head, err := r.store.ReadHead()
			if err != nil {
				return err
			}
			k.Commit = head.Tip
		}
		return r.writeKnown(k)
	})
}

// ListOwnRemotes returns, by name, the addresses of the remotes whose content the person declared as their own.
func (r *Root) ListOwnRemotes() (map[string]string, error) {
	k, err := r.readKnown()
	return k.Remotes, err
}
