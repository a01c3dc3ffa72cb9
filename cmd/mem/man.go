package main

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"mem/cmd/mem/console"
	"mem/render/manual"
)

// newMan is hidden: 'make man' runs it once.
func newMan(env Env) *cobra.Command {
	return &cobra.Command{
		Use:    "man DIR",
		Short:  "Write the manual pages of all commands into a folder",
		Hidden: true,
		Args:   oneName("the folder to write the manual pages into"),
		RunE: func(c *cobra.Command, args []string) error {
			for _, p := range listPages(c.Root(), nil) {
				if err := env.Files.WriteFile(filepath.Join(env.AbsPath(args[0]), p.FileName()), p.Render(), 0o644); err != nil {
					return fmt.Errorf("write manual page: %w", err)
				}
			}
			return nil
		},
	}
}

// listPages lists the pages of a command and of those below it.
func listPages(c, parent *cobra.Command) (list []manual.Page) {
	c.InitDefaultHelpFlag()
	var subs, see strings.Builder
	for _, sub := range c.Commands() {
		if !sub.IsAvailableCommand() || sub.Name() == "help" {
			continue
		}
		fmt.Fprintf(&subs, "  %-14s %s\n", sub.Name(), sub.Short)
		fmt.Fprintf(&see, ", %s(1)", strings.ReplaceAll(sub.CommandPath(), " ", "-"))
		list = append(list, listPages(sub, c)...)
	}
	if parent != nil {
		see.WriteString(", " + strings.ReplaceAll(parent.CommandPath(), " ", "-") + "(1)")
	}
	p := manual.Page{Name: c.CommandPath(), Short: c.Short, Version: console.Version(), Sections: []manual.Section{
		{Title: "SYNOPSIS", Text: "  " + c.UseLine()}, {Title: "DESCRIPTION", Text: c.Long}, {Title: "COMMANDS", Text: subs.String()},
		{Title: "OPTIONS", Text: c.NonInheritedFlags().FlagUsages()}, {Title: "OPTIONS OF EVERY COMMAND", Text: c.InheritedFlags().FlagUsages()},
		{Title: "EXAMPLES", Text: c.Example},
	}}
	if parent == nil {
		p.Sections = append(p.Sections, manual.Section{Title: "EXIT CODES", Text: listCodes()})
	}
	p.Sections = append(p.Sections, manual.Section{Title: "SEE ALSO", Text: strings.TrimPrefix(see.String(), ", ")})
	return append(list, p)
}
