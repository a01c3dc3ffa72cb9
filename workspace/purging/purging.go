// Package purging decides what of a memory is purged, and has package purge do it.
package purging

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"mem/facts"
	"mem/guard"
	"mem/index"
	"mem/render"
	"mem/repo"
	"mem/repo/disk"
	"mem/repo/purge"
	"mem/workspace"
)

// Errors of a purge.
var (
	ErrNothing  = errors.New("nothing to purge")
	ErrTooShort = errors.New("too short to be searched for")
	ErrUsage    = errors.New("wrong arguments")
	ErrUnknown  = errors.New("nothing has this id")
)

// Options say what is purged.
type Options struct {
	Item    string    // a lesson
	Pattern io.Reader // lines to search for; nil for none
	Resume  bool      // a purge that broke off
	Yes     bool      // do not ask
	DryRun  bool
	Push    bool // replace what the remote has

	// Confirm asks the person before anything changes.
	Confirm func(ctx context.Context, question, doing string) error
}

// ReadArgs reads the arguments: none, or - for standard input. It wraps ErrUsage.
func (o *Options) ReadArgs(args []string, in io.Reader) error {
	if len(args) == 1 && args[0] == "-" {
		o.Pattern, args = in, nil
	}
	isTwice := o.Item != "" && (o.Resume || o.Pattern != nil) || o.Resume && o.Pattern != nil
	switch {
	case len(args) > 0:
		return fmt.Errorf("%w: words to purge come on standard input, with -; other programs can see arguments", ErrUsage)
	case isTwice || !o.IsNamed() && !o.Push:
		return fmt.Errorf("%w: name a lesson with --item, or give words on standard input with -", ErrUsage)
	}
	return nil
}

// IsNamed reports whether the options say what is purged.
func (o *Options) IsNamed() bool { return o.Item != "" || o.Resume || o.Pattern != nil }

// A Result is what came of a purge.
type Result struct {
	Status string `json:"status"` // "purged", or "planned" in a dry run
	Items  int    `json:"items"`  // lessons that went
	Found  int    `json:"found"`  // objects of the history, files of .git/mem, and what waits in the queue, that held it
	Pushed string `json:"pushed"` // the remote whose history was replaced; "" for none
	purge.Result

	Words purge.Words `json:"-"`
}

const maxPattern = 1 << 16

// NewPurger returns what purges the memory of a workspace.
func NewPurger(w *workspace.Workspace) purge.Purger {
	return purge.Purger{
		Folder: w.At.Root, Environ: w.Environ, Files: disk.Files{Fault: w.Fault},
		Project: w.At.Project, Now: w.Now, Reseal: w.Reseal,
	}
}

// Run purges.
func Run(ctx context.Context, w *workspace.Workspace, root *repo.Root, opts Options) (Result, error) {
	p := NewPurger(w)
	words, err := findWords(ctx, p, w, root, opts)
	res := Result{Status: "planned", Items: min(1, len(words.IDs)), Words: purge.Words{IDs: words.IDs, Texts: words.Texts}}
	if err == nil {
		res.Found, err = p.Count(ctx, words)
	}
	err = cmp.Or(err, root.EditJobs(func(data []byte) []byte { // which wait outside the memory's folder
		if !bytes.Equal(words.Clean(data), data) {
			res.Found++
		}
		return data
	}))
	if err != nil || opts.DryRun {
		return res, err
	}
	if res.Found == 0 && !opts.Resume { // what is not here must not come
		return res, cmp.Or(record(ctx, w, words), ErrNothing)
	}
	if !opts.Yes && !opts.Resume { // it was answered before
		what := fmt.Sprintf("%s in %s", render.Count(res.Found, "file or message", "files and messages"), w.ShowPath(root.Path()))
		if err := opts.Confirm(ctx, "Purge "+what+"? This cannot be undone.", "purge "+what); err != nil {
			return res, err
		}
	}
	res.Status = "purged"
	res.Result, err = Finish(ctx, w, words)
	return res, err
}

// Continue finishes a purge that broke off, and reports whether one did.
func Continue(ctx context.Context, w *workspace.Workspace) (found bool, err error) {
	words, found, err := NewPurger(w).ReadNote()
	if err == nil && found {
		_, err = Finish(ctx, w, words)
	}
	return found, err
}

// Finish purges words, and what a note says is to be purged, wherever a purge before broke off.
func Finish(ctx context.Context, w *workspace.Workspace, words purge.Words) (res purge.Result, err error) {
	p := NewPurger(w)
	err = w.CloseRoots()
	w.Purging = true // the note does not hold up the roots that are opened now
	defer func() { w.Purging, err = false, errors.Join(err, w.CloseRoots()) }()
	if err == nil {
		err = p.Announce(ctx, words)
	}
	noted, _, err2 := p.ReadNote()
	if err = errors.Join(err, err2); err == nil && !noted.HasBegun() {
		if err = record(ctx, w, words); errors.Is(err, purge.ErrReturned) { // that is noted now
			err = record(ctx, w, words)
		}
	}
	if err == nil {
		err = cleanQueue(w, words)
	}
	if err = errors.Join(err, w.CloseRoots()); err == nil {
		res, err = p.Run(ctx)
	}
	if err == nil {
		words, _, err = p.ReadNote() // with the commits that had them
	}
	if err == nil {
		err = record(ctx, w, words) // the index names the log that it is the fold of, too, which is another one now
	}
	if err == nil {
		err = p.Revoke()
	}
	return res, err
}

// cleanQueue takes words out of what waits and could not be counted.
func cleanQueue(w *workspace.Workspace, words purge.Words) error {
	root, err := w.OpenRoot()
	if err != nil {
		return err
	}
	return root.EditJobs(words.Clean)
}

// findWords says what the options name.
func findWords(ctx context.Context, p purge.Purger, w *workspace.Workspace, root *repo.Root, opts Options) (words purge.Words, err error) {
	if opts.Resume {
		words, found, err := p.ReadNote()
		if err == nil && !found {
			err = fmt.Errorf("no purge broke off: %w", ErrNothing)
		}
		return words, err
	}
	if opts.Pattern != nil {
		data, err := io.ReadAll(io.LimitReader(opts.Pattern, maxPattern))
		if err != nil {
			return words, fmt.Errorf("read standard input: %w", err)
		}
		for line := range strings.Lines(string(data)) {
			if line = strings.TrimSpace(line); line != "" {
				words.Texts = append(words.Texts, line)
			}
		}
	} else if words, err = findItem(ctx, p, w, root, opts.Item); err != nil {
		return words, err
	}
	if bad := words.Check(); len(bad) > 0 {
		err = fmt.Errorf("%d of the lines: %w", len(bad), ErrTooShort)
	} else if len(words.Texts) == 0 {
		err = ErrNothing
	}
	return words.Named(), err
}

// findItem returns the ids and wordings of a lesson, those that it had before too, and those of the lessons of which it
// was made: without it they would be there again.
func findItem(ctx context.Context, p purge.Purger, w *workspace.Workspace, root *repo.Root, id string) (words purge.Words, err error) {
	m, err := root.View(w.Now)
	if err != nil {
		return words, err
	}
	found := slices.Clone(m.Index.Undone)
	for i := range m.Index.Items {
		found = append(found, m.Index.Items[i].ID)
	}
	found = slices.DeleteFunc(found, func(name string) bool { return !strings.HasPrefix(name, id) })
	if len(found) != 1 || len(id) < 4 {
		return words, fmt.Errorf("%s: %w", guard.Line(id), ErrUnknown)
	}
	if pos := m.Index.ByID(found[0]); pos >= 0 {
		found = slices.Concat(found, m.Index.Items[pos].Was, m.Index.Items[pos].DerivedFrom)
	}
	texts, err := p.FindWordings(ctx, found...)
	if err != nil {
		return words, err
	}
	words.IDs, words.Texts = found, texts
	for _, text := range texts {
		words.IDs = append(words.IDs, index.BaseID(index.KeyOf(text)), index.BaseID(index.KeyOf(index.AddAvoid(text))))
	}
	words.IDs = slices.Compact(slices.Sorted(slices.Values(words.IDs)))
	return words, nil
}

// record takes the lesson out of the index and notes what was purged, after it committed what was edited by hand.
func record(ctx context.Context, w *workspace.Workspace, words purge.Words) error {
	_, err := w.Change(ctx, false, func(m *repo.Memory) (msg repo.Message, err error) {
		names := slices.DeleteFunc(slices.Clone(words.Names), m.Index.IsPurgedID)
		if len(names) == 0 {
			return msg, nil
		}
		msg.Subject = "purge: what must not come back"
		return msg, m.Decide(facts.Fact{Purged: names})
	})
	return err
}

// Describe says for people what was done.
func (r Result) Describe() string {
	if r.Status == "planned" {
		return fmt.Sprintf("would purge %s; the commits from the first that has it on would get new ids\n", render.Count(r.Found, "file or message", "files and messages"))
	}
	elsewhere := "What remotes, other"
	if r.Pushed != "" {
		elsewhere = "pushed to " + guard.Line(r.Pushed) + ", in place of what it had\nWhat other"
	}
	return fmt.Sprintf(`purged: %s written anew, %s changed; every object and file was searched, and nothing is left
%s clones, forks and backups have is still there. If it was a password, change it.
`, render.Count(r.Commits, "commit", "commits"), render.Count(r.Files, "file", "files"), elsewhere)
}
