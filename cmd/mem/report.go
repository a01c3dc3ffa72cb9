package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"mem/agent/install"
	"mem/cmd/mem/console"
	"mem/workspace/inspect"
)

// errOutput is wrapped when the page cannot be written where it is wanted.
var errOutput = errors.New("not a place for a page")

func newReport(env Env, g *globals) *cobra.Command {
	var to string
	var all bool
	c := &cobra.Command{
		Use:   "report",
		Short: "Write a page about the memory to look at",
		Long: `Write one HTML page: what was learned over time, what came back, whether it helped
(as 'mem stats' says), the rules, the lessons with a search, and the latest history.
It loads nothing, works without JavaScript, and can be printed.

It shows the lessons that sessions are shown, as 'mem list' does: the project's, and
those of your own memory (~/.mem). Look at it before you pass it on.`,
		Example: `  mem report -o report.html`,
		Args:    atMost(0),
		RunE: g.inRoot(env, func(ctx context.Context, w *work, _ []string) error {
			if to == "" && console.IsTerminal(w.env.Out) {
				return usagef("a page is not for a terminal; name a file: mem report -o report.html")
			}
			if _, err := install.CheckFile(w.AbsPath(to)); to != "" && err != nil {
				return fmt.Errorf("write page: %w%w", err, hidden{errOutput})
			}
			show, clear := w.env.Progress("reading")
			data, err := inspect.RenderPage(ctx, w.Workspace, all, w.openOneOfMany, show)
			clear()
			if err != nil {
				return err
			}
			if to == "" {
				w.env.Printf("%s", data)
				return nil
			}
			if err := w.env.Files.WriteFile(w.AbsPath(to), data, 0o600); err != nil {
				return fmt.Errorf("write page: %w", err)
			}
			w.env.Printf("written %s\n", w.ShowPath(w.AbsPath(to)))
			return nil
		}),
	}
	c.Flags().StringVarP(&to, "output", "o", "", "write the page to `FILE` instead of printing it")
	c.Flags().BoolVar(&all, "all", false, "show lessons that sessions are not shown, too, with their state")
	return c
}
