package main

import (
	"testing"

	"github.com/spf13/cobra"

	"mem/envtest"
)

// A command that is made alone is the same as the one that is made with all others.
func TestOneCommand(t *testing.T) {
	describe := func(c *cobra.Command) (said []string) {
		walkCommands(c, func(c *cobra.Command) {
			c.InitDefaultHelpFlag()
			said = append(said, c.UsageString(), c.Short, c.Long)
		})
		return said
	}
	all := newRoot(Env{}, "")
	for name := range listConstructors() {
		one, _, err := newRoot(Env{}, name).Find([]string{name})
		envtest.FailIf(t, err != nil || one.Name() != name, "%q makes %q (%v)", name, one.Name(), err)
		among, _, _ := all.Find([]string{name})
		envtest.Same(t, describe(among), describe(one), name, "alone")
	}
}
