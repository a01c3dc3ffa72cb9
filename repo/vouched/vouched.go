// Package vouched is the distrust of one clone for what git brought it from elsewhere.
//
// A pull brings lessons that this person has not seen. They are part of the memory, so
// that clones stay the same, but no session is shown them before the person accepted
// them, or said that all of a remote is theirs. Which those are is in .git/mem/vouched,
// and nowhere in what git carries. Package walk finds what came in.
package vouched

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"mem/guard"
	"mem/index"
	"mem/render"
	"mem/repo/disk"
	"mem/repo/gitstore"
	"mem/repo/gitstore/object"
	"mem/repo/history"
	"mem/repo/walk"
)

// Path is where the list is kept.
const Path = gitstore.PrivateDir + "/vouched"

const (
	maxList = 64 << 20
	maxTips = 1000
)

// A List is what waits for the person, and whose remotes are theirs. A nil one holds
// nothing.
type List struct {
	Remotes map[string]string `json:"remotes"` // by name, the addresses of those of which the person said that all is theirs
	// Lessons are those that came in, by id: the text that did last, and the stamps of
	// the decisions by which the person let it in since. It waits while it has none of
	// those, also where it is gone: it may be there again.
	Lessons map[string][]string    `json:"lessons"`
	Files   map[string][]walk.Step `json:"files"`   // those that came in, by path
	Commits []object.Hash          `json:"commits"` // those that came in
	// Tips are where other clones stood each time that mem wrote, the oldest first: what
	// was taken from there by hand came from there, also when git forgot it.
	Tips []object.Hash `json:"tips"`

	root    Root
	hides   bool                  // files are shown without what waits
	waiting int                   // lessons and files, as CoverAll counted them
	finder  *walk.Finder          // nil until it is needed
	isNew   []object.Hash         // commits that mem has not looked at; nil until they are needed
	was     map[string]index.Item // the lessons that are covered, as they were
	let     map[string]bool       // lessons that the person let in
	changed bool
}

// A Root is what a list is of.
type Root struct {
	Dir   *disk.Dir
	Store *gitstore.Store
	Head  gitstore.Head
	Now   time.Time
	Warn  func(string)
}

// Read reads the list. One that cannot be read is an error: without it everything would
// be shown.
func Read(r Root) (*List, error) {
	l := &List{root: r, Remotes: map[string]string{}, Lessons: map[string][]string{}, Files: map[string][]walk.Step{}, was: map[string]index.Item{}, let: map[string]bool{}}
	data, err := r.Dir.ReadFile(Path, maxList)
	if errors.Is(err, fs.ErrNotExist) {
		return l, nil
	}
	if err == nil {
		err = json.Unmarshal(data, l)
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", Path, err)
	}
	return l, nil
}

// Write keeps the list, durably, if it was changed. The caller holds the root's lock.
func (l *List) Write() error {
	if l == nil || !l.changed {
		return nil
	}
	data, err := json.Marshal(l, json.Deterministic(true), jsontext.WithIndent("  "))
	if err == nil {
		err = l.root.Dir.WriteFile(Path, append(data, '\n'), gitstore.TempDir)
	}
	if err != nil {
		return fmt.Errorf("keep what waits: %w", err)
	}
	l.changed = false
	return nil
}

// find returns what finds out what came from elsewhere.
func (l *List) find() (*walk.Finder, error) {
	if l.finder != nil {
		return l.finder, nil
	}
	h := history.New(l.root.Dir, l.root.Store)
	remotes, err := h.ListRemoteTips()
	if err != nil {
		return nil, err
	}
	var own []object.Hash
	for name, r := range remotes {
		if r.URL != "" && l.Remotes[name] == r.URL {
			own = append(own, r.Tips...)
		}
	}
	foreign, err := h.ListOtherTips(l.root.Head.Ref)
	if err == nil {
		l.finder = walk.NewFinder(l.root.Dir, l.root.Store, l.root.Head, own, foreign, l.Tips, l.root.Now)
	}
	return l.finder, err
}

// Hold finds what came from elsewhere into an index since mem's last commit, and
// lets it wait, durably. The arguments are as for walk.Finder.Find.
func (l *List) Hold(ix, written *index.Index, edits walk.Edits) error {
	if l == nil || ix == nil && len(edits) == 0 {
		return nil
	}
	finder, err := l.find()
	if err != nil {
		return err
	}
	found, err := finder.Find(ix, written, edits)
	if err != nil {
		return err
	}
	for _, tip := range finder.Foreign {
		if !slices.Contains(l.Tips, tip) {
			l.Tips, l.changed = append(l.Tips[max(0, len(l.Tips)-maxTips):], tip), true
		}
	}
	for id, text := range found.Lessons {
		l.Lessons[id] = []string{text}
	}
	for name, steps := range found.Files {
		for _, step := range steps {
			if !slices.Contains(l.Files[name], step) {
				l.Files[name] = append(l.Files[name], step)
			}
		}
	}
	l.Commits = append(l.Commits, found.Commits...)
	l.changed = l.changed || len(found.Lessons)+len(found.Files)+len(found.Commits) > 0
	if n := found.Left; n > 0 {
		l.root.Warn(fmt.Sprintf("git brought %s; no session is shown %s"+untilAccepted+"%[2]s: 'mem trust' shows %[2]s, and asks",
			render.Count(n, "lesson or file", "lessons or files"), render.Plural(n, "it", "them")))
	}
	return l.Write()
}

// Hide makes the list one for a memory that is only read.
func (l *List) Hide() {
	if l != nil {
		l.hides = true
	}
}

// HasBrought is walk.Finder.HasBrought.
func (l *List) HasBrought() bool {
	if l == nil {
		return false
	}
	finder, err := l.find()
	if err != nil {
		return true // a command that writes says why
	}
	has, err := finder.HasBrought()
	return has || err != nil
}

// HasCommit reports whether git brought a commit that waits, or that mem has not looked at.
func (l *List) HasCommit(id object.Hash) bool {
	if l == nil {
		return false
	}
	if l.hides && l.isNew == nil {
		if finder, err := l.find(); err == nil {
			l.isNew, _ = finder.ListCommits() // as far as they can be read
		}
		l.isNew = append([]object.Hash{}, l.isNew...)
	}
	return slices.Contains(l.Commits, id) || slices.Contains(l.isNew, id)
}

// DescribeCommit returns the subject of a commit, or only who made one that waits, or that
// takes such a commit back, or brings it again: agents read it, too.
func (l *List) DescribeCommit(c history.Commit) string {
	_, said, isRevert := strings.Cut(c.Message, "This reverts commit ")
	waits := l.HasCommit(c.Hash)
	for isRevert && l != nil && !waits {
		id, _ := object.ParseHash(said[:min(len(said), 40)])
		of, err := l.root.Store.ReadCommit(id)
		if err == nil && l.HasCommit(id) {
			return "takes back a commit that waits for your approval"
		}
		_, said, isRevert = strings.Cut(of.Message, "This reverts commit ")
	}
	if !waits {
		return c.Subject()
	}
	who := guard.Line(c.Author.Name)
	if len(who) > maxName || len(guard.Lint(who)) > 0 {
		who = "another person"
	}
	return "a commit of " + who + " that waits for your approval"
}

// maxName is how long the name of a person is that is shown.
const maxName = 40

// CoverAll covers an index that is only read, and says how much waits. readFile reads a
// file as the last commit has it. The result says that a rule, or a proposal of one, may
// be among it.
func (l *List) CoverAll(ix *index.Index, readFile func(path string) ([]byte, error)) (hasRules bool) {
	if l == nil {
		return false
	}
	l.Cover(ix)
	n := len(l.was)
	for name := range l.Files {
		if now, err := readFile(name); err == nil && !bytes.Equal(now, l.show(name, now)) {
			top, _, _ := strings.Cut(name, "/")
			n, hasRules = n+1, hasRules || slices.Contains([]string{"rules", "context", "patterns"}, top)
		}
	}
	if l.waiting = n; n > 0 {
		l.root.Warn(fmt.Sprintf("%s that git brought %s"+forApproval,
			render.Count(n, "lesson or file", "lessons or files"), render.Plural(n, "waits", "wait")))
	}
	return hasRules
}

// What the warnings say that count what waits.
const (
	untilAccepted = " before you accept "
	forApproval   = " for your approval: 'mem trust'"
)

// IsCount reports whether a warning of a root counts what waits.
func IsCount(warning string) bool {
	return strings.Contains(warning, untilAccepted) || strings.HasSuffix(warning, forApproval)
}

// CountWaiting returns how many lessons and files CoverAll counted.
func (l *List) CountWaiting() int {
	if l == nil {
		return 0
	}
	return l.waiting
}

// Hides reports whether files are shown without what waits.
func (l *List) Hides() bool { return l != nil && l.hides }

// Accept lets in what shown held when the person was asked, all if that is nil, and what
// these remotes, with their addresses, bring from now on.
func (l *List) Accept(shown *List, remotes map[string]string) {
	if l == nil {
		return
	}
	maps.Copy(l.Remotes, remotes)
	l.changed = true
	if shown == nil {
		l.Lessons, l.Files, l.Commits = map[string][]string{}, map[string][]walk.Step{}, nil
		return
	}
	maps.DeleteFunc(l.Lessons, func(id string, is []string) bool { return slices.Equal(shown.Lessons[id], is) })
	l.Commits = dropFirst(l.Commits, shown.Commits)
	for name, steps := range l.Files {
		l.Files[name] = dropFirst(steps, shown.Files[name])
	}
	maps.DeleteFunc(l.Files, func(_ string, steps []walk.Step) bool { return len(steps) == 0 })
}

// dropFirst returns a list, in the order of time, without what it began with before.
func dropFirst[T comparable](list, before []T) []T {
	if n := len(before); n <= len(list) && slices.Equal(before, list[:n]) {
		return list[n:]
	}
	return list
}
