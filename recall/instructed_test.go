package recall_test

import (
	"fmt"
	"testing"

	"mem/index"
	"mem/recall"

	"mem/envtest"
)

// TestBundleFew: a session that starts reads what is pinned, what a person said and five of the
// lessons that are borne out, of both memories together, and no lesson that a hook shows later.
func TestBundleFew(t *testing.T) {
	m := memory(learning("Pinned", 1), learning("Said", 1), learning("Migrate the database with care", 9), learning("Said of a command", 9), learning("From another memory", 9))
	items := m.Index.Items
	items[0].Pinned, items[1].Origin, items[3].Origin = true, index.OriginUser, index.OriginUser
	items[4].Origin, items[4].Hits = index.OriginImport, 9
	own := memory()
	for i := range 4 {
		for _, of := range []*index.Index{m.Index, own.Index} {
			it := learning(fmt.Sprintf("Seen twice %d %d", i, len(of.Items)), 1)
			it.ID, it.Hits, it.LastSeen = fmt.Sprintf("m-%d%d", i, len(of.Items)), 2, t0
			of.Items = append(of.Items, it)
		}
	}
	sources := []recall.Source{{Memory: own, Global: true, Root: "~/.mem"}, {Memory: m, Root: ".mem", Learnings: []string{"Noted by an agent"}}}
	opts := recall.Options{Budget: 600, Limit: 20, Later: map[string]bool{"m-00000003": true, "m-00000000": true}}
	c := recall.Bundle(sources, opts)
	envtest.Same(t, []string{"m-00000000", "m-00000001", "m-00", "m-05", "m-16", "m-27", "m-38"}, c.Items)
	envtest.Same(t, 6, c.LeftOut, c.Text)
	opts.For = "migrate the database" // a session's first prompt, where nothing was said at its start
	c = recall.Bundle(sources, opts)
	envtest.FailIf(t, len(c.Items) != 8, "%v with a prompt: %s", c.Items, c.Text)
}

// TestBundleInstructed: a start does not repeat a sentence of a project's own files.
func TestBundleInstructed(t *testing.T) {
	const file = "# Work here\n\nRun `make gen` before you run the tests, as\nthey read it. Use one space.\n\n1. **Never** push to `main`\n- Avoid: mocks\n"
	for text, want := range map[string]bool{
		"Run make gen before you run the tests, as they read it": true,
		"Use one space":           true,
		"Never push to main.":     true,
		"Push to main":            false, // the opposite
		"Avoid mocks":             true,
		"Avoid mocks of the disk": false,
		"Run `make gen`":          false,
	} {
		m := memory(learning(text, 1))
		m.Index.Items[0].Origin = index.OriginUser
		c := bundle(t, m, recall.Options{Budget: 600, Limit: 20, Instructions: []string{"", file}})
		envtest.Same(t, want, len(c.Items) == 0, text)
	}
}
