package render_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"mem/facts"
	"mem/index"
	"mem/index/indextest"
	"mem/render"

	"mem/envtest"
)

func TestViews(t *testing.T) {
	ix := sample()
	ranked := ix.Rank(ix.UpdatedAt)
	golden(t, "core.md", render.Core(ix, ranked, 4))
	golden(t, "core-all.md", render.Core(ix, ranked, 20))
	golden(t, "long-term.md", render.LongTerm(ix, ranked))
	golden(t, "core-empty.md", render.Core(&index.Index{}, nil, 20))
	golden(t, "long-term-one.md", render.LongTerm(&index.Index{UpdatedAt: t0, Items: ix.Items[:1]}, []int{0}))
}

// Views depend on nothing but their arguments, which they leave as they are.
func TestViewsArePure(t *testing.T) {
	ix, before := sample(), sample()
	ranked := ix.Rank(ix.UpdatedAt)
	core, long := render.Core(ix, ranked, 4), render.LongTerm(ix, ranked)
	for range 3 {
		envtest.StopIf(t, !bytes.Equal(core, render.Core(ix, ranked, 4)) || !bytes.Equal(long, render.LongTerm(ix, ranked)),
			"rendering again gives other bytes")
	}
	diff := cmp.Diff(before.Items, ix.Items, cmp.AllowUnexported(index.Item{}))
	envtest.FailIf(t, diff != "", "rendering changed the index:\n%s", diff)
}

// Whatever a record holds, it is one line of a view.
func TestViewsCannotBeForged(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ix := sample()
		lines := func() int {
			ranked := ix.Rank(ix.UpdatedAt)
			return bytes.Count(render.Core(ix, ranked, 9), []byte("\n")) + bytes.Count(render.LongTerm(ix, ranked), []byte("\n"))
		}
		want := lines()
		text := hostile.Draw(t, "text")
		ix.Items[0].Text = "x" + text
		ix.Items[1].Text = index.AvoidPrefix + text
		ix.Items[2].ID = "m-1" + text
		envtest.Same(t, want, lines(), text)
	})
}

// hostile draws text that tries to be more than text.
var hostile = rapid.Custom(func(t *rapid.T) string {
	part := rapid.SampledFrom([]string{
		"\n", "\r", "\u2028", "\u2029", "\v", "# ", "## ", "## 10:00 UTC — Task", "### How it was fixed", "- ", "-->", "<!-- mem:r-1 -->", "--", "-", ">", " ", "x",
	})
	return strings.Join(rapid.SliceOfN(part, 0, 8).Draw(t, "parts"), "")
})

func TestParseCore(t *testing.T) {
	ix := sample()
	var fixes, mistakes []string
	learned, avoided := render.ParseCore(render.Core(ix, ix.Rank(ix.UpdatedAt), 20))
	for _, l := range learned {
		fixes = append(fixes, l.Text)
	}
	for _, l := range avoided {
		mistakes = append(mistakes, l.Text)
	}
	envtest.Same(t, []string{"Run `make lint` before a commit", "Two ## Lines", "The worst"}, fixes, "learnings")
	envtest.Same(t, []string{"pushing to main", "guessing the port"}, mistakes, "watch-outs")
}

func TestParseCoreOfOthers(t *testing.T) {
	const learning, mistake = "fix: ", "mistake: "
	for _, tt := range []struct{ name, core, want string }{
		{"nothing", "", ""},
		{"no items", "# Core\n\ntext\n## Learnings\nNone yet.\n", ""},
		{"where there are none", "## High-value learnings\n- (none yet)\n## Watch-outs\n- Avoid: (none yet)\n- aaa (none yet)\n", "mistake: aaa (none yet)"},
		{"no headings", "- aaa\n* bbb\n", "fix: aaa, fix: bbb"},
		{"pi's headings", "# Core memory\n\n## Core learnings\n- aaa\n\n## Anti-patterns\n- bbb\n- Avoid: ccc\n\n## Learnings\n- ddd\n", "fix: aaa, fix: ddd, mistake: bbb, mistake: Avoid: ccc"},
		{"watch-outs by any name", "## Mistakes\n- aaa\n## What to avoid\n- bbb\n### Watch out\n- ccc\n# What went wrong\n- ddd\n", "mistake: aaa, mistake: bbb, mistake: ccc, mistake: ddd"},
		{"an item that says avoid", "## Learnings\n- AVOID: aaa\n- not avoid: bbb\n", "fix: not avoid: bbb, mistake: AVOID: aaa"},
		{"line ends of Windows", "## Watch-outs\r\n- aaa\r\n", "mistake: aaa"},
		{"indented", "  - aaa\n", "fix: aaa"},
		{"brackets that are not ours", "- call f(x) (see m-1)\n- ggg (m-12345678)\n- (m-1)\n", "fix: call f(x) (see m-1), fix: ggg, fix: (m-1)"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			learned, avoided := render.ParseCore([]byte(tt.core))
			var got []string
			for _, l := range learned {
				got = append(got, learning+l.Text)
			}
			for _, l := range avoided {
				got = append(got, mistake+l.Text)
			}
			envtest.Same(t, tt.want, strings.Join(got, ", "), "-want +got")
			for _, l := range append(learned, avoided...) {
				envtest.FailIf(t, l.Origin != index.OriginImport || l.Held || l.Source.Session != "", "lesson %+v", l)
			}
		})
	}
}

// What a view shows comes back as it was, whatever its text.
func TestCoreRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ix := &index.Index{UpdatedAt: t0}
		fix := index.StripAvoid(rapid.StringMatching(`[a-z(#*-][ -~é日]{0,40}`).Draw(t, "fix"))
		mistake := index.StripAvoid(rapid.StringMatching(`[a-z(#*-][ -~é日]{0,40}`).Draw(t, "mistake"))
		if fix == "" || mistake == "" {
			return
		}
		indextest.Apply(ix, facts.Fact{Fixes: []index.Lesson{{Text: fix}}, Mistakes: []index.Lesson{{Text: mistake}}}, t0)
		learned, avoided := render.ParseCore(render.Core(ix, ix.Rank(t0), 9))
		again := &index.Index{}
		indextest.Apply(again, facts.Fact{Fixes: learned, Mistakes: avoided}, t0)
		envtest.StopIf(t, len(again.Items) != 2, "%d records from %q and %q", len(again.Items), fix, mistake)
		for i := range ix.Items {
			if a, b := ix.Items[i], again.Items[i]; a.Key != b.Key || a.Kind != b.Kind {
				t.Errorf("%q (%s) comes back as %q (%s)", a.Text, a.Kind, b.Text, b.Kind)
			}
		}
	})
}

func TestReadme(t *testing.T) {
	readme := string(render.Readme())
	for _, path := range []string{"core/index.json", render.CorePath, render.LongTermPath, "daily/", "monthly/"} {
		envtest.FailIf(t, !strings.Contains(readme, path), "the README says nothing of %s", path)
	}
	envtest.Same(t, readme, string(render.Readme()), "the README differs from one time to the next")
}
