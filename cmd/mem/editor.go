package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"strings"

	"github.com/spf13/cobra"

	"mem/curate/proposal"
	"mem/repo"
	"mem/repo/disk"
)

// maxDraft bounds what comes back from a person's editor, in bytes.
const maxDraft = 1 << 20

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
	return withRoot(env, g, func(w *work, root *repo.Root) error { return w.editProposal(ctx, root, id, opts, env.editor) })
}

// editProposal lets a person edit what is proposed. What cannot be taken back
// is kept, and the error says where.
func (w *work) editProposal(ctx context.Context, root *repo.Root, id string, opts decideOptions, edit func(context.Context, string) error) error {
	m, err := root.View(w.Now)
	if err != nil {
		return err
	}
	draft, err := draftOf(m, id)
	if err != nil {
		return err
	}
	path, err := w.draftFile(id, draft)
	if err != nil {
		return err
	}
	failed := edit(ctx, path)
	edited, err := readDraft(path)
	switch {
	case err != nil && failed == nil:
		return fmt.Errorf("%w: %w", errEditor, err)
	case err != nil:
		return failed
	case bytes.Equal(edited, draft): // nothing to keep
		if failed == nil {
			w.env.Printf("nothing changed\n")
		}
		return errors.Join(failed, os.Remove(path))
	case ctx.Err() != nil:
		w.env.Note("what you wrote is in %s", path)
		return ctx.Err()
	case failed != nil:
		return fmt.Errorf("%w; what you wrote is in %s", failed, path)
	}
	err = w.decide(ctx, root, decision{"edited", id, opts, func(d proposal.Queue, m *repo.Memory, id string, _ proposal.Decision) (repo.Message, error) {
		if now, err := d.ReadDraft(m, id); err != nil || !bytes.Equal(now, draft) {
			return repo.Message{}, cmp.Or(err, fmt.Errorf("%s: %w", id, errChanged))
		}
		return d.ApplyEdit(m, id, edited)
	}})
	if err != nil {
		return fmt.Errorf("%w; what you wrote is in %s", err, path)
	}
	return os.Remove(path)
}

// readDraft returns what an editor left.
func readDraft(path string) ([]byte, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, errors.New("it left no file")
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular() || info.Size() > maxDraft:
		return nil, fmt.Errorf("%s is no plain file of at most %d MiB", path, maxDraft>>20)
	}
	return os.ReadFile(path)
}

// draftOf returns what a person may edit.
func draftOf(m *repo.Memory, id string) ([]byte, error) {
	for _, d := range desks() {
		draft, err := d.ReadDraft(m, id)
		if !errors.Is(err, proposal.ErrUnknown) {
			return draft, err
		}
	}
	return nil, fmt.Errorf("%q: %w", id, proposal.ErrUnknown)
}

// draftFile writes a draft where an editor can open it.
func (w *work) draftFile(id string, draft []byte) (string, error) {
	f, err := os.CreateTemp("", "mem-*.md")
	if err != nil {
		return "", fmt.Errorf("write the draft: %w", disk.Refused(err))
	}
	_, err = f.Write(draft)
	if err = errors.Join(err, f.Close()); err != nil {
		return "", fmt.Errorf("write the draft of %s: %w", id, disk.Refused(err))
	}
	return f.Name(), nil
}

// errEditor is wrapped when an editor could not be used.
var errEditor = errors.New("the editor failed")

// editor opens a file in the person's editor and waits for it to end.
func (e Env) editor(ctx context.Context, path string) error {
	argv := strings.Fields(cmp.Or(strings.TrimSpace(e.Getenv("VISUAL")), strings.TrimSpace(e.Getenv("EDITOR")), "vi"))
	cmd := exec.CommandContext(ctx, argv[0], append(argv[1:], path)...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.Env = e.Environ
	if e.Lend != nil {
		defer e.Lend()()
	}
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%w: %s: %w", errEditor, argv[0], err)
	}
	return nil
}
