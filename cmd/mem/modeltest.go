package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"mem/oracle"
	"mem/workspace"
)

// errNoModel is wrapped when there is no model to ask.
var errNoModel = errors.New("no model can be asked")

func newModelTest(env Env, g *globals) *cobra.Command {
	c := &cobra.Command{
		Use:   "test",
		Short: "Ask the model one harmless question",
		Long: `Ask the model that is asked first for one word, and say what came back and how long
it took. One line is sent, and nothing of a session. It counts as one call.`,
		Args: atMost(0),
		RunE: g.inWork(env, runModelTest),
	}
	g.addOracleFlag(c)
	return g.addJSONFlag(c)
}

// modelTest is the JSON of mem model test.
type modelTest struct {
	Model   string  `json:"model"`
	Sent    string  `json:"sent"`
	Answer  string  `json:"answer"`
	Seconds float64 `json:"seconds"`
}

// The limits of the question, and of what is shown of its answer.
const (
	testTimeout = 90 * time.Second
	maxShown    = 200
)

func runModelTest(ctx context.Context, w *work, _ []string) error {
	if _, err := w.OpenRootIfAny(); err != nil && !errors.Is(err, workspace.ErrUntrusted) { // the budget is counted in it
		return err
	}
	o, label, err := w.findModel()
	if err != nil {
		return err
	}
	res := modelTest{Model: label, Sent: "Answer with the one word: ready"}
	w.env.Note("asking %s, with one line: %s", label, res.Sent)
	began := w.Clock()
	answer, err := o.Ask(ctx, oracle.Request{Task: oracle.Title, Prompt: res.Sent, Timeout: testTimeout})
	if err == nil && strings.TrimSpace(answer) == "" {
		err = errors.New("the answer is empty")
	}
	res.Seconds = w.Clock().Sub(began).Seconds()
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		return fmt.Errorf("%s did not answer, after %.1f s: %w%w", label, res.Seconds, err, hidden{oracle.ErrUnusable})
	}
	said := []rune(strings.Join(strings.Fields(answer), " "))
	res.Answer = string(said[:min(len(said), maxShown)])
	return w.printResult(res, func() { w.env.Printf("%s answered in %.1f s: %s\n", label, res.Seconds, res.Answer) }, "answer")
}

// findModel returns the model that is asked first, or the one that --oracle names, with its label.
func (w *work) findModel() (oracle.Oracle, string, error) {
	setup := w.oracleSetup()
	if w.Oracle != "" {
		list, err := setup.ChooseOracles(w.Oracle)
		if err != nil {
			return nil, "", err
		}
		return list[0], oracle.By(list[0]), nil
	}
	for _, c := range setup.ListCandidates() {
		switch {
		case c.Name == oracle.Code || c.Unset:
		case c.Oracle == nil:
			return nil, "", fmt.Errorf("%w: %s: %s", errNoModel, c.FormatLabel(), c.Reason)
		default:
			return c.Oracle, c.FormatLabel(), nil
		}
	}
	return nil, "", fmt.Errorf("%w: none is configured", errNoModel)
}
