package repo

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"mem/facts"
	"mem/guard"
	"mem/index"
	"mem/render"
	"mem/repo/gitstore"
	"mem/repo/gitstore/object"
	"mem/repo/purge"
	"mem/repo/trust"
	"mem/repo/union"
	"mem/topic"
)

// What git brought is held by this clone alone. known is the memory as the person knows it, whole: a commit of
// this clone, with its own index and views, sealed with the person's key. As long as its tree is that of the
// branch, which is nearly always, nothing waits. Else readers read it, and what the person does is done to both.
type known struct {
	Commit  object.Hash       `json:"commit"`
	Remotes map[string]string `json:"remotes"` // by name, the addresses of those of which the person said that all is theirs
	Waits   object.Hash       `json:"waits"`   // the tree of the branch when something was last seen to wait, which it does wherever else it is
}

const (
	knownPath = purge.KnownPath
	knownRef  = ".git/refs/worktree/mem-known" // keeps it from git's collector; no clone gets it
	maxKnown  = 1 << 20
)

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
	data, err := r.d.ReadFile(knownPath, maxKnown)
	if errors.Is(err, fs.ErrNotExist) {
		return k, nil
	}
	var said string
	if err == nil {
		if said, err = unseal(*r.opts.Keys, data); said != "" {
			err = json.Unmarshal([]byte(said), &k)
		}
	}
	if err != nil {
		return k, fmt.Errorf("read %s: %w", knownPath, err)
	}
	return k, nil
}

// unseal returns what a note says that the person's key sealed; "" for another one.
func unseal(keys trust.Keyring, note []byte) (said string, err error) {
	said, mark, _ := strings.Cut(string(note), "\n")
	isOwn, err := keys.HasSigned([]byte(mark))
	if err != nil || !isOwn || !strings.HasPrefix(mark, sealName(said)+" ") {
		return "", err
	}
	return said, nil
}

// Reseal seals what a purge made of the note of what the person knows, if the key had sealed what that was.
func Reseal(keys trust.Keyring, note, was []byte) ([]byte, error) {
	if said, err := unseal(keys, was); err != nil || said == "" {
		return note, err
	}
	said, _, _ := strings.Cut(string(note), "\n")
	mark, err := keys.Sign(sealName(said))
	return slices.Concat([]byte(said+"\n"), mark), err
}

// sealName is what the person's key signs.
func sealName(said string) string {
	sum := sha256.Sum256([]byte(said))
	return "known-" + hex.EncodeToString(sum[:])
}

// noteKnown returns the files that note what the person knows; none if they are there.
func (r *Root) noteKnown(k known) (map[string][]byte, error) {
	if was, err := r.readKnown(); r.opts.Keys == nil || err == nil && was.Commit == k.Commit && was.Waits == k.Waits && maps.Equal(was.Remotes, k.Remotes) {
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
	return map[string][]byte{knownRef: []byte(k.Commit.String() + "\n"), knownPath: slices.Concat(said, []byte("\n"), mark)}, nil
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
func (r *Root) isUnsplit(tree object.Hash, name string) bool {
	folder := topic.RuleFolder(name)
	if folder == "" {
		return false
	}
	files, err := r.store.FindFolder(tree, folder)
	return err != nil || files.IsZero()
}

// listUnknown returns the files of a tree that say what another one, which the person knows, does not say.
func (r *Root) listUnknown(tree, known object.Hash) (names []string, err error) {
	changes, err := r.store.Compare(known, tree)
	for name, pair := range changes {
		if (isText(name) || r.isUnsplit(tree, name)) && !pair[1].IsZero() {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names, err
}

// findWaiting returns what waits in a commit with this tree, of which the person knows another one; nil for nothing. The
// logs are those of the commit.
func (r *Root) findWaiting(known, tip, tree object.Hash, logs logReader) (*Waiting, error) {
	w := &Waiting{Commit: tip.String()}
	names, err := r.listUnknown(tree, known)
	if err != nil || len(names) == 0 {
		return nil, err // the person knows all of it: the next command that writes lets it in
	}
	told, err := w.addLessons(r, known, logs)
	if errors.Is(err, index.ErrNewerVersion) || errors.Is(err, facts.ErrUnreadable) {
		w.Texts, err = append(w.Texts, err.Error()), nil
	}
	if err != nil {
		return nil, err
	}
	hasNotes := false
	for _, name := range names {
		was, err := r.readAt(known, name)
		blob, err2 := r.store.FindBlob(tree, name)
		is, err3 := r.store.ReadBlob(blob)
		if err = errors.Join(err, err2, err3); err != nil {
			return nil, err
		}
		if !strings.HasPrefix(name, facts.Folder+"/") {
			w.addText(name, string(is), string(was), told, !strings.HasPrefix(name, "learnings/"))
		} else if f, err := facts.Decode(name, is); err == nil {
			if len(f.Notes) > 0 && !hasNotes { // another clone may have made the same fact
				hasNotes = true
				log, err := r.logsOf(known).log()
				if err != nil {
					return nil, err
				}
				for _, f := range log.Facts() {
					for _, n := range f.Notes {
						told += "\n" + index.KeyOf(n.Text)
					}
				}
			}
			for _, n := range f.Notes {
				file := facts.Journal{}.PathOf(n.Day)
				if _, isDate := dateOf(file); !isDate {
					file = "patterns"
				}
				w.addText(file, n.Text, "", told, false)
				told += "\n" + index.KeyOf(n.Text)
			}
			for _, c := range f.Candidates {
				w.Texts = append(w.Texts, "one session shows: "+string(c))
			}
		}
	}
	if len(w.Texts) == 0 {
		w.Texts = append(w.Texts, "decisions about lessons")
	}
	return w, nil
}

// addText adds a file, or a part of one, with its lines that are new and told nowhere else: front matter tells nothing
// then. One without such lines is added if that is asked for.
func (w *Waiting) addText(name, is, was, told string, always bool) {
	if rest, has := strings.CutPrefix(is, "---\n"); has && !always {
		_, is, _ = strings.Cut(rest, "\n---\n")
	}
	said := ""
	for line := range strings.Lines(is) {
		line = strings.TrimRight(line, "\r\n")
		isTold := strings.Contains(told, index.KeyOf(strings.TrimLeft(line, "#- ")))
		if strings.TrimSpace(line) != "" && (always || !isTold) && !strings.Contains("\n"+was+"\n", "\n"+line+"\n") {
			said += "\n" + line
		}
	}
	if said != "" || always {
		w.Texts = append(w.Texts, name+":"+said)
	}
}

// readAt reads a file of a tree.
func (r *Root) readAt(tree object.Hash, name string) ([]byte, error) {
	blob, err := r.store.FindBlob(tree, name)
	if err != nil || blob.IsZero() {
		return nil, err
	}
	return r.store.ReadBlob(blob)
}

// addLessons adds the lessons that are others in a log, with all that a session is told of them, and returns what
// they say.
func (w *Waiting) addLessons(r *Root, was object.Hash, logs logReader) (told string, err error) {
	old, err := r.readIndexAt(r.logsOf(was))
	now, err2 := r.readIndexAt(logs)
	if err = errors.Join(err, err2); err != nil {
		return "", err
	}
	changes, _ := facts.Diff(old, now, false)
	isSet := map[string]bool{}
	for _, d := range changes {
		isSet[d.Of] = len(d.Set) > 0
	}
	for i := range now.Items {
		it := &now.Items[i]
		if pos := old.ByID(it.ID); pos >= 0 && !isSet[it.ID] || !it.IsShown() && pos < 0 {
			continue
		}
		text := it.ShownText()
		if it.Status != index.Active {
			text += " (" + string(it.Status) + ")"
		}
		told += "\n" + it.Key
		for _, f := range index.Fields {
			value := f.Read(it)
			if slices.Contains([]string{"cue", "remedy", "why"}, f.Name) && value != "null" && value != `""` {
				text += "\n" + f.Name + ": " + value
			}
		}
		w.Texts = append(w.Texts, text)
	}
	return told, nil
}

// readIndexAt returns the lessons of a tree: of its index or, where that is of another log, the fold of its own.
func (r *Root) readIndexAt(logs logReader) (*index.Index, error) {
	p, err := r.findPair(object.Hash{}, logs.tree())
	if err != nil || p.index.IsZero() {
		return &index.Index{}, err
	}
	data, err := r.store.ReadBlob(p.index)
	if err != nil {
		return nil, err
	}
	if ix, _, err := index.Load(data, time.Time{}); err == nil && (p.log.IsZero() || ix.Log == p.log.String()) {
		return ix, nil
	}
	log, err := logs.log()
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

// warnWaiting says how much waits.
func (r *Root) warnWaiting(w *Waiting) {
	n := len(w.Texts)
	r.warnOnce(fmt.Sprintf("%s that git brought %s"+ForApproval, render.Count(n, "lesson or file", "lessons or files"), render.Plural(n, "waits", "wait")))
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
			k.Commit, k.Waits = h, object.Hash{}
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

// split returns the chain on what the person knows; nil if that is what the branch holds. was is the commit of which
// all that this chain made so far follows.
func (c *chain) split(was object.Hash) (*split, error) {
	k, err := c.r.readKnown()
	if err != nil || c.r.opts.Keys == nil {
		return nil, err
	}
	if k.Commit.IsZero() { // a memory that no build with this notion wrote to
		k.Commit = c.tip
	}
	kc, err := c.r.store.ReadCommit(k.Commit)
	if errors.Is(err, object.ErrDamaged) || kc.Tree == c.tree || k.Commit == was {
		c.known = known{Commit: c.tip, Remotes: k.Remotes}
		return nil, nil
	}
	names, err := c.r.listUnknown(c.tree, kc.Tree)
	if err != nil {
		return nil, err
	}
	isOwn, err := c.findOwn(k, names)
	before, err2 := c.r.listUnknown(c.m.tx.Tree, kc.Tree) // what is edited by hand there waits but for the edit
	waits := func(name string) bool { return !isOwn[name] || c.own[name] && slices.Contains(before, name) }
	if err = errors.Join(err, err2); err != nil || !slices.ContainsFunc(names, waits) {
		c.known = known{Commit: c.tip, Remotes: k.Remotes}
		return nil, err
	}
	tx := *c.m.tx
	tx.Head.Tip, tx.Tree = k.Commit, kc.Tree
	tx.ReadAlone()
	m := c.r.newMemory(&tx, c.m.now)
	k.Waits = c.tree
	s := &split{chain: &chain{r: c.r, m: m, w: c.w, who: c.who, tree: kc.Tree, tip: k.Commit, touched: map[string]bool{}, held: map[string]bool{}}, head: c, k: k}
	m.logs = logReader{c.r, func() object.Hash { return s.tree }}
	m.last = func() object.Hash { return kc.Tree }
	if err := c.r.loadIndex(m); err != nil {
		return nil, err
	}
	if m.waiting, err = c.r.findWaiting(kc.Tree, c.tip, c.tree, c.m.logs); err != nil {
		return nil, err
	}
	if m.waiting != nil {
		c.r.warnWaiting(m.waiting)
	}
	return s, s.takeOwn(isOwn)
}

// findOwn tells which of some files of the branch are the person's own: what was edited by hand, and what the
// remotes have now of which they said so, but for what waited before.
func (c *chain) findOwn(k known, names []string) (isOwn map[string]bool, err error) {
	isOwn = maps.Clone(c.own)
	tips, err := c.listOwnTips(k)
	for _, tree := range tips {
		for _, name := range names {
			is, err := c.r.store.FindBlob(c.tree, name)
			there, err2 := c.r.store.FindBlob(tree, name)
			before := object.Hash{}
			if err = errors.Join(err, err2); err == nil && !k.Waits.IsZero() {
				before, err = c.r.store.FindBlob(k.Waits, name)
			}
			isOwn[name] = isOwn[name] || err == nil && is == there && is != before
		}
	}
	return isOwn, err
}

// listOwnTips returns the commits that the remotes stand at of which the person said that all is theirs, and their trees.
func (c *chain) listOwnTips(k known) (map[object.Hash]object.Hash, error) {
	tips, trees := []object.Hash{c.theirs}, map[object.Hash]object.Hash{}
	remotes, err := c.r.ListRemoteTips()
	for name, remote := range remotes {
		if remote.URL != "" && k.Remotes[name] == remote.URL {
			tips = append(tips, remote.Tips...)
		}
	}
	for _, tip := range tips {
		if t, err := c.r.store.ReadCommit(tip); err == nil { // else a shallow clone lacks it
			trees[tip] = t.Tree
		}
	}
	return trees, err
}

// takeOwn lets the person know what is their own of what the branch has, beside what waits.
func (s *split) takeOwn(isOwn map[string]bool) error {
	h := s.head
	if h.tip == h.m.tx.Head.Tip { // nothing is written now
		return nil
	}
	list := []facts.Fact{}
	for _, name := range slices.Sorted(maps.Keys(isOwn)) {
		blob, err := h.r.store.FindBlob(h.tree, name)
		if err != nil || !isOwn[name] {
			continue
		}
		var data []byte
		if !blob.IsZero() {
			if data, err = h.r.store.ReadBlob(blob); err != nil {
				return err
			}
		}
		if _, isFact := facts.OrderOf(name); isFact && data != nil {
			f, err := facts.Decode(name, data)
			if err != nil {
				return err
			}
			list = append(list, f)
		} else if isText(name) {
			if err := s.takeText(name, data); err != nil {
				return err
			}
		}
	}
	log, err := s.m.log()
	if err != nil || len(list)+len(s.m.staged) == 0 {
		return err
	}
	s.m.facts = list
	if err := s.m.stageFold(log.With(list...), s.tree); err != nil {
		return err
	}
	return s.commitStaged(Message{Subject: h.subject})
}

// takeText stages a text as the branch has it now, without what waits there.
func (s *split) takeText(name string, now []byte) error {
	was, err := s.r.readAt(s.head.m.tx.Tree, name)
	ours, err2 := s.r.readAt(s.tree, name)
	if err = errors.Join(err, err2); err != nil {
		return err
	}
	if !s.head.own[name] || string(was) == string(ours) { // of a remote, as it is there
		s.m.stageWrite(name, now)
	} else if merged, ok := union.MergeLines(string(was), string(ours), string(now)); ok && now != nil {
		s.m.stageWrite(name, []byte(merged))
	}
	return nil
}

// commitBoth commits what a callback changed to what the person knows, and then the same to the branch.
func (s *split) commitBoth(msg Message) error {
	if msg.Subject == "" {
		return nil
	}
	s.m.flush()
	if err := s.m.noteStaged(); err != nil {
		return err
	}
	if err := s.head.numberBehind(s.chain); err != nil {
		return err
	}
	list, tip := slices.Clone(s.m.facts), s.tip
	texts := staging{}
	was := map[string][]byte{}
	for path, w := range s.m.staged {
		old, err := s.r.store.FindBlob(s.tree, path)
		if err == nil && isText(path) && old != w.blob {
			if texts[path] = w; !old.IsZero() {
				was[path], err = s.r.store.ReadBlob(old)
			}
		}
		if err != nil {
			return err
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
		if h.m.stageWrite(path, []byte(data)); data == "" && texts[path].data == nil {
			h.m.stageWrite(path, nil)
		}
	}
	msg.Always = s.tip != tip // what the person knows is published with the branch
	return h.replay(list, msg)
}

// ErrWaits is wrapped when a file has a change that waits for the person, where another one is to be made.
var ErrWaits = errors.New("git brought a change of it that waits for you, beside this one")

// replay adds facts to the branch that were made of what the person knows.
func (c *chain) replay(list []facts.Fact, msg Message) error {
	log, err := c.m.log()
	if err != nil {
		return err
	}
	if err := c.m.stageFold(log.With(list...), c.tree); err != nil {
		return err
	}
	c.m.facts = list
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
