package ingest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"mem/curate"
	"mem/fault"
	"mem/render"
	"mem/repo"
	"mem/repo/disk"
)

// Options are about one run over the folders of Claude Code. Only Places has to be set.
type Options struct {
	Places Places
	Moment time.Time     // by the real clock, to tell what was written just now
	MinAge time.Duration // how old a file must be to be looked at; 0 takes all
	Apply  bool          // import what is ready, and remove it from its folder

	Fault disk.Fault // for tests
	Quick bool       // the folder is known to be of this project: no session is read

	// Which memories the run imports. With HasOwn a second run, ForPerson, imports what is
	// about the person, and of other projects, into the memory that sessions of all read.
	Here      func(folder string) bool // whether a folder is of this project; nil takes everything
	Whole     bool                     // with what is about the person
	All       bool                     // with what is of other projects
	HasOwn    bool
	ForPerson bool
}

// A State says how far a file is, or the entry that it became.
type State string

// The states.
const (
	Ready    State = "ready"    // Run imports it
	Pending  State = "pending"  // it waits for a person's approval
	Rejected State = "rejected" // a person said no; the same text is not proposed again
	Left     State = "left"     // it is not recognised, or not now
	Removed  State = "removed"  // it was imported, and removed from its folder

	active     State = "active"     // an entry that sessions read
	superseded State = "superseded" // an entry of which a later version was imported first
)

// An Item is one file of a folder, and what is done with it.
type Item struct {
	*Note           // nil if the file was not recognised
	Path     string `json:"path"`
	Slug     string `json:"silo"`      // what Claude Code calls the project
	Cwd      string `json:"sourceCwd"` // the folder that the session ran in; Slug if that is unknown
	IsOthers bool   `json:"ofAnotherProject,omitzero"`

	State  State  `json:"state"`
	Why    string `json:"why,omitzero"`  // of what was left, and of what is ready but was not removed
	Home   string `json:"home,omitzero"` // path in the memory root; "" for what was left
	Change Change `json:"change,omitzero"`

	Folder      *Folder `json:"-"`
	name        string
	written     time.Time // as the disk says
	isForPerson bool      // it goes into the memory that sessions of all projects read
}

// maxName is how much of a name Describe gives, in characters; some are prose.
const maxName = 100

// Describe says what an item is, or why it was left, for people.
func (it *Item) Describe() string {
	if it.State == Left {
		return it.Why
	}
	said := map[Change]string{
		Replaced: " (replaced " + it.Home + ")", Older: " (older than what the memory has)", Repeated: " (as " + it.Home + ")",
	}
	if it.State == Pending {
		said[Replaced] = " (a new version)"
	}
	text := it.Type + ", " + render.Shorten(it.Name, maxName) + said[it.Change]
	if it.IsOthers {
		text += ", of " + it.Cwd
	}
	if it.Why != "" {
		text += ": " + it.Why
	}
	return text
}

// A Result lists the files that a run found, and what it did with them.
type Result struct {
	Items    []Item           `json:"items"`    // by folder and name
	Problems []curate.Problem `json:"problems"` // folders and lines of their lists that were left alone
	Commit   string           `json:"commit"`   // "" if nothing had to be committed
	Files    []string         `json:"files"`    // of the memory root that the commit changed
}

// Count returns how many items are in each state, and in how many folders those are that are ready or pending.
func (r *Result) Count() (items map[State]int, folders int) {
	items = map[State]int{Ready: 0, Pending: 0, Rejected: 0, Left: 0, Removed: 0}
	open := map[string]bool{}
	for _, it := range r.Items {
		if items[it.State]++; it.State == Ready || it.State == Pending {
			open[it.Folder.Dir] = true
		}
	}
	return items, len(open)
}

// Add adds what a run ForPerson found and did.
func (r *Result) Add(own *Result) {
	r.Items = append(r.Items, own.Items...)
	for _, p := range own.Problems {
		if !slices.Contains(r.Problems, p) {
			r.Problems = append(r.Problems, p)
		}
	}
}

// Plan is Run without a change.
func Plan(m *repo.Memory, opts Options) (*Result, error) {
	folders, err := findFolders(opts)
	if err != nil {
		return &Result{}, err
	}
	r, _, err := readFolders(folders, opts).placeFiles(m, opts.Apply)
	return r, err
}

// ErrUnfinished is wrapped when Run could not remove from a folder what the memory root already has.
var ErrUnfinished = fault.New(fault.Disk, "not emptied", "run the command again; it goes on where it stopped")

// Run lists the files in Claude Code's folders. It copies the agent's notes on the person's wishes
// into the memory root, to wait for approval. It changes the folders only if ready files are to be
// imported: it imports them in one commit, then removes each, first from the list of its folder, then
// the file. Files that cannot be removed now, and all files after an error, are left to the next run.
func Run(ctx context.Context, root *repo.Root, now time.Time, opts Options) (res *Result, err error) {
	folders, err := findFolders(opts)
	if err != nil {
		return nil, err
	}
	if !opts.Apply {
		return readFolders(folders, opts).commit(ctx, root, now, false)
	}
	lock, err := root.LockIngest(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, lock.Release()) }()
	has, err := readCommitted(root, now)
	if err != nil {
		return nil, err
	}
	for _, f := range folders {
		if f.why == "" && opts.busyWith(f.real) == "" {
			if err := f.change(opts, has, (*remover).finishAll); err != nil {
				return nil, fmt.Errorf("%s: %w", f.Dir, err)
			}
		}
	}
	if res, err = readFolders(folders, opts).commit(ctx, root, now, true); err != nil {
		return nil, err
	}
	if has, err = readCommitted(root, now); err != nil {
		return res, fmt.Errorf("%w: %w", ErrUnfinished, err)
	}
	var errs []error // trouble with one folder keeps none of the others from being emptied
	for _, f := range folders {
		if f.why != "" || f.busy != "" || ctx.Err() != nil {
			continue
		}
		if err := f.change(opts, has, func(r *remover) error { return r.removeFiles(res) }); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w: %w", f.Dir, ErrUnfinished, err))
		}
	}
	return res, errors.Join(append(errs, ctx.Err())...)
}

// commit finds the place of every file and writes the pending entries or, with apply, all new ones.
func (r *Result) commit(ctx context.Context, root *repo.Root, now time.Time, apply bool) (res *Result, err error) {
	commit, err := root.Settle(ctx, now, func(m *repo.Memory) (msg repo.Message, err error) {
		var changed []*entry
		if res, changed, err = r.placeFiles(m, apply); len(changed) > 0 {
			msg = res.message(apply)
		}
		for _, e := range changed {
			err = errors.Join(err, m.KeepFile(e.path, e.file.Bytes()))
		}
		return msg, err
	})
	if err == nil && len(res.Files) > 0 {
		res.Commit = commit.ID
	}
	return res, err
}

// placeFiles finds the place of every file in a memory, and returns the entries that change: the
// pending ones, and with apply all the others too.
func (r *Result) placeFiles(m *repo.Memory, apply bool) (*Result, []*entry, error) {
	r = &Result{Items: slices.Clone(r.Items), Problems: slices.Clone(r.Problems)}
	s, err := loadStore(m, m.ReadFile)
	if err != nil {
		return r, nil, err
	}
	// The latest versions first, so that earlier ones come beside them.
	slices.SortStableFunc(r.Items, func(a, b Item) int { return b.lastChange().Compare(a.lastChange()) })
	for i := range r.Items {
		it := &r.Items[i]
		if it.State == Left {
			continue
		}
		e, change := s.place(it)
		it.State, it.Home, it.Change = e.status, e.path, change
		switch e.status {
		case active, superseded:
			it.State = Ready
		case Pending, Rejected:
		default:
			it.State, it.Why = Left, fmt.Sprintf("%s has the status %q", e.path, e.status)
		}
	}
	slices.SortStableFunc(r.Items, func(a, b Item) int { return cmp.Or(cmp.Compare(a.Slug, b.Slug), cmp.Compare(a.Path, b.Path)) })
	r.Problems = append(r.Problems, s.problems...)
	changed := slices.DeleteFunc(s.entries, func(e *entry) bool { return !e.changed || e.status != Pending && !apply })
	slices.SortFunc(changed, func(a, b *entry) int { return strings.Compare(a.path, b.path) })
	for _, e := range changed {
		r.Files = append(r.Files, e.path)
	}
	return r, changed, nil
}

func (r *Result) message(apply bool) repo.Message {
	marks := map[Change]string{Added: "+", Replaced: "~", Older: "<", Repeated: "="}
	var body []string
	count := map[State]int{}
	projects := map[*Folder]bool{}
	for _, it := range r.Items {
		if it.Change == "" || it.State != Pending && !apply {
			continue
		}
		text := fmt.Sprintf("%s %s from %s", marks[it.Change], it.Home, it.Path)
		if it.State == Pending {
			text += " (waits for review)"
		}
		count[it.State]++
		projects[it.Folder] = true
		body = append(body, text)
	}
	said, proposals := render.Count(count[Ready], "memory", "memories"), render.Count(count[Pending], "proposal", "proposals")
	if count[Ready] == 0 {
		said = proposals
	} else if count[Pending] > 0 {
		said += " and " + proposals
	}
	return repo.Message{Subject: fmt.Sprintf("ingest(claude): %s from %s", said, render.Count(len(projects), "project", "projects")), Body: body}
}
