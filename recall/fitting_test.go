package recall_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"mem/index"
	"mem/recall"

	"mem/envtest"
)

func TestBundleOnlyWhatFits(t *testing.T) {
	m := memory(learning("Read the log", 9), learning("Run `pnpm db:migration NAME` for a new one", 1), watchOut("guessing", 9),
		watchOut("editing a migration that ran in a database", 2), learning("Name a database after its service", 8), learning("Write `src/db/seed.ts` by hand", 7))
	m.Index.Items[4].Pinned = true
	opts := recall.Options{Core: true, Budget: 1000, Limit: 20, Mode: recall.Off, Only: true}
	for _, tt := range []struct {
		task  string
		known []string
		want  []string
	}{
		{"a new migration of the database", nil, []string{"m-00000001", "m-00000003"}},
		{"a new migration of the database", []string{"m-00000001"}, []string{"m-00000003"}},
		{"a new migration of the database", []string{"m-00000001", "m-00000003"}, nil}, // and no other in their place
		{"why is src/db/seed.ts empty?", nil, []string{"m-00000005"}},                  // a name letter for letter
		{"the database is slow", nil, nil},                                             // one word in common is by chance
		{"please go on", nil, nil},
		{"", nil, nil},
	} {
		opts.For, opts.Known = tt.task, tt.known
		c := bundle(t, m, opts)
		envtest.Same(t, tt.want, c.Items, tt.task, tt.known)
		envtest.Same(t, len(m.Index.Items)-len(tt.known)-len(tt.want), c.LeftOut, tt.task, "known", tt.known,
			"left out")
	}
	opts.For, opts.Known = "a new migration of the database", []string{"m-00000000", "m-00000001"}
	want := "# Lessons from earlier sessions\n\n## For this task\n\n- Avoid: editing a migration that ran in a database (2026-02-03)\n\n" +
		"3 more in .mem; `mem search WORDS` finds them\n"
	c := bundle(t, m, opts)
	envtest.Same(t, want, inside(t, c.Text), "-want +got")
	if len(c.Why) != 1 || c.Why[0].Section != "fitting" || c.Why[0].Why != "number 5 by rank, seen 1 time; has migration, database" {
		t.Errorf("why: %+v", c.Why)
	}
	opts.Budget = c.Tokens - 1
	c = bundle(t, m, opts)
	envtest.FailIf(t, c.Text != "" || c.LeftOut != 4, "without room: %d left out of %s", c.LeftOut, c.Text)
}

// TestBundleAsked: what is asked about gets what fits it by words or by topic, and
// pinned ones; what fits nothing is told so, and an agent that asked nothing is not.
func TestBundleAsked(t *testing.T) {
	m := memory(learning("Ship packages from a clean checkout", 1), learning("Write migrations by hand", 9), learning("Keep the log short", 9),
		learning("Name the parts of a gauge in full", 9))
	m.Index.Items[0].Tags = []string{"release"}
	opts := recall.Options{Core: true, Budget: 1000, Limit: 20, Mode: recall.Strict, Asked: true}
	for _, tt := range []struct {
		task string
		want []string
	}{
		{"prepare the next release", []string{"m-00000000"}}, // its topic
		{"why is the gauge wrong?", []string{"m-00000003"}},
		{"draw a picture of the sea", nil},
		{"keep the parts of the picture", nil}, // a common word each
	} {
		opts.For = tt.task
		c := bundle(t, m, opts)
		envtest.Same(t, tt.want, c.Items, tt.task)
	}
	c := bundle(t, m, opts)
	want := "# Lessons from earlier sessions\n\nNo lesson fits this task.\n\n4 more in .mem; `mem search WORDS` finds them\n"
	envtest.Same(t, want, inside(t, c.Text), "nothing fits")
	opts.Budget = c.Tokens - 5
	c = bundle(t, m, opts)
	envtest.FailIf(t, c.Text != "" || c.Tokens != 0, "without room: %d tokens, %s", c.Tokens, c.Text)
	opts.Budget, opts.Asked = 1000, false
	c = bundle(t, m, opts)
	envtest.FailIf(t, len(c.Items) != 4, "a session that asked nothing gets %v", c.Items)
	m.Index.Items[2].Pinned, opts.Asked = true, true
	if c := bundle(t, m, opts); len(c.Items) != 1 || !strings.Contains(c.Text, "No other lesson fits this task.") {
		t.Errorf("with a pinned one: %s", c.Text)
	}
}

// However many fit, a prompt gets a few.
func TestBundleOnlyAFew(t *testing.T) {
	var items []index.Item
	for i := range 30 {
		items = append(items, learning(fmt.Sprintf("Migrate the database with care, number %02d", i), 1))
	}
	c := bundle(t, memory(items...), recall.Options{Core: true, Budget: 9000, Limit: 20, For: "migrate the database", Only: true})
	envtest.FailIf(t, len(c.Items) != 3 || c.LeftOut != 27, "%d shown, %d left out", len(c.Items), c.LeftOut)
}

// What was told of one memory is known in both, by whichever name.
func TestBundleKnownInBothMemories(t *testing.T) {
	own, m := memory(learning("Migrate the database", 1)), memory(learning("Other", 1), learning("Migrate the database", 1))
	own.Index.Items[0].ID = "\u202em-odd"
	sources := []recall.Source{{Memory: own, Global: true, Root: "~/.mem"}, {Memory: m, Root: ".mem"}}
	for _, id := range []string{"m-odd", "m-00000001"} {
		c := recall.Bundle(sources, recall.Options{Core: true, Budget: 900, Limit: 9, For: "migrate the database", Known: []string{id}})
		envtest.Same(t, []string{"m-00000000"}, c.Items, id)
		envtest.Same(t, 0, c.LeftOut, id)
	}
}

// A session that is told at its start, and again with its first prompt, is told
// nothing twice, and the second time how many are left after both.
func TestBundleTwiceLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		own, m := memory(drawItems(t, "own")...), memory(drawItems(t, "items")...)
		for i := range own.Index.Items {
			own.Index.Items[i].ID = fmt.Sprintf("m-%08x", 100+i)
		}
		sources := []recall.Source{{Memory: own, Global: true, Root: "~/.mem"}, {Memory: m, Root: ".mem"}}
		opts := recall.Options{
			Budget: rapid.IntRange(0, 500).Draw(t, "budget"), Limit: rapid.IntRange(0, 9).Draw(t, "limit"),
			Core: rapid.Bool().Draw(t, "core"),
		}
		start := recall.Bundle(sources, opts)
		opts.Budget, opts.Known, opts.Only = opts.Budget/4, start.Items, true
		opts.For = rapid.SampledFrom([]string{"", "no 3 word", "word no 1", "no " + nasty.Draw(t, "for")}).Draw(t, "prompt")
		prompt := recall.Bundle(sources, opts)
		again := recall.Bundle(sources, opts)
		envtest.StopIf(t, again.Text != prompt.Text, "another text the second time:\n%s\n%s", prompt.Text, again.Text)
		envtest.StopIf(t, recall.Tokens(prompt.Text) > opts.Budget, "%d tokens of %d", prompt.Tokens, opts.Budget)
		for _, id := range prompt.Items {
			envtest.StopIf(t, slices.Contains(start.Items, id), "%s is told twice:\n%s\n%s", id, start.Text, prompt.Text)
		}
		envtest.Same(t, prompt.LeftOut+len(prompt.Items), start.LeftOut, prompt.LeftOut, len(prompt.Items), prompt.Text)
		if prompt.Text == "" {
			return
		}
		envtest.StopIf(t, len(prompt.Items) != len(prompt.Why) || strings.TrimSpace(opts.For) == "",
			"what is no lesson, or for no prompt: %+v", prompt.Why)
		for _, why := range prompt.Why {
			envtest.StopIf(t, !strings.Contains(why.Why, "; has "), "nothing in common: %+v", why)
		}
		lawfulMarkdown(t, inside(t, prompt.Text), recall.Options{Mode: recall.Off})
	})
}

// TestBundleOtherQuotes: what differs in quotes, backticks or case only is told once, and
// not again when one of the two is known.
func TestBundleOtherQuotes(t *testing.T) {
	m := memory(learning("Run `make gen` after a migration", 9), learning(`Run "make gen" after a Migration`, 5), learning("Run make lint after a migration", 3))
	for i := range m.Index.Items {
		m.Index.Items[i].Key = index.KeyOf(m.Index.Items[i].Text)
	}
	for _, opts := range []recall.Options{{}, {For: "gen of a migration", Asked: true}, {Known: []string{"m-00000001"}}} {
		opts.Core, opts.Budget, opts.Limit = true, 1000, 20
		want := []string{"m-00000000", "m-00000002"}
		if opts.Known != nil {
			want = want[1:]
		}
		if opts.Asked {
			want = want[:1]
		}
		c := bundle(t, m, opts)
		envtest.Same(t, want, c.Items, opts)
		envtest.Same(t, c.LeftOut, map[bool]int{true: 1}[opts.Asked], opts, "left out")
	}
}

// TestBundleNamesSevere: what is not pinned does not stand under a heading that says so.
func TestBundleNamesSevere(t *testing.T) {
	m := memory(learning("Ask first", 1), learning("Never drop the table", 1))
	m.Index.Items[0].Pinned, m.Index.Items[1].Severity = true, "high"
	opts := recall.Options{Core: true, Budget: 1000, Limit: 20}
	c := bundle(t, m, opts)
	envtest.FailIf(t, !strings.Contains(c.Text, "## Pinned, or of high severity\n\n- Ask first"), "%v", c.Text)
	m.Index.Items[1].Severity = ""
	c = bundle(t, m, opts)
	envtest.FailIf(t, !strings.Contains(c.Text, "## Pinned\n\n- Ask first"), "%v", c.Text)
}
