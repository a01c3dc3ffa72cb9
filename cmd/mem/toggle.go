package main

import (
	"slices"

	"github.com/spf13/cobra"

	"mem/guard"
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
