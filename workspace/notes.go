package workspace

import (
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"mem/repo"
	"mem/repo/disk"
)

// maxOff is how many sessions can be switched off at once.
const maxOff = 256

// SwitchedOff is why a session is not queued after mem toggle.
const SwitchedOff = "hooks are switched off here; 'mem toggle' switches them on"

// HooksOff records where hooks are switched off.
type HooksOff struct {
	Root     bool     `json:"root"` // for the whole memory
	Sessions []string `json:"sessions"`
}

// HooksOff returns the switch of the memory. One that cannot be read switches nothing off.
func (w *Workspace) HooksOff() HooksOff { return readNote[HooksOff](w, repo.NoteOff) }

// readNote returns a note of the memory; zero if there is none that can be read.
func readNote[T any](w *Workspace, n repo.Note) (v T) {
	root, err := w.OpenRootIfAny()
	if err != nil || root == nil {
		return v
	}
	return repo.ReadValue[T](root, n)
}

// KeepHooksOff replaces the switch.
func (w *Workspace) KeepHooksOff(off HooksOff) error { return w.keepNote(repo.NoteOff, off) }

// keepNote keeps a note in the memory, which must exist.
func (w *Workspace) keepNote(n repo.Note, v any) error {
	root, err := w.OpenRoot()
	if err != nil {
		return err
	}
	return root.KeepValue(n, v)
}

// CoversSession reports whether hooks do nothing for a session.
func (o HooksOff) CoversSession(session string) bool {
	return o.Root || session != "" && slices.Contains(o.Sessions, session)
}

// WithSession returns the switch changed for a session, or with "" for the whole memory.
func (o HooksOff) WithSession(session string, on bool) HooksOff {
	if session == "" {
		o.Root = !on
		return o
	}
	o.Sessions = slices.DeleteFunc(slices.Clone(o.Sessions), func(s string) bool { return s == session })
	if !on {
		o.Sessions = append(o.Sessions, session)
		o.Sessions = o.Sessions[max(0, len(o.Sessions)-maxOff):]
	}
	return o
}

// A hookOutcome is the outcome of the last hook of an agent, which ran unwatched.
type hookOutcome struct {
	At      time.Time `json:"at"`
	Outcome string    `json:"outcome"` // a line for people
}

// KeepHookOutcome keeps what came of a hook of an agent for mem status, if it can.
func (w *Workspace) KeepHookOutcome(agent, line string) {
	all := map[string]hookOutcome{}
	maps.Copy(all, w.HookOutcomes())
	all[agent], all[""] = hookOutcome{w.Now, line}, hookOutcome{w.Now, line}
	_ = w.keepNote(repo.NoteLast, all)
}

// HookOutcomes returns what KeepHookOutcome kept, by agent; under "" what it kept last.
func (w *Workspace) HookOutcomes() map[string]hookOutcome {
	return readNote[map[string]hookOutcome](w, repo.NoteLast)
}

// NoteNewest notes in the person's state folder which version of mem was the newest when they asked.
func (w World) NoteNewest(version string) error {
	at := w.stateFolder()
	if at == "" {
		return errors.New("no home folder to note it in")
	}
	return disk.Files{Fault: w.Fault}.WriteFile(filepath.Join(at, "newest"), fmt.Appendf(nil, "%s %s\n", version, w.Clock().UTC().Format(time.DateOnly)), 0o600)
}

// FindNewer says that a newer version was published when the person last asked; "" if none was, or the person
// never asked: mem looks up nothing by itself.
func (w World) FindNewer() string {
	data, err := disk.Files{}.ReadShared(filepath.Join(w.stateFolder(), "newest"))
	version, day, ok := strings.Cut(strings.TrimSpace(string(data)), " ")
	if err != nil || !ok || !IsNewer(version, w.Version) {
		return ""
	}
	return fmt.Sprintf("mem %s is published (looked up on %s); this is %s", version, day, w.Version)
}

// IsNewer reports whether a version such as v1.2.3 is newer than another. It is false if either has another form.
func IsNewer(version, than string) bool {
	a, okA := numbersOf(version)
	b, okB := numbersOf(than)
	if !okA || !okB {
		return false
	}
	if order := slices.Compare(a[:], b[:]); order != 0 {
		return order > 0
	}
	return strings.Contains(than, "-") && version != than // of a commit before it
}

func numbersOf(version string) (n [3]int, ok bool) {
	release, _, _ := strings.Cut(version, "-")
	_, err := fmt.Sscanf(release+"\n", "v%d.%d.%d\n", &n[0], &n[1], &n[2])
	return n, err == nil
}
