package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"mem/agent/install"
	"mem/cmd/mem/console"
	"mem/fault"
	"mem/workspace/inspect"
)

// reportOptions are the flags of mem report.
type reportOptions struct {
	inspect.PageOptions
	To, CardTo, Serve string
	Open              bool
}

func newReport(env Env, g *globals) *cobra.Command {
	var opts reportOptions
	c := newCommand("report", func(c *cobra.Command, args []string) error {
		switch {
		case opts.CardTo != "" && isAnySet(c, "output", "serve"):
			return fault.Usagef("--card goes with --open and --now alone")
		case opts.Serve != "" && opts.To != "":
			return fault.Usagef("--serve writes no file: it goes without -o")
		}
		return atMost(0)(c, args)
	}, func(c *cobra.Command, _ []string) error {
		if opts.Serve != "" {
			return serveReport(c.Context(), env, g, opts)
		}
		return withRoot(env, g, func(w *work) error { return w.runReport(c.Context(), opts) })
	})
	c.Flags().StringVarP(&opts.To, "output", "o", "", "write the page to `FILE` instead of printing it")
	c.Flags().BoolVar(&opts.Open, "open", false, "open it in your browser")
	c.Flags().StringVar(&opts.Serve, "serve", "", "show the page at `ADDRESS`, such as 127.0.0.1:0, until Ctrl-C; it follows the memory")
	c.Flags().StringVar(&opts.CardTo, "card", "", "write a small picture for a README to `FILE`.svg instead")
	return c
}

// runReport writes the page, or the card.
func (w *work) runReport(ctx context.Context, opts reportOptions) error {
	to := cmp.Or(opts.CardTo, opts.To)
	switch opts.Card = opts.CardTo != ""; {
	case to == "" && opts.Open: // a place of mem's own, which the next page replaces
		to = filepath.Join(w.root.Path(), ".git", "mem", "report.html")
	case to == "" && console.IsTerminal(w.env.Out):
		return fault.Usagef("a page is not for a terminal; see it with mem report --open, or name a file: mem report -o report.html")
	}
	if to != "" {
		to = w.AbsPath(to)
		_, err := install.CheckFile(to)
		if info, errFolder := os.Stat(filepath.Dir(to)); err == nil && (errFolder != nil || !info.IsDir()) {
			err = fmt.Errorf("there is no folder %s", filepath.Dir(to))
		}
		if err != nil {
			return fault.New(fault.Config, "write page: "+err.Error(), "name another file")
		}
	}
	console.CollectAsUsual() // a page needs little of a large memory
	show, clear := w.env.Progress("reading")
	data, err := inspect.RenderPage(ctx, w.Workspace, opts.PageOptions, w.openOneOfMany, show)
	clear()
	if err != nil {
		return err
	}
	if to == "" {
		w.env.Printf("%s", data)
		return nil
	}
	if err := w.env.Files.WriteFile(to, data, 0o600); err != nil {
		return fmt.Errorf("write page: %w", err)
	}
	w.env.Printf("written %s\n", w.ShowPath(to))
	if opts.Open {
		openInBrowser(w.env, to)
	}
	return nil
}
