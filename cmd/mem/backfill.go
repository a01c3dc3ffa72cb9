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
	"mem/recall"
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

	inInit bool // which asks whether to learn at all
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
	Asks       string `json:"asks"`       // the model that would be asked; "" for the heuristics
	Calls      int    `json:"calls"`      // to it
	Candidates int    `json:"candidates"` // that wait for a second session

	held   int             // lessons, new, that wait for a review
	agreed bool            // a person was just told what it costs, and chose the model
	before map[string]bool // ids of the lessons that sessions were shown before
}

// countCandidates returns how many candidates wait for a second session.
func (w *work) countCandidates() int {
	m, err := w.ViewRoot()
	if err != nil {
		return 0
	}
	list, _ := reflect.ListCandidates(m) // what is wrong with the log, other commands say
	return len(list)
}

// manyCalls is the number of questions to a model from which on a person is asked first.
const manyCalls = 20

func (o *backfillOptions) runBackfill(ctx context.Context, w *work, _ []string) error {
	b, res, err := o.survey(ctx, w)
	if err != nil {
		return err
	}
	if !w.DryRun {
		if err := o.mayAsk(ctx, w, res); err != nil {
			return err
		}
		err = w.learnFrom(ctx, b, &res)
	}
	return errors.Join(err, w.tellNext(ctx, res))
}

// survey finds the sessions and prints how many there are and what learning from them costs. A person who never
// chose a model is asked to choose one first.
func (o *backfillOptions) survey(ctx context.Context, w *work) (b reflect.Backfill, res backfillResult, err error) {
	filter, err := w.newSessionFilter(o)
	if err != nil {
		return b, res, err
	}
	b, found, err := w.lookThrough(ctx, filter)
	if err != nil {
		return b, res, err
	}
	res, chosen := backfillResult{BackfillResult: found}, w.Config.Oracle.IsChosen()
	if o.inInit || res.New > 0 {
		if err := w.offerModel(ctx, found); err != nil {
			return b, res, err
		}
		if b.Reflector, err = w.newReflector(); err != nil { // with the answer
			return b, res, err
		}
	}
	if list := b.Reflector.Oracles; len(list) > 0 && list[0].Name() != "heuristic" {
		res.Asks, res.Calls = list[0].Name(), res.New
	}
	res.agreed = !chosen && w.Config.Oracle.IsChosen()
	if !w.JSON {
		res.WriteSurvey(w.env.Out, res.Asks, w.ShowPath)
	}
	return b, res, nil
}

// learnFrom learns from the sessions that the survey found, and tells what.
func (w *work) learnFrom(ctx context.Context, b reflect.Backfill, res *backfillResult) error {
	root, err := w.OpenRootIfAny()
	if err != nil {
		return err
	}
	if root != nil {
		res.before = listShown(root, w.Now)
		if res.Learned, err = reflect.Promote(ctx, root, w.Now); err != nil {
			return err
		}
	}
	place := 0
	if res.New > 0 {
		if root, err = w.CreateRoot(ctx); err != nil {
			return err
		}
		if w.Oracle == "" {
			b.Later = func(s *session.Session, ended time.Time, why string) error { // a model could not be asked about it
				_, err := queue.DeferFailed(root, s, reflect.Options{Now: ended, Label: "task", Over: true}, why, w.Now)
				return err
			}
		}
		place, err = w.reflectOnEach(ctx, root, b, res)
		w.RememberFolders()
	}
	if res.New > 0 || res.Learned > 0 {
		w.sumUp(*res, place, errors.Join(ctx.Err(), err))
	}
	return err
}

func listShown(root *repo.Root, now time.Time) (ids map[string]bool) {
	ids = map[string]bool{}
	if m, err := root.View(now); err == nil { // what is wrong with it, other commands say
		for it := range m.Index.All() {
			if it.IsShown() {
				ids[it.ID] = true
			}
		}
	}
	return ids
}

const maxStory = 7

// tellStory tells a person at a terminal what the sessions taught, the most frequent first.
func (w *work) tellStory(res backfillResult) {
	_, isScreen := w.env.Screen()
	root, _ := w.OpenRootIfAny()
	if !isScreen || root == nil || res.Learned == 0 {
		return
	}
	sources, err := w.ReadSomeMemories()
	if err != nil {
		return
	}
	now := listShown(root, w.Now)
	// The person's own are in every project.
	own := slices.DeleteFunc(sources, func(s recall.Source) bool { return w.RootOf(s.Label()) != root })
	list := inspect.ListFound(recall.FindText(own, "", recall.Filter{Type: recall.LessonType}, 0).Found)
	list = slices.DeleteFunc(list, func(r inspect.Result) bool { return !now[r.ID] || res.before[r.ID] })
	if len(list) == 0 {
		return
	}
	slices.SortStableFunc(list, func(a, b inspect.Result) int { return cmp.Compare(b.Hits, a.Hits) })
	cost, more := "", len(list)-maxStory
	if first := list[0]; first.Hits > 1 && first.Origin == index.OriginTool {
		cost = fmt.Sprintf("; the first mistake was made in %d of them", first.Hits)
	}
	w.env.Printf("\n%s from %s%s\n", render.Count(len(list), "lesson", "lessons"), render.Count(res.Done, "session", "sessions"), cost)
	w.printFound(list[:min(len(list), maxStory)], max(more, 0))
}

// lookThrough finds the sessions and sorts them, without asking an oracle.
func (w *work) lookThrough(ctx context.Context, filter trace.Filter) (b reflect.Backfill, res *reflect.BackfillResult, err error) {
	b = reflect.Backfill{Now: w.Now, Version: w.Version, Open: w.ReadSession}
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

// reflectOnEach reflects on the sessions, and names those that taught something, unless a story follows. It
// returns how many were read.
func (w *work) reflectOnEach(ctx context.Context, root *repo.Root, b reflect.Backfill, res *backfillResult) (place int, err error) {
	show, clear := w.env.Progress("learning")
	_, isScreen := w.env.Screen()
	queued := error(nil)
	show(0, res.New)
	err = b.Run(ctx, root, res.BackfillResult, func(i int, s reflect.PastSession, o reflect.Outcome) {
		fresh, _ := o.CountLessons()
		taught := slices.DeleteFunc(slices.Clone(o.Lessons), func(l reflect.Counted) bool { return !l.New || l.Status != index.Active })
		place, res.held, queued = i+1, res.held+fresh-len(taught), cmp.Or(queued, o.Queued)
		if len(taught) > 0 && !w.JSON && !isScreen {
			more := ""
			if n := len(taught) - 1; n > 0 {
				more = fmt.Sprintf(" (+%d)", n)
			}
			w.env.Printf("%s %s %.8s: %s%s\n", s.Ended.Format(time.DateOnly), s.Agent, cmp.Or(s.ID, filepath.Base(s.Path)), guard.Line(taught[0].Text), more)
		}
		show(place, res.New)
	})
	if clear(); queued != nil {
		w.env.Note("what was learned waits: %s", workspace.DescribeError(queued))
	}
	return place, err
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
		if _, isScreen := w.env.Screen(); !isScreen || res.Learned == res.held { // else a story is told
			w.env.Printf("learned %d new, %d repeated from %s\n", res.Learned-res.held, res.Repeated, from)
		}
		if res.Learned+res.Repeated == 0 {
			w.env.Note("no lesson was found; a model finds more than the built-in rules: 'mem model' lists them")
		}
	}
}

// tellNext prints the result as JSON, or says what was learned, what is pending for a second session or a
// review, and what can be searched.
func (w *work) tellNext(ctx context.Context, res backfillResult) error {
	if res.Candidates = w.countCandidates(); w.JSON {
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
	if !w.DryRun && ctx.Err() == nil {
		w.tellSearch(ctx)
	}
	w.tellStory(res)
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

// mayAsk makes sure that the person wants many questions to a model or, in init, any learning. A person who was
// just shown the cost has answered.
func (o *backfillOptions) mayAsk(ctx context.Context, w *work, res backfillResult) error {
	if o.inInit {
		question := "Learn from " + render.Count(res.New, "session", "sessions") + " now?"
		if res.Asks == "" {
			return w.env.ConfirmFree(ctx, question, "learning", "")
		}
		return w.env.Confirm(ctx, question, "learning")
	}
	if res.Calls < manyCalls || w.Yes || res.agreed {
		return nil
	}
	what := fmt.Sprintf("%s about %d sessions", res.Asks, res.Calls)
	return w.env.Confirm(ctx, "Ask "+what+"?", "asking "+what)
}
