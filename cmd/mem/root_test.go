package main

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"
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
		if err != nil || one.Name() != name {
			t.Errorf("%q makes %q (%v)", name, one.Name(), err)
		}
		among, _, _ := all.Find([]string{name})
		if diff := cmp.Diff(describe(among), describe(one)); diff != "" {
			t.Errorf("%s alone (-among all +alone):\n%s", name, diff)
		}
	}
}
