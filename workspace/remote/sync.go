// Package remote synchronizes a memory's commits with another repository: mem sync.
//
// It finds the other repository (remote.go) and repeats these steps until both have the same: hand edits are
// committed, git fetches (git.go), package repo merges, and git pushes. It asks the person whose the remote is
// and whether anyone may read it, and records the answers in this clone only.
package remote

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"strings"
	"time"

	"mem/guard"
	"mem/index"
	"mem/render"
	"mem/repo"
	"mem/repo/disk"
	"mem/repo/gitstore"
	"mem/workspace"
)

// A push that loses to another clone's is repeated, up to maxTries tries. The pause grows up to maxPause.
const (
	maxTries  = 100
	lockTries = 20 // a lock that lasts longer was left behind
	maxPause  = 3 * time.Second
)

// Options are the choices of the person.
type Options struct {
	Remote, Ref string
	Own, Team   bool // the person alone pushes there, or others do
	Public      bool
	Whole       bool // send what looks private, too
}

// The statuses of a sync.
const (
	synced  = "synced"
	nothing = "nothing" // both had the same
	offline = "offline"
)

// A Result is the outcome of a sync. It is the JSON of mem sync.
type Result struct {
	Status   string   `json:"status"`
	Reason   string   `json:"reason"` // why it is offline
	Root     string   `json:"root"`
	Remote   string   `json:"remote"`
	URL      string   `json:"url"` // without what a person signs in with
	Ref      string   `json:"ref"`
	Received int      `json:"received"` // commits
	Sent     int      `json:"sent"`     // commits
	Commit   string   `json:"commit"`   // that both have now; "" if that is not so
	Lessons  []string `json:"lessons"`  // that came in and are shown
	Waiting  int      `json:"waiting"`  // lessons and files that wait for the person
	Tries    int      `json:"tries"`

	texts       []string // of the pending changes
	isForgotten bool     // the remote was not reached, and so is not noted
	peer        peer
}

const maxShown = 10

// Describe says for a person what a sync did.
func (r Result) Describe() string {
	var b strings.Builder
	switch r.Status {
	case offline:
		fmt.Fprintf(&b, "offline: %s\n", r.Reason)
		if !r.isForgotten {
			b.WriteString("what is new here goes with the next 'mem sync'\n")
		}
	case nothing:
		fmt.Fprintf(&b, "nothing new here or in %s\n", r.peer.show())
	default:
		fmt.Fprintf(&b, "synced with %s: %s received, %d sent\n", r.peer.show(), render.Count(r.Received, "commit", "commits"), r.Sent)
	}
	b.WriteString(guard.ListSome("  + ", r.Lessons, maxShown))
	if r.Waiting > 0 {
		fmt.Fprintf(&b, "%s for your approval: 'mem trust'\n", render.Count(r.Waiting, "lesson or file waits", "lessons or files wait"))
	}
	if r.Waiting > 0 && r.Received > 0 {
		b.WriteString(guard.ListSome("  ? ", r.texts, maxShown))
	}
	return b.String()
}

type session struct {
	w    *workspace.Workspace
	root *repo.Root
	git  gitCLI
	opts Options
	peer peer
	res  *Result

	isTrial bool  // the peer is noted, and was not reached and taken yet
	before  Known // what was noted before it

	replaces  bool       // what the remote has, once it is purged: of these words, too
	purges    repo.Words // which lessons there do not name
	rewritten int        // commits, of purges
}

// Sync exchanges commits with a remote until both have the same.
func Sync(ctx context.Context, w *workspace.Workspace, opts Options) (res Result, err error) {
	defer w.HoldCounts()(&err)
	s := &session{w: w, opts: opts, res: &res, git: gitCLI{Folder: w.At.Root, Environ: w.Environ}}
	if _, errRoot := os.Lstat(w.At.Root); errors.Is(errRoot, fs.ErrNotExist) { // none is made before a remote is found
		first, errFirst := s.findPeer(ctx)
		s.opts.Remote, s.opts.Ref, err = first.url, first.ref, errFirst
	}
	if err == nil {
		err = s.openSettled(ctx)
	}
	if err == nil {
		s.peer, err = s.findPeer(ctx)
	}
	if errors.Is(err, errOffline) {
		res.Status, res.Reason = offline, workspace.DescribeError(err)
		return res, nil
	}
	defer func() { err = errors.Join(err, s.forgetPeer(context.WithoutCancel(ctx), err)) }()
	if err == nil {
		err = disk.InOrder(s.keepPeer, func() error { return s.askOwner(ctx) })
	}
	if err != nil {
		return res, err
	}
	res = Result{Status: nothing, Root: w.At.Root, Remote: s.peer.name, URL: showURL(s.peer.url), Ref: s.peer.ref, Lessons: []string{}, peer: s.peer}
	before, err := s.root.View(w.Now)
	if err != nil {
		return res, err
	}
	if err = s.exchange(ctx); errors.Is(err, errOffline) {
		res.Status, res.Reason, err = offline, workspace.DescribeError(err), nil
	}
	err = errors.Join(err, s.noteSync(err == nil && res.Status != offline))
	if err == nil || res.Received > 0 {
		err = errors.Join(err, s.describe(before.Index))
	}
	return res, err
}

func (s *session) describe(before *index.Index) error {
	m, err := s.root.View(s.w.Now)
	if err != nil {
		return err
	}
	known := map[string]bool{}
	for _, it := range before.Items {
		known[it.ID] = it.IsShown()
	}
	for _, it := range m.Index.Items {
		if it.IsShown() && !known[it.ID] {
			s.res.Lessons = append(s.res.Lessons, it.ShownText())
		}
	}
	s.res.Waiting = m.CountWaiting()
	if w := m.Waiting(); w != nil && s.w.RequirePerson(false) == nil { // an agent is not shown it
		s.res.texts = w.Texts
	}
	return nil
}

// Known holds the facts about remotes that need no question to one.
type Known struct {
	Remote   string    `json:"remote,omitzero"`   // that it syncs with
	Sent     time.Time `json:"sent,omitzero"`     // when something was last sent there
	Unsynced Failure   `json:"unsynced,omitzero"` // of the worker's last sync, if none went well since
}

// A Failure says when and why a sync failed.
type Failure struct {
	At     time.Time `json:"at,omitzero"`
	Reason string    `json:"reason,omitzero"`
}

// ReadKnown returns the facts about remotes.
func ReadKnown(root *repo.Root) Known { return repo.ReadValue[Known](root, repo.NoteSync) }

// lookLimit is how long a remote may take that was not asked for.
const lookLimit = 1800 * time.Millisecond

// LookBeside checks, for a memory without a remote, whether the code's remote has one. It names it and the
// command that brings it here; "" for none. A remote that does not answer counts as having none.
func LookBeside(ctx context.Context, w *workspace.Workspace) string {
	if len(listRemotes(gitDirOf(w))) > 0 {
		return ""
	}
	if p, err := findBeside(ctx, w, lookLimit); err == nil && p.ref != "" {
		return p.describeBeside()
	}
	return ""
}

// noteSync keeps for mem status with whom this memory syncs, and when it last sent something.
func (s *session) noteSync(isDone bool) error {
	last := ReadKnown(s.root)
	k := last
	if k.Remote != s.res.URL {
		k = Known{Remote: s.res.URL, Unsynced: k.Unsynced}
	}
	if isDone {
		k.Unsynced = Failure{}
	}
	if s.res.Sent > 0 {
		k.Sent = s.w.Now.UTC()
	}
	if k == last {
		return nil
	}
	return s.root.KeepValue(repo.NoteSync, k)
}

// errUnasked is the worker's reason for not deciding what only a person can.
var errUnasked = errors.New("'mem sync' asks a person first")

// SyncInBackground is Sync for the worker, with the remote that the person named: it
// asks nothing, and notes what a person should know.
func SyncInBackground(ctx context.Context, w *workspace.Workspace) {
	if len(listRemotes(gitDirOf(w))) == 0 {
		return
	}
	w.MayAsk, w.RequirePerson = false, func(bool) error { return errUnasked }
	res, err := Sync(ctx, w, Options{})
	switch {
	case err != nil:
		w.Note("not synced: %s", workspace.DescribeError(err))
		if root, errRoot := w.OpenRoot(); errRoot == nil && ctx.Err() == nil {
			k := ReadKnown(root)
			k.Unsynced = Failure{w.Now.UTC(), guard.Line(workspace.DescribeError(err))}
			if err := root.KeepValue(repo.NoteSync, k); err != nil {
				w.Note("%s", workspace.DescribeError(err))
			}
		}
	case res.Status != nothing:
		w.Note("%s", strings.TrimSpace(res.Describe()))
	}
}

func (s *session) exchange(ctx context.Context) error {
	for {
		s.res.Tries++
		err := s.goAround(ctx)
		isLost := errors.Is(err, errRace) || errors.Is(err, repo.ErrLost) || errors.Is(err, errLocked) && s.res.Tries < lockTries
		if !isLost || s.res.Tries == maxTries {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(rand.N(min(time.Duration(s.res.Tries)*100*time.Millisecond, maxPause))):
		}
	}
}

// goAround takes in what the remote has, and sends what it lacks.
func (s *session) goAround(ctx context.Context) error {
	seen, theirs, err := s.fetch(ctx)
	if err != nil {
		return err
	}
	if theirs != "" {
		if err := s.takeIn(ctx, theirs); err != nil {
			return fmt.Errorf("from %s: %w", s.peer.show(), err)
		}
	}
	s.isTrial = false
	ours, err := s.readTip()
	switch {
	case err != nil || ours == seen:
	case s.replaces:
		err = s.git.push(ctx, s.peer.name, ours, s.peer.ref, seen)
	default:
		if err = s.checkPublic(ctx); err == nil {
			err = s.checkPrivate(ctx, theirs, ours)
		}
		if err == nil {
			err = s.share(ctx, theirs, ours)
		}
	}
	if err == nil {
		s.res.Commit = ours
	}
	return err
}

func (s *session) share(ctx context.Context, theirs, ours string) error {
	if err := s.git.push(ctx, s.peer.name, ours, s.peer.ref, ""); err != nil {
		return fmt.Errorf("push to %s: %w", s.peer.show(), err)
	}
	n, err := s.git.countCommits(ctx, theirs, ours)
	if err == nil {
		s.res.Status = synced
		s.res.Sent += n
	}
	return err
}

func (s *session) takeIn(ctx context.Context, theirs string) error {
	ours, err := s.readTip()
	if err != nil || ours == theirs {
		return err
	}
	base, err := s.git.findBase(ctx, ours, theirs)
	if err != nil || base == theirs {
		return err
	}
	if err := s.git.checkTree(ctx, theirs); err != nil {
		return err
	}
	n, err := s.git.countCommits(ctx, ours, theirs)
	if err != nil {
		return err
	}
	// A history that was written anew there has no base here, or an old one: both are
	// joined, and what was taken out of it comes back.
	own, err := s.root.ListOwnRemotes()
	if err != nil {
		return err
	}
	g := repo.Merge{From: s.peer.name + "/" + s.peer.ref, Own: own[s.peer.name] == s.peer.url}
	g.Base, _ = gitstore.ParseHash(base)
	g.Theirs, _ = gitstore.ParseHash(theirs)
	if _, err := s.root.Merge(ctx, s.w.Now, g); err != nil {
		return err
	}
	s.res.Status = synced
	s.res.Received += n
	return nil
}

func (s *session) readTip() (string, error) {
	_, tip, err := s.root.FindHome()
	return tip.String(), err
}
