package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"mem/curate/lesson"
	"mem/guard"
	"mem/index"
	"mem/recall"
	"mem/render"
)

// findOptions are the flags that list and search share.
type findOptions struct {
	Type   string
	Kind   string
	Status string
	Tag    string
	Domain string
	Since  string
	Limit  int
	JSON   bool
}

// kinds are the words for the kinds of lessons, with what people call them.
var kinds = map[string]index.Kind{
	"": "", "learning": index.Learning, "antiPattern": index.AntiPattern, "anti-pattern": index.AntiPattern, "avoid": index.AntiPattern,
}

var statuses = []index.Status{index.Quarantined, index.Superseded, index.Retired, index.Compiled, recall.AnyStatus}

func (o *findOptions) flags(env Env, g *globals, c *cobra.Command) {
	c.Flags().StringVar(&o.Type, "type", o.Type, "only this `TYPE`: "+joinValues(recall.Types[:]))
	c.Flags().StringVar(&o.Kind, "kind", "", "only lessons of this `KIND`: learning or antiPattern")
	c.Flags().StringVar(&o.Status, "status", "active", "only lessons of this `STATUS`: active, "+joinValues(statuses))
	c.Flags().StringVar(&o.Tag, "tag", "", "only lessons with this `TAG`")
	c.Flags().StringVar(&o.Domain, "domain", "", "only lessons of this `DOMAIN`")
	c.Flags().StringVar(&o.Since, "since", "", "only what was seen since `WHEN`: a date, or an age such as 30d")
	c.Flags().IntVar(&o.Limit, "limit", o.Limit, "show `N` at most, 0 for all")
	c.Flags().BoolVar(&o.JSON, "json", false, "print JSON")
	fixed := func(flag string, values []string) {
		_ = c.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp))
	}
	fixed("type", strings.Split(joinValues(recall.Types[:]), ", "))
	fixed("kind", []string{"learning", "antiPattern"})
	fixed("status", append([]string{"active"}, strings.Split(joinValues(statuses), ", ")...))
	_ = c.RegisterFlagCompletionFunc("tag", completeOf(env, g, func(it *index.Item) []string { return it.Tags }))
	_ = c.RegisterFlagCompletionFunc("domain", completeOf(env, g, func(it *index.Item) []string { return []string{it.Domain} }))
}

// joinValues lists values for a sentence.
func joinValues[T ~string](list []T) string {
	parts := make([]string, len(list))
	for i, v := range list {
		parts[i] = string(v)
	}
	return strings.Join(parts, ", ")
}

// filter reads the flags.
func (o *findOptions) filter(now time.Time) (f recall.Filter, err error) {
	kind, ok := kinds[o.Kind]
	if !ok {
		return f, usagef("--kind is learning or antiPattern, not %q", o.Kind)
	}
	f = recall.Filter{Type: recall.Type(o.Type), Kind: kind, Status: index.Status(o.Status), Tag: o.Tag, Domain: o.Domain}
	if o.Status == "active" {
		f.Status = index.Active
	}
	if f.Status != index.Active && !slices.Contains(statuses, f.Status) {
		return f, usagef("--status is one of active, %s, not %q", joinValues(statuses), o.Status)
	}
	if !slices.Contains(recall.Types[:], f.Type) {
		return f, usagef("--type is one of %s, not %q", joinValues(recall.Types[:]), o.Type)
	}
	if o.Limit < 0 {
		return f, usagef("--limit is a number, 0 for all")
	}
	if o.Since != "" {
		if f.Since, ok = sinceWhen(o.Since, now); !ok {
			return f, usagef("--since is a date such as 2026-01-31 or an age such as 30d, not %q", o.Since)
		}
	}
	return f, nil
}

func newList(env Env, g *globals) *cobra.Command {
	opts := findOptions{Type: string(recall.Lesson), Limit: 100}
	c := &cobra.Command{
		Use:   "list [ID]...",
		Short: "List the lessons, best first",
		Long: `List lessons with their ids, best first: those of the project, then those of
your own memory (~/.mem). With --type also rules, MEMORY.md, months and days.
Only active lessons are listed unless --status asks for others; quarantined ones
are nobody's advice yet.

With ids, everything about those lessons.`,
		Example: `  mem list --kind antiPattern --since 30d
  mem list --status quarantined
  mem list m-1f9c2a7e`,
		ValidArgsFunction: completeItems(env, g),
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return runShowItems(env, g, opts, args)
			}
			return runFind(env, g, opts, "")
		},
	}
	opts.flags(env, g, c)
	return c
}

// foundLine is what a person sees of something found.
func foundLine(r lessonResult) string {
	var marks []string
	if r.Pinned {
		marks = append(marks, "pinned")
	}
	if r.Status != "active" && r.Status != "" {
		marks = append(marks, r.Status)
	}
	if r.Memory == "global" {
		marks = append(marks, "global")
	}
	text := r.Text
	if len(marks) > 0 {
		text += " (" + strings.Join(marks, ", ") + ")"
	}
	if r.Type != recall.Lesson {
		text = string(r.Type) + ": " + text
	}
	return fmt.Sprintf("%-10s  %s", guard.Line(r.ID), guard.Line(text))
}

// runFind lists or, with a text, searches.
func runFind(env Env, g *globals, opts findOptions, text string) (err error) {
	w, err := g.newWork(env, nil)
	if err != nil {
		return err
	}
	f, err := opts.filter(w.Now)
	if err != nil {
		return err
	}
	sources, err := w.ReadSomeMemories()
	defer func() { err = errors.Join(err, w.LeaveRoots()) }()
	if err != nil {
		return err
	}
	var l recall.Listing
	if text == "" {
		l = recall.List(sources, f, opts.Limit)
	} else {
		l = recall.Search(sources, text, f, opts.Limit)
	}
	for _, s := range l.Skipped {
		env.Note("passed over: %s", guard.Line(s))
	}
	var results []lessonResult
	for _, found := range l.Found {
		results = append(results, foundJSON(found))
	}
	if opts.JSON {
		return printJSON(env, results)
	}
	if len(results) == 0 {
		env.Note("nothing found")
	}
	for _, r := range results {
		env.Printf("%s\n", foundLine(r))
	}
	if l.More > 0 {
		env.Note("%d more; --limit 0 shows all", l.More)
	}
	return nil
}

// runShowItems prints everything about some lessons.
func runShowItems(env Env, g *globals, opts findOptions, ids []string) (err error) {
	w, err := g.newWork(env, nil)
	if err != nil {
		return err
	}
	sources, err := w.ReadSomeMemories()
	defer func() { err = errors.Join(err, w.LeaveRoots()) }()
	if err != nil {
		return err
	}
	var results []lessonResult
	for _, id := range ids {
		l := recall.List(sources, recall.Filter{Type: recall.Lesson, Status: recall.AnyStatus, ID: id}, 0)
		at := slices.IndexFunc(l.Found, func(f recall.Found) bool { return f.ID == id })
		if at < 0 {
			return fmt.Errorf("%w as %q", lesson.ErrUnknown, id)
		}
		results = append(results, foundJSON(l.Found[at]))
	}
	if opts.JSON {
		return printJSON(env, results)
	}
	for i, r := range results {
		if i > 0 {
			env.Printf("\n")
		}
		env.Printf("%s\n", foundLine(r))
		env.Printf("  %s, seen %s, %s to %s\n", guard.Line(string(r.Kind)), render.Count(r.Hits, "time", "times"), minute(r.FirstSeen), minute(r.LastSeen))
		for _, fact := range [][2]string{{"confidence", r.Confidence}, {"severity", r.Severity}, {"origin", string(r.Origin)}, {"domain", r.Domain}, {"tags", strings.Join(r.Tags, ", ")}, {"superseded by", r.SupersededBy}} {
			if fact[1] != "" {
				env.Printf("  %s: %s\n", fact[0], guard.Line(fact[1]))
			}
		}
	}
	return nil
}
