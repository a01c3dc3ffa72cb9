package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"mem/agent/install"
	"mem/cmd/mem/console"
	"mem/config"
	"mem/fault"
	"mem/oracle"
	"mem/reflect"
	"mem/render"
	"mem/repo"
	"mem/trace"
	"mem/workspace"
	"mem/workspace/remote"
)

func newInit(env Env, g *globals) *cobra.Command {
	global := false
	c := newCommand("init", atMost(0), func(c *cobra.Command, _ []string) error { return runInit(c.Context(), env, g, global) })
	c.Flags().BoolVar(&global, "global", false, "make your own memory for all projects, in ~/.mem")
	c.Flags().BoolVarP(&g.Yes, "yes", "y", false, "vouch for a memory that may come from another person")
	return g.addChangeFlags(c, "say what would be made and make nothing")
}

// initResult is the JSON of mem init.
type initResult struct {
	Root       string `json:"root"`
	Status     string `json:"status"` // "created", "adopted", "exists"; with --dry-run what would be
	Lessons    int    `json:"lessons"`
	Commit     string `json:"commit"`
	Candidates int    `json:"candidates"` // that wait for a second session

	fromPi bool // it has the settings of pi now
}

func runInit(ctx context.Context, env Env, g *globals, global bool) error {
	if global {
		if g.Root != "" {
			return fault.Usagef("--global and --root name two memories")
		}
		if env.Home() == "" {
			return errors.New("no home folder is known for --global")
		}
		g.Root = env.Person().GlobalRoot().Root
	}
	pi, err := workspace.FindPiSettings(makeWorld(env), g.Root)
	if err != nil {
		return err
	}
	return withOptions(env, g, workspace.Options{Settings: pi.Source()}, func(w *work) error {
		workspace.TellUntaken(pi, env.Note)
		if how := w.HowToMove(); how != "" {
			w.Note("%s", workspace.DescribeError(w.CheckPlace()))
			w.env.Hint("%s", how)
		}
		res := initResult{Root: w.At.Root, Status: w.describeRoot()}
		if err := w.CheckNew(); err != nil {
			return err
		}
		if w.DryRun || w.Untrusted() != nil {
			s, err := w.Survey(ctx, w.DryRun)
			switch {
			case w.DryRun && errors.Is(err, repo.ErrNoRoot): // it is only made
			case err != nil:
				return err
			case w.DryRun:
				res.Lessons = len(s.Index.Items)
			default:
				res.Status, err = "adopted", w.agree(ctx, s)
			}
			if w.DryRun {
				return w.printResult(res, func() { printInit(w, res) })
			} else if err != nil {
				return err
			}
		}
		if err := w.settleRoot(ctx, pi, &res); err != nil {
			return err
		}
		if err := w.offerBeside(ctx, res.Lessons == 0); err != nil {
			return err
		}
		res.Candidates = w.countCandidates()
		if err := w.printResult(res, func() { printInit(w, res) }); err != nil {
			return err
		}
		again := res.Status == "exists" && res.Lessons == 0 && w.canAsk() // perhaps the first time was broken off
		if w.JSON || g.Root != "" || res.Status != "created" && !again {
			return w.offerModel(ctx, nil)
		}
		return w.offerStart(ctx, g)
	})
}

// offerBeside looks whether the project's remote has a memory, and offers it where this one is empty.
func (w *work) offerBeside(ctx context.Context, isEmpty bool) error {
	if !isEmpty || w.IsNamed || w.At.Root == w.Person().GlobalRoot().Root {
		return nil
	}
	found := remote.LookBeside(ctx, w.Workspace)
	if found == "" || !w.canAsk() {
		w.env.Hint("%s", found)
		return nil
	}
	synced, err := remote.Sync(ctx, w.Workspace, remote.Options{})
	switch {
	case errors.Is(err, console.ErrDeclined):
		return nil
	case err == nil:
		w.env.Printf("%s", synced.Describe())
	}
	return err
}

// settleRoot makes the memory, or commits what was edited by hand in it.
func (w *work) settleRoot(ctx context.Context, pi config.FromPi, res *initResult) error {
	root, err := w.CreateRoot(ctx)
	if err != nil {
		return err
	}
	defer w.RememberFolders()
	commit, err := root.Settle(ctx, w.Now, func(m *repo.Memory) (repo.Message, error) {
		res.Lessons = len(m.Index.Items)
		report := m.Report
		if w.Adopted != nil {
			report = w.Adopted.Found.Report
		}
		if n := report.Dropped; n > 0 {
			w.Note("%s without a key or a text %s left out", render.Count(n, "record", "records"), render.Plural(n, "was", "were"))
		}
		if n := report.BadDates; n > 0 {
			w.Note("%s could not be understood and %s as now", render.Count(n, "date", "dates"), render.Plural(n, "counts", "count"))
		}
		msg, err := workspace.KeepPiSettings(m, pi)
		res.fromPi = msg.Subject != ""
		return msg, err
	})
	if res.Commit = commit.ID; w.Adopted != nil {
		res.Commit = cmp.Or(commit.ID, w.Adopted.Commit)
	}
	return err
}

// describeRoot says what init finds: "exists" for a memory that mem made or adopted
// before, "adopted" for another one, "created" for none.
func (w *work) describeRoot() string {
	have := func(path string) bool {
		_, err := os.Stat(filepath.Join(w.At.Root, filepath.FromSlash(path)))
		return err == nil
	}
	switch old := have(repo.IndexPath) || have(render.CorePath) || have(render.LongTermPath); {
	case old && have(".git/mem"):
		return "exists"
	case old:
		return "adopted"
	}
	return "created"
}

func printInit(w *work, res initResult) {
	env, would, also := w.env, "", ""
	if w.DryRun {
		would = "would be "
	}
	switch {
	case res.fromPi:
		also = "; it has the settings of pi now"
	case res.Commit != "":
		also = "; what was edited by hand is committed"
	}
	switch res.Status {
	case "exists":
		env.Printf("memory in %s is there already%s\n", w.ShowPath(res.Root), also)
	case "adopted":
		env.Printf("memory in %s %sadopted with %s\n", w.ShowPath(res.Root), would, render.Count(res.Lessons, "lesson", "lessons"))
	default:
		env.Printf("memory %screated in %s\n", would, w.ShowPath(res.Root))
		if w.At.Why != "" && w.At.Root == w.At.ID {
			env.Printf("as     %s %s; it is kept where no work tree takes it along, and all share it\n", w.ShowPath(w.At.Project), w.At.Why)
		}
		if _, _, isHere := w.FindOwn(); isHere {
			env.Printf("as     your own memory: every project reads it\n")
		}
	}
	if res.Commit != "" {
		env.Printf("commit %.12s\n", res.Commit)
	}
}

// offerStart offers a person who just made a memory two ways to fill it: the project's past sessions, and hooks
// for the agents that ran them. It asks everything first, so that what was learned is the last thing on the
// screen. Without a person, a line names the commands. A no is fine: the memory is there.
func (w *work) offerStart(ctx context.Context, g *globals) error {
	if !w.env.Interactive() || w.Yes {
		w.env.Hint("'mem backfill' learns from past sessions of this project; 'mem hook install AGENT' lets an agent read and fill the memory")
		defer w.tellSearch(ctx)
		return w.offerModel(ctx, nil)
	}
	past := backfillOptions{inInit: true}
	b, res, err := past.survey(ctx, w)
	if err != nil {
		return err
	}
	learns := false
	if res.New > 0 {
		if learns, err = w.accept(past.mayAsk(ctx, w, res)); err != nil {
			return err
		}
	}
	hooked := ""
	for _, name := range install.AgentNames() {
		if res.Found[name] == 0 {
			continue
		}
		w.env.Printf("hooks   let %s read this memory at the start of a session and fill it at the end\n", name)
		ok, err := w.accept(runHookSettings(ctx, w.env, g, installOptions{Agent: name}))
		if err != nil {
			return err
		} else if ok {
			hooked = cmp.Or(hooked, name)
		}
	}
	if learns {
		err = w.learnFrom(ctx, b, &res)
	}
	if err = errors.Join(err, w.tellNext(ctx, res)); err == nil {
		w.env.Printf("next    %s\n", res.nextStep(hooked))
	}
	return err
}

// nextStep is what a person does now: hooked is an agent that has hooks of mem, "" for none.
func (r backfillResult) nextStep(hooked string) string {
	switch {
	case hooked != "":
		return "work with " + hooked + " as usual; 'mem' shows what it learned and was told"
	case r.Learned > 0:
		return "'mem hook install AGENT' tells an agent these lessons; 'mem context' prints them"
	}
	return "'mem hook install AGENT' lets an agent read and fill this memory; 'mem learn TEXT' notes a lesson of your own"
}

// accept accepts a no as an answer, and says how to do it later. It reports whether the answer was yes.
func (w *work) accept(err error) (bool, error) {
	if errors.Is(err, console.ErrDeclined) {
		w.env.Note("%v; 'mem backfill' and 'mem hook install' do it later", err)
		return false, nil
	}
	return err == nil, err
}

// canAsk reports whether a person is there who can be asked what no flag said.
func (w *work) canAsk() bool {
	return w.env.Interactive() && !w.Yes && !w.JSON && !w.DryRun && w.env.RequirePerson(false) == nil
}

// usualTokens is what a session costs where none is there to go by: half of real ones took a
// prompt of 6,300 tokens or less, and an answer may have 3,000.
const usualTokens = 9300

// offerModel asks a person who never chose a model which agent on the PATH may read the sessions. past is the
// survey of the sessions, nil to make one; first names the agent in question. If a person cannot be asked, a
// line names the command.
func (w *work) offerModel(ctx context.Context, past *reflect.BackfillResult, first ...string) (err error) {
	list, answer := oracle.ListPrograms(first...), ""
	if len(list) == 0 || w.Config.Oracle.IsChosen() || w.Oracle != "" {
		return nil
	}
	if w.canAsk() {
		if past == nil {
			if _, past, err = w.lookThrough(ctx, w.SessionFilter()); err != nil {
				return err
			}
		}
		names := slices.SortedStableFunc(slices.Values(trace.Agents), func(a, b string) int { return cmp.Compare(past.Found[b], past.Found[a]) })
		list = oracle.ListPrograms(append(first, names...)...)
		if answer, err = w.env.Ask(ctx, describeOffer(list, past)); err != nil {
			return err
		}
	}
	at := slices.IndexFunc(list, func(p oracle.Program) bool { return answer == p.Name })
	if n, err := strconv.Atoi(answer); err == nil && n <= len(list) {
		at = n - 1
	}
	switch {
	case at >= 0:
		if _, err = w.chooseModel(config.Choice{Name: "command", Model: list[at].Model}); err == nil {
			w.env.Note("%s reads the sessions from now on; 'mem model set none --global' ends it", list[at].Name)
		}
	case answer == "n" || answer == config.NoModel:
		if _, err = w.chooseModel(config.Choice{Name: config.NoModel}); err == nil {
			w.env.Note("the built-in rules alone read the sessions; '%s' changes that", list[0].Allow)
		}
	default:
		w.env.Hint("nothing is sent to a model; to let %s read the sessions: %s", list[0].Name, list[0].Allow)
	}
	return err
}

// describeOffer is the question: what is sent, to whom, what it costs, and the answers.
func describeOffer(list []oracle.Program, past *reflect.BackfillResult) string {
	each, here, keys, programs := usualTokens, "", "", ""
	if past.New > 0 {
		each = past.Tokens / past.New
		here = fmt.Sprintf("about %s for the %s here, then ", render.Count(past.Tokens, "token", "tokens"), render.Count(past.New, "session", "sessions"))
	}
	for i, p := range list {
		keys += fmt.Sprintf("%d/", i+1)
		programs += fmt.Sprintf("  %d      %s, with %s\n", i+1, p.Name, p.About)
	}
	return fmt.Sprintf(`
A model finds far more in a session than the built-in rules do. One of your agents can ask its model:
  sent   what was said, the tool calls and parts of their outputs, without the secrets that mem
         recognises, to the company that the agent talks to anyway
  cost   %sabout %s a session; at most %s a day
%s  n      none of them: the built-in rules alone, and nothing is sent
  l      later
Who reads the sessions? [%sn/l] `, here, render.Count(each, "token", "tokens"), render.Count(config.DailyTokens, "token", "tokens"), programs, keys)
}

// chooseModel writes the choice to the person's own configuration, unless this is a dry run, and uses it from
// here on. It returns the file.
func (w *work) chooseModel(c config.Choice) (path string, err error) {
	now, err := w.editOwnConfig(c.EditFile)
	if path = w.UserConfig(); err != nil || w.DryRun {
		return path, err
	}
	w.Config.Oracle = now.Oracle // no memory and no flag can set these
	w.Budget.MaxCalls, w.Budget.MaxTokens = now.Oracle.MaxCalls, now.Oracle.MaxTokens
	return path, nil
}
