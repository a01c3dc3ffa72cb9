package expertise

import (
	"errors"
	"flag"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v4"

	"mem/guard"
)

var update = flag.Bool("update", false, "rewrite the golden files")

var day = time.Date(2026, 2, 3, 4, 5, 6, 0, time.UTC)

// edited is what becomes of a file.
func edited(t *testing.T, data string, proven []Pattern, known ...string) (string, bool) {
	t.Helper()
	e, err := ReadList([]byte(data))
	if err != nil {
		t.Fatal(err)
	}
	e.Update(proven, func(key string) bool {
		for _, k := range known {
			if k == key {
				return true
			}
		}
		return false
	}, day)
	out, err := e.Encode()
	if err != nil {
		t.Fatal(err)
	}
	return string(out), e.Changed
}

var wrapped = Pattern{
	ID: "m-1f9c2a7e", Text: "Extend `tsconfig` from \"@tsconfig/node20\": always", Confidence: "high", Files: 7,
	Evidence: "packages/*/tsconfig.json, tsconfig.json", LearnedFrom: "skill_sync", At: day,
}

// TestE6GoldenExpertise compares a new file, and the same one a run later, with
// those that were looked at by hand, and reads them as a program would.
func TestE6GoldenExpertise(t *testing.T) {
	number := Pattern{ID: "m-00000002", Text: "1.10", Confidence: "medium", Files: 3, Evidence: "a.go, b.go, c.go", LearnedFrom: "claude", At: day}
	first, _ := edited(t, "", []Pattern{wrapped, number})
	more := wrapped
	more.Files = 9
	second, changed := edited(t, first, []Pattern{more})
	if !changed {
		t.Error("a count and an entry less are no change")
	}
	for name, got := range map[string]string{"E6 new.yaml": first, "E6 demoted.yaml": second} {
		path := "testdata/" + strings.TrimPrefix(name, "E6 ")
		if *update {
			if err := os.WriteFile(path, []byte(got), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	var read struct {
		Version  string
		Patterns []struct {
			Pattern, Confidence, Evidence string
			Occurrences                   int
			From                          string `yaml:"learned_from"`
			At                            any    `yaml:"promoted_at"`
		}
		Log []struct {
			Date   any
			Change string
			Added  int `yaml:"patterns_added"`
		} `yaml:"evolution_log"`
	}
	if err := yaml.Unmarshal([]byte(first), &read); err != nil {
		t.Fatal(err)
	}
	if p := read.Patterns[1]; p.Pattern != "1.10" || p.At != "2026-02-03T04:05:06" || read.Version != "0.2.0" || read.Log[0].Date != "2026-02-03" || read.Log[0].Added != 2 {
		t.Errorf("read back: %+v", read)
	}
}

func TestExpertiseKeepsWhatOthersWrote(t *testing.T) {
	const old = `# Ours and theirs.
owner: team-a # ask them
version: 0.2
patterns:
    - pattern: Another one's
      confidence: high
      weight: 1.10
      when: 2026-01-31
    - pattern: 'Extend ` + "`tsconfig`" + ` from "@tsconfig/node20": always'
      confidence: medium
      note: {by: ada}
      promoted_at: 2026-01-31T14:23:00
    - just a text
    - pattern: No longer so
evolution_log:
    - date: 2026-01-31
      change: Promoted 3 patterns from Tier 1
      patterns_added: 3
      by: [x, y]
`
	const want = `# Ours and theirs.
owner: team-a # ask them
version: "0.2"
patterns:
  - pattern: Another one's
    confidence: high
    weight: 1.10
    when: 2026-01-31
  - pattern: 'Extend ` + "`tsconfig`" + ` from "@tsconfig/node20": always' # m-1f9c2a7e
    confidence: high
    note: {by: ada}
    promoted_at: "2026-01-31T14:23:00"
    occurrences: 7
    evidence: "packages/*/tsconfig.json, tsconfig.json"
    learned_from: skill_sync
  - just a text
evolution_log:
  - date: "2026-01-31"
    change: Promoted 3 patterns from Tier 1
    patterns_added: 3
    by: [x, y]
  - date: "2026-02-03"
    change: "Demoted 1 patterns"
    patterns_removed: 1
`
	got, _ := edited(t, old, []Pattern{wrapped}, "no longer so")
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if again, changed := edited(t, got, []Pattern{wrapped}); changed || again != got {
		t.Errorf("a second time it is changed: %v\n%s", changed, cmp.Diff(got, again))
	}
	reworded := wrapped
	reworded.Text = "Extend it"
	if got, _ := edited(t, got, []Pattern{reworded}); !strings.Contains(got, `pattern: "Extend it" # m-1f9c2a7e`) || strings.Contains(got, "always") {
		t.Errorf("a lesson that was reworded is not found by its id:\n%s", got)
	}
}

// TestE10SafeYAML: what plays tricks, or is not understood, is left alone.
func TestE10SafeYAML(t *testing.T) {
	for name, data := range map[string]string{
		"an alias bomb":       "a: &a [x, x]\nb: &b [*a, *a]\npatterns: [*b, *b]\n",
		"an anchor":           "patterns: &p []\n",
		"no YAML":             "patterns: [\n",
		"two documents":       "patterns: []\n---\npatterns: []\n",
		"no mapping":          "- a\n",
		"patterns is a text":  "patterns: none\n",
		"the log is a number": "evolution_log: 3\n",
		"a member twice":      "patterns: []\npatterns: []\n",
		"an object":           "patterns: []\nx: !!python/object/apply:os.system [ls]\n",
		"a key that is none":  "patterns: []\n[a]: b\n",
		"only a comment":      "# nothing\n",
		"too deep":            strings.Repeat("[", 20000),
		"too large":           strings.Repeat("#\n", 3<<20),
		"a NUL":               "patterns: []\x00\n",
	} {
		if _, err := ReadList([]byte(data)); !errors.Is(err, ErrNotEditable) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func FuzzExpertise(f *testing.F) {
	f.Add([]byte("version: 0.2\npatterns:\n- {pattern: x, n: 1.10}\n- pattern: |\n    two\n    lines\n"), "One `x`")
	f.Add([]byte("# c\npatterns: [a, b] # d\nevolution_log:\n"), "- y: \"z\" # \u2028")
	f.Fuzz(func(t *testing.T, data []byte, text string) {
		e, err := ReadList(data)
		if err != nil {
			return
		}
		p := wrapped
		p.Text = guard.Line(text)
		if p.Text == "" {
			return
		}
		e.Update([]Pattern{p}, func(string) bool { return false }, day)
		out, err := e.Encode()
		if err != nil {
			return // it is left alone
		}
		again, err := ReadList(out)
		if err != nil {
			t.Fatalf("%q came out as %q: %v", data, out, err)
		}
		again.Update([]Pattern{p}, func(string) bool { return false }, day)
		if again.Changed {
			t.Fatalf("%q is changed again", out)
		}
	})
}

// TestJoin: to join a list twice is to join it once, and what the list has is left as
// it is.
func TestJoin(t *testing.T) {
	const ours = "version: \"0.2.0\"\npatterns:\n  - pattern: \"use  PNPM\"\n    mine: 1\nevolution_log:\n  - date: \"2026-02-01\"\n    change: \"Ours\"\n"
	const theirs = "version: \"0.1.0\"\nteam: {name: a}\npatterns:\n  - pattern: Use pnpm\n    occurrences: 3\n  - pattern: Log once\n    occurrences: 5\n  - pattern: Not a lesson\nevolution_log:\n  - date: 2026-01-01\n    change: Theirs\n"
	const want = "version: \"0.2.0\"\npatterns:\n  - pattern: \"use  PNPM\"\n    mine: 1\n  - pattern: Log once # m-00000002\n    occurrences: 5\n" +
		"evolution_log:\n  - date: \"2026-01-01\"\n    change: Theirs\n  - date: \"2026-02-01\"\n    change: \"Ours\"\nteam: {name: a}\n"
	data := []byte(ours)
	for range 2 {
		l, err := ReadList(data)
		if err != nil {
			t.Fatal(err)
		}
		from, err := ReadList([]byte(theirs))
		if err != nil {
			t.Fatal(err)
		}
		l.Join(from, map[string]string{"Use pnpm": "m-00000001", "Log once": "m-00000002"})
		if data, err = l.Encode(); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, string(data)); diff != "" {
			t.Error(diff)
		}
	}
}
