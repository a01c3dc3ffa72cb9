package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/spf13/cobra"

	"mem/guard"
	"mem/repo/survey"
)

func newTrust(env Env, g *globals) *cobra.Command {
	c := &cobra.Command{
		Use:   "trust",
		Short: "Look at a memory that is not known to be yours, and vouch for it",
		Long: `Show what is in a memory that may come from another person, as one in a
clone or an archive may, and ask whether you vouch for it. Until you do, no
session is shown a word of it, no command changes it, and what is learned
is queued.

Once you say yes, the memory is yours on this account, wherever you move it.
One that has no history of its own is taken in as an import: nothing of it is
pinned or counts as proven, what reads like an order is held, and its rules wait
in 'mem review'. One with a history, as on your second machine, keeps its
decisions; only what reads like an order is held.

Of a memory that is yours, it shows what git brought from elsewhere: commands and
sessions read the memory without it until you say yes. Your yes also covers what the
remotes that it names bring from then on, by 'mem sync' or by git. 'mem review'
decides about single lessons.

For containers and CI, MEM_TRUST=ID, or trust = ["ID"] in your own configuration,
says yes to the memory with this id. A memory of another user needs its path
there.`,
		Args: atMost(0),
		RunE: g.inWork(env, runTrust),
	}
	c.Flags().BoolVarP(&g.Yes, "yes", "y", false, "vouch for it without being asked")
	return g.addChangeFlags(c, "only show what it holds")
}

// trustResult is the JSON of mem trust.
type trustResult struct {
	Root    string   `json:"root"`
	ID      string   `json:"id"`      // of the first commit; "" without a history
	Trusted bool     `json:"trusted"` // now
	Lessons int      `json:"lessons"`
	Pinned  int      `json:"pinned"`
	Orders  []string `json:"orders"`  // lessons that read like an order
	Files   []string `json:"files"`   // that sessions would read besides
	Journal int      `json:"journal"` // days and months, of which sessions may be shown the latest
	Queued  int      `json:"queued"`
	Commit  string   `json:"commit"` // full hash; "" if nothing was changed
	Held    int      `json:"held"`   // lessons that no session is shown now
	Aside   int      `json:"setAside"`
	Remotes []string `json:"remotes"` // of which an approval lets everything in
	Brought []string `json:"brought"` // by git: lessons and files that no session is shown yet
}

func runTrust(ctx context.Context, w *work, _ []string) (err error) {
	defer w.HoldCounts()(&err)
	s, err := w.Survey(ctx, w.DryRun)
	if err != nil {
		return err
	}
	orders, _, pinned := s.SortLessons()
	res := trustResult{
		Root: w.At.Root, ID: s.ID, Trusted: w.Untrusted() == nil, Lessons: len(s.Index.Items), Pinned: pinned, Queued: s.Queued,
		Journal: s.Journal, Orders: orders, Files: slices.Sorted(maps.Keys(s.Texts)), Remotes: slices.Sorted(maps.Keys(s.Remotes)), Brought: s.Brought,
	}
	asks := !res.Trusted || len(s.Brought) > 0 || w.Yes && len(s.Remotes) > 0
	listed := !w.JSON && (w.DryRun || w.Yes && asks)
	if err := w.env.RequirePerson(!asks); err != nil { // nor is it handed what git brought
		return fmt.Errorf("%w: %w", err, cmp.Or(w.Untrusted(), errBrought))
	}
	if asks && !w.DryRun {
		if err := w.agree(ctx, s); err != nil {
			return err
		}
		if a := w.Adopted; a != nil {
			res.Commit, res.Held, res.Aside = a.Commit, a.Held, a.Aside
		}
		res.Trusted = true
	}
	if listed {
		w.env.Printf("%s", s.Describe(w.At.Root))
	}
	switch {
	case w.JSON:
		return printJSON(w.env, res)
	case !res.Trusted:
		return nil
	case listed:
		w.env.Printf("\n")
	}
	w.env.Printf("%s is yours\n", guard.Line(w.ShowPath(w.At.Root)))
	if res.Commit != "" {
		w.env.Printf("commit %.12s\n", res.Commit)
	}
	return nil
}

var errBrought = errors.New("git brought what you did not accept")

// agree asks the person to vouch for the memory, and opens it.
func (w *work) agree(ctx context.Context, s survey.Survey) error {
	doubt := cmp.Or(w.Untrusted(), errBrought)
	if err := w.env.RequirePerson(false); err != nil {
		return fmt.Errorf("%w: %w", err, doubt)
	}
	if !w.Yes {
		if w.env.Interactive() {
			fmt.Fprintf(w.env.Err, "%s\n", s.Describe(w.At.Root)) // the question, not the result
		}
		if err := w.env.Confirm(ctx, "Vouch for it?", doubt.Error()); err != nil {
			return err
		}
	}
	return w.Trust(ctx, s)
}
