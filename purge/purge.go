// Package purge removes words from a memory for good: from its files, the whole history in all refs and
// stashes, git's records of them, and mem's private files.
//
// It first records the task, and until that is done nothing else writes to the memory. It rewrites the history
// with git fast-export and git fast-import, and a filter between, in a copy that shares only objects to read.
// It searches the copy, moves its pack and cleans the files; one transaction moves the refs. Then git drops the
// old objects, and everything is searched again. An interrupted purge starts over, and finds less to do.
package purge

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"mem/facts"
	"mem/fault"
	"mem/guard"
	"mem/index"
	"mem/render"
	"mem/repo"
	"mem/repo/disk"
	"mem/repo/gitstore"
	"mem/workspace"
)

// Errors of a purge.
var (
	errLeft = fault.New(fault.Refused, "the words are still there",
		"look at what is named, and take the words out there; then run 'mem purge --continue'")
	ErrNothing  = fault.New(fault.Missing, "nothing to purge", "")
	errTooShort = fault.New(fault.Usage, "too short to be searched for", "give six letters or more: fewer stand in many other words too")
	errUnknown  = fault.New(fault.Missing, "nothing has this id", "'mem list --status all', 'mem rule', 'mem review' and 'mem log' show ids")
)

// Options say what is purged.
type Options struct {
	Item    string    // a lesson
	Pattern io.Reader // lines to search for; nil for none
	Resume  bool      // a purge that broke off
	Yes     bool      // do not ask
	DryRun  bool
	Push    bool // replace what the remote has
}

// A Result is the outcome of a purge.
type Result struct {
	Status  string `json:"status"`  // "purged", or "planned" in a dry run
	Items   int    `json:"items"`   // lessons that went
	Found   int    `json:"found"`   // objects of the history, files, and what waits in the queue, that held it
	Pushed  string `json:"pushed"`  // the remote whose history was replaced; "" for none
	Commits int    `json:"commits"` // that were written anew
	Files   int    `json:"files"`   // of the work tree and of mem's own that changed

	Words repo.Words `json:"-"`
}

// Run purges what the options name.
func Run(ctx context.Context, w *workspace.Workspace, root *repo.Root, opts Options) (Result, error) {
	words, err := findWords(ctx, w, root, opts)
	res := Result{Status: "planned", Items: min(1, len(words.IDs)), Words: words}
	if err == nil {
		res.Found, err = count(ctx, w, root, words)
	}
	if err != nil || opts.DryRun {
		return res, err
	}
	if res.Found == 0 && !opts.Resume { // record them: words that are not here must not arrive later
		return res, cmp.Or(record(ctx, w, words), ErrNothing)
	}
	if !opts.Yes && !opts.Resume { // it was answered before
		what := fmt.Sprintf("%s in %s", render.Count(res.Found, "file or message", "files and messages"), w.ShowPath(root.Path()))
		if err := w.Confirm(ctx, "Purge "+what+"? This cannot be undone.", "purge "+what); err != nil {
			return res, err
		}
	}
	done, err := Finish(ctx, w, words)
	res.Status, res.Commits, res.Files = "purged", done.Commits, done.Files
	return res, err
}

func findWords(ctx context.Context, w *workspace.Workspace, root *repo.Root, opts Options) (words repo.Words, err error) {
	switch {
	case opts.Resume:
		words, found, err := repo.ReadPurge(w.At.Root)
		if err == nil && !found {
			err = fmt.Errorf("no purge broke off: %w", ErrNothing)
		}
		return words, err
	case opts.Item != "":
		words, err = findItem(ctx, w, root, opts.Item)
	default:
		words, err = readPattern(opts.Pattern)
	}
	isLong := func(text string) bool { return len(strings.TrimSpace(text)) >= minWords && utf8.ValidString(text) }
	if bad := slices.DeleteFunc(slices.Clone(words.Texts), isLong); err == nil && len(bad) > 0 {
		err = fmt.Errorf("%d of the lines: %w", len(bad), errTooShort)
	} else if err == nil && len(words.Texts) == 0 {
		err = ErrNothing
	}
	return words, err
}

// readPattern reads words, one per line. The index gets names for them: these tell a clone whether it was told
// to purge the same words, but do not reveal them.
func readPattern(in io.Reader) (words repo.Words, err error) {
	data, err := io.ReadAll(io.LimitReader(in, 1<<16))
	if err != nil {
		return words, fmt.Errorf("read standard input: %w", err)
	}
	for line := range strings.Lines(string(data)) {
		if line = strings.TrimSpace(line); line != "" {
			sum := sha256.Sum256([]byte(norm.NFC.String(strings.ToLower(line))))
			words.Texts, words.Names = append(words.Texts, line), append(words.Names, fmt.Sprintf("%s%x", repo.WordsStart, sum[:6]))
		}
	}
	return words, nil
}

// findItem returns the ids and wordings of a lesson, including former ones, and those of the lessons merged
// into it: without them these would come back.
func findItem(ctx context.Context, w *workspace.Workspace, root *repo.Root, id string) (words repo.Words, err error) {
	m, err := root.View(w.Now)
	if err != nil {
		return words, err
	}
	found := slices.Clone(m.Index.Undone)
	for it := range m.Index.All() {
		found = append(found, it.ID)
	}
	found = slices.DeleteFunc(found, func(name string) bool { return !strings.HasPrefix(name, id) })
	if len(found) != 1 || len(id) < 4 {
		if _, isUnderWay, err := repo.ReadPurge(w.At.Root); err == nil && isUnderWay { // perhaps it took the lesson out already
			return words, fmt.Errorf("%w: a purge is not finished; 'mem purge --continue' finishes it", repo.ErrBusy)
		}
		return words, fmt.Errorf("%s: %w", guard.Line(id), errUnknown)
	}
	if pos := m.Index.ByID(found[0]); pos >= 0 {
		found = slices.Concat(found, m.Index.Items[pos].Was, m.Index.Items[pos].DerivedFrom)
	}
	words, err = root.FindWords(ctx, found)
	for _, text := range words.Texts {
		words.IDs = append(words.IDs, index.BaseID(index.KeyOf(text)), index.BaseID(index.KeyOf(index.AddAvoid(text))))
	}
	words.IDs = slices.Compact(slices.Sorted(slices.Values(words.IDs)))
	words.Names = words.IDs
	return words, err
}

// count returns how many objects, files and queued jobs have the words. If a fact would be unreadable without
// them, the error wraps repo.ErrNotPurged.
func count(ctx context.Context, w *workspace.Workspace, root *repo.Root, words repo.Words) (int, error) {
	c := newCleaner(words)
	places, err := c.search(ctx, git{root.Path(), ".git", w.Environ})
	err = cmp.Or(err, root.EditJobs(func(data []byte) []byte { // which wait outside the memory's folder
		if c.finds(data) {
			places = append(places, "a job")
		}
		return data
	}))
	return len(places), err
}

// Finish purges words, and those recorded before, no matter where an earlier purge stopped.
func Finish(ctx context.Context, w *workspace.Workspace, words repo.Words) (res Result, err error) {
	w.Purging = true // the note does not hold up the roots that are opened now
	defer func() { w.Purging, err = false, errors.Join(err, w.CloseRoots()) }()
	err = disk.InOrder(
		w.CloseRoots,
		func() error { return begin(ctx, w, &words) },
		func() error { return exclude(ctx, w, func(p *purger) error { return p.run(ctx, &words, &res) }) },
		w.CloseRoots,
		func() error { return record(ctx, w, words) }, // the index names the log that it is the fold of, too, which is another one now
		func() error { // all is done
			return exclude(ctx, w, func(p *purger) error {
				return errors.Join(p.d.Remove(gitstore.PurgePath), p.d.SyncDirs(gitstore.PrivateDir))
			})
		},
	)
	return res, err
}

// begin records the words and commits hand edits. It skips the commit if an interrupted purge may already have
// changed the files.
func begin(ctx context.Context, w *workspace.Workspace, words *repo.Words) (err error) {
	hasCommit := func(name string) bool { _, commit := repo.CutPurged(name); return commit != "" }
	for range 2 { // what git brought back is noted by the first
		if err = Announce(ctx, w, words); err == nil && !slices.ContainsFunc(words.Names, hasCommit) {
			err = record(ctx, w, *words)
		}
		if !errors.Is(err, repo.ErrReturned) {
			break
		}
	}
	return err
}

// record commits hand edits, removes the lesson from the index, and records the names of the purged words.
func record(ctx context.Context, w *workspace.Workspace, words repo.Words) error {
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
		return fmt.Sprintf("would purge it from %s of the history, each version counted; the commits from the first that has it on would get new ids\n",
			render.Count(r.Found, "file or message", "files and messages"))
	}
	elsewhere := "What remotes, other"
	if r.Pushed != "" {
		elsewhere = "pushed to " + guard.Line(r.Pushed) + ", in place of what it had\nWhat other"
	}
	return fmt.Sprintf(`purged: %s written anew, and of the files that are there now %s changed; every object and file was searched, and nothing is left
%s clones, forks and backups have is still there. If it was a password, change it.
`, render.Count(r.Commits, "commit", "commits"), render.Count(r.Files, "is", "are"), elsewhere)
}
