package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"mem/guard"
	"mem/reflect"
	"mem/workspace"
)

// forHooks annotates a command that hooks run: with hookAlways, or with the name
// of the flag that a hook gives. Whatever happens to such a command, its exit code
// is 0: for some agents a failing hook is an order to keep working.
const forHooks = "mem/for-hooks"

const hookAlways = "*"

// isForHook reports whether a hook runs c. args are the command line, which cobra
// has not read to its end if there is something wrong with it.
func isForHook(c *cobra.Command, args []string) bool {
	flag := c.Annotations[forHooks]
	return flag == hookAlways || flag != "" && isSet(c, args, flag)
}

// findCommand returns the command that args name, where cobra does not even look
// for one: after an unknown flag it returns mem itself as c.
func findCommand(c *cobra.Command, args []string) *cobra.Command {
	if len(args) == 0 || !strings.HasPrefix(args[0], "-") {
		return c
	}
	for i := 1; i < len(args) && !c.HasParent(); i++ {
		if found, _, err := c.Find(args[i:]); err == nil {
			c = found
		}
	}
	return c
}

func isSet(c *cobra.Command, args []string, flag string) bool {
	f := c.Flags().Lookup(flag)
	return f != nil && (f.Value.String() == "true" || slices.Contains(args, "--"+flag))
}

// skipForHook says in the way of a hook that a command could not do its work.
func skipForHook(env Env, c *cobra.Command, args []string, err error) {
	env.OutlivePipe()
	a := skipped(workspace.DescribeError(err))
	env.Note("%s", a.line)
	if c.Annotations[forHooks] != hookAlways && isSet(c, args, "json") && !errors.Is(err, errResult) {
		_ = printJSON(env, a.result) // the exit code is 0 in any case
	}
}

// An auto is what came of a reflection that runs unwatched.
type auto struct {
	line   string // for a person
	result any    // for a program: what mem reflect --json prints, or why not
}

// skipped is what came of it if nothing was reflected on, and why.
func skipped(why string) auto { return auto{"skipped: " + why, map[string]string{"skipped": why}} }

// runAuto is for hooks: whatever happens, the agent keeps working.
func runAuto(ctx context.Context, env Env, g *globals, opts reflectOptions) error {
	env.OutlivePipe()
	quiet, notes := env.CollectNotes()
	a, w := autoReflect(ctx, quiet, g, opts)
	a.line = notes.AddTo(a.line)
	env.Note("%s", a.line)
	if w != nil {
		if !g.DryRun {
			w.KeepHookOutcome("", a.line)
		}
		_ = w.LeaveRoots() // what was kept is on disk
	}
	if g.JSON {
		return printJSON(env, a.result)
	}
	return nil
}

// autoReflect reflects and says what came of it. Without a workspace there is
// nothing to keep it in.
func autoReflect(ctx context.Context, env Env, g *globals, opts reflectOptions) (a auto, w *work) {
	defer func() {
		if p := recover(); p != nil {
			a = skipped(guard.Line(fmt.Sprintf("a defect in mem: %v", p)))
		}
	}()
	if env.Getenv("MEM_CHILD") != "" {
		return skipped("this session is mem's own question to a model"), nil
	}
	w, err := g.newWork(env, workspace.Options{})
	if err != nil {
		return skipped(workspace.DescribeError(err)), nil
	}
	if !w.Config.Enabled {
		return skipped(string(reflect.Disabled)), w
	}
	if w.HooksOff().Root {
		return skipped(switchedOff), w
	}
	res, err := w.reflectOn(ctx, opts)
	if err != nil {
		return skipped(workspace.DescribeError(err)), w
	}
	if res.Doc.Session != nil && reflect.Reason(res.Reason).MayPass() && !w.DryRun {
		if why := res.QueueSession(ctx); why != "" {
			return skipped(why), w
		}
	}
	line := res.Summarise()
	if len(w.Detector.Found) > 0 {
		line += fmt.Sprintf("; pending rule proposals: %d ('mem review' shows them)", w.Detector.Pending)
	}
	return auto{line, reflectionJSON(w, res)}, w
}
