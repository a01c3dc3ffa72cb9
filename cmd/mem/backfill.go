package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"mem/fault"
	"mem/guard"
	"mem/index"
	"mem/reflect"
	"mem/reflect/queue"
	"mem/render"
	"mem/repo"
	"mem/session"
	"mem/trace"
	"mem/workspace"
	"mem/workspace/inspect"
)

type backfillOptions struct {
	Agents []string // nil for all
	Since  string
	All    bool   // sessions of all projects
	From   string // a folder that the project was in

	ask   bool           // whether to learn at all
	found map[string]int // sessions by agent
}

func newBackfill(env Env, g *globals) *cobra.Command {
	var opts backfillOptions
	c := newCommand("backfill", atMost(0), g.inWork(env, opts.runBackfill))
	c.Flags().StringSliceVar(&opts.Agents, "agent", nil, "only sessions of this `AGENT`; may be given again")
	c.Flags().StringVar(&opts.Since, "since", "", "only sessions written since `WHEN`: a date, or an age such as 30d")
	c.Flags().BoolVar(&opts.All, "all", false, "sessions of all projects, not only of this one")
	c.Flags().StringVar(&opts.From, "from", "", "also sessions of the `FOLDER` that the project was in before")
	g.addOracleFlag(c)
	g.addYesFlag(c, "do not ask, however many questions a model would get")
	return g.addChangeFlags(c, "say how many there are, and how many calls and tokens a model takes for them")
}

// backfillResult is the JSON of mem backfill.
type backfillResult struct {
	*reflect.BackfillResult
	Asks  string `json:"asks"`  // the model that would be asked; "" for the heuristics
	Calls int    `json:"calls"` // to it
	next

	held int // lessons, new, that wait for a review
}

// next is what a person can look at after this.
type next struct {
	Candidates int    `json:"candidates"` // that wait for a second session
	Search     string `json:"search"`     // a command that searches past sessions; "" for none to begin with
}

// findNext returns what can be looked at. It finds no search in a dry run, which would keep what it read.
func (w *work) findNext(ctx context.Context) (n next) {
	if m, err := w.ViewRoot(); err == nil {
		list, _ := reflect.ListCandidates(m) // what is wrong with the log, other commands say
		n.Candidates = len(list)
	}
	if w.JSON && !w.DryRun && ctx.Err() == nil {
		_, n.Search, _ = strings.Cut(inspect.DescribeSearch(ctx, w.Workspace, w.newSessionSearch("")), ": ")
	}
	return n
}

// manyCalls is from how many questions to a model on a person is asked first.
const manyCalls = 20

func (o *backfillOptions) runBackfill(ctx context.Context, w *work, _ []string) error {
	filter, err := w.newSessionFilter(o)
	if err != nil {
		return err
	}
	b, found, err := w.lookThrough(ctx, filter)
	if err != nil {
		return err
	}
	o.found = found.Found
	res, chosen := backfillResult{BackfillResult: found}, w.Config.Oracle.IsChosen()
	if o.ask || res.New > 0 {
		if err := w.offerModel(ctx, found); err != nil {
			return err
		}
		if b.Reflector, err = w.newReflector(); err != nil { // with the answer
			return err
		}
	}
	if list := b.Reflector.Oracles; len(list) > 0 && list[0].Name() != "heuristic" {
		res.Asks = list[0].Name()
	}
	if res.Asks != "" {
		res.Calls = res.New
	}
	if !w.JSON {
		res.WriteSurvey(w.env.Out, res.Asks, w.ShowPath)
	}
	if root, _ := w.OpenRootIfAny(); !w.DryRun && root != nil {
		if res.Learned, err = reflect.Promote(ctx, root, found.Past, w.Now); err != nil {
			return err
		}
	}
	if !w.DryRun && res.New > 0 {
		if err := w.mayAsk(ctx, res, o.ask, !chosen && w.Config.Oracle.IsChosen()); err != nil {
			return err
		}
		root, failed := w.CreateRoot(ctx)
		if failed != nil {
			return failed
		}
		if w.Oracle == "" {
			b.Later = func(s *session.Session, ended time.Time, why string) error { // a model could not be asked about it
				_, err := queue.DeferFailed(root, s, reflect.Options{Now: ended, Label: "task", Over: true}, why, w.Now)
				return err
			}
		}
		err = w.reflectOnEach(ctx, root, b, &res)
		w.RememberFolders()
	} else if res.Learned > 0 {
		w.sumUp(res, 0, nil)
	}
	return errors.Join(err, w.tellNext(ctx, res, o.ask))
}

// lookThrough finds the sessions and sorts them, without asking an oracle.
func (w *work) lookThrough(ctx context.Context, filter trace.Filter) (b reflect.Backfill, res *reflect.BackfillResult, err error) {
	b = reflect.Backfill{Now: w.Now, Open: w.openOneOfMany}
	if b.Reflector, err = w.newReflector(); err != nil {
		return b, nil, err
	}
	root, err := w.OpenRootIfAny()
	if err != nil {
		return b, nil, err
	}
	unread := []reflect.Unread{}
	filter.Unread = func(path, why string) { unread = append(unread, reflect.Unread{Path: path, Why: why}) }
	places := trace.DefaultPlaces(w.env.Home(), w.env.Getenv)
	places.Programs = true
	list := trace.ListSessions(places, filter)
	show, clear := w.env.Progress("reading")
	defer clear()
	if res, err = b.LookThrough(ctx, root, list, show); err == nil {
		res.Unread = append(unread, res.Unread...)
	}
	return b, res, err
}

// reflectOnEach reflects on the sessions, names those that taught something, and sums up.
func (w *work) reflectOnEach(ctx context.Context, root *repo.Root, b reflect.Backfill, res *backfillResult) error {
	show, clear := w.env.Progress("learning")
	if show == nil {
		show = func(int, int) {}
	}
	place, queued := 0, error(nil)
	show(1, res.New)
	err := b.Run(ctx, root, res.BackfillResult, func(i int, s reflect.PastSession, o reflect.Outcome) {
		fresh, _ := o.CountLessons()
		taught := slices.DeleteFunc(slices.Clone(o.Lessons), func(l reflect.Counted) bool { return !l.New || l.Status != index.Active })
		place, res.held, queued = i+1, res.held+fresh-len(taught), cmp.Or(queued, o.Queued)
		if clear(); len(taught) > 0 && !w.JSON {
			more := ""
			if n := len(taught) - 1; n > 0 {
				more = fmt.Sprintf(" (+%d)", n)
			}
			line := fmt.Sprintf("%s %s %.8s: %s", s.Ended.Format(time.DateOnly), s.Agent, cmp.Or(s.ID, filepath.Base(s.Path)), guard.Line(taught[0].Text))
			if screen, ok := w.env.Screen(); ok {
				line = render.Shorten(line, screen.Width-len(more)-1)
			}
			w.env.Printf("%s%s\n", line, more)
		}
		show(min(place+1, res.New), res.New)
	})
	if clear(); queued != nil {
		w.env.Note("what was learned waits: %s", workspace.DescribeError(queued))
	}
	w.sumUp(*res, place, errors.Join(ctx.Err(), err))
	return err
}

// sumUp says what was learned, or why the rest was not read.
func (w *work) sumUp(res backfillResult, place int, err error) {
	switch {
	case errors.Is(err, context.Canceled):
		w.env.Note("stopped after %d of %d; run it again to continue", place, res.New)
	case res.Stopped == string(reflect.Spent):
		w.env.Note("stopped after %d of %d: the day's budget for models is spent; run it again after midnight UTC", res.Done, res.New)
	case res.Stopped != "":
		w.env.Note("stopped after %d of %d: %s", res.Done, res.New, res.Stopped)
	case err == nil && !w.JSON:
		from := render.Count(res.Done, "session", "sessions")
		if res.New == 0 {
			from = "sessions that were read before"
		}
		w.env.Printf("learned %d new, %d repeated from %s\n", res.Learned-res.held, res.Repeated, from)
		if res.Learned+res.Repeated == 0 {
			w.env.Note("no lesson was found; a model finds more than the built-in rules: 'mem model' lists them")
		}
	}
}

// tellNext prints the result, or says what waits for a second session, what for a person, and what can be searched.
func (w *work) tellNext(ctx context.Context, res backfillResult, inInit bool) error {
	if res.next = w.findNext(ctx); w.JSON {
		return printJSON(w.env, res)
	}
	waiting := ""
	if n := res.Candidates; n > 0 {
		waiting = "; " + render.Count(n, "candidate", "candidates") + " for a second session that shows the same: mem list --candidates"
	}
	if res.held > 0 {
		waiting += "; " + render.Count(res.held, "held lesson", "held lessons") + ": mem review"
	}
	if waiting != "" {
		w.env.Printf("waiting %s\n", waiting[2:])
	}
	if !w.DryRun && !inInit && ctx.Err() == nil { // mem init says so at its end
		w.tellSearch(ctx)
	}
	return nil
}

// newSessionFilter is what the flags ask for.
func (w *work) newSessionFilter(opts *backfillOptions) (f trace.Filter, err error) {
	for _, a := range opts.Agents {
		if !slices.Contains(trace.Agents, a) {
			return f, fault.Usagef("--agent is %s, not %q", strings.Join(trace.Agents, ", "), a)
		}
	}
	if opts.From != "" {
		w.ClaimFolder(filepath.Clean(w.AbsPath(opts.From)))
	}
	if !opts.All {
		f = w.SessionFilter()
	}
	f.Agents = opts.Agents
	f.Since, err = trace.ParseSince(opts.Since, w.Now)
	return f, err
}

// mayAsk makes sure that many questions to a model are meant; or, if always, any learning. A person who
// was just told what it costs has answered.
func (w *work) mayAsk(ctx context.Context, res backfillResult, always, answered bool) error {
	if always {
		return w.env.Confirm(ctx, "Learn from "+render.Count(res.New, "session", "sessions")+" now?", "learning")
	}
	if res.Calls < manyCalls || w.Yes || answered {
		return nil
	}
	what := fmt.Sprintf("%s about %d sessions", res.Asks, res.Calls)
	return w.env.Confirm(ctx, "Ask "+what+"?", "asking "+what)
}

func newMonth(env Env, g *globals) *cobra.Command {
	c := newCommand("month", atMost(1), g.inRoot(env, runMonth))
	g.addOracleFlag(c)
	return g.addChangeFlags(c, "print the summary and write nothing")
}

// monthResult is the JSON of mem month.
type monthResult struct {
	workspace.Changed        // "written", "unchanged", "planned", or "nothing" without a journal
	Month             string `json:"month"`
	Entries           int    `json:"entries"`
	By                string `json:"by"`
	Text              string `json:"text"`
	File              string `json:"file"`
}

func runMonth(ctx context.Context, w *work, args []string) (err error) {
	month := w.Now
	if name := firstOf(args); name != "" {
		if month, err = time.Parse("2006-01", name); err != nil {
			return fault.Usagef("%q is not a month such as 2026-02", name)
		}
	}
	if !w.DryRun {
		if err := w.DrainQueue(ctx); err != nil {
			return err
		}
	}
	r, err := w.newReflector()
	if err != nil {
		return err
	}
	m, err := w.root.View(w.Now)
	if err != nil {
		return err
	}
	rollup, reason, err := r.SummariseMonth(ctx, m, month)
	if err != nil {
		return err
	}
	res := monthResult{Month: month.Format("2006-01")}
	if reason == "" {
		res.Entries, res.By, res.Text, res.File = rollup.Entries, rollup.By, rollup.Text, render.MonthlyPath(rollup.Month)
	}
	switch {
	case reason != "":
		res.Changed = workspace.Unchanged(workspace.Nothing, string(reason))
	case w.DryRun: // the summary is the plan, also of a memory that is only read
		res.Changed = workspace.Unchanged(workspace.Planned, "")
	default:
		if res.Changed, err = w.Change(ctx, false, rollup.Apply); err != nil {
			return fmt.Errorf("month %s: %w", res.Month, err)
		}
		if res.Call("written"); res.Status == workspace.Nothing {
			res.Status = "unchanged"
		}
	}
	return w.printResult(res, func() { printMonth(w, res) }, "text")
}

func printMonth(w *work, res monthResult) {
	env, entries := w.env, render.Count(res.Entries, "reflection", "reflections")
	switch res.Status {
	case workspace.Nothing:
		env.Printf("nothing in the journal of %s\n", res.Month)
	case workspace.Planned:
		env.Printf("%s\n", strings.TrimSpace(res.Text))
	case "unchanged":
		env.Printf("summary of %s is as it was, from %s\n", res.Month, entries)
	default:
		by := res.By
		if by == "digest" {
			by = "the built-in digest"
		}
		env.Printf("summary of %s from %s, by %s\n", res.Month, entries, by)
		env.Printf("in     %s\ncommit %.12s\n", w.ShowPath(w.At.Root+"/"+res.File), res.Commit)
	}
}
