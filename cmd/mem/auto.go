package main

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"mem/reflect"
	"mem/repo"
	"mem/session"
)

// fromHook reports whether a command line is one of a hook, whose agent must
// not be held up: for some agents a failing hook is an order to go on working.
func fromHook(args []string) bool {
	words := command(args)
	switch {
	case len(words) == 0:
		return false
	case words[0] == "reflect":
		return slices.Contains(words, "--auto") || slices.Contains(words, "--auto=true")
	}
	byHand := func(arg string) bool { return arg == "install" || arg == "uninstall" }
	return words[0] == "hook" && !slices.ContainsFunc(words, byHand)
}

// asksJSON reports whether a command line wants JSON.
func asksJSON(words []string) bool {
	return slices.Contains(words, "--json") || slices.Contains(words, "--json=true")
}

// command returns a command line from the command's name on: what only looks
// like it, such as the name of a file, is behind.
func command(args []string) []string {
	for i := 0; i < len(args); i++ {
		switch {
		case args[i] == "--root" || args[i] == "--now":
			i++ // its value
		case !strings.HasPrefix(args[i], "-"):
			return args[i:]
		}
	}
	return nil
}

// An auto is what came of a reflection that nobody watches.
type auto struct {
	line   string // for a person
	result any    // for a program: what mem reflect --json prints, or why not
}

// skippedResult is the JSON of mem reflect --auto if nothing was reflected on.
type skippedResult struct {
	Skipped string `json:"skipped"` // why
}

func skipped(why string) auto { return auto{"skipped: " + why, skippedResult{why}} }

// runAuto is for hooks: whatever happens, the agent goes on.
func runAuto(ctx context.Context, env Env, g *globals, opts reflectOptions) error {
	quiet := env
	var notes []string
	quiet.Err = noteWriter{&notes}
	a, w := autoReflect(ctx, quiet, g, opts)
	if len(notes) > 0 {
		a.line += " (" + strings.Join(notes, "; ") + ")"
	}
	env.Note("%s", a.line)
	if w != nil && !opts.DryRun {
		w.remember(a.line)
	}
	if opts.JSON {
		return printJSON(env, a.result)
	}
	return nil
}

// autoReflect reflects and says what came of it. Without a workspace there is
// nothing to remember it in.
func autoReflect(ctx context.Context, env Env, g *globals, opts reflectOptions) (a auto, w *work) {
	defer func() {
		if p := recover(); p != nil {
			a = skipped(oneLine(fmt.Sprintf("a defect in mem: %v", p)))
		}
	}()
	if env.Getenv("MEM_CHILD") != "" {
		return skipped("this session is mem's own question to a model"), nil
	}
	w, err := g.newWork(env, nil)
	if err != nil {
		return skipped(errorText(err)), nil
	}
	if !w.Config.Enabled {
		return skipped(string(reflect.Disabled)), w
	}
	if w.off() {
		return skipped(switchedOff), w
	}
	res, err := w.reflect(ctx, opts)
	if err != nil {
		return skipped(errorText(err)), w
	}
	if s := res.doc.Session; s != nil && later(res.outcome.Reason) && !opts.DryRun {
		return w.postpone(ctx, s, opts, res), w
	}
	line := res.summary(opts)
	if len(w.Detector.Found) > 0 {
		line += fmt.Sprintf("; pending rule proposals: %d ('mem review' shows them)", w.Detector.Pending)
	}
	return auto{line, reflectionJSON(w, opts, res)}, w
}

// later reports whether a session may bring lessons another time.
func later(reason reflect.Reason) bool {
	return reason == reflect.NoOracle || reason == reflect.BadAnswer || reason == reflect.Spent
}

// postpone queues a session that nobody could be asked about now.
func (w *work) postpone(ctx context.Context, s *session.Session, opts reflectOptions, res reflection) auto {
	why := string(res.outcome.Reason)
	root, err := w.CreateRoot(ctx)
	if err != nil {
		return skipped(why + "; " + errorText(err))
	}
	defer func() { _ = w.CloseRoots() }() // all that was kept is on disk
	reason, err := reflect.Defer(root, s, reflect.Options{Now: w.Now, Label: opts.Label})
	switch {
	case err != nil:
		return skipped(why + "; " + errorText(err))
	case reason != "":
		return skipped(string(reason))
	}
	out := reflectionJSON(w, opts, res)
	out.Status = "queued"
	return auto{"queued: " + why, out}
}

// summary is the outcome in one line.
func (r reflection) summary(opts reflectOptions) string {
	o := r.outcome
	fresh, again := o.Numbers()
	switch {
	case o.Queued != nil:
		return "queued: " + errorText(o.Queued)
	case o.Reason != "":
		return "skipped: " + string(o.Reason)
	case opts.DryRun:
		return fmt.Sprintf("would learn %d new, %d repeated", fresh, again)
	}
	return fmt.Sprintf("learned %d new, %d repeated, commit %s", fresh, again, short(o.Commit.ID))
}

// lastAuto is the outcome of the last mem reflect --auto, which nobody
// watched.
type lastAuto struct {
	At      time.Time `json:"at"`
	Outcome string    `json:"outcome"`
}

// remember keeps the outcome for mem status. It is a convenience: when it
// cannot be kept, nothing is lost.
func (w *work) remember(line string) {
	root, err := w.OpenRoot()
	if err != nil {
		return
	}
	defer func() { _ = w.CloseRoots() }()
	if data, err := json.Marshal(lastAuto{w.Now, line}); err == nil {
		_ = root.Keep(repo.NoteLast, data)
	}
}

// lastAuto returns what remember kept.
func (w *work) lastAuto(root *repo.Root) (lastAuto, bool) {
	var last lastAuto
	data, err := root.Kept(repo.NoteLast)
	if err != nil || json.Unmarshal(data, &last) != nil {
		return last, false
	}
	return last, true
}
