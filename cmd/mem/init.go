package main

import (
	"cmp"
	"context"
	"errors"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"mem/cmd/mem/console"
	"mem/config"
	"mem/render"
	"mem/repo"
	"mem/workspace"
	"mem/workspace/remote"
)

func newInit(env Env, g *globals) *cobra.Command {
	var global, move bool
	c := &cobra.Command{
		Use:   "init",
		Short: "Make a memory, or adopt one of pi-self-learning",
		Long: `Make a memory for this project in .mem, hidden from the project's own
repository. A memory that pi-self-learning left is adopted where it is, with what
pi's settings say of it as far as mem has that. If the memory that is there may
come from another person, it is shown first and you are asked, as by 'mem trust'.
On a terminal a new memory is offered what fills it: the past sessions of this
project, and hooks for the agents that they are of. Each is asked first, and once
which of the agents on the PATH may read sessions. Otherwise nothing is sent.
The project's remote is asked once whether it has a memory, which is offered first.
Running it again changes nothing. Where git can delete the folder with all that is in it,
as a submodule or a work tree of a bare repository, the memory lies where it outlives every work
tree, and all of them share it; one that is in such a folder is moved there with --move.`,
		Args: atMost(0),
		RunE: func(c *cobra.Command, _ []string) error { return runInit(c.Context(), env, g, global, move) },
	}
	c.Flags().BoolVar(&global, "global", false, "make your own memory for all projects, in ~/.mem")
	c.Flags().BoolVar(&move, "move", false, "move a memory that git can delete to where it lasts")
	c.Flags().BoolVarP(&g.Yes, "yes", "y", false, "vouch for a memory that may come from another person")
	return g.addChangeFlags(c, "say what would be made and make nothing")
}

// initResult is the JSON of mem init.
type initResult struct {
	Root    string `json:"root"`
	Status  string `json:"status"` // "created", "adopted", "exists"; with --dry-run what would be
	Lessons int    `json:"lessons"`
	Commit  string `json:"commit"`
	next

	fromPi bool // it has the settings of pi now
}

func runInit(ctx context.Context, env Env, g *globals, global, move bool) error {
	if global {
		if g.Root != "" {
			return usagef("--global and --root name two memories")
		}
		if env.Home() == "" {
			return errors.New("no home folder is known for --global")
		}
		g.Root = env.Person().GlobalRoot().Root
	}
	pi, err := workspace.FindPiSettings(makeWorld(env), g.Root)
	if err != nil {
		return err
	}
	return withOptions(env, g, workspace.Options{Config: pi.Keys}, func(w *work) error {
		workspace.TellUntaken(pi, env.Note)
		if err := w.offerMove(ctx, move); err != nil {
			return err
		}
		res := initResult{Root: w.At.Root, Status: w.describeRoot()}
		if err := w.CheckNew(); err != nil {
			return err
		}
		if w.DryRun || w.Untrusted() != nil {
			s, err := w.Survey(ctx, w.DryRun)
			switch {
			case w.DryRun && errors.Is(err, repo.ErrNoRoot): // it is only made
			case err != nil:
				return err
			case w.DryRun:
				res.Lessons = len(s.Index.Items)
			default:
				res.Status, err = "adopted", w.agree(ctx, s)
			}
			if w.DryRun {
				return w.printResult(res, func() { printInit(w, res) })
			} else if err != nil {
				return err
			}
		}
		if err := w.settleRoot(ctx, pi, &res); err != nil {
			return err
		}
		if err := w.offerBeside(ctx, res.Lessons == 0); err != nil {
			return err
		}
		res.next = w.findNext(ctx)
		if err := w.printResult(res, func() { printInit(w, res) }); err != nil {
			return err
		}
		if w.JSON || g.Root != "" || res.Status != "created" {
			return w.offerModel(ctx, nil)
		}
		err = w.offerStart(ctx, g)
		if err == nil {
			w.tellSearch(ctx)
		}
		return err
	})
}

// offerMove moves a memory that lies where git can delete it, if the person wants that.
func (w *work) offerMove(ctx context.Context, move bool) error {
	to := w.BetterPlace()
	if to == "" || w.DryRun {
		return nil
	}
	w.Note("%s", workspace.DescribeError(w.CheckPlace()))
	if !move {
		if !w.env.Interactive() {
			w.env.Hint("'mem init --move' moves it to %s, which outlives every work tree", w.ShowPath(to))
			return nil
		}
		if err := w.env.Confirm(ctx, "Move the memory to "+w.ShowPath(to)+"?", "moving the memory"); err != nil {
			return err
		}
	}
	if err := w.MoveRoot(ctx, to); err != nil {
		return err
	}
	w.Note("moved to %s", w.ShowPath(to))
	return nil
}

// offerBeside looks once whether the project's remote has a memory, and offers it where this
// one is empty. What is not taken is named from then on.
func (w *work) offerBeside(ctx context.Context, isEmpty bool) error {
	if !isEmpty || w.IsNamed || w.At.Root == w.Person().GlobalRoot().Root {
		return nil
	}
	found, err := remote.Look(ctx, w.Workspace)
	if err != nil || found.Beside == "" {
		return err
	}
	if !w.canAsk() {
		w.env.Hint("%s", found.Beside)
		return nil
	}
	synced, err := w.sync(ctx, remote.Options{})
	switch {
	case errors.Is(err, console.ErrDeclined):
		return nil
	case err == nil:
		w.env.Printf("%s", synced.Describe())
	}
	return err
}

// settleRoot makes the memory, or commits what was edited by hand in it.
func (w *work) settleRoot(ctx context.Context, pi config.FromPi, res *initResult) error {
	root, err := w.CreateRoot(ctx)
	if err != nil {
		return err
	}
	defer w.RememberFolders()
	commit, err := root.Settle(ctx, w.Now, func(m *repo.Memory) (repo.Message, error) {
		res.Lessons = len(m.Index.Items)
		report := m.Report
		if w.Adopted != nil {
			report = w.Adopted.Found.Report
		}
		if n := report.Dropped; n > 0 {
			w.Note("%s without a key or a text %s left out", render.Count(n, "record", "records"), render.Plural(n, "was", "were"))
		}
		if n := report.BadDates; n > 0 {
			w.Note("%s could not be understood and %s as now", render.Count(n, "date", "dates"), render.Plural(n, "counts", "count"))
		}
		if err := m.LookForEdits(); err != nil {
			return repo.Message{}, err
		}
		msg, err := workspace.KeepPiSettings(m, pi)
		res.fromPi = msg.Subject != ""
		return msg, err
	})
	if res.Commit = commit.ID; w.Adopted != nil {
		res.Commit = cmp.Or(commit.ID, w.Adopted.Commit)
	}
	return err
}

// describeRoot says what init finds: "exists" for a memory that mem made or adopted
// before, "adopted" for another one, "created" for none.
func (w *work) describeRoot() string {
	have := func(path string) bool {
		_, err := os.Stat(filepath.Join(w.At.Root, filepath.FromSlash(path)))
		return err == nil
	}
	switch old := have(repo.IndexPath) || have(render.CorePath) || have(render.LongTermPath); {
	case old && have(".git/mem"):
		return "exists"
	case old:
		return "adopted"
	}
	return "created"
}

func printInit(w *work, res initResult) {
	env, would, also := w.env, "", ""
	if w.DryRun {
		would = "would be "
	}
	switch {
	case res.fromPi:
		also = "; it has the settings of pi now"
	case res.Commit != "":
		also = "; what was edited by hand is committed"
	}
	switch res.Status {
	case "exists":
		env.Printf("memory in %s is there already%s\n", w.ShowPath(res.Root), also)
	case "adopted":
		env.Printf("memory in %s %sadopted with %s\n", w.ShowPath(res.Root), would, render.Count(res.Lessons, "lesson", "lessons"))
	default:
		env.Printf("memory %screated in %s\n", would, w.ShowPath(res.Root))
		if w.At.Why != "" && w.At.Root == w.At.ID {
			env.Printf("as     %s %s; there it outlives every work tree, and all share it\n", w.ShowPath(w.At.Project), w.At.Why)
		}
	}
	if res.Commit != "" {
		env.Printf("commit %.12s\n", res.Commit)
	}
}
