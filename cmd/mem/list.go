package main

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"mem/agent"
	"mem/fault"
	"mem/guard"
	"mem/index"
	"mem/recall"
	"mem/recall/skill"
	"mem/reflect"
	"mem/render"
	"mem/trace"
	"mem/workspace/inspect"
)

// findOptions are the flags that list and search share.
type findOptions struct {
	Type, Kind, Status, Tag, Domain, Severe, Since string
	Limit                                          uint // 0 for all
}

// kinds are the words that people use for the kinds of lessons.
var kinds = map[string]index.Kind{"lesson": index.Learning, "watch-out": index.AntiPattern, "strategy": index.Strategy}

func (o *findOptions) addFlags(env Env, g *globals, c *cobra.Command) {
	addChoice(c, &o.Type, "type", "only this `TYPE`:", recall.Types[:]...)
	addChoice(c, &o.Kind, "kind", "only lessons of this `KIND`:", "lesson", "watch-out", "strategy")
	o.Status = "active" // which has no name in the index
	addChoice(c, &o.Status, "status", "only lessons of this `STATUS`:", "active", index.Quarantined, index.Superseded, index.Retired, index.Compiled, recall.AnyStatus)
	c.Flags().StringVar(&o.Tag, "tag", "", "only lessons with this `TAG`")
	c.Flags().StringVar(&o.Domain, "domain", "", "only lessons of this `DOMAIN`")
	addChoice(c, &o.Severe, "severity", "only lessons of this `LEVEL`:", "high")
	c.Flags().StringVar(&o.Since, "since", "", "only what was seen since `WHEN`: a date, or an age such as 30d")
	c.Flags().UintVar(&o.Limit, "limit", o.Limit, "show `N` at most, 0 for all")
	c.Flags().BoolVar(&g.JSON, "json", false, "print JSON")
}

func (o *findOptions) newFilter(now time.Time) (f recall.Filter, err error) {
	f = recall.Filter{Type: recall.Type(o.Type), Kind: kinds[o.Kind], Status: index.Status(strings.TrimPrefix(o.Status, "active")), Tag: o.Tag, Domain: o.Domain, Severe: o.Severe != ""}
	f.Since, err = trace.ParseSince(o.Since, now)
	return f, err
}

func newList(env Env, g *globals) *cobra.Command {
	opts, candidates := findOptions{Type: string(recall.LessonType), Limit: 100}, false
	c := newCommand("list", atMost(0), func(c *cobra.Command, args []string) error {
		if candidates {
			return g.inRoot(env, opts.runListCandidates)(c, args)
		}
		return g.inWork(env, opts.runFind)(c, args)
	})
	opts.addFlags(env, g, c)
	c.Flags().BoolVar(&candidates, "candidates", false, "list what one session showed and no session is shown")
	exclude(c, "candidates", lessonFlags...)
	return c
}

func newShow(env Env, g *globals) *cobra.Command {
	all := false
	c := newCommand("show", needs("an id; 'mem list' shows those of lessons", 1, anyNumber), g.inWork(env, func(_ context.Context, w *work, args []string) error { return w.show(args, all) }))
	c.ValidArgsFunction = completeSome(env, g, func(*index.Item) bool { return true })
	c.Flags().BoolVar(&all, "all", false, "show every session that brought a lesson, and every commit")
	return g.addJSONFlag(c)
}

var lessonFlags = []string{"type", "kind", "status", "tag", "domain", "severity"}

// runFind searches for a text or, without one, lists.
func (o *findOptions) runFind(_ context.Context, w *work, args []string) error {
	f, err := o.newFilter(w.Now)
	if err != nil {
		return err
	}
	sources, err := w.ReadSomeMemories()
	if err != nil {
		return err
	}
	l := recall.FindText(sources, strings.Join(args, " "), f, int(o.Limit))
	for _, s := range l.Skipped {
		w.env.Note("skipped: %s", guard.Line(s))
	}
	results := inspect.ListFound(l.Found)
	if err := w.printResult(results, func() {
		w.printFound(results, l.More)
		if l.More == 0 && len(args) > 0 && o.Type == string(recall.AnyType) && !slices.ContainsFunc(l.Found, func(f recall.Found) bool { return f.Item != nil }) {
			w.env.Hint("no lesson fits; 'mem search --sessions WORDS' looks at what was said in past sessions")
		}
	}); err != nil || w.JSON || len(results) > 0 {
		return err
	}
	return errors.New("nothing found") // exit code 1, as grep does
}

// printFound prints a table of what was found on a terminal, elsewhere a line each, as programs know it; and how much more there is.
func (w *work) printFound(list []inspect.Result, more int) {
	var rows []render.Row
	screen, isScreen := w.env.Screen()
	for _, r := range list {
		if rows = append(rows, r.Row(w.Now)); !isScreen {
			w.env.Printf("%s\n", r.Line())
		}
	}
	if isScreen && len(list) > 0 {
		_, _ = io.WriteString(w.env.Out, render.FormatRows(rows, screen)) // with its colours; Out keeps the error
	}
	w.noteMore(more)
}

func (w *work) noteMore(more int) {
	if more > 0 {
		w.env.Note("%d more; --limit 0 shows all", more)
	}
}

// newSessionSearch returns what is looked for in past sessions: for an agent, if it runs this.
func (w *work) newSessionSearch(text string) inspect.SessionSearch {
	isAgent, session := agent.FindCaller(w.env.Getenv)
	return inspect.SessionSearch{Text: text, ForAgent: isAgent, Asking: session}
}

// tellSearch says how many past sessions can be searched.
func (w *work) tellSearch(ctx context.Context) {
	inspect.KeepTalks(ctx, w.Workspace, w.newSessionSearch("")) // the first prompt of a session may name some
	if found := trace.ListSessions(trace.DefaultPlaces(w.env.Home(), w.env.Getenv), w.SessionFilter()); len(found) > 0 {
		w.env.Printf("search  %s; 'mem search --sessions' finds what was said in them\n", render.Count(len(found), "session", "sessions"))
	}
}

func (o *findOptions) runFindSessions(ctx context.Context, w *work, args []string) error {
	f, err := o.newFilter(w.Now)
	if err != nil {
		return err
	}
	s := w.newSessionSearch(strings.Join(args, " "))
	s.Limit, s.Since = int(o.Limit), f.Since
	list, more, err := inspect.FindSessions(ctx, w.Workspace, s)
	if err := w.printText(list, err, func(out io.Writer) { inspect.WriteAll(out, list); w.noteMore(more) }); err != nil || w.JSON || len(list) > 0 {
		return err
	}
	return errors.New("no session found")
}

// show prints what ids name, with what is known of it, or all of that.
func (w *work) show(ids []string, all bool) error {
	sources, err := w.ReadSomeMemories()
	if err != nil {
		return err
	}
	var list []inspect.Thing
	for _, id := range ids {
		thing, err := inspect.Find(w.Workspace, sources, id, all)
		if err != nil {
			return err
		}
		list = append(list, thing)
	}
	return w.printText(list, nil, func(out io.Writer) { inspect.WriteAll(out, list) }, "text")
}

func newSearch(env Env, g *globals) *cobra.Command {
	opts := findOptions{Type: string(recall.AnyType), Limit: 20}
	inSessions := false
	c := newCommand("search", func(_ *cobra.Command, args []string) error {
		if strings.TrimSpace(strings.Join(args, " ")) == "" {
			return fault.Usagef("mem search needs a text")
		}
		return nil
	}, func(c *cobra.Command, args []string) error {
		if inSessions {
			return g.inWork(env, opts.runFindSessions)(c, args)
		}
		return g.inWork(env, opts.runFind)(c, args)
	})
	c.ValidArgsFunction = cobra.NoFileCompletions
	opts.addFlags(env, g, c)
	c.Flags().BoolVar(&inSessions, "sessions", false, "search past sessions instead")
	exclude(c, "sessions", lessonFlags...)
	return c
}

// runListCandidates lists what one session showed, for a person alone: no session is shown it.
func (o *findOptions) runListCandidates(_ context.Context, w *work, _ []string) error {
	if w.env.RequirePerson(false) != nil {
		return fault.New(fault.Refused, "only a person sees candidates", "run this in your own terminal")
	}
	f, err := o.newFilter(w.Now)
	if err != nil {
		return err
	}
	m, err := w.root.View(w.Now)
	if err != nil {
		return err
	}
	found, err := reflect.ListCandidates(m)
	if err != nil {
		return err
	}
	list := slices.DeleteFunc(found, func(c reflect.Listed) bool { return c.LastSeen.Before(f.Since) })
	all := len(list)
	if o.Limit > 0 {
		list = list[:min(all, int(o.Limit))]
	}
	if err := w.printResult(list, func() {
		var rows []inspect.Result
		for _, c := range list {
			rows = append(rows, inspect.Result{ID: c.LastSeen.Format(time.DateOnly), Type: recall.Type(c.Status), Text: c.Text, Hits: c.Sessions, LastSeen: c.LastSeen})
		}
		w.printFound(rows, all-len(list))
	}); err != nil || w.JSON || all > 0 {
		return err
	}
	return errors.New("no candidates: no failure or refusal waits for a second session")
}

func newSkills(env Env, g *globals) *cobra.Command {
	check := false
	c := newCommand("skills", cobra.ArbitraryArgs, func(_ *cobra.Command, args []string) error { return runSkills(env, g, check, args) })
	c.Flags().BoolVar(&check, "check", false, "print only problems, and fail if there are any")
	g.addJSONFlag(c)
	exclude(c, "json", "check")
	return c
}

// runSkills lists the skills of these paths, or without any of where agents look.
func runSkills(env Env, g *globals, check bool, paths []string) error {
	found, err := findSkills(env, paths)
	if err != nil {
		return err
	}
	for _, d := range found.Diagnostics {
		env.Note("%s: %s: %s", d.Kind, env.ShowPath(d.Path), guard.Line(d.Message))
	}
	switch {
	case check && len(found.Diagnostics) > 0:
		return fault.New(fault.Skills, "skills are not as they should be", "the lines above name the files; 'mem help skills' says what is expected")
	case check:
	case g.JSON:
		return printJSON(env, found.Skills, "description")
	case len(found.Skills) == 0:
		env.Note("no skills found; 'mem help skills' says where mem looks")
	default:
		width := env.LineWidth()
		for _, s := range found.Skills {
			note := ""
			if s.Hidden {
				note = ", not offered in the prompt"
			}
			env.Printf("%s (%s%s) %s\n", guard.Line(s.Name), s.Place, note, env.ShowPath(s.Location))
			env.Printf("  %s\n", render.Shorten(guard.Line(s.Description), width-3))
		}
	}
	return nil
}

// findSkills looks where agents look, or in these paths.
func findSkills(env Env, paths []string) (skill.Found, error) {
	places := skill.Places(env.Dir, env.Home(), env.Getenv)
	if len(paths) > 0 {
		places = nil
	}
	for _, path := range paths {
		full := env.AbsPath(path)
		switch info, err := os.Stat(full); {
		case err != nil:
			return skill.Found{}, fault.Usagef("there is no folder or file %s", path)
		case info.IsDir():
			places = append(places, skill.Place{Name: "path", Path: full})
		case info.Mode().IsRegular() && strings.HasSuffix(full, ".md"):
			places = append(places, skill.Place{Name: "path", Path: filepath.Dir(full), File: filepath.Base(full)})
		default:
			return skill.Found{}, fault.Usagef("%s is neither a folder nor a Markdown file", path)
		}
	}
	return skill.Find(places...), nil
}
