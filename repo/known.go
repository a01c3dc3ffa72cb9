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

// What git brought is held by this clone alone. known is the memory as the person knows it, whole: a commit of
// this clone, with its own index and views, sealed with the person's key. As long as its tree is that of the
// branch, which is nearly always, nothing waits. Else readers read it, and what the person does is done to both.
type known struct {
	Commit  gitstore.Hash     `json:"commit"`
	Remotes map[string]string `json:"remotes"` // by name, the addresses of those of which the person said that all is theirs
	Waits   gitstore.Hash     `json:"waits"`   // the tree of the branch when something was last seen to wait, which it does wherever else it is
}

const (
	// KnownPath is where a clone keeps what the person knows.
	KnownPath = gitstore.PrivateDir + "/known"

	knownRef = ".git/refs/worktree/mem-known" // keeps it from git's collector; no clone gets it
	maxKnown = 1 << 20
)

// A Sealer signs a line with the person's key, and returns what one says that it signed, "" for another.
type Sealer interface {
	Seal(line string) (note []byte, err error)
	Unseal(note []byte) (line string, err error)
}

// A Waiting is what git brought and the person did not accept. Nil is nothing.
type Waiting struct {
	Commit string   // the tip that has it
	Texts  []string // a lesson or a file each: its first line, and below it what is new of it
}

// readKnown reads what the person knows; zero if no person said so here.
func (r *Root) readKnown() (k known, err error) {
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

// peekMemory is a memory for reading, of which nothing was read yet: what the branch holds or, where git brought
// what the person did not accept, what they know.
func (r *Root) peekMemory(now time.Time) (*Memory, error) {
	tx, err := r.peekTip()
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
		return m, nil // git collected it: then nothing waited
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

// noteKnown returns the files that note what the person knows; none if they are there.
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

// isText reports whether people or commands write a file, so that sessions may be shown what it says.
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

// listUnknown returns the files of a tree that say what another one, which the person knows, does not say.
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

// findWaiting returns what waits in a commit with this tree, of which the person knows another one, and says how much
// that is; nil for nothing.
func (r *Root) findWaiting(known, tip, tree gitstore.Hash) (*Waiting, error) {
	names, err := r.listUnknown(tree, known)
	if err != nil || len(names) == 0 {
		return nil, err // the person knows all of it: the next command that writes lets it in
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

// addFiles adds some files of a tree, and what their facts say beside lessons, as far as that is not told.
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

// readIndexAt returns the lessons of a tree: of its index or, where that is of another log, the fold of its own.
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

// Waiting returns what git brought and the person did not accept; nil for nothing.
func (m *Memory) Waiting() *Waiting { return m.waiting }

// CountWaiting returns how many lessons and files wait.
func (m *Memory) CountWaiting() int {
	if m.waiting == nil {
		return 0
	}
	return len(m.waiting.Texts)
}

// ForApproval ends the warning of a root that counts what waits.
const ForApproval = " for your approval: 'mem trust'"

// Accept notes that the person knows what waited when they were asked, and that all is theirs that some remotes
// have, by name and address.
func (r *Root) Accept(ctx context.Context, shown *Waiting, remotes map[string]string) error {
	return r.exclude(ctx, func(*disk.Lock) error {
		if err := r.recover(ctx); err != nil { // else it would write an older note over this one
			return err
		}
		k, err := r.readKnown()
		if err != nil {
			return err
		}
		if k.Remotes == nil {
			k.Remotes = map[string]string{}
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

// ListOwnRemotes returns the remotes of which the person said that all is theirs, by name, with their addresses.
func (r *Root) ListOwnRemotes() (map[string]string, error) {
	k, err := r.readKnown()
	return k.Remotes, err
}
