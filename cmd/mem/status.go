package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"mem/curate"
	"mem/curate/claude"
	"mem/curate/claude/imported"
	"mem/guard"
	"mem/index"
	"mem/reflect"
	"mem/reflect/queue"
	"mem/render"
	"mem/repo"
	"mem/workspace/oracles"
)

func newStatus(env Env, g *globals) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "status",
		Short: "Show the state of the memory",
		Long: `Show what the memory holds, what waits in its queue, what a person changed and
the next command will commit, what is due, and who answers prompts.`,
		Args: atMost(0),
		RunE: func(c *cobra.Command, _ []string) error { return runStatus(c.Context(), env, g, asJSON) },
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return c
}

// statusResult is the JSON of mem status.
type statusResult struct {
	Root        string              `json:"root"`
	Enabled     bool                `json:"enabled"`
	Off         bool                `json:"switchedOff"` // by mem toggle
	Mode        string              `json:"mode"`
	Lessons     int                 `json:"lessons"` // active ones
	Learnings   int                 `json:"learnings"`
	WatchOuts   int                 `json:"watchOuts"`
	Others      map[string]int      `json:"others"` // by status
	UpdatedAt   time.Time           `json:"updatedAt"`
	Queued      int                 `json:"queued"`                   // reflections that are to be committed
	Sessions    []waitingResult     `json:"sessions"`                 // that are to be read, and why some were not
	Worked      time.Time           `json:"lastWorkedAt,omitzero"`    // when one was last read from the queue
	Blocked     string              `json:"blocked"`                  // why nothing can be committed now
	Edited      []string            `json:"edited"`                   // files that the next command commits as hand edits
	Uningested  int                 `json:"uningested,omitzero"`      // memories of Claude Code that were not taken over
	Silos       int                 `json:"uningestedSilos,omitzero"` // that they are in
	Due         []string            `json:"due"`
	Proposals   int                 `json:"proposals"` // rules that wait for a person
	Feedback    int                 `json:"feedback"`  // memories of other tools that wait for one
	Rules       int                 `json:"rules"`     // that sessions read
	Recurred    []recurResult       `json:"recurred"`  // rules that were not kept, the worst first
	Oracles     []string            `json:"oracles"`   // in the order in which they are asked
	Models      []oracles.Candidate `json:"models"`    // all that are configured, and why some are not asked
	Spent       spentResult         `json:"spentToday"`
	LastAuto    string              `json:"lastAuto"`
	LastAutoAt  time.Time           `json:"lastAutoAt,omitzero"`
	ReadOnly    bool                `json:"readOnly"` // written by a newer version
	LastSubject string              `json:"lastCommit"`
}

// recurResult is a rule whose lesson came up again, as JSON.
type recurResult struct {
	Rule  string `json:"rule"`
	Where string `json:"where"`
	Times int    `json:"times"` // since it was written
}

func runStatus(_ context.Context, env Env, g *globals, asJSON bool) (err error) {
	w, root, err := g.open(env)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.LeaveRoots()) }()
	res, err := w.status(root)
	if err != nil {
		return err
	}
	if asJSON {
		return printJSON(env, res)
	}
	printStatus(w, res)
	return nil
}

func (w *work) status(root *repo.Root) (statusResult, error) {
	res := statusResult{
		Root: w.At.Root, Enabled: w.Config.Enabled, Off: w.HooksOff().Root, Mode: string(w.Config.Mode),
		Others: map[string]int{}, Edited: []string{}, Due: []string{}, Oracles: []string{},
		Recurred: []recurResult{},
	}
	m, err := root.View(w.Now)
	if err != nil {
		return res, err
	}
	if err := m.LookAtJournal(); err != nil {
		return res, err
	}
	for i := range m.Index.Items {
		switch it := &m.Index.Items[i]; {
		case it.Status != index.Active:
			res.Others[string(it.Status)]++
		case it.Kind == index.Learning:
			res.Learnings++
		default:
			res.WatchOuts++
		}
	}
	res.Lessons, res.UpdatedAt, res.ReadOnly = res.Learnings+res.WatchOuts, m.Index.UpdatedAt, m.Index.ReadOnly()
	res.Edited = append(res.Edited, m.Edited()...)
	jobs, err := root.Queue()
	if err != nil {
		return res, err
	}
	res.Queued = len(jobs)
	if res.Sessions, err = waiting(root); err != nil {
		return res, err
	}
	res.Worked = queue.ReadWork(root).Done
	if busy := root.State(); busy != nil {
		res.Blocked = oneLine(busy.Error())
	}
	if err := res.addDue(m); err != nil {
		return res, err
	}
	if res.Uningested, res.Silos, err = claude.CountMemories(m, w.claudeOptions(ingestOptions{})); err != nil {
		w.env.Note("the memories of Claude Code were not counted: %s", errorText(err))
	}
	if err := res.addRules(m); err != nil {
		return res, err
	}
	res.Models, res.Spent = w.oracles().ListCandidates(), w.spending()
	for _, c := range res.Models {
		if c.State != oracles.Skipped {
			res.Oracles = append(res.Oracles, c.Name)
		}
	}
	last := w.LastHookOutcome()
	res.LastAuto, res.LastAutoAt = last.Outcome, last.At
	return res, root.History(func(rev repo.Revision) bool {
		res.LastSubject = rev.ID[:12] + " " + guard.Scrub(rev.Subject)
		return false
	})
}

// addRules adds what there is to say about rules, and what else waits for a yes.
func (res *statusResult) addRules(m *repo.Memory) error {
	s := curate.SummarizeRules(m)
	res.Proposals, res.Rules = s.Pending, s.Rules
	feedback, _, err := imported.Queue{}.ListPending(m)
	if err != nil {
		return err
	}
	res.Feedback = len(feedback)
	for _, r := range s.Recurred {
		res.Recurred = append(res.Recurred, recurResult{guard.Line(r.Rule), guard.Line(r.Where), r.Times})
	}
	return nil
}

// addDue adds the commands that summarise the months that are over.
func (res *statusResult) addDue(m *repo.Memory) error {
	months, err := reflect.DueMonths(m)
	for _, month := range months {
		res.Due = append(res.Due, "mem month "+month)
	}
	return err
}

func printStatus(w *work, res statusResult) {
	env := w.env
	env.Printf("memory   %s\n", w.ShowPath(res.Root))
	env.Printf("lessons  %d: %d %s, %d %s", res.Lessons, res.Learnings, render.Plural(res.Learnings, "learning", "learnings"),
		res.WatchOuts, render.Plural(res.WatchOuts, "watch-out", "watch-outs"))
	for _, s := range []index.Status{index.Quarantined, index.Superseded, index.Retired, index.Compiled} {
		if n := res.Others[string(s)]; n > 0 {
			env.Printf("; %d %s", n, s)
		}
	}
	env.Printf("\nchanged  %s\n", formatMinute(res.UpdatedAt))
	env.Printf("commit   %s\n", cmp.Or(res.LastSubject, "none yet"))
	printAsked(w, res.Models)
	line := func(label, format string, args ...any) { env.Printf("%-8s %s\n", label, fmt.Sprintf(format, args...)) }
	if res.Spent.any() {
		line("spent", "%s", res.Spent)
	}
	if !res.Enabled {
		line("off", "hooks do nothing (enabled = false)")
	}
	if res.Off {
		line("off", "%s", switchedOff)
	}
	if res.ReadOnly {
		line("newer", "a newer version of mem wrote this memory; this one only reads it")
	}
	if res.Queued > 0 {
		line("queued", "%s for the next command that writes", render.Count(res.Queued, "reflection waits", "reflections wait"))
	}
	for _, l := range queueLines(res.Sessions) {
		line(l[0], "%s", l[1])
	}
	if !res.Worked.IsZero() {
		line("worked", "the worker last finished a session at %s", formatMinute(res.Worked))
	}
	if res.Blocked != "" {
		line("blocked", "%s", res.Blocked)
	}
	journal, others := parted(res.Edited, func(path string) bool {
		return strings.HasPrefix(path, "daily/") || strings.HasPrefix(path, "monthly/")
	})
	if len(others) > 0 {
		line("edited", "by hand; the next command that writes commits it: %s", strings.Join(others, ", "))
	}
	if len(journal) > 0 { // looking at all of it would make each command slower than the one before
		line("edited", "by hand; 'mem init' commits it: %s", strings.Join(journal, ", "))
	}
	if res.Uningested > 0 {
		line("silos", "%s", silosLine(res.Uningested, res.Silos))
	}
	for _, d := range res.Due {
		line("due", "%s", d)
	}
	printRules(res, line)
	if res.LastAuto != "" {
		line("hook", "%s (%s)", res.LastAuto, formatMinute(res.LastAutoAt))
	}
}

// manyUningested is from how many memories on a person is told what to do.
const manyUningested = 10

func silosLine(memories, silos int) string {
	text := uningested(memories, silos)
	if memories >= manyUningested {
		text += "; 'mem ingest claude' looks at them"
	}
	return text
}

// uningested says how much there is to take over.
func uningested(memories, silos int) string {
	return fmt.Sprintf("%d un-ingested %s across %d %s", memories, render.Plural(memories, "memory", "memories"), silos, render.Plural(silos, "silo", "silos"))
}

// printRules says what there is to do about rules, and what else waits for a yes.
func printRules(res statusResult, line func(label, format string, args ...any)) {
	if res.Proposals > 0 {
		line("review", "Pending rule proposals: %d; 'mem review' shows them", res.Proposals)
	}
	if n := res.Feedback; n > 0 {
		line("review", "%d %s for your yes; 'mem review' shows %s", n, render.Plural(n, "memory of another tool waits", "memories of other tools wait"), render.Plural(n, "it", "them"))
	}
	for _, r := range res.Recurred {
		line("recurred", "rule %s: recurred %s since it was written (%s)", r.Rule, render.Count(r.Times, "time", "times"), r.Where)
	}
	if res.Rules > curate.ManyRules {
		line("rules", "%d rules are more than a session heeds: about %d is the aim; put together those that belong together", res.Rules, curate.ManyRules)
	}
}

// parted returns the elements that f says yes to, and the others.
func parted(list []string, f func(string) bool) (yes, no []string) {
	for _, s := range list {
		if f(s) {
			yes = append(yes, s)
		} else {
			no = append(no, s)
		}
	}
	return yes, no
}
