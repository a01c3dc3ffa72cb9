package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strconv"

	"mem/agent/install"
	"mem/cmd/mem/console"
	"mem/config"
	"mem/reflect/backfill"
	"mem/render"
	"mem/trace"
	"mem/workspace/oracles"
)

// offerStart offers a person who just made a memory what fills it: the past sessions of
// this project, and the hooks of the agents that they are of. Otherwise it says in a line
// what could be done. A no is fine: the memory is there.
func (w *work) offerStart(ctx context.Context, g *globals) error {
	if !w.env.Interactive() || w.Yes {
		w.env.Hint("'mem backfill' learns from past sessions of this project; 'mem hook install AGENT' lets an agent read and fill the memory")
		return w.offerModel(ctx, nil)
	}
	past := backfillOptions{ask: true}
	if err := w.accept(past.runBackfill(ctx, w, nil)); err != nil {
		return err
	}
	agents := slices.DeleteFunc(install.AgentNames(), func(name string) bool { return past.found[name] == 0 })
	for _, name := range agents {
		w.env.Printf("hooks   let %s read this memory at the start of a session and fill it at the end\n", name)
		if err := w.accept(runHookSettings(ctx, w.env, g, installOptions{Agent: name})); err != nil {
			return err
		}
	}
	if len(agents) == 0 {
		w.env.Hint("'mem hook install AGENT' lets an agent read and fill this memory; 'mem learn TEXT' notes a lesson of your own")
	}
	return nil
}

// accept takes a no for an answer, and says what it means.
func (w *work) accept(err error) error {
	if errors.Is(err, console.ErrDeclined) {
		w.env.Note("%v; 'mem backfill' and 'mem hook install' do it later", err)
		return nil
	}
	return err
}

// canAsk reports whether a person is there who can be asked what no flag said.
func (w *work) canAsk() bool {
	return w.env.Interactive() && !w.Yes && !w.JSON && !w.DryRun && w.env.RequirePerson(false) == nil
}

// usualTokens is what a session costs where none is there to go by: half of real ones took a
// prompt of 6,300 tokens or less, and an answer may have 3,000.
const usualTokens = 9300

// offerModel asks a person who never chose a model which of the agents on the PATH may read
// the sessions. past is what there is, nil to find out; first is the agent that this is about.
// Where a person cannot be asked, a line names the command.
func (w *work) offerModel(ctx context.Context, past *backfill.Result, first ...string) (err error) {
	list, answer := oracles.ListPrograms(first...), ""
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
		list = oracles.ListPrograms(append(first, names...)...)
		if answer, err = w.env.Ask(ctx, describeOffer(list, past)); err != nil {
			return err
		}
	}
	at := slices.IndexFunc(list, func(p oracles.Program) bool { return answer == p.Name })
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
func describeOffer(list []oracles.Program, past *backfill.Result) string {
	each, here, keys, programs := usualTokens, "", "", ""
	if past.New > 0 {
		each = past.Tokens / past.New
		here = fmt.Sprintf("about %d tokens for the %s here, then ", past.Tokens, render.Count(past.New, "session", "sessions"))
	}
	for i, p := range list {
		keys += fmt.Sprintf("%d/", i+1)
		programs += fmt.Sprintf("  %d      %s, with %s\n", i+1, p.Name, p.About)
	}
	return fmt.Sprintf(`
A model finds far more in a session than the built-in rules do. One of your agents can ask its model:
  sent   what was said, the tool calls and parts of their outputs, without the secrets that mem
         recognises, to the company that the agent talks to anyway
  cost   %sabout %d tokens a session; at most %d a day
%s  n      none of them: the built-in rules alone, and nothing is sent
  l      later
Who reads the sessions? [%sn/l] `, here, each, config.DailyTokens, programs, keys)
}

// chooseModel writes the choice to the person's own configuration, unless this is a trial, and
// works by it from here on. It returns the file.
func (w *work) chooseModel(c config.Choice) (path string, err error) {
	if path = w.UserConfig(); path == "" {
		return "", fmt.Errorf("there is no home folder for your configuration: %w", config.ErrInvalid)
	}
	old, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("read configuration: %w", err)
	}
	data, err := c.EditFile(path, old)
	if err != nil {
		return "", err
	}
	if w.DryRun {
		w.env.Printf("%s", data)
		return path, nil
	}
	if string(data) != string(old) {
		if err := w.env.Files.WriteFile(path, data, 0o600); err != nil {
			return "", fmt.Errorf("write configuration: %w", err)
		}
	}
	now, err := config.Load(&config.Source{Name: path, Data: data}, nil, w.Environ, nil)
	if err != nil {
		return "", err
	}
	w.Config.Oracle = now.Oracle // no memory and no flag can set these
	w.Budget.MaxCalls, w.Budget.MaxTokens = now.Oracle.MaxCalls, now.Oracle.MaxTokens
	return path, nil
}
