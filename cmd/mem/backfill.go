package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"mem/agent"
	"mem/reflect"
	"mem/render"
	"mem/repo"
	"mem/trace"
)

type backfillOptions struct {
	Agents []string // nil for all
	Since  string
	All    bool // sessions of all projects
	Oracle string
	DryRun bool
	Yes    bool
	JSON   bool
}

func newBackfill(env Env, g *globals) *cobra.Command {
	var opts backfillOptions
	c := &cobra.Command{
		Use:   "backfill",
		Short: "Learn from the sessions of the past",
		Long: `Find the sessions of this project that agents left on this machine, and reflect on
those that are new, the oldest first, each dated when it ended.

--dry-run says how many there are, and how many calls and tokens it takes to
ask a model about them. Every session is committed by itself: interrupted, the
command goes on where it was when it is run again.`,
		Example: `  mem backfill --dry-run
  mem backfill --agent claude --since 30d`,
		Args: atMost(0),
		RunE: func(c *cobra.Command, _ []string) error { return runBackfill(c.Context(), env, g, opts) },
	}
	c.Flags().StringSliceVar(&opts.Agents, "agent", nil, "only sessions of this `AGENT`; may be given again")
	c.Flags().StringVar(&opts.Since, "since", "", "only sessions written since `WHEN`: a date, or an age such as 30d")
	c.Flags().BoolVar(&opts.All, "all", false, "sessions of all projects, not only of this one")
	oracleFlag(c, &opts.Oracle)
	c.Flags().BoolVarP(&opts.DryRun, "dry-run", "n", false, "print what there is and what it would cost")
	c.Flags().BoolVar(&opts.Yes, "yes", false, "do not ask, however many questions a model would get")
	c.Flags().BoolVar(&opts.JSON, "json", false, "print JSON")
	return c
}

// A survey is what there is to learn from.
type survey struct {
	found   []trace.Listing
	fresh   []past // those with something new, oldest first
	known   int
	empty   int
	damaged int
	tokens  int // that asking a model about the fresh ones takes
}

// A past session has something new in it.
type past struct {
	trace.Listing
	ended time.Time
}

// backfillResult is the JSON of mem backfill.
type backfillResult struct {
	Found    map[string]int `json:"found"` // by agent
	New      int            `json:"new"`
	Known    int            `json:"known"`
	Empty    int            `json:"empty"`
	Damaged  int            `json:"damaged"`
	Asks     string         `json:"asks"`   // the model that would be asked; "" for the heuristics
	Calls    int            `json:"calls"`  // to it
	Tokens   int            `json:"tokens"` // in and out, about, that a model needs
	Done     int            `json:"done"`   // sessions reflected on
	Learned  int            `json:"learned"`
	Repeated int            `json:"repeated"`
	Stopped  string         `json:"stopped"` // why not all were; "" if they were
}

// manyCalls is from how many questions to a model on a person is asked first.
const manyCalls = 20

func runBackfill(ctx context.Context, env Env, g *globals, opts backfillOptions) (err error) {
	w, err := g.newWork(env, nil)
	if err != nil {
		return err
	}
	filter, err := w.filter(opts)
	if err != nil {
		return err
	}
	r, err := w.reflector(opts.Oracle)
	if err != nil {
		return err
	}
	r.Wait = true
	root, err := w.OpenRootIfAny()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.LeaveRoots()) }()
	sv, err := w.survey(ctx, root, r, filter)
	if err != nil {
		return err
	}
	res := sv.result(firstModel(r))
	if !opts.JSON {
		printSurvey(w, res)
	}
	if !opts.DryRun && len(sv.fresh) > 0 {
		if err := w.mayAsk(ctx, res, opts); err != nil {
			return err
		}
		if root == nil {
			if root, err = w.CreateRoot(ctx); err != nil {
				return err
			}
		}
		err = w.backfill(ctx, root, r, sv.fresh, &res, opts)
	}
	if opts.JSON {
		return errors.Join(err, printJSON(env, res))
	}
	return err
}

// filter is what the flags ask for.
func (w *work) filter(opts backfillOptions) (trace.Filter, error) {
	f := trace.Filter{Agents: opts.Agents}
	for _, a := range opts.Agents {
		if !slices.Contains(agent.Agents, a) {
			return f, usagef("--agent is %s, not %q", strings.Join(agent.Agents, ", "), a)
		}
	}
	if !opts.All {
		f.Project = w.At.Project
	}
	if opts.Since != "" {
		since, ok := sinceWhen(opts.Since, w.Now)
		if !ok {
			return f, usagef("--since is a date such as 2026-01-31 or an age such as 30d, not %q", opts.Since)
		}
		f.Since = since
	}
	return f, nil
}

// sinceWhen reads a time as people give it: a date, RFC 3339, or an age in hours,
// days or weeks.
func sinceWhen(s string, now time.Time) (time.Time, bool) {
	for _, form := range []string{time.DateOnly, time.RFC3339} {
		if t, err := time.Parse(form, s); err == nil {
			return t.UTC(), true
		}
	}
	if s == "" {
		return time.Time{}, false
	}
	n, err := strconv.ParseUint(s[:len(s)-1], 10, 16)
	unit := map[byte]time.Duration{'h': time.Hour, 'd': 24 * time.Hour, 'w': 7 * 24 * time.Hour}[s[len(s)-1]]
	return now.Add(-time.Duration(n) * unit), err == nil && unit > 0
}

// survey reads the sessions and sorts them, without asking anybody.
func (w *work) survey(ctx context.Context, root *repo.Root, r reflect.Reflector, f trace.Filter) (*survey, error) {
	found, err := trace.ListSessions(trace.DefaultPlaces(w.env.Home(), w.env.Getenv), f)
	if err != nil {
		return nil, err
	}
	show, clear := w.env.Progress("reading")
	defer clear()
	sv := &survey{found: found}
	for i, l := range found {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if show != nil {
			show(i+1, len(found))
		}
		doc, err := openSession(l.Path)
		if err != nil || doc.Session == nil {
			sv.damaged++
			continue
		}
		g, reason, err := reflect.ReadPast(root, doc.Session, w.Now)
		switch {
		case err != nil:
			return nil, err
		case reason == reflect.NothingNew:
			sv.known++
		case reason != "":
			sv.empty++
		default:
			sv.fresh = append(sv.fresh, past{l, g.At})
			sv.tokens += r.EstimateTokens(g)
		}
	}
	slices.SortStableFunc(sv.fresh, func(a, b past) int { return a.ended.Compare(b.ended) })
	return sv, nil
}

// firstModel names the model that is asked first; "" if the heuristics answer.
func firstModel(r reflect.Reflector) string {
	if len(r.Oracles) == 0 || r.Oracles[0].Name() == "heuristic" {
		return ""
	}
	return r.Oracles[0].Name()
}

func (sv *survey) result(model string) backfillResult {
	res := backfillResult{
		Found: map[string]int{}, New: len(sv.fresh), Known: sv.known, Empty: sv.empty, Damaged: sv.damaged,
		Asks: model, Tokens: sv.tokens,
	}
	for _, l := range sv.found {
		res.Found[l.Agent]++
	}
	if model != "" {
		res.Calls = len(sv.fresh)
	}
	return res
}

func printSurvey(w *work, res backfillResult) {
	var each []string
	all := 0
	for _, a := range agent.Agents {
		if n := res.Found[a]; n > 0 {
			each = append(each, fmt.Sprintf("%d of %s", n, a))
			all += n
		}
	}
	if all == 0 {
		w.env.Printf("found   no sessions\n")
		return
	}
	w.env.Printf("found   %s: %s\n", render.Count(all, "session", "sessions"), strings.Join(each, ", "))
	w.env.Printf("new     %d; %d known already, %d without a word", res.New, res.Known, res.Empty)
	if res.Damaged > 0 {
		w.env.Printf(", %d that cannot be read", res.Damaged)
	}
	w.env.Printf("\n")
	switch {
	case res.New == 0:
		return
	case res.Asks == "":
		w.env.Printf("cost    none: the built-in heuristics answer; to a model it would be about %d tokens\n", res.Tokens)
		return
	}
	w.env.Printf("cost    %s to %s, about %d tokens\n", render.Count(res.Calls, "call", "calls"), res.Asks, res.Tokens)
}

// mayAsk makes sure that many questions to a model are meant.
func (w *work) mayAsk(ctx context.Context, res backfillResult, opts backfillOptions) error {
	if res.Calls < manyCalls || opts.Yes {
		return nil
	}
	yes, err := w.env.Confirm(ctx, fmt.Sprintf("Ask %s about %d sessions?", res.Asks, res.Calls))
	if err == nil && !yes {
		err = fmt.Errorf("asking %s about %d sessions: %w", res.Asks, res.Calls, errNeedsYes)
	}
	return err
}
