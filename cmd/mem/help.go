package main

import (
	_ "embed"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"mem/agent"
	"mem/agent/install"
	"mem/config"
	"mem/fault"
	"mem/render"
	"mem/topic"
)

// groups are the commands that mem help lists, in this order. The others work as well, and mem help --all lists them.
var groups = [][2]string{
	{"Start with", "init hook context review undo"},
	{"Learn", "reflect learn backfill"},
	{"Look", "list show search status stats report log"},
	{"Mark lessons", "pin unpin retire restore supersede feedback"},
	{"Keep in order", "rule sync config model doctor help"},
}

// keepOrder lets help begin with what people need first.
var keepOrder = sync.OnceFunc(func() { cobra.EnableCommandSorting = false })

// addCommands adds all commands, those of the groups first.
func addCommands(c *cobra.Command, env Env, g *globals) {
	commands := append(lessonCommands(env, g), newExitCodes(env))
	for _, construct := range listConstructors() {
		commands = append(commands, construct(env, g))
	}
	slices.SortFunc(commands, func(a, b *cobra.Command) int { return strings.Compare(a.Use, b.Use) })
	for _, group := range groups {
		c.AddGroup(&cobra.Group{ID: group[0], Title: group[0] + ":"})
		for _, name := range strings.Fields(group[1]) {
			if at := slices.IndexFunc(commands, func(sub *cobra.Command) bool { return sub.Name() == name }); at >= 0 {
				commands[at].GroupID = group[0]
				c.AddCommand(commands[at])
				commands = slices.Delete(commands, at, at+1)
			}
		}
	}
	c.AddCommand(commands...)
	c.SetHelpCommandGroupID(groups[len(groups)-1][0])
	c.InitDefaultCompletionCmd()
	if sub, _, err := c.Find([]string{"completion"}); err == nil {
		sub.Short = "Print a script that completes commands in a shell"
		sub.Args, sub.RunE = noCommand, func(c *cobra.Command, _ []string) error { return c.Help() }
	}
}

// addHelp adds mem help, and lets it and --help list the groups alone.
func addHelp(c *cobra.Command, env Env) {
	keepOrder()
	listAll, help := false, c.HelpFunc()
	c.SetHelpCommand(newHelp(&listAll))
	c.SetHelpFunc(func(about *cobra.Command, args []string) {
		more := 0
		for _, sub := range c.Commands() {
			if about == c && !listAll && sub.GroupID == "" && sub.IsAvailableCommand() {
				sub.Hidden = true
				more++
			}
		}
		about.Long = fillText(about.Long, min(env.LineWidth(), 80))
		env.LayOut(func() { help(about, args) })
		if more > 0 {
			env.Printf("\n'mem help --all' lists %d more commands.\n", more)
		}
	})
}

// fillText fills the lines of each paragraph of a text, which may be shown wider or narrower than it was written.
func fillText(text string, width int) string {
	lines, parts := render.Layout{Terminal: render.Terminal{Width: width}}, strings.Split(text, "\n\n")
	for i, paragraph := range parts {
		parts[i] = lines.Fit(strings.Join(strings.Fields(paragraph), " "))
	}
	return strings.Join(parts, "\n\n")
}

// newHelp is mem help. An unknown topic is a usage error.
func newHelp(listAll *bool) *cobra.Command {
	c := newCommand("help", nil, func(c *cobra.Command, args []string) error {
		about, rest, err := c.Root().Find(args)
		if err != nil || len(rest) > 0 {
			return fault.Usagef("there is no help on %q", strings.Join(args, " "))
		}
		about.InitDefaultHelpFlag()
		about.InitDefaultVersionFlag()
		return about.Help()
	})
	c.Flags().BoolVar(listAll, "all", false, "list all commands")
	return c
}

// newExitCodes is a help topic: mem help exit-codes.
func newExitCodes(env Env) *cobra.Command {
	c := newCommand("exit-codes", nil, nil)
	c.SetHelpFunc(func(*cobra.Command, []string) { env.Printf("%s", fault.Table()) })
	return c
}

// reference holds what help says of each command, under headings such as "## mem undo [COMMIT|ID]: Take back a commit".
//
//go:embed commands.md
var reference string

// sections are the parts of the reference, one a command.
var sections = sync.OnceValue(func() []string { return strings.Split(reference, "\n## ") })

// newCommand returns a command that the reference describes, by its name without "mem": with more about it, and examples,
// which are indented by four there.
func newCommand(name string, args cobra.PositionalArgs, run func(*cobra.Command, []string) error) *cobra.Command {
	path := strings.TrimSpace("mem " + name)
	at := slices.IndexFunc(sections(), func(s string) bool { return strings.HasPrefix(s, path+":") })
	if at < 0 { // it takes arguments
		at = slices.IndexFunc(sections(), func(s string) bool { return strings.HasPrefix(s, path+" ") })
	}
	text := sections()[at][len(path):]
	if strings.Contains(text, "{") { // few do, and each start of mem makes all commands
		text = strings.NewReplacer(
			"{agents}", strings.Join(agent.Hooked(), ", "), "{all agents}", strings.Join(install.AgentNames(), ", "),
			"{domains}", strings.Join(topic.Domains(), ", "), "{programs}", strings.Join(config.Programs, ", "),
		).Replace(text)
	}
	head, text, _ := strings.Cut(text, "\n")
	usage, short, _ := strings.Cut(head, ": ")
	c := &cobra.Command{Use: path[strings.LastIndex(path, " ")+1:] + usage, Short: short, Long: text, Args: args, RunE: run}
	if at := strings.LastIndex("\n"+c.Long, "\n\n    "); at >= 0 {
		c.Example = "  " + strings.ReplaceAll(strings.TrimSpace(c.Long[at:]), "\n    ", "\n  ")
		c.Long = c.Long[:at]
	}
	c.Long = strings.TrimSpace(c.Long)
	return c
}
