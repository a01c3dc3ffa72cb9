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
	c := newCommand("toggle", func(c *cobra.Command, args []string) error {
		if err := atMost(1)(c, args); err != nil || len(args) == 0 {
			return err
		}
		if args[0] != "on" && args[0] != "off" {
			return usagef("%q is neither on nor off; a session is named with --session=ID", args[0])
		}
		return nil
	}, func(_ *cobra.Command, args []string) error { return runToggle(env, g, firstOf(args), session) })
	c.ValidArgs = []string{"on", "off"}
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
	c := newCommand("trust", atMost(0), g.inWork(env, runTrust))
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
	return g.addJSONFlag(newCommand("config", atMost(0), g.inWork(env, func(_ context.Context, w *work, _ []string) error {
		values, width := w.Config.Values(), 0
		for _, v := range values {
			width = max(width, len(v.Key)+len(v.Value)+3)
		}
		return w.printResult(values, func() {
			for _, v := range values {
				env.Printf("%-*s  # %s\n", width, v.Key+" = "+v.Value, v.Origin)
			}
		}, "value")
	})))
}

func newVersion(env Env, g *globals) *cobra.Command {
	return g.addJSONFlag(newCommand("version", atMost(0), func(*cobra.Command, []string) error {
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
	}))
}

// versionResult is the JSON of mem version.
type versionResult struct {
	Version string `json:"version"`      // of the module, or the commit
	Go      string `json:"go"`           // that the build was made with
	Writes  int    `json:"writesFormat"` // of core/index.json
	Reads   []int  `json:"readsFormats"` // oldest first
}
