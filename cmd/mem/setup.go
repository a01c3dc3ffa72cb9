package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"mem/agent/install"
	"mem/cmd/mem/console"
	"mem/fault"
	"mem/guard"
	"mem/index"
	"mem/project"
	"mem/workspace"
	"mem/workspace/remote"
)

// thisSession stands for the session that mem runs in.
const thisSession = "this"

func newToggle(env Env, g *globals) *cobra.Command {
	var session string
	c := newCommand("toggle", func(c *cobra.Command, args []string) error {
		if err := atMost(1)(c, args); err != nil || len(args) == 0 {
			return err
		}
		if args[0] != "on" && args[0] != "off" {
			return fault.Usagef("%q is neither on nor off; a session is named with --session=ID", args[0])
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
			return fault.Usagef("no session says that mem runs in it; name one with --session=ID")
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

// printToggle says how hooks were switched, or would be, and what else keeps them off.
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
	Remotes  []string `json:"remotes"` // remotes whose whole content an approval accepts
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

var errBrought = errors.New("git brought what you did not accept")

// agree asks the person to vouch for the memory, and opens it.
func (w *work) agree(ctx context.Context, s workspace.Survey) error {
	doubt := cmp.Or(w.Untrusted(), errBrought)
	if err := w.env.RequirePerson(false); err != nil {
		return fmt.Errorf("%w: %w", err, doubt)
	}
	if !w.Yes {
		if w.env.Interactive() {
			w.env.Show(w.env.Err, s.Describe(w.At.Root)+"\n") // the question, not the result
		}
		if err := w.env.Confirm(ctx, "Vouch for it?", doubt.Error()); err != nil {
			return err
		}
	}
	return w.Trust(ctx, s)
}

func newVersion(env Env, g *globals) *cobra.Command {
	var look bool
	c := newCommand("version", atMost(1), func(c *cobra.Command, args []string) (err error) {
		res := versionResult{Version: console.Version(), Writes: index.Version}
		info, ok := debug.ReadBuildInfo()
		if ok {
			res.Go = info.GoVersion
		}
		if look {
			res.Newest, err = lookUp(c.Context(), env, append(args, "https://"+info.Main.Path)[0])
		} else if len(args) > 0 {
			err = fault.New(fault.Usage, "an address is for --look", "")
		}
		if err != nil {
			return err
		}
		if g.JSON {
			return printJSON(env, res)
		}
		env.Printf("mem      %s\ngo       %s\nmemory   writes format %d, reads 1 to %[3]d\n", res.Version, res.Go, res.Writes)
		if look {
			env.Printf("newest   %s\n", cmp.Or(res.Newest, "none is published"))
		}
		return nil
	})
	c.Flags().BoolVar(&look, "look", false, "look up the newest version")
	return g.addJSONFlag(c)
}

// lookUp asks a repository for its newest version, and notes it for the page and the doctor.
func lookUp(ctx context.Context, env Env, address string) (newest string, err error) {
	if host := strings.TrimPrefix(address, "https://"); host != address && !strings.Contains(host, ".") {
		return "", fault.New(fault.Usage, "this build does not say where mem lives", "'mem version --look ADDRESS' asks the repository at an address")
	}
	if newest, err = remote.FindNewest(ctx, env.World, address); err == nil && newest != "" {
		err = env.NoteNewest(newest)
	}
	return newest, err
}

// versionResult is the JSON of mem version.
type versionResult struct {
	Version string `json:"version"`         // of the module, or the commit
	Go      string `json:"go"`              // that the build was made with
	Writes  int    `json:"writesFormat"`    // of core/index.json; it reads this one and those before
	Newest  string `json:"newest,omitzero"` // that is published; only with --look
}

type installOptions struct {
	Agent          string
	Remove, Global bool
}

func newHookSettings(env Env, g *globals, name string, opts installOptions) *cobra.Command {
	agents := install.AgentNames()
	c := newCommand(name, func(c *cobra.Command, args []string) error {
		if len(args) != 1 {
			return fault.Usagef("%s takes one of %s", c.CommandPath(), strings.Join(agents, ", "))
		}
		if !slices.Contains(agents, args[0]) {
			return fault.Usagef("no agent is called %q; %s", args[0], suggest(args[0], "there are "+strings.Join(agents, ", "), agents))
		}
		return nil
	}, func(c *cobra.Command, args []string) error {
		opts.Agent = args[0]
		if err := runHookSettings(c.Context(), env, g, opts); err != nil || opts.Remove {
			return err
		}
		return withWork(env, g, func(w *work) error { return w.offerModel(c.Context(), nil, opts.Agent) })
	})
	c.ValidArgs = agents
	c.Flags().BoolVar(&opts.Global, "global", false, "in your own settings, for all projects")
	c.Flags().BoolVarP(&g.DryRun, "dry-run", "n", false, "print what would change and change nothing")
	g.addYesFlag(c, "do not ask")
	return c
}

func runHookSettings(ctx context.Context, env Env, g *globals, opts installOptions) error {
	at, err := workspace.LocateRoot(makeWorld(env), g.Root)
	if err != nil && !opts.Global {
		return err
	}
	place := install.Place{Global: opts.Global, Project: at.Project, Dir: env.Dir, Home: env.Home(), Getenv: env.Getenv}
	if code, ok := project.Find(at.Project); ok {
		if _, err := os.Stat(code.GitDir); err == nil { // else the repository of this work tree would be made anew
			place.Exclude = filepath.Join(code.GitDir, "info", "exclude")
		}
	}
	if code, _ := project.Find(env.Dir); code.Tree != code.Top && !opts.Global && !opts.Remove {
		env.Note("agents in the linked work tree %s read settings of its own; these are of %s, and --global is for both", code.Tree, place.Project)
	}
	if file := install.FindPlugin(opts.Agent, place); file != "" && !opts.Remove {
		env.Printf("the plugin of Claude Code brings the hooks, and is switched on in %s: nothing to install\n", file)
		return nil
	}
	changes, err := planHookSettings(env, opts, place)
	if file, setting := install.FindOff(opts.Agent, place); err == nil && setting != "" && !opts.Remove {
		env.Note("the hooks of %s are switched off: %s says %s", opts.Agent, file, guard.Line(setting))
	}
	switch {
	case err != nil:
		return err
	case len(changes) == 0:
		said := map[bool]string{true: "nothing of mem is in the settings of %s\n", false: "everything is in the settings of %s already\n"}[opts.Remove]
		env.Printf(said, opts.Agent)
		return nil
	case g.DryRun:
		env.Show(env.Out, diffEdits(changes))
		return nil
	}
	if err := confirmEdits(ctx, env, g.Yes, changes); err != nil {
		return err
	}
	for _, e := range changes {
		if err := e.Write(env.Files); err != nil {
			return err
		}
	}
	if opts.Remove {
		env.Printf("uninstalled from %s\n", install.NamePaths(changes, makeWorld(env).ShowPath))
		return nil
	}
	env.Printf("installed in %s\n", install.NamePaths(changes, makeWorld(env).ShowPath))
	if hint := install.TrustHint(opts.Agent, place, changes); hint != "" {
		env.Hint("%s", hint)
	}
	noteMissing(env, opts, place, at.Exists)
	return nil
}

// planHookSettings returns the edits that change something.
func planHookSettings(env Env, opts installOptions, place install.Place) (changes []install.Edit, err error) {
	edits, err := install.PlanAgent(opts.Agent, place, opts.Remove)
	for _, e := range edits {
		if e.Left != nil {
			env.Note("notify is left alone, the hooks do without it: %s", workspace.DescribeError(e.Left))
		}
		if e.IsChange() {
			changes = append(changes, e)
		}
	}
	return changes, err
}

// confirmEdits asks whether the changes may be made, and shows them on request; with --yes it only shows them.
func confirmEdits(ctx context.Context, env Env, yes bool, changes []install.Edit) error {
	if yes {
		env.Show(env.Out, diffEdits(changes))
		return nil
	}
	names := install.NamePaths(changes, makeWorld(env).ShowPath)
	return env.ConfirmFree(ctx, "Change "+names+"?", "changing "+names, diffEdits(changes))
}

// diffEdits shows what changes. Settings may hold secrets, and a project may come
// from another person.
func diffEdits(edits []install.Edit) string {
	var b strings.Builder
	for _, e := range edits {
		b.WriteString(guard.Scrub(string(e.Diff())))
	}
	return b.String()
}

// noteMissing tells what else is needed before hooks do anything.
func noteMissing(env Env, opts installOptions, place install.Place, memory bool) {
	if _, err := exec.LookPath("mem"); err != nil {
		env.Note("the hooks run 'mem', which is not on the PATH")
	}
	if opts.Global {
		return
	}
	if place.Global = true; install.IsInstalled(opts.Agent, place) {
		env.Note("they are in your own settings as well, for all projects; once is enough")
	}
	if !memory {
		env.Hint("there is no memory here yet: run 'mem init'")
	}
}
