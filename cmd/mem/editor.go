package main

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"

	"github.com/spf13/cobra"

	"mem/repo"
	"mem/workspace/review"
)

func newReviewEdit(env Env, g *globals) *cobra.Command {
	var opts decideOptions
	c := &cobra.Command{
		Use:   "edit ID",
		Short: "Change the words of what is proposed",
		Long: `Open what is proposed in $VISUAL or $EDITOR. What comes back waits on: editing
decides nothing. The domain may be changed too, and with it the file that a rule
goes to; the id and the learnings may not.`,
		Args:              oneID,
		ValidArgsFunction: completeProposals(env, g),
		RunE: func(c *cobra.Command, args []string) error {
			return runReviewEdit(c.Context(), env, g, args[0], opts)
		},
	}
	opts.flags(c)
	return c
}

func runReviewEdit(ctx context.Context, env Env, g *globals, id string, opts decideOptions) error {
	if !env.Interactive() || !terminal(env.Out) {
		return errNoTerminal
	}
	return withRoot(env, g, func(w *work, _ *repo.Root) error {
		changed, err := review.EditProposal(ctx, w.Workspace, id, opts.DryRun, env.openEditor)
		if err != nil {
			return err
		}
		return w.printDecision(id, changed, opts)
	})
}

// asker returns a function that asks the person on a terminal.
func (e Env) asker() func(ctx context.Context, question string) (string, error) {
	in := bufio.NewReader(e.In)
	return func(ctx context.Context, question string) (string, error) {
		fmt.Fprint(e.Err, question)
		return reading(ctx, func() (string, error) { return in.ReadString('\n') })
	}
}

// openEditor opens a file in the person's editor and waits for it to end.
func (e Env) openEditor(ctx context.Context, path string) error {
	argv := strings.Fields(cmp.Or(strings.TrimSpace(e.Getenv("VISUAL")), strings.TrimSpace(e.Getenv("EDITOR")), "vi"))
	cmd := exec.CommandContext(ctx, argv[0], append(argv[1:], path)...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.Env = e.Environ
	if e.Lend != nil {
		defer e.Lend()()
	}
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%w: %s: %w", review.ErrEditor, argv[0], err)
	}
	return nil
}
