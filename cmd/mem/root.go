package main

import (
	"context"
	"errors"
	"io"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/agnivade/levenshtein"
	"github.com/spf13/cobra"

	"mem/cmd/mem/console"
	"mem/fault"
	"mem/guard"
	"mem/index"
	"mem/oracle"
	"mem/recall"
	"mem/render"
	"mem/workspace"
)

// globals are the flags that every command takes, or many do.
type globals struct {
	Root    string
	Now     string
	Version bool // print it; a flag of mem itself
	answerFlags
}

type answerFlags struct {
	DryRun bool   // change nothing
	JSON   bool   // print the result as JSON
	Yes    bool   // do not ask the person
	Oracle string // the only one to ask; "" for those of the configuration
}

// addJSONFlag adds the flag of every command that prints a result.
func (g *globals) addJSONFlag(c *cobra.Command) *cobra.Command {
	c.Flags().BoolVar(&g.JSON, "json", false, "print JSON")
	return c
}

// addChangeFlags adds the flags of every command that changes something; dryRun says
// what a dry run does.
func (g *globals) addChangeFlags(c *cobra.Command, dryRun string) *cobra.Command {
	c.Flags().BoolVarP(&g.DryRun, "dry-run", "n", false, dryRun)
	return g.addJSONFlag(c)
}

func exclude(c *cobra.Command, flag string, others ...string) {
	for _, other := range others {
		c.MarkFlagsMutuallyExclusive(flag, other)
	}
}

// addYesFlag adds --yes; usage says what is not asked then.
func (g *globals) addYesFlag(c *cobra.Command, usage string) {
	c.Flags().BoolVar(&g.Yes, "yes", false, usage)
}

// addOracleFlag adds --oracle to a command that asks for something.
func (g *globals) addOracleFlag(c *cobra.Command) {
	c.Flags().StringVar(&g.Oracle, "oracle", "", "ask only the oracle of this `NAME`")
	_ = c.RegisterFlagCompletionFunc("oracle", completeFixed(oracle.ListNames()...))
}

// run executes one command line and returns the exit code.
func run(ctx context.Context, env Env, args []string) int {
	out := &console.Output{Writer: env.Out}
	env.Out = out
	root := newRoot(env, firstOf(args))
	root.SetArgs(args)
	c, err := root.ExecuteContextC(ctx)
	if err != nil {
		if _, set, isGroup := strings.Cut(err.Error(), "none of the others can be; ["); isGroup { // cobra's words for flags that exclude each other
			set, _, _ = strings.Cut(set, "]")
			err = fault.Usagef("--%s exclude each other", strings.ReplaceAll(set, " ", " and --"))
		}
	}
	if out.Err != nil && (err == nil || errors.Is(err, out.Err)) {
		// The command may have changed the memory: the error must not read as if
		// it had not.
		err = fault.New(fault.Output, "the result could not be printed: "+out.Err.Error(), "make room for the output or name another place; 'mem status' shows what was done")
	}
	if err != nil && c.Annotations[forHook] != "" && !env.Interactive() { // an agent never fails by it
		env.OutlivePipe()
		env.Note("skipped: %s", workspace.DescribeError(err))
		return 0
	}
	return reportError(ctx, env, c.CommandPath(), err)
}

// reportError tells the person what went wrong in a command and returns the exit code.
func reportError(ctx context.Context, env Env, command string, err error) int {
	if err == nil {
		return 0
	}
	code, hint := fault.Explain(err)
	if code == 1 && ctx.Err() != nil { // such as of a git that was killed with it
		err = ctx.Err()
		code, hint = fault.Explain(err)
	}
	switch {
	case code != fault.Usage || hint != "":
	case command == "mem":
		hint = "run 'mem help' for the commands and flags"
	default:
		hint = "run '" + command + " --help' for its arguments and flags"
	}
	env.Note("%s", workspace.DescribeError(err))
	env.Hint("%s", hint)
	return int(code)
}

// newRoot returns mem with the command of this name, or with all if there is none.
func newRoot(env Env, only string) *cobra.Command {
	g := &globals{}
	c := newCommand("", noCommand, func(c *cobra.Command, _ []string) error {
		switch {
		case g.Version:
		case env.Interactive() && console.IsTerminal(env.Out) && env.RequirePerson(false) == nil:
			return runPage(c.Context(), env, g, c.Help)
		default:
			return c.Help()
		}
		env.Printf("mem %s\n", console.Version())
		return nil
	})
	c.SilenceErrors, c.SilenceUsage = true, true
	c.SetIn(env.In)
	c.SetOut(env.Out)
	c.SetErr(env.Err)
	c.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return fault.Usagef("%s", flagError(err)) })
	// Not with cobra's own flag: its template makes the program a fifth larger.
	c.Flags().BoolVarP(&g.Version, "version", "v", false, "version for mem")
	c.PersistentFlags().StringVar(&g.Root, "root", "", "use the memory in `DIR` instead of the project's")
	c.PersistentFlags().StringVar(&g.Now, "now", "", "run as if at `TIME` (RFC 3339)")
	addHelp(c, env)
	if construct := listConstructors()[only]; construct != nil {
		c.CompletionOptions.DisableDefaultCmd = true
		c.AddCommand(construct(env, g))
		return c
	}
	addCommands(c, env, g)
	return c
}

// A constructor makes a command. A process needs one: to make all takes a tenth of a hook's time.
type constructor = func(Env, *globals) *cobra.Command

func listConstructors() map[string]constructor {
	return map[string]constructor{
		"init": newInit, "reflect": newReflect, "context": newContext, "review": newReview,
		"trust": newTrust, "config": newConfig, "model": newModel, "hook": newHook, "toggle": newToggle, "version": newVersion,
		"learn": newLearn, "backfill": newBackfill, "worker": newWorker, "month": newMonth, "redistill": newRedistill,
		"search": newSearch, "list": newList, "show": newShow, "skills": newSkills,
		"rule": newRule, "ingest": newIngest, "feedback": newFeedback, "undo": newUndo, "redo": newRedo, "prove": newProve, "export": newExport,
		"status": newStatus, "doctor": newDoctor, "stats": newStats, "report": newReport, "log": newLog, "daily": newDaily, "trace": newTrace,
		"sync": newSync, "purge": newPurge, "mcp": newMcp,
	}
}

func atMost(n int) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		switch {
		case len(args) <= n:
			return nil
		case n == 0:
			return fault.Usagef("%s takes no argument, and got %q", c.CommandPath(), args[0])
		}
		return fault.Usagef("%s takes at most %s, and got %d", c.CommandPath(), render.Count(n, "argument", "arguments"), len(args))
	}
}

// firstOf returns the argument that may be left out.
func firstOf(args []string) string { return strings.Join(args[:min(len(args), 1)], "") }

// anyNumber lets needs allow as many as there are.
const anyNumber = math.MaxInt

// needs requires at least and at most so many arguments; what says what they are, and how to find them.
func needs(what string, least, most int) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) < least || len(args) > most {
			return fault.Usagef("%s takes %s", c.CommandPath(), what)
		}
		return nil
	}
}

// noCommand refuses an unknown command, and says what may have been meant.
func noCommand(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	c.SuggestionsMinimumDistance = 2
	if near := c.SuggestionsFor(args[0]); len(near) > 0 {
		return fault.Usagef("there is no command %q; did you mean %s?", args[0], strings.Join(near, " or "))
	}
	return fault.Usagef("there is no command %q", args[0])
}

// suggest asks whether a similar known word was meant; without one it returns otherwise.
func suggest(word, otherwise string, known []string) string {
	for _, name := range known {
		if levenshtein.ComputeDistance(strings.ToLower(word), name) <= max(1, len(name)/3) {
			return "did you mean " + name + "?"
		}
	}
	return otherwise
}

// flagError says what is wrong with a flag, without the name of the Go function that
// found it.
func flagError(err error) string {
	if code, _ := fault.Explain(err); code == fault.Usage { // of a choice
		return errors.Unwrap(err).Error()
	}
	text := err.Error()
	for _, by := range []string{"strconv.", "time: "} {
		text, _, _ = strings.Cut(text, ": "+by)
	}
	return text
}

// runTime returns the time at which the command runs: the one of --now, or now.
func (g *globals) runTime(env Env) (time.Time, error) {
	if g.Now == "" {
		return env.Clock().UTC().Truncate(time.Millisecond), nil
	}
	t, err := time.Parse(time.RFC3339Nano, g.Now)
	if err != nil {
		return time.Time{}, fault.Usagef("--now %q is not a time such as 2026-02-03T04:05:06Z", g.Now)
	}
	return t.UTC().Truncate(time.Millisecond), nil
}

// completeSome offers the ids of the lessons that fit, with their texts, except those already on the line.
// Completion has no way to report an error.
func completeSome(env Env, g *globals, fits func(*index.Item) bool) cobra.CompletionFunc {
	env.Err = io.Discard
	return func(_ *cobra.Command, args []string, prefix string) (names []string, _ cobra.ShellCompDirective) {
		_ = withWork(env, g, func(w *work) error {
			sources, err := w.ReadSomeMemories()
			for _, f := range recall.FindText(sources, "", recall.Filter{Type: recall.LessonType, Status: recall.AnyStatus, ID: prefix}, 0).Found {
				if fits(f.Item) && !slices.Contains(args, f.ID) && len(names) < mostOffered {
					state := "" // first: what is long is cut
					if f.Item.Status != index.Active {
						state = string(f.Item.Status) + ": "
					}
					names = append(names, guard.Line(f.ID)+"\t"+render.Shorten(guard.Line(state+f.Text), 59))
				}
			}
			return err
		})
		return names, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
	}
}

// A choice is the value of a flag that takes one of some words, or its default.
type choice struct {
	*string
	name, usual string
	words       []string
}

func (c choice) String() string { return *c.string }
func (choice) Type() string     { return "string" }

func (c choice) Set(word string) error {
	if word != c.usual && !slices.Contains(c.words, word) {
		return fault.Usagef("--%s is %s, not %q", c.name, strings.Join(c.words, " or "), word)
	}
	*c.string = word
	return nil
}

// addChoice adds a flag whose value is one of some words, which a shell is offered and a usage that ends with a colon lists.
func addChoice[T ~string](c *cobra.Command, value *string, name, usage string, words ...T) {
	list := make([]string, len(words))
	for i, word := range words {
		list[i] = string(word)
	}
	if strings.HasSuffix(usage, ":") {
		usage += " " + strings.Join(list, ", ")
	}
	c.Flags().Var(choice{value, name, *value, list}, name, usage)
	_ = c.RegisterFlagCompletionFunc(name, completeFixed(list...))
}

func completeFixed(words ...string) cobra.CompletionFunc {
	return cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp)
}

const mostOffered = 1000
