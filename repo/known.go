package repo

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"mem/facts"
	"mem/guard"
	"mem/index"
	"mem/render"
	"mem/repo/gitstore"
	"mem/repo/gitstore/object"
	"mem/repo/union"
)

// What git brought is held by this clone alone. known is the memory as the person knows it, whole: a commit of
// this clone, with its own index and views, sealed with the person's key. As long as its tree is that of the
// branch, which is nearly always, nothing waits. Else readers read it, and what the person does is done to both.
type known struct {
	Commit  object.Hash       `json:"commit"`
	Remotes map[string]string `json:"remotes"` // by name, the addresses of those of which the person said that all is theirs
}

const (
	knownPath = gitstore.PrivateDir + "/known"
	knownRef  = ".git/refs/worktree/mem-known" // keeps it from git's collector; no clone gets it
	maxKnown  = 1 << 20
)

// A Waiting is what git brought and the person did not accept. Nil is nothing.
type Waiting struct {
	Commit  string            // the tip that has it
	Texts   []string          // what it says
	Count   int               // of lessons and files
	Remotes map[string]string // of which the person said that all is theirs
}

// readKnown reads what the person knows; zero if no person said so here.
func (r *Root) readKnown() (k known, err error) {
	if r.opts.Keys == nil {
		return k, nil
	}
	data, err := r.d.ReadFile(knownPath, maxKnown)
	if errors.Is(err, fs.ErrNotExist) {
		return k, nil
	}
	said, mark, _ := strings.Cut(string(data), "\n")
	if err == nil && strings.HasPrefix(mark, sealName(said)+" ") {
		var isOwn bool
		if isOwn, err = r.opts.Keys.HasSigned([]byte(mark)); err == nil && isOwn {
			err = json.Unmarshal([]byte(said), &k)
		}
	}
	if err != nil {
		return k, fmt.Errorf("read %s: %w", knownPath, err)
	}
	return k, nil
}

// sealName is what the person's key signs.
func sealName(said string) string {
	sum := sha256.Sum256([]byte(said))
	return "known-" + hex.EncodeToString(sum[:])
}

// noteKnown returns the files that say what the person knows; none if they do already.
func (r *Root) noteKnown(k known) ([]gitstore.Note, error) {
	if was, err := r.readKnown(); r.opts.Keys == nil || err == nil && was.Commit == k.Commit && maps.Equal(was.Remotes, k.Remotes) {
		return nil, nil
	}
	said, err := json.Marshal(k, json.Deterministic(true))
	if err != nil {
		return nil, fmt.Errorf("keep what is known: %w", err)
	}
	mark, err := r.opts.Keys.Sign(sealName(string(said)))
	if err != nil {
		return nil, fmt.Errorf("keep what is known: %w", err)
	}
	return []gitstore.Note{{Path: knownRef, Data: []byte(k.Commit.String() + "\n")}, {Path: knownPath, Data: slices.Concat(said, []byte("\n"), mark)}}, nil
}

// writeKnown notes what the person knows, durably. The caller holds the root's lock.
func (r *Root) writeKnown(k known) error {
	notes, err := r.noteKnown(k)
	for _, n := range notes {
		err = errors.Join(err, r.d.MkdirAll(path.Dir(n.Path)), r.d.WriteFile(n.Path, n.Data, gitstore.TempDir))
	}
	return err
}

// isText reports whether people or commands write a file, so that sessions may be shown what it says.
func isText(name string) bool {
	return name != IndexPath && !IsView(name) && !strings.HasPrefix(name, ".git")
}

// listUnknown returns the files of a tree that say what none of the trees says that the person knows.
func (r *Root) listUnknown(tree object.Hash, k object.Hash, trees ...object.Hash) (names []string, err error) {
	is, err := r.store.ListFiles(tree, nil)
	if err != nil {
		return nil, err
	}
	var had []map[string]object.Hash
	for _, t := range trees {
		files, err := r.store.ListFiles(t, nil)
		if err != nil {
			return nil, err
		}
		had = append(had, files)
	}
	for name, blob := range is {
		if isText(name) && !slices.ContainsFunc(had, func(files map[string]object.Hash) bool { return files[name] == blob }) {
			names = append(names, name)
		}
	}
	if len(names) == 0 || len(names) > maxUnknown {
		return names, nil
	}
	n := 0
	err = r.store.WalkHistory(k, func(c object.Commit) bool { // what was known once, as after a revert of a revert
		names = slices.DeleteFunc(names, func(name string) bool {
			blob, err := r.store.FindBlob(c.Tree, name)
			return err == nil && blob == is[name]
		})
		n++
		return len(names) > 0 && n < maxCommits
	})
	return names, err
}

const (
	maxUnknown = 50  // files that are looked for in what was known before
	maxCommits = 500 // in which they are
)

// findWaiting returns what waits in a tree that is not the one that the person knows.
func (m *Memory) findWaiting(r *Root, k known, head gitstore.Head, tree object.Hash) (*Waiting, error) {
	w := &Waiting{Commit: head.Tip.String(), Remotes: k.Remotes}
	kc, err := r.store.ReadCommit(k.Commit)
	if err != nil {
		return nil, err
	}
	names, err := r.listUnknown(tree, k.Commit, kc.Tree)
	if err != nil {
		return nil, err
	}
	hasFacts := false
	for _, name := range slices.Sorted(slices.Values(names)) {
		if strings.HasPrefix(name, facts.Folder+"/") {
			hasFacts = true
			continue
		}
		w.Count++
		w.Texts = append(w.Texts, name)
		was, _ := r.readAt(kc.Tree, name)
		is, err := r.readAt(tree, name)
		if err != nil {
			return nil, err
		}
		for line := range strings.Lines(string(is)) {
			if line = strings.TrimRight(line, "\r\n"); strings.TrimSpace(line) != "" && !strings.Contains("\n"+string(was)+"\n", "\n"+line+"\n") {
				w.Texts = append(w.Texts, name+": "+line)
			}
		}
	}
	if hasFacts || len(names) == 0 {
		err = w.addLessons(r, m, kc.Tree, tree)
	}
	return w, err
}

// readAt reads a file of a tree.
func (r *Root) readAt(tree object.Hash, name string) ([]byte, error) {
	blob, err := r.store.FindBlob(tree, name)
	if err != nil || blob.IsZero() {
		return nil, err
	}
	return r.store.ReadBlob(blob)
}

// addLessons adds the lessons that are others in a tree, with all that a session is told of them.
func (w *Waiting) addLessons(r *Root, m *Memory, was, is object.Hash) error {
	before, err := r.readAt(was, IndexPath)
	log, err2 := r.store.FindFolder(is, facts.Folder)
	if err = errors.Join(err, err2); err != nil {
		return err
	}
	old, _, err := index.Load(before, m.now)
	if err != nil {
		old = &index.Index{}
	}
	l, err := r.readLog(log)
	if err != nil {
		return err
	}
	changes, _ := facts.Diff(old, l.Fold(), false)
	ids := map[string]bool{}
	for _, d := range changes {
		ids[d.Of] = len(d.Set) > 0
	}
	for _, it := range l.Fold().Items {
		if pos := old.ByID(it.ID); pos >= 0 && !ids[it.ID] || !it.IsShown() && pos < 0 {
			continue
		}
		w.Count++
		w.Texts = append(w.Texts, fmt.Sprintf("%s%s", it.ShownText(), strings.TrimSuffix(" ("+string(it.Status)+")", " ()")))
		for _, f := range index.Fields {
			value := f.Read(&it)
			if slices.Contains([]string{"cue", "remedy", "why"}, f.Name) && value != "null" && value != `""` {
				w.Texts = append(w.Texts, "its "+f.Name+": "+value)
			}
		}
	}
	return nil
}

// Waiting returns what git brought and the person did not accept; nil for nothing.
func (m *Memory) Waiting() *Waiting { return m.waiting }

// CountWaiting returns how many lessons and files wait.
func (m *Memory) CountWaiting() int {
	if m.waiting == nil {
		return 0
	}
	return m.waiting.Count
}

// warnWaiting says how much waits.
func (r *Root) warnWaiting(w *Waiting) {
	r.warnOnce(fmt.Sprintf("%s that git brought %s"+ForApproval, render.Count(w.Count, "lesson or file", "lessons or files"), render.Plural(w.Count, "waits", "wait")))
}

// ForApproval ends the warning of a root that counts what waits.
const ForApproval = " for your approval: 'mem trust'"

// Accept notes that the person knows what waited when they were asked, and that all is theirs that some remotes
// have, by name and address.
func (r *Root) Accept(ctx context.Context, shown *Waiting, remotes map[string]string) (err error) {
	lock, err := r.d.AcquireLock(ctx, gitstore.LockPath, r.opts.LockWait)
	if err != nil {
		return fmt.Errorf("lock memory: %w", err)
	}
	defer func() { err = errors.Join(err, lock.Release()) }()
	k, err := r.readKnown()
	if err != nil {
		return err
	}
	if k.Remotes = maps.Clone(k.Remotes); k.Remotes == nil {
		k.Remotes = map[string]string{}
	}
	maps.Copy(k.Remotes, remotes)
	if shown != nil {
		if h, ok := object.ParseHash(shown.Commit); ok {
			k.Commit = h
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
}

// A split is what a change does to the branch, and to the memory as the person knows it where that is another.
type split struct {
	*chain        // of what the person knows
	head   *chain // of the branch
	k      known
}

// split returns the chain on what the person knows, own changes that are given among it; nil if that is what the
// branch holds.
func (c *chain) split(own map[string]bool) (*split, error) {
	k, err := c.r.readKnown()
	if err != nil || c.r.opts.Keys == nil {
		return nil, err
	}
	if k.Commit.IsZero() { // a memory that no build with this notion wrote to
		k.Commit = c.tip
	}
	kc, err := c.r.store.ReadCommit(k.Commit)
	if errors.Is(err, object.ErrDamaged) || kc.Tree == c.tree {
		c.known = known{c.tip, k.Remotes}
		return nil, nil
	}
	trees := []object.Hash{kc.Tree}
	remotes, err2 := c.r.ListRemoteTips()
	if err = errors.Join(err, err2); err != nil {
		return nil, err
	}
	for name, remote := range remotes {
		for _, tip := range remote.Tips {
			if t, err := c.r.store.ReadCommit(tip); err == nil && remote.URL != "" && k.Remotes[name] == remote.URL {
				trees = append(trees, t.Tree)
			}
		}
	}
	names, err := c.r.listUnknown(c.tree, k.Commit, trees...)
	if err == nil {
		names = slices.DeleteFunc(names, func(name string) bool { return own[name] })
	}
	if err != nil || len(names) == 0 {
		c.known = known{c.tip, k.Remotes}
		return nil, err
	}
	tx := *c.m.tx
	tx.Head.Tip, tx.Tree = k.Commit, kc.Tree
	tx.ReadAlone()
	m := c.r.newMemory(&tx, c.m.now)
	s := &split{chain: &chain{r: c.r, m: m, w: c.w, who: c.who, tree: kc.Tree, tip: k.Commit, touched: map[string]bool{}, held: map[string]bool{}}, head: c, k: k}
	m.log = c.r.logIn(func() object.Hash { return s.tree })
	if err := c.r.loadIndex(m); err != nil {
		return nil, err
	}
	if m.waiting, err = m.findWaiting(c.r, k, gitstore.Head{Tip: c.tip}, c.tree); err == nil && m.waiting.Count > 0 {
		c.r.warnWaiting(m.waiting)
	}
	return s, err
}

// commitBoth commits what a callback changed to what the person knows, and then the same to the branch.
func (s *split) commitBoth(msg Message) error {
	if msg.Subject == "" {
		return nil
	}
	if s.m.flush(); len(s.m.facts) > 0 {
		if err := s.head.numberBehind(s.chain); err != nil {
			return err
		}
	}
	list := slices.Clone(s.m.facts)
	texts := staging{}
	was := map[string][]byte{}
	for path, w := range s.m.staged {
		if isText(path) {
			old, err := s.r.readAt(s.tree, path)
			if err != nil {
				return err
			}
			texts[path], was[path] = w, old
		}
	}
	if err := s.commitChange(msg); err != nil {
		return err
	}
	h := s.head
	for _, path := range texts.paths() {
		now, err := h.m.readOld(path)
		if err != nil {
			return err
		}
		data, ok := string(texts[path].data), string(now) == string(was[path])
		if !ok {
			if data, ok = union.MergeLines(string(was[path]), string(now), data); !ok {
				return fmt.Errorf("%s: %w", guard.Line(path), ErrWaits)
			}
		}
		if h.m.stageWrite(path, []byte(data)); texts[path].data == nil {
			h.m.stageWrite(path, nil)
		}
	}
	return h.replay(list, msg)
}

// ErrWaits is wrapped when a file has a change that waits for the person, where another one is to be made.
var ErrWaits = errors.New("git brought a change of it that waits for you, beside this one")

// replay adds facts to the branch that were made of what the person knows.
func (c *chain) replay(list []facts.Fact, msg Message) error {
	s := facts.Begin(c.m.Index)
	for _, f := range list {
		s.Add(f)
	}
	c.m.Index, c.m.facts = s.Index(), list
	c.m.base = c.m.Index.Clone()
	if err := c.stageViews(); err != nil {
		return err
	}
	return c.commitStaged(msg)
}

// numberBehind numbers the facts of another chain behind those of this one, too.
func (c *chain) numberBehind(o *chain) error {
	log, err := c.r.store.FindFolder(c.tree, facts.Folder)
	if err != nil {
		return err
	}
	last, err := c.r.lastOf(log)
	if err != nil {
		return err
	}
	return o.numberFrom(last)
}

// ListOwnRemotes returns the remotes of which the person said that all is theirs, by name, with their addresses.
func (r *Root) ListOwnRemotes() (map[string]string, error) {
	k, err := r.readKnown()
	return k.Remotes, err
}
