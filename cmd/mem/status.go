package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"mem/curate"
	"mem/guard"
	"mem/index"
	"mem/render"
	"mem/workspace/oracles"
	"mem/workspace/overview"
)

func newStatus(env Env, g *globals) *cobra.Command {
	session := ""
	c := g.addJSONFlag(&cobra.Command{
		Use:   "status",
		Short: "Show the state of the memory",
		Long: `Show what the memory holds, what waits in its queue, what a person changed and
the next command will commit, what is due, and who answers prompts. A month is due
when it is over and has no summary, or one of another journal; 'mem redistill' once
30 lessons are new since the last time.`,
		Args: atMost(0),
		RunE: g.inWork(env, func(_ context.Context, w *work, _ []string) error { return runStatus(w, session) }),
	})
	c.Flags().StringVar(&session, "session", "", "say too whether hooks are switched off for the session with this `ID`")
	return c
}

func runStatus(w *work, session string) error {
	s, err := w.readOverview()
	if err != nil {
		return err
	}
	s.SessionOff = s.Untrusted == "" && w.HooksOff().CoversSession(session)
	return w.printResult(s, func() { printStatus(w, s) })
}

func (w *work) readOverview() (overview.Overview, error) {
	return overview.Read(w.Workspace, w.oracleSetup(), w.claudeOptions(ingestOptions{Settle: ingestSettle}))
}

func printStatus(w *work, s overview.Overview) {
	env := w.env
	env.Printf("memory   %s\n", w.ShowPath(s.Root))
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
	env.Printf("\nchanged  %s\n", formatMinute(s.UpdatedAt))
	env.Printf("commit   %s\n", guard.Line(cmp.Or(s.LastSubject, "none yet")))
	printAsked(env, s.Models)
	var l statusLines
	l.addIf(s.Spent != oracles.Spent{}, "spent", "%s", s.Spent)
	l.addIf(!s.Enabled, "off", "hooks do nothing (enabled = false)")
	l.addIf(s.Off, "off", "%s", switchedOff)
	l.addIf(s.SessionOff && !s.Off, "off", "hooks are switched off for this session; 'mem toggle --session' switches them on")
	l.addIf(s.ReadOnly, "newer", "a newer version of mem wrote this memory; this one only reads it")
	l.addJobs(s.Queued)
	l = append(l, queueLines(s.Sessions)...)
	l.addIf(!s.Worked.IsZero(), "worked", "the worker last finished a session at %s", formatMinute(s.Worked))
	l.addIf(s.Blocked != "", "blocked", "%s", s.Blocked)
	l.addEdits(slices.DeleteFunc(slices.Clone(s.Edited), func(path string) bool { return slices.Contains(s.Held, path) }))
	l.addIf(len(s.Held) > 0, "held", "by hand, with what looks like a secret, so that no command commits it: %s", guard.Line(strings.Join(s.Held, ", ")))
	silos := uningested(s.Uningested, s.Projects)
	if s.Uningested >= manyUningested {
		silos += "; 'mem ingest claude' looks at them"
	}
	l.addIf(s.Uningested > 0, "silos", "%s", silos)
	for _, d := range s.Due {
		l.addIf(true, "due", "%s", d)
	}
	l.addIf(s.Stale != "", "stale", "%s is not what the configuration asks for; the next command that writes renders it", s.Stale)
	l.addRules(s)
	l.addIf(s.Packed.Describe() != "", "packed", "%s", s.Packed.Describe())
	for _, h := range s.Hooks {
		l.addIf(true, "hooks", "%s", h.Describe())
	}
	l.addIf(s.LastAuto != "", "hook", "%s (%s)", s.LastAuto, formatMinute(s.LastAutoAt))
	l.print(env)
}

// statusLines are lines with a label.
type statusLines [][2]string

func (l *statusLines) addIf(add bool, label, format string, args ...any) {
	if add {
		*l = append(*l, [2]string{label, fmt.Sprintf(format, args...)})
	}
}

// addJobs adds how much was learned that could not be committed yet.
func (l *statusLines) addJobs(n int) {
	l.addIf(n > 0, "queued", "%s for the next command that writes", render.Count(n, "reflection waits", "reflections wait"))
}

func (l statusLines) print(env Env) {
	for _, line := range l {
		env.Printf("%-8s %s\n", line[0], guard.Line(line[1]))
	}
}

// addEdits adds the files that a person changed. Those of the journal wait for
// mem init: looking at all of it would make each command slower than the one
// before.
func (l *statusLines) addEdits(paths []string) {
	var journal, others []string
	for _, path := range paths {
		if strings.HasPrefix(path, "daily/") || strings.HasPrefix(path, "monthly/") {
			journal = append(journal, guard.Line(path))
		} else {
			others = append(others, guard.Line(path))
		}
	}
	l.addIf(len(others) > 0, "edited", "by hand; the next command that writes commits it: %s", strings.Join(others, ", "))
	l.addIf(len(journal) > 0, "edited", "by hand; 'mem init' commits it: %s", strings.Join(journal, ", "))
}

// addRules adds what there is to do about rules, and what else waits for approval.
func (l *statusLines) addRules(s overview.Overview) {
	l.addIf(s.Proposals > 0, "review", "Pending rule proposals: %d; 'mem review' shows them", s.Proposals)
	l.addIf(s.Feedback > 0, "review", "%s for your approval; 'mem review' shows %s",
		render.Count(s.Feedback, "memory of another tool waits", "memories of other tools wait"), render.Plural(s.Feedback, "it", "them"))
	for _, r := range s.Recurred {
		l.addIf(true, "recurred", "rule %s: recurred %s since it was written (%s)", r.Rule, render.Count(r.Times, "time", "times"), r.Where)
	}
	for _, name := range s.Removed {
		l.addIf(true, "rules", curate.RuleRemoved, name)
	}
	l.addIf(s.Rules > curate.ManyRules, "rules", "%d rules are more than a session heeds: about %d is the aim; put together those that belong together", s.Rules, curate.ManyRules)
}

// manyUningested is from how many memories on the line says what to do.
const manyUningested = 10

// uningested says how much there is to import.
func uningested(memories, silos int) string {
	return fmt.Sprintf("%s across %s", render.Count(memories, "un-ingested memory", "un-ingested memories"), render.Count(silos, "silo", "silos"))
}
