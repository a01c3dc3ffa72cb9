package workspace

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"mem/curate"
	"mem/curate/evidence"
	"mem/fault"
	"mem/index"
	"mem/project"
	"mem/reflect"
	"mem/render"
	"mem/repo"
	"mem/repo/disk"
)

// ErrUntrusted is wrapped when a memory may come from another person and none has
// vouched for it. It is not opened.
var ErrUntrusted = fault.New(fault.Refused, "this memory is not known to be yours", "'mem trust' shows what it holds, and asks once")

// IsPostponed reports whether a change can be queued until it can be made.
func IsPostponed(err error) bool { return reflect.IsPostponed(err) || errors.Is(err, ErrUntrusted) }

// stateFolder is where mem keeps what belongs to the person on this account; "" if there is no home for it.
func (w World) stateFolder() string {
	return w.findOwn("XDG_STATE_HOME", filepath.Join(".local", "state"))
}

// findOwn returns mem's folder in the absolute path of a variable, else in this folder of the home; "" without either.
func (w World) findOwn(variable, below string) string {
	if xdg := w.Getenv(variable); filepath.IsAbs(xdg) {
		return filepath.Join(xdg, "mem")
	}
	if home := w.Home(); filepath.IsAbs(home) {
		return filepath.Join(home, below, "mem")
	}
	return ""
}

func (w World) keyring() keyring {
	return keyring{Folder: w.stateFolder(), Files: disk.Files{Fault: w.Fault}}
}

// A verdict says whether the root at a path is the person's.
type verdict struct {
	marked bool  // it has a mark of this person
	named  bool  // the person's configuration names it
	holds  bool  // there is something in it; not looked for if it is marked
	doubt  error // wraps ErrUntrusted: it may be another person's
}

// judge finds out whether a root is the person's. Of its content only the mark proves anything. It reads the
// mark twice: another process of this person that makes the root meanwhile writes the mark before any content.
func (w *Workspace) judge(at string) (v verdict, err error) {
	var why error
	for range 2 {
		var mark []byte
		if err := peek(at, func(d *disk.Dir) (err error) { mark, err = repo.ReadMark(d); return err }); err != nil {
			return v, err
		}
		if v.marked, why = w.keyring().hasSigned(mark); v.marked || disk.IsExhausted(why) {
			return v, why
		}
		if v.holds, err = holdsMemory(at); err != nil || !v.holds {
			return v, err
		}
	}
	if v.named = w.isNamedByPath(at); v.named {
		return v, nil
	}
	opts := w.rootOptions()
	opts.Warn, opts.Keys = nil, nil
	root, err := repo.Open(at, opts)
	if err == nil {
		v.named, err = w.isNamedByID(root)
		err = errors.Join(err, root.Close())
	}
	if v.named || disk.IsExhausted(err) {
		return v, err
	}
	v.doubt = fmt.Errorf("%s: %w", w.ShowPath(at), ErrUntrusted)
	if errors.Is(err, repo.ErrUnsupported) { // such as another user's: a yes is not enough
		why = err
	}
	if errors.Is(why, repo.ErrUnsupported) && !errors.Is(why, repo.ErrOwner) {
		v.doubt = unfit{why}
	} else if why != nil {
		v.doubt = fmt.Errorf("%[2]w: %[1]w", why, v.doubt) // what is in the way first
	}
	return v, nil
}

// An unfit error is about a kind of repository that mem does not write to. It matches ErrUntrusted, but without
// its text, because no approval solves it.
type unfit struct{ error }

func (u unfit) Unwrap() error { return u.error }

func (unfit) Is(target error) bool { return target == ErrUntrusted }

func (w *Workspace) isNamedByPath(at string) bool {
	return slices.ContainsFunc(w.Config.Trust, func(name string) bool { return filepath.IsAbs(name) && IsSameFolder(name, at) })
}

func (w *Workspace) isNamedByID(root *repo.Root) (bool, error) {
	if !slices.ContainsFunc(w.Config.Trust, func(name string) bool { return !filepath.IsAbs(name) }) {
		return false, nil
	}
	id, err := findID(root)
	return slices.Contains(w.Config.Trust, id), err
}

// Untrusted returns an error that wraps ErrUntrusted unless the memory may be
// opened.
func (w *Workspace) Untrusted() error { return w.doubt }

// AskTrust returns, in one line, what an ErrUntrusted asks of the person.
func AskTrust(err error) string {
	if errors.Is(err, ErrKey) || errors.Is(err, repo.ErrUnsupported) {
		return err.Error() // which a yes does not mend
	}
	return err.Error() + "; 'mem trust' shows what it holds, and asks"
}

// Survey looks at the memory without trusting it. For the person's own memory, even in the middle of a merge,
// the lessons are those of the last commit. It first takes in what git brought, unless dryRun is set.
func (w *Workspace) Survey(ctx context.Context, dryRun bool) (Survey, error) {
	s, err := surveyRoot(w.At.Root, w.rootOptions(), w.Now)
	if code, _ := fault.Explain(err); w.doubt != nil || err != nil && code != fault.Unreadable {
		return s, err
	}
	root, err := w.OpenRootIfAny()
	if err != nil || root == nil {
		return s, err
	}
	if !dryRun {
		if err := w.LookAtGit(ctx, root); err != nil {
			return s, err
		}
	}
	m, err := root.View(w.Now)
	if err != nil {
		return s, err
	}
	s.Index, s.Waiting = m.Index, m.Waiting()
	if s.Waiting != nil {
		s.Brought = s.Waiting.Texts
	}
	if len(s.Brought) == 0 {
		own, err := root.ListOwnRemotes()
		if err != nil {
			return s, err
		}
		maps.DeleteFunc(s.Remotes, func(name, url string) bool { return own[name] == url })
	}
	return s, nil
}

// Trust opens the memory, which the person has reviewed and vouched for. It is then the person's own, along
// with what its remotes bring. Content that may be another person's is adopted only as an import. found is the
// survey that the person saw.
func (w *Workspace) Trust(ctx context.Context, found Survey) error {
	w.agreed = true
	root, err := w.CreateRoot(ctx)
	if err == nil {
		err = root.Accept(ctx, found.Waiting, found.Remotes)
	}
	if err == nil { // once more, so that hooks find what is shown from now on
		err = w.LookAtGit(ctx, root)
	}
	if err != nil {
		return err
	}
	return w.DrainQueue(ctx)
}

// queueIn returns the folder of a root's queue, which need not exist. It lies in the person's state folder,
// named after the root's path; "" without a state folder. The root itself need not be the person's: the queued
// work is.
func (w *Workspace) queueIn(root string) string {
	at := project.Resolve(root)
	for _, usual := range []string{"/.mem", "/.pi/self-learning-memory"} { // whichever memory of a project will be the person's
		at = strings.TrimSuffix(at, filepath.FromSlash(usual))
	}
	if state := w.stateFolder(); state != "" {
		sum := sha256.Sum256([]byte(at))
		return filepath.Join(state, "queue", hex.EncodeToString(sum[:8]))
	}
	return ""
}

func (w *Workspace) openQueue(folder string) repo.Queue {
	return repo.Queue{Folder: folder, Files: disk.Files{Fault: w.Fault}}
}

// Queue returns the queue for work that cannot be committed now. It is that of the memory, which is made if
// there is none, or of a memory that is not trusted yet. It fails for a repository that mem would not write to
// even with approval.
func (w *Workspace) Queue(ctx context.Context) (q repo.Queue, err error) {
	if w.doubt == nil {
		root, err := w.CreateRoot(ctx)
		if err == nil {
			q = root.Queue
		}
		return q, err
	}
	q = w.openQueue(w.queueIn(w.At.Root))
	if q.Folder == "" || errors.Is(w.doubt, repo.ErrUnsupported) && !errors.Is(w.doubt, repo.ErrOwner) {
		err = w.doubt
	}
	return q, err
}

// CountWaiting returns the number of queued jobs and sessions that wait until the person vouches for the memory.
func (w *Workspace) CountWaiting() (int, error) {
	q, err := w.Queue(context.Background())
	if err != nil {
		return 0, nil
	}
	jobs, err := q.ListJobs()
	sessions, errSessions := q.ListWaiting()
	return len(jobs) + len(sessions), errors.Join(err, errSessions)
}

// TakeOver moves queued work into the memory's queue: work kept in the root when there was no state folder, and
// work queued for the root's former path, if a person moved it. A copied root leaves the work to the original.
func (w *Workspace) TakeOver(root *repo.Root) error {
	err := root.TakeOld()
	place := project.Resolve(root.Path())
	was, _ := root.ReadNote(repo.NotePlace)
	if err != nil || string(was) == place || w.stateFolder() == "" {
		return err
	}
	if holds, errHolds := holdsMemory(string(was)); len(was) > 0 && errHolds == nil && !holds {
		err = w.openQueue(w.queueIn(string(was))).MoveTo(root.Queue)
	}
	if err != nil {
		return err
	}
	return root.KeepNote(repo.NotePlace, []byte(place))
}

// makeOwn makes an open memory the person's. It adopts content that another person may have written, then
// writes the mark, then takes over queued work.
func (w *Workspace) makeOwn(ctx context.Context, root *repo.Root, mark []byte) error {
	hasHistory := false
	if err := root.WalkHistory(func(repo.Revision) bool { hasHistory = true; return false }); err != nil {
		return err
	}
	if hasHistory && w.agreed || !hasHistory && w.holds {
		if err := w.adopt(ctx, root, hasHistory); err != nil {
			return err
		}
	}
	if err := root.WriteMark(mark); err != nil {
		return err
	}
	w.verdict = verdict{marked: true}
	return w.TakeOver(root)
}

// Adopted is the result of adopting a memory that another person may have written.
type Adopted struct {
	curate.Adoption
	Commit string // full hash; "" if nothing had to be changed
	Found  Survey // what was there
}

func (w *Workspace) adopt(ctx context.Context, root *repo.Root, hasHistory bool) error {
	found, err := surveyRoot(w.At.Root, w.rootOptions(), w.Now)
	if err != nil {
		return err
	}
	var did curate.Adoption
	commit, err := root.Settle(ctx, w.Now, func(m *repo.Memory) (msg repo.Message, err error) {
		did, msg, err = curate.AdoptMemory(m, found.Files, hasHistory)
		return msg, err
	})
	if errors.Is(err, index.ErrNewerVersion) { // it is only read
		return nil
	} else if err != nil {
		return err
	}
	w.Adopted = &Adopted{Adoption: did, Commit: commit.ID, Found: found}
	if evidence.Tracks(ctx, w.At.Root) {
		w.Note("the repository around it tracks this memory, so that a pull changes it as you would by hand; keep it out of that repository")
	}
	if did.Rules > 0 {
		w.Note("%s for your review; 'mem review' shows %s", render.Count(did.Rules, "rule waits", "rules wait"), render.Plural(did.Rules, "it", "them"))
	}
	if did.Held > 0 {
		w.Note("held: %s like an order", render.Count(did.Held, "lesson reads", "lessons read"))
	}
	if did.Aside > 0 {
		w.Note("%s set aside in %s, where no session reads", render.Count(did.Aside, "other file was", "other files were"), curate.AsideFolder)
	}
	return nil
}

// Reseal seals the purged version of the note of what the person knows, if the person's key had sealed the old one.
func (w *Workspace) Reseal(note, was []byte) ([]byte, error) {
	if said, err := w.keyring().Unseal(was); err != nil || said == "" {
		return note, err
	}
	said, _, _ := strings.Cut(string(note), "\n")
	return w.keyring().Seal(said)
}

// keysFor returns the keys for holding back changes that arrive by git; nil if the configuration names the
// memory as the person's, which accepts all of them.
func (w *Workspace) keysFor(isNamed bool) repo.Sealer {
	if isNamed {
		return nil
	}
	return w.keyring()
}

// HoldCounts suppresses the notes that count pending changes, for a result that counts them itself. Call end
// afterwards; if it gets an error, it prints the last suppressed note.
func (w *Workspace) HoldCounts() (end func(*error)) {
	note, last := w.Note, ""
	w.Note = func(format string, args ...any) {
		if text := fmt.Sprintf(format, args...); strings.HasSuffix(text, repo.ForApproval) {
			last = text
		} else {
			note("%s", text)
		}
	}
	return func(err *error) {
		if w.Note = note; *err != nil && last != "" {
			note("%s", last)
		}
	}
}
