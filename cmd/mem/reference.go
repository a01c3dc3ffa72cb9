package main

import (
	_ "embed"
	"strings"

	"github.com/spf13/cobra"

	"mem/agent"
	"mem/agent/install"
	"mem/config"
	"mem/topic"
)

// reference holds what help says of each command, under headings such as "## mem undo [COMMIT|ID]".
//
//go:embed commands.md
var reference string

// newCommand returns a command that the reference describes, by its name without "mem": with a line that says what it
// does, more about it, and examples, which are indented by four there.
func newCommand(name string, args cobra.PositionalArgs, run func(*cobra.Command, []string) error) *cobra.Command {
	path := strings.TrimSpace("mem " + name)
	at := strings.Index(reference, "\n## "+path+"\n")
	if at < 0 { // it takes arguments
		at = strings.Index(reference, "\n## "+path+" ")
	}
	text, _, _ := strings.Cut(reference[at+len("\n## "+path):], "\n#")
	usage, text, _ := strings.Cut(strings.NewReplacer(
		"{agents}", strings.Join(agent.Agents, ", "), "{hooked}", strings.Join(install.AgentNames(), "|"), "{settings}", install.Where,
		"{domains}", strings.Join(topic.Domains(), ", "), "{programs}", strings.Join(config.Programs, ", "),
	).Replace(text), "\n\n")
	c := &cobra.Command{Use: path[strings.LastIndex(path, " ")+1:] + usage, Args: args, RunE: run}
	c.Short, c.Long, _ = strings.Cut(text, "\n")
	if at := strings.LastIndex("\n"+c.Long, "\n\n    "); at >= 0 {
		c.Example = "  " + strings.ReplaceAll(strings.TrimSpace(c.Long[at:]), "\n    ", "\n  ")
		c.Long = c.Long[:at]
	}
	c.Long = strings.TrimSpace(c.Long)
	return c
}
