package remote

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/go-json-experiment/json"

	"mem/guard"
	"mem/repo"
	"mem/repo/private"
	"mem/repo/transport"
	"mem/workspace"
)

// Known is what this clone knows of remotes without asking one.
type Known struct {
	Remote string    `json:"remote,omitzero"` // that it syncs with
	Sent   time.Time `json:"sent,omitzero"`   // when something was last sent there
	Beside string    `json:"beside,omitzero"` // a remote of the code that was seen to have a memory
	Name   string    `json:"name,omitzero"`   // of that remote, for the code
	Ref    string    `json:"ref,omitzero"`    // of the memory there
}

// Describe names the memory beside the code, and how to get it; "" for none.
func (k Known) Describe() string {
	if k.Beside == "" {
		return ""
	}
	return guard.Line(k.Beside + " has a memory of this project; 'mem " + k.Command() + "' brings it here")
}

// Command is the command of mem that brings that memory here.
func (k Known) Command() string {
	if k.Ref == besideCode {
		return "sync --remote " + k.Name
	}
	return "sync --remote " + k.Name + " --ref " + k.Ref
}

// ReadKnown returns what is known of remotes.
func ReadKnown(root *repo.Root) (k Known) {
	if data, err := root.ReadNote(private.NoteSync); err == nil {
		_ = json.Unmarshal(data, &k)
	}
	return k
}

// Keep notes what is known in the memory.
func (k Known) Keep(root *repo.Root) error {
	data, err := json.Marshal(k)
	if err != nil {
		return err
	}
	return root.KeepNote(private.NoteSync, data)
}

// DescribeBeside is Describe for a memory that is empty; "" for another one.
func DescribeBeside(root *repo.Root, m *repo.Memory) string {
	if root == nil || len(m.Index.Items) > 0 || m.Foreign().CountWaiting() > 0 {
		return ""
	}
	return ReadKnown(root).Describe()
}

// lookLimit is how long mem init waits for a remote that was not asked for.
const lookLimit = 1800 * time.Millisecond

// Look asks the remote of the code's repository once whether it has a memory. A memory that has
// a remote of its own needs none. One that does not answer counts as without.
func Look(ctx context.Context, w *workspace.Workspace) Known {
	if here, _ := w.ListRoots(); here != nil {
		if own, err := (transport.Git{Folder: w.At.Root, Environ: w.Environ}).ListRemotes(ctx); err != nil || len(own) > 0 {
			return Known{}
		}
	}
	p, err := findBeside(ctx, w, lookLimit)
	if err != nil || p.ref == "" {
		return Known{}
	}
	return p.noteBeside()
}

// findBeside returns the memory that the remote of the code's repository has; one without a
// ref if there is none.
func findBeside(ctx context.Context, w *workspace.Workspace, limit time.Duration) (p peer, err error) {
	code := transport.Git{Folder: w.At.Project, Environ: w.Environ, Idle: limit, Limit: limit}
	remotes, err := code.ListRemotes(ctx)
	p = peer{name: "origin", isNew: true}
	if p.url, _ = code.ReadConfig(ctx, "remote.origin.url"); p.url == "" && len(remotes) > 0 {
		p.name = slices.Sorted(maps.Keys(remotes))[0]
		p.url = remotes[p.name]
	}
	if err != nil || p.url == "" {
		return p, err
	}
	p.url = fromFolder(w.At.Project, p.url)
	refs, err := code.ListRefs(ctx, p.url, "refs/mem/*")
	for _, ref := range slices.Sorted(maps.Keys(refs)) {
		if validRef.Get().MatchString(ref) && (p.ref == "" || ref == besideCode) {
			p.ref = ref
		}
	}
	return p, err
}

// noteBeside is what is known of a memory beside the code.
func (p peer) noteBeside() Known { return Known{Beside: p.show(), Name: p.name, Ref: p.ref} }
