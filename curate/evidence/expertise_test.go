package evidence

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v4"

	"mem/envtest"
	"mem/guard"
	"mem/index"
)

var day = time.Date(2026, 2, 3, 4, 5, 6, 0, time.UTC)

// edited is what becomes of a file.
func edited(t *testing.T, data string, proven []*index.Item, known ...string) (string, bool) {
	t.Helper()
	e, err := readList([]byte(data))
	envtest.NoError(t, err)
	e.update(proven, func(key string) bool { return slices.Contains(known, key) }, day)
	out, err := e.encode()
	envtest.NoError(t, err)
	return string(out), e.changed
}

// proved returns a proven lesson.
func proved(id, text, confidence string, files int, from string, paths ...string) *index.Item {
	return &index.Item{
		ID: id, Text: text, Confidence: confidence, Sources: []index.Source{{Trace: from + ":x"}},
		Evidence: &index.Evidence{Files: files, Paths: paths, At: day},
	}
}

// wrapped returns a lesson with all that YAML makes something of.
func wrapped(text string, files int) *index.Item {
	return proved("m-1f9c2a7e", text, "high", files, "skill_sync", "packages/*/tsconfig.json", "tsconfig.json")
}

const extended = "Extend `tsconfig` from \"@tsconfig/node20\": always"

// TestE6GoldenExpertise compares a new file, and the same one a run later, with
// those that were looked at by hand, and reads them as a program would.
func TestE6GoldenExpertise(t *testing.T) {
	number := proved("m-00000002", "1.10", "medium", 3, "claude", "a.go", "b.go", "c.go")
	first, _ := edited(t, "", []*index.Item{wrapped(extended, 7), number})
	second, changed := edited(t, first, []*index.Item{wrapped(extended, 9)})
	envtest.FailIf(t, !changed, "a count and an entry less are no change")
	for name, got := range map[string]string{"E6 new.yaml": first, "E6 demoted.yaml": second} {
		path := "testdata/" + strings.TrimPrefix(name, "E6 ")
		envtest.Golden(t, path, got)
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
	envtest.NoError(t, yaml.Unmarshal([]byte(first), &read))
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
	got, _ := edited(t, old, []*index.Item{wrapped(extended, 7)}, "no longer so")
	envtest.Same(t, want, got)
	if again, changed := edited(t, got, []*index.Item{wrapped(extended, 7)}); changed || again != got {
		t.Errorf("a second time it is changed: %v\n%s", changed, cmp.Diff(got, again))
	}
	if got, _ := edited(t, got, []*index.Item{wrapped("Extend it", 7)}); !strings.Contains(got, `pattern: "Extend it" # m-1f9c2a7e`) || strings.Contains(got, "always") {
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
		_, err := readList([]byte(data))
		envtest.Wraps(t, ErrNotEditable, err, name)
	}
}

func FuzzExpertise(f *testing.F) {
	f.Add([]byte("version: 0.2\npatterns:\n- {pattern: x, n: 1.10}\n- pattern: |\n    two\n    lines\n"), "One `x`")
	f.Add([]byte("# c\npatterns: [a, b] # d\nevolution_log:\n"), "- y: \"z\" # \u2028")
	f.Fuzz(func(t *testing.T, data []byte, text string) {
		e, err := readList(data)
		if err != nil {
			return
		}
		p := wrapped(guard.Line(text), 7)
		if p.Text == "" {
			return
		}
		e.update([]*index.Item{p}, func(string) bool { return false }, day)
		out, err := e.encode()
		if err != nil {
			return // it is left alone
		}
		again, err := readList(out)
		envtest.StopIf(t, err != nil, "%q came out as %q: %v", data, out, err)
		again.update([]*index.Item{p}, func(string) bool { return false }, day)
		envtest.StopIf(t, again.changed, "%q is changed again", out)
	})
}
