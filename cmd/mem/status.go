package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"mem/guard"
	"mem/index"
	"mem/render"
	"mem/workspace/inspect"
	"mem/workspace/oracles"
)

func newStatus(env Env, g *globals) *cobra.Command {
	session := ""
	c := g.addJSONFlag(&cobra.Command{
		Use:   "status",
		Short: "Show the state of the memory",
		Long: `Show what the memory and its queue hold, what a person changed and
the next command will commit, what is due, and who answers prompts. A month is due
when it is over and has no summary, or one of another journal; 'mem redistill' once
30 lessons are new since the last time.`,
		Args: atMost(0),
		RunE: g.inWork(env, func(_ context.Context, w *work, _ []string) error {
			s, err := w.readOverview()
			if err != nil {
				return err
			}
			s.SessionOff = s.Untrusted == "" && w.HooksOff().CoversSession(session)
			return w.printResult(s, func() { printStatus(w, s) })
		}),
	})
	c.Flags().StringVar(&session, "session", "", "say too whether hooks are switched off for the session with this `ID`")
	return c
}

func (w *work) readOverview() (inspect.Overview, error) {
	return inspect.ReadOverview(w.Workspace, w.oracleSetup(), w.claudeOptions(usualIngest))
}

func printStatus(w *work, s inspect.Overview) {
	env := w.env
	env.Printf("memory   %s\n", w.ShowPath(s.Root))
	more := ""
	if n := len(s.Folders); n > 0 {
		more = ", with " + render.Count(n, "more folder", "more folders") + ", which 'mem doctor' names"
	}
	env.Printf("project  %s%s\n", w.HomePath(s.Project), more)
	if s.Untrusted != "" {
		env.Printf("waits    %s\n", s.Untrusted)
		if s.Queued > 0 {
			env.Printf("queued   %s till then\n", render.Count(s.Queued, "entry waits", "entries wait"))
		}
		return
	}
	env.Printf("lessons  %d: %s, %s", s.Lessons, render.Count(s.Learnings, "learning", "learnings"), render.Count(s.WatchOuts, "watch-out", "watch-outs"))
	for _, status := range []index.Status{index.Quarantined, index.Superseded, index.Retired, index.Compiled} {
		if n := s.Others[string(status)]; n > 0 {
			env.Printf("; %d %s", n, status)
		}
	}
	if !s.UpdatedAt.IsZero() {
		env.Printf("\nchanged  %s", formatMinute(s.UpdatedAt))
	}
	env.Printf("\ncommit   %s\n", guard.Line(cmp.Or(s.LastSubject, "none yet")))
	printAsked(env, s.Models)
	var l inspect.Lines
	l.AddIf(s.Spent != oracles.Spent{}, "spent", "%s", s.Spent)
	l.AddIf(!s.Enabled, "off", "hooks do nothing (enabled = false)")
	l.AddIf(s.Off, "off", "%s", switchedOff)
	l.AddIf(s.SessionOff && !s.Off, "off", "hooks are switched off for this session; 'mem toggle --session' switches them on")
	l.AddIf(s.ReadOnly, "newer", "a newer version of mem wrote this memory; this one only reads it")
	l.AddJobs(s.Queued)
	l.AddQueue(s.Sessions)
	l.AddIf(!s.Worked.IsZero(), "worked", "the worker last finished a session at %s", formatMinute(s.Worked))
	l.AddIf(s.Blocked != "", "blocked", "%s", s.Blocked)
	l.AddIf(s.Unsynced.Reason != "", "unsynced", "%s (%s); 'mem sync' says more", s.Unsynced.Reason, formatMinute(s.Unsynced.At))
	l.AddIf(!s.Sent.IsZero(), "sync", "last sent to %s on %s", s.Remote, formatMinute(s.Sent))
	l.AddIf(s.Sent.IsZero() && s.Remote != "", "sync", "nothing was ever sent to %s", s.Remote)
	l.AddIf(s.Beside != "", "beside", "%s", s.Beside)
	l.AddEdits(slices.DeleteFunc(slices.Clone(s.Edited), func(path string) bool { return slices.Contains(s.Held, path) }))
	l.AddIf(len(s.Held) > 0, "held", "by hand, with what looks like a secret, so that no command commits it: %s", guard.Line(strings.Join(s.Held, ", ")))
	silos := uningested(s.Uningested, s.Projects)
	if s.Uningested >= manyUningested {
		silos += "; 'mem ingest claude' looks at them"
	}
	l.AddIf(s.Uningested > 0, "silos", "%s", silos)
	for _, d := range s.Due {
		l.AddIf(true, "due", "%s", d)
	}
	l.AddIf(s.Stale != "", "stale", "%s is not what the configuration asks for; the next command that writes renders it", s.Stale)
	l.AddRules(s)
	l.AddIf(s.Packed.Describe() != "", "packed", "%s", s.Packed.Describe())
	for _, h := range s.Hooks {
		l.AddIf(true, "hooks", "%s", h.Describe())
	}
	l.AddIf(s.LastAuto != "", "hook", "%s (%s)", s.LastAuto, formatMinute(s.LastAutoAt))
	l.Write(env.Out)
}

// manyUningested is from how many memories on the line says what to do.
const manyUningested = 10

// uningested says how much there is to import.
func uningested(memories, silos int) string {
	return fmt.Sprintf("%s across %s", render.Count(memories, "un-ingested memory", "un-ingested memories"), render.Count(silos, "silo", "silos"))
}
