package workspace

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"mem/curate/foreign"
	"mem/reflect"
	"mem/render"
	"mem/repo"
	"mem/repo/project"
	"mem/repo/survey"
	"mem/repo/trust"
)

// ErrKey is wrapped when there is no key to vouch with.
var ErrKey = trust.ErrKey

// ErrUntrusted is wrapped when a memory may come from another person and none has
// vouched for it. It is not opened.
var ErrUntrusted = errors.New("this memory is not known to be yours")

// IsPostponed reports whether a change can be queued until it can be made.
func IsPostponed(err error) bool { return reflect.IsPostponed(err) || errors.Is(err, ErrUntrusted) }

// stateFolder is where mem keeps what belongs to the person on this account; "" if
// there is no home for it. A relative one would be in the project.
func (w World) stateFolder() string {
	if xdg := w.Getenv("XDG_STATE_HOME"); filepath.IsAbs(xdg) {
		return filepath.Join(xdg, "mem")
	}
	if home := w.Home(); filepath.IsAbs(home) {
		return filepath.Join(home, ".local", "state", "mem")
	}
	return ""
}

func (w World) keyring() trust.Keyring { return trust.Keyring{Folder: w.stateFolder()} }

// isMarked reports whether the root at a path has a mark of this person.
func (w World) isMarked(at string) bool { return w.keyring().HasSigned(survey.ReadMark(at)) }

// isForeign reports whether a root without a mark may be a stranger's: something is
// in it, it was not made here before there were marks, and the person's own
// configuration does not name it. A root that another process of this person made
// meanwhile got its mark before anything was in it.
func (w *Workspace) isForeign(at string) bool {
	return survey.HoldsMemory(at) && !w.isMarked(at) && !survey.IsMadeHere(at) && !w.isNamedByPath(at) && !w.isNamedByID(at)
}

// isNamedByPath reports whether the configuration trusts a root by its path.
func (w *Workspace) isNamedByPath(at string) bool {
	return slices.ContainsFunc(w.Config.Trust, func(name string) bool { return filepath.IsAbs(name) && IsSameFolder(name, at) })
}

func (w *Workspace) isNamedByID(at string) bool {
	if !slices.ContainsFunc(w.Config.Trust, func(name string) bool { return !filepath.IsAbs(name) }) {
		return false
	}
	id, err := survey.FindID(at, w.rootOptions())
	return err == nil && id != "" && slices.Contains(w.Config.Trust, id)
}

// Untrusted returns an error that wraps ErrUntrusted unless the memory may be
// opened.
func (w *Workspace) Untrusted() error {
	if w.foreign {
		return fmt.Errorf("%s: %w", w.ShowPath(w.At.Root), ErrUntrusted)
	}
	return nil
}

// AskTrust says in one line what an ErrUntrusted asks of the person.
func AskTrust(err error) string { return err.Error() + "; 'mem trust' shows what it holds, and asks" }

// Survey looks at the memory without opening or believing it.
func (w *Workspace) Survey() (survey.Survey, error) {
	return survey.ReadRoot(w.At.Root, w.rootOptions(), w.Now)
}

// Trust opens the memory, which the person has looked at and vouched for: it is
// the person's own from now on. What of it may come from another person is only
// adopted as an import.
func (w *Workspace) Trust(ctx context.Context) error {
	w.agreed = true
	if _, err := w.CreateRoot(ctx); err != nil {
		return err
	}
	return w.DrainQueue(ctx)
}

// waitingFolder is where things wait for the memory as long as it is not opened.
// Nothing is written into the memory itself meanwhile, and what is in its own
// queue may be a stranger's.
func (w *Workspace) waitingFolder() (string, error) {
	state := w.stateFolder()
	if state == "" {
		return "", fmt.Errorf("%s: %w", w.ShowPath(w.At.Root), ErrUntrusted)
	}
	at := w.At.Root
	if rel, err := filepath.Rel(w.At.Project, at); err == nil && filepath.IsLocal(rel) {
		at = w.At.Project // whichever memory of the project will be the person's
	}
	if real, err := filepath.EvalSymlinks(at); err == nil {
		at = real
	}
	sum := sha256.Sum256([]byte(at))
	return filepath.Join(state, "waiting", hex.EncodeToString(sum[:8])), nil
}

// QueueRoot returns the root whose queue keeps what cannot be committed now: the
// memory, which is made if there is none, or one in its place that waits for the
// person.
func (w *Workspace) QueueRoot(ctx context.Context) (*repo.Root, error) {
	if !w.foreign {
		return w.CreateRoot(ctx)
	}
	if w.waiting != nil {
		return w.waiting, nil
	}
	at, err := w.waitingFolder()
	if err != nil {
		return nil, err
	}
	if w.waiting, err = survey.OpenQueue(at, w.rootOptions()); err != nil {
		return nil, err
	}
	return w.waiting, w.waiting.KeepNewest()
}

// CountWaiting returns how much waits for the person to vouch for the memory.
func (w *Workspace) CountWaiting() (int, error) {
	at, err := w.waitingFolder()
	if err != nil || !survey.HoldsMemory(at) {
		return 0, nil
	}
	root, err := survey.OpenQueue(at, w.rootOptions())
	if err != nil {
		return 0, err
	}
	jobs, err := root.ListJobs()
	sessions, errSessions := root.ListWaiting()
	return len(jobs) + len(sessions), errors.Join(err, errSessions, root.Close())
}

// takeWaiting moves what waited for the person into the queue of the memory.
func (w *Workspace) takeWaiting(root *repo.Root) error {
	at, err := w.waitingFolder()
	if err != nil || !survey.HoldsMemory(at) {
		return nil
	}
	from, err := survey.OpenQueue(at, w.rootOptions())
	if err != nil {
		return err
	}
	return errors.Join(from.MoveQueue(root.Area), from.Close())
}

// markOld gives a mark to a memory of this person from before there were marks. It
// is only a shortcut: what cannot be kept is found out again.
func (w *Workspace) markOld(root *repo.Root) {
	mark, err := w.keyring().Sign(trust.NewID())
	if err == nil {
		err = root.WriteMark(mark)
	}
	w.marked = err == nil
}

// makeOwn makes an open memory the person's: it gets a mark, after what another
// person may have written is adopted, and what waited for that.
func (w *Workspace) makeOwn(ctx context.Context, root *repo.Root, mark []byte) error {
	hasHistory := false
	if err := root.WalkHistory(func(repo.Revision) bool { hasHistory = true; return false }); err != nil {
		return err
	}
	if hasHistory && w.agreed || !hasHistory && w.found {
		if err := w.adopt(ctx, root, hasHistory); err != nil {
			return err
		}
	}
	if mark != nil {
		if err := root.WriteMark(mark); err != nil {
			return err
		}
	}
	w.marked, w.foreign = mark != nil, false
	return w.takeWaiting(root)
}

// Adopted says what became of a memory that another person may have written.
type Adopted struct {
	foreign.Adoption
	Commit string        // full hash; "" if nothing had to be changed
	Found  survey.Survey // what was there
}

// adopt takes in what lies in a root that another person may have written.
func (w *Workspace) adopt(ctx context.Context, root *repo.Root, hasHistory bool) error {
	found, err := w.Survey()
	if err != nil {
		return err
	}
	var did foreign.Adoption
	commit, err := root.Settle(ctx, w.Now, func(m *repo.Memory) (msg repo.Message, err error) {
		did, msg, err = foreign.AdoptMemory(m, found.Files, hasHistory)
		return msg, err
	})
	if err != nil {
		return err
	}
	w.Adopted = &Adopted{Adoption: did, Commit: commit.ID, Found: found}
	if project.Tracks(ctx, w.At.Root) {
		w.Note("the repository around it tracks this memory, so that a pull changes it as you would by hand; keep it out of that repository")
	}
	if did.Rules > 0 {
		w.Note("%s for your review; 'mem review' shows %s", render.Count(did.Rules, "rule waits", "rules wait"), render.Plural(did.Rules, "it", "them"))
	}
	if did.Held > 0 {
		w.Note("held: %s like an order", render.Count(did.Held, "lesson reads", "lessons read"))
	}
	if did.Aside > 0 {
		w.Note("%s set aside in %s, where no session reads", render.Count(did.Aside, "other file was", "other files were"), foreign.AsideFolder)
	}
	return nil
}
