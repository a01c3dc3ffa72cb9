package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"

	"mem/agent"
	"mem/config"
	"mem/reflect/backfill"
	"mem/render"
	"mem/workspace/oracles"
)

// usualTokens is what a session costs where none is there to go by: half of real ones took a
// prompt of 6,300 tokens or less, and an answer may have 3,000.
const usualTokens = 9300

// offerModel asks a person who never chose a model which of the agents on the PATH may read
// the sessions, and reports whether one may now. first is the agent that it is about, or "".
// Where a person cannot be asked, one line names the command that allows it.
func (w *work) offerModel(ctx context.Context, first string, past func() (*backfill.Result, error)) (bool, error) {
	if w.Config.HasChosen() || w.Oracle != "" {
		return false, nil
	}
	later := func(p oracles.Program) {
		w.env.Hint("nothing is sent to a model; to let %s read the sessions: %s", p.Name, p.Allow)
	}
	if !w.env.Interactive() || w.Yes || w.JSON || w.DryRun || w.env.RequirePerson(false) != nil {
		if list := oracles.ListPrograms(first); len(list) > 0 {
			later(list[0])
		}
		return false, nil
	}
	if len(oracles.ListPrograms()) == 0 {
		return false, nil
	}
	found, err := past()
	if err != nil {
		return false, err
	}
	names := slices.SortedStableFunc(slices.Values(agent.Agents), func(a, b string) int { return cmp.Compare(found.Found[b], found.Found[a]) })
	list := oracles.ListPrograms(append([]string{first}, names...)...)
	answer, err := w.env.NewAsker()(ctx, describeOffer(list, found))
	if err != nil && !errors.Is(err, io.EOF) { // the end of the input is an answer
		return false, err
	}
	answer = strings.ToLower(strings.TrimSpace(answer))
	at := slices.IndexFunc(list, func(p oracles.Program) bool { return p.Name == answer })
	if n, err := strconv.Atoi(answer); err == nil && n <= len(list) {
		at = n - 1
	}
	choice, says := config.Choice{Name: config.NoModel}, "the built-in rules alone read the sessions; '"+list[0].Allow+"' changes that"
	switch {
	case at >= 0:
		choice, says = list[at].Choice(), list[at].Name+" reads the sessions from now on; 'mem model set none --global' ends it"
	case answer != "n" && answer != config.NoModel:
		later(list[0])
		return false, nil
	}
	if _, err := w.chooseModel(choice); err != nil {
		return false, err
	}
	w.env.Note("%s", says)
	return at >= 0, nil
}

// describeOffer is the question: what is sent, to whom, what it costs, and the answers.
func describeOffer(list []oracles.Program, past *backfill.Result) string {
	each, here := usualTokens, ""
	if past.New > 0 {
		each = past.Tokens / past.New
		here = fmt.Sprintf("about %d tokens for the %s here, then ", past.Tokens, render.Count(past.New, "session", "sessions"))
	}
	var b strings.Builder
	fmt.Fprintf(&b, `
A model finds far more in a session than the built-in rules do. One of your agents can ask its model:
  sent   what was said, the tool calls and parts of their outputs, without the secrets that mem
         recognises, to the company that the agent talks to anyway
  cost   %sabout %d a session; at most %d a day
`, here, each, config.DailyTokens)
	keys := ""
	for i, p := range list {
		fmt.Fprintf(&b, "  %d      %s\n", i+1, p.Describe())
		keys += fmt.Sprintf("%d/", i+1)
	}
	fmt.Fprintf(&b, "  n      none of them: the built-in rules alone, and nothing is sent\n  l      later\nWho reads the sessions? [%sn/l] ", keys)
	return b.String()
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
