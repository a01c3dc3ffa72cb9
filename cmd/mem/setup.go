package main

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"runtime/debug"
	"slices"

	"github.com/spf13/cobra"

	"mem/cmd/mem/console"
	"mem/guard"
	"mem/index"
	"mem/workspace"
)

// switchedOff is why a session is not queued after mem toggle.
const switchedOff = "hooks are switched off here; 'mem toggle' switches them on"

// thisSession stands for the session that mem runs in.
const thisSession = "this"

func newToggle(env Env, g *globals) *cobra.Command {
	var session string
	c := &cobra.Command{
		Use:   "toggle [on|off]",
		Short: "Switch the hooks off here, or on again",
		Long: `Switch what hooks do off, or on again: for this memory on this machine, or with
--session for one session alone. While they are off, sessions read no lessons and
nothing is put into the queue; the other commands work as ever.

To switch hooks off for good, or for all memories, set enabled = false in the
configuration: 'mem help config'.`,
		Example: `  mem toggle
  mem toggle off --session      the session of Claude Code that runs this`,
		Args: func(c *cobra.Command, args []string) error {
			if err := atMost(1)(c, args); err != nil || len(args) == 0 {
				return err
			}
			if args[0] != "on" && args[0] != "off" {
				return usagef("%q is neither on nor off; a session is named with --session=ID", args[0])
			}
			return nil
		},
		ValidArgs: []string{"on", "off"},
		RunE:      func(_ *cobra.Command, args []string) error { return runToggle(env, g, firstOf(args), session) },
	}
	c.Flags().StringVar(&session, "session", "", "the session with this `ID` alone; without =ID the one that mem runs in")
	c.Flags().Lookup("session").NoOptDefVal = thisSession
	return g.addChangeFlags(c, "say what would be switched and switch nothing")
}

// toggleResult is the JSON of mem toggle.
type toggleResult struct {
	Root    string `json:"root"`
	Session string `json:"session"` // "" for the whole memory
	On      bool   `json:"on"`
}

// runToggle switches to "on", "off" or, for "", the other one; for a session, or for all
// of them.
func runToggle(env Env, g *globals, to, session string) error {
	if session == thisSession {
		if session = env.Getenv("CLAUDE_CODE_SESSION_ID"); session == "" {
			return usagef("no session says that mem runs in it; name one with --session=ID")
		}
	}
	return withRoot(env, g, func(w *work) error {
		off := w.HooksOff()
		wasOff := session == "" && off.Root || session != "" && slices.Contains(off.Sessions, session)
		res := toggleResult{w.At.Root, session, to == "on" || to == "" && wasOff}
		off = off.WithSession(session, res.On)
		if !w.DryRun {
			if err := w.KeepHooksOff(off); err != nil {
				return err
			}
		}
		return w.printResult(res, func() { printToggle(w, res, off) })
	})
}

// printToggle says what was done to hooks, or would be, and why they do nothing all the same.
func printToggle(w *work, res toggleResult, off workspace.HooksOff) {
	would, state := map[bool]string{false: "are", true: "would be"}[w.DryRun], map[bool]string{false: "off", true: "on"}[res.On]
	what := "in " + w.ShowPath(w.At.Root)
	if res.Session != "" {
		what = "for session " + guard.Line(res.Session)
	}
	w.env.Printf("hooks %s %s %s\n", would, state, what)
	switch {
	case res.On && res.Session != "" && off.Root:
		w.env.Note("they are off for the whole memory; 'mem toggle on' switches them on")
	case res.On && !w.Config.Enabled:
		w.env.Note("the configuration says enabled = false, so that they do nothing all the same")
	}
}

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
	Root     string   `json:"root"`
	ID       string   `json:"id"`      // of the first commit; "" without a history
	Trusted  bool     `json:"trusted"` // now
	Lessons  int      `json:"lessons"`
	Pinned   int      `json:"pinned"`
	Orders   []string `json:"orders"`  // lessons that read like an order
	Files    []string `json:"files"`   // that sessions would read besides
	Journal  int      `json:"journal"` // days and months, of which sessions may be shown the latest
	Queued   int      `json:"queued"`
	Commit   string   `json:"commit"` // full hash; "" if nothing was changed
	Proposed int      `json:"rules"`  // that wait for review now
	Held     int      `json:"held"`   // lessons that no session is shown now
	Aside    int      `json:"setAside"`
	Remotes  []string `json:"remotes"` // of which an approval lets everything in
	Brought  []string `json:"brought"` // by git: lessons and files that no session is shown yet
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
			res.Commit, res.Proposed, res.Held, res.Aside = a.Commit, a.Rules, a.Held, a.Aside
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

// agree asks the person to vouch for the memory, and opens it.
func (w *work) agree(ctx context.Context, s workspace.Survey) error {
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

func newConfig(env Env, g *globals) *cobra.Command {
	return g.addJSONFlag(&cobra.Command{
		Use:   "config",
		Short: "Show the configuration and where each value is from",
		Long: `Show every key of the configuration, its value, and where the value was set.

A later source wins: built-in default, your own file (mem/config.toml in
$XDG_CONFIG_HOME or ~/.config), the memory's mem.toml, the variable MEM_<KEY>, a
flag. The memory's file may set only keys that cannot run or reach anything: it
may come from another person.`,
		Args: atMost(0),
		RunE: g.inWork(env, func(_ context.Context, w *work, _ []string) error {
			values, width := w.Config.Values(), 0
			for _, v := range values {
				width = max(width, len(v.Key)+len(v.Value)+3)
			}
			return w.printResult(values, func() {
				for _, v := range values {
					env.Printf("%-*s  # %s\n", width, v.Key+" = "+v.Value, v.Origin)
				}
			}, "value")
		}),
	})
}

func newVersion(env Env, g *globals) *cobra.Command {
	return g.addJSONFlag(&cobra.Command{
		Use:   "version",
		Short: "Show the build, and which memories it reads and writes",
		Long: `Show which build this is, with which Go it was made, and the format of
core/index.json that it reads and writes. A memory in a newer format is only read.
docs/versions.md says which build opens what.`,
		Args: atMost(0),
		RunE: func(*cobra.Command, []string) error {
			res := versionResult{Version: console.Version(), Writes: index.Version}
			if info, ok := debug.ReadBuildInfo(); ok {
				res.Go = info.GoVersion
			}
			for v := range index.Version {
				res.Reads = append(res.Reads, v+1)
			}
			if g.JSON {
				return printJSON(env, res)
			}
			env.Printf("mem      %s\ngo       %s\nmemory   writes format %d, reads 1 to %[3]d\n", res.Version, res.Go, res.Writes)
			return nil
		},
	})
}

// versionResult is the JSON of mem version.
type versionResult struct {
	Version string `json:"version"`      // of the module, or the commit
	Go      string `json:"go"`           // that the build was made with
	Writes  int    `json:"writesFormat"` // of core/index.json
	Reads   []int  `json:"readsFormats"` // oldest first
}
