package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mem/curate"
	"mem/envtest"
	"mem/workspace"
)

// What comes back from an editor is taken as it is or not at all, and what a
// person wrote is never lost.
func TestReviewEdit(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	var out bytes.Buffer
	env := Env{Out: &out, Err: &out, World: workspace.World{Dir: dir, Environ: []string{"HOME=" + dir}, Clock: time.Now}}
	g := &globals{Root: filepath.Join(dir, "m"), Now: "2026-02-03T04:05:06Z"}
	learn := func(text string) error {
		opts := learnOptions{Text: text, Domain: "coding", Tags: []string{"a", "b"}}
		return withWork(env, g, func(w *work) error { return opts.runLearn(t.Context(), w) })
	}
	for _, text := range []string{"One", "Two", "Three"} {
		envtest.NoError(t, learn(text))
	}
	drafts := func() []string {
		list, err := filepath.Glob(filepath.Join(dir, "mem-*.md"))
		envtest.NoError(t, err)
		return list
	}
	edit := func(edit func(path string) error) error {
		return withRoot(env, g, func(w *work) error {
			w.OpenEditor = func(_ context.Context, path string) error { return edit(path) }
			changed, err := w.EditProposal(t.Context(), "pattern-001", false)
			if err == nil {
				workspace.WriteDecision(&out, "pattern-001", changed)
			}
			return err
		})
	}
	replace := func(old, new string) func(string) error {
		return func(path string) error {
			data, err := os.ReadFile(path)
			envtest.StopIf(t, err != nil || !strings.Contains(string(data), old), "%q, %v", data, err)
			return os.WriteFile(path, []byte(strings.Replace(string(data), old, new, 1)), 0o600)
		}
	}
	out.Reset()
	if err := edit(func(string) error { return nil }); err != nil || out.String() != "nothing changed\n" {
		t.Errorf("nothing edited: %v, %q", err, out.String())
	}
	if err := edit(replace("What to know about a and b", "Two letters")); err != nil || !strings.Contains(out.String(), "edited pattern-001\ncommit  ") {
		t.Errorf("%v, %q", err, out.String())
	}
	list := drafts()
	envtest.FailIf(t, len(list) > 0, "%q are left", list)
	err := edit(replace("# Two letters", "Two letters"))
	if list := drafts(); !errors.Is(err, curate.ErrInvalid) || len(list) != 1 || !strings.Contains(err.Error(), list[0]) {
		t.Errorf("%v, and %q are left", err, list)
	}
	err = edit(func(path string) error {
		if err := learn("Four"); err != nil {
			return err
		}
		return replace("Two letters", "Late")(path)
	})
	envtest.Wraps(t, curate.ErrChanged, err, "another process changed it")
	broken := errors.New("no editor")
	if err := edit(func(string) error { return broken }); !errors.Is(err, broken) || len(drafts()) != 2 || strings.Contains(err.Error(), "you wrote") {
		t.Errorf("nothing was written: %v, %q", err, drafts())
	}
	err = edit(func(path string) error { return errors.Join(replace("Two letters", "Late")(path), broken) })
	envtest.FailIf(t, !errors.Is(err, broken) || len(drafts()) != 3 || !strings.Contains(err.Error(), "you wrote is in "),
		"%v, %q", err, drafts())
	envtest.Wraps(t, workspace.ErrEditor, edit(os.Remove), "no file is left")
	envtest.Wraps(t, workspace.ErrEditor,
		edit(func(path string) error { return os.Truncate(path, workspace.MaxText+1) }), "a huge file is left")
}
