package curate

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"mem/envtest"
	"mem/repo"
	"mem/topic"
)

var (
	t0  = time.Date(2026, 2, 3, 4, 5, 6, 0, time.UTC)
	now = t0 // when the next rule is written
)

// Where a rule is, and what was done to it.
type written struct{ Where, Verb string }

// root makes a memory with files in it.
func root(t *testing.T, files map[string]string) *repo.Root {
	t.Helper()
	r, err := repo.Create(t.Context(), filepath.Join(t.TempDir(), ".mem"), repo.Options{Views: RenderViews})
	envtest.NoError(t, err)
	t.Cleanup(func() { r.Close() })
	for name, text := range files {
		envtest.Write(t, text, r.Path(), name)
	}
	return r
}

func write(t *testing.T, r *repo.Root, rules ...Pattern) (w written, err error) {
	t.Helper()
	_, err = r.Settle(t.Context(), now, func(m *repo.Memory) (msg repo.Message, err error) {
		for _, one := range rules {
			if w.Where, w.Verb, err = writeRule(m, &one); err != nil {
				return repo.Message{}, err
			}
		}
		return repo.Message{Subject: "rule"}, nil
	})
	return w, err
}

func read(t *testing.T, r *repo.Root, name string) string {
	t.Helper()
	return envtest.Read(t, r.Path(), name)
}

func TestR11Routing(t *testing.T) {
	want := map[string]string{
		topic.Coding: "rules/coding.md", topic.Technical: "rules/technical.md", topic.Finance: "rules/finance.md", topic.Learning: "rules/learning.md",
		topic.Mistake: "rules/anti-patterns.md", topic.Communications: "context/voice/style-rules.md", topic.Scheduling: "context/preferences/scheduling.md",
		topic.Process: "context/strategies/small-steps.md", topic.General: "context/strategies/small-steps.md",
	}
	got := map[string]string{}
	for _, domain := range topic.Domains() {
		got[domain] = targetPath(domain, "Small steps!")
		if canAppend(repo.BlankMemory(t0, repo.Options{}), domain, 1) == strings.HasPrefix(got[domain], "context/strategies/") {
			t.Errorf("%s: whether rules are appended to %s", domain, got[domain])
		}
		envtest.Wraps(t, nil, checkPath(got[domain]))
	}
	envtest.Same(t, want, got)
	for title, want := range map[string]string{"../../etc/passwd": "etc-passwd", "CON": "con-rule", "日本": "rule", strings.Repeat("long ", 40): "long-long-long-long-long-long-long-long-long-long-long-long"} {
		envtest.Same(t, "context/strategies/"+want+".md", targetPath(topic.Process, title), title)
	}
}

func TestR12Blocks(t *testing.T) {
	r := root(t, nil)
	one := Pattern{Title: "Return early", Text: "Nest less.\n", Domain: topic.Coding, Sources: make([]string, 3)}
	two := one
	two.Title, two.Text, two.Sources = "Wrap errors", "- With %w.\n- Always.", make([]string, 4)
	if _, err := write(t, r, one, two); err != nil {
		t.Fatal(err)
	}
	want := `# Coding

### Return early

**Source:** Compiled from 3 learnings on 2026-02-03
**Confidence:** HIGH

Nest less.

### Wrap errors

**Source:** Compiled from 4 learnings on 2026-02-03
**Confidence:** HIGH

- With %w.
- Always.
`
	envtest.Same(t, want, read(t, r, "rules/coding.md"))
	m, err := r.View(t0)
	envtest.NoError(t, err)
	got, ok := readRule(m, "rules/coding.md", "wrap  Errors")
	envtest.FailIf(t, !ok || got != two.Text, "Text = %q, %v", got, ok)
	list, unread := listRules(m)
	envtest.FailIf(t, len(list) != 2 || unread != nil, "ListRules = %+v, %q, want 2", list, unread)
}

func TestR12Strategies(t *testing.T) {
	r := root(t, map[string]string{"context/strategies/small-steps-2.md": "# Mine\n"})
	one := Pattern{Title: "Small steps", Text: "Commit often.", Domain: topic.Process, Sources: make([]string, 3)}
	if _, err := write(t, r, one); err != nil {
		t.Fatal(err)
	}
	want := `# Small steps

**Compiled:** 2026-02-03
**Source learnings:** 3
**Domain:** process

## Guidance

Commit often.

---

*Compiled from learnings by self-improvement protocol*
`
	envtest.Same(t, want, read(t, r, "context/strategies/small-steps.md"))
	// Another one that comes to the same name, and then the first one again.
	other := one
	other.Title, other.Text = "Small steps?", "Perhaps."
	w, err := write(t, r, other)
	envtest.Same(t, written{"context/strategies/small-steps-3.md#small-steps", added}, w)
	envtest.Wraps(t, nil, err)
	one.Text, one.Sources, now = "Commit often.\n\n- And push.", make([]string, 6), t0.AddDate(0, 0, 29)
	defer func() { now = t0 }()
	w, err = write(t, r, one)
	envtest.FailIf(t, err != nil || w.Verb != amended, "%+v, %v", w, err)
	want = strings.NewReplacer("Commit often.", one.Text, "2026-02-03", "2026-03-04", "learnings:** 3", "learnings:** 6").Replace(want)
	envtest.Same(t, want, read(t, r, "context/strategies/small-steps.md"))
	envtest.Same(t, "# Mine\n", read(t, r, "context/strategies/small-steps-2.md"), "a person's file says")
}

// An amendment changes its block, and no other; what is not a section becomes one.
func TestR12Amendment(t *testing.T) {
	const block = "### Return early\n\n**Source:** Compiled from 3 learnings on 2026-02-03\n**Confidence:** HIGH\n\nNew."
	one := Pattern{Title: "Return early", Text: "New.", Domain: topic.Coding, Sources: make([]string, 3)}
	renamed := one
	renamed.Title, renamed.Amends = "Nest less", "rules/coding.md#Return early"
	for name, test := range map[string]struct {
		rule      Pattern
		old, want string
		amended   bool
	}{
		"in the middle": {one, "# Mine \n\n### Before\nx\t\n###  return  EARLY  \nold\n#### More\nold\n\n\n### After\ny", "# Mine\n\n" + block + "\n\n### After\ny\n\n### Before\nx\n", true},
		"lines of Windows, and a byte order mark": {one, "\ufeff# Mine\r\n\r\n### Return early\r\nold\r\n## Next\r\n", strings.ReplaceAll("# Mine\n\n"+block+"\n\n### Mine\n\n#### Next\n", "\n", "\r\n"), true},
		"with another name":                       {renamed, "### Return early\nold\n### After\n", "# Coding\n\n" + strings.Replace(block, "Return early", "Nest less", 1) + "\n\n### After\n", true},
		"only in code":                            {one, "```md\n### Return early\n```\n", "# Coding\n\n" + block + "\n\n### Coding\n\n```md\n### Return early\n```\n", false},
		"after an empty one":                      {one, "", "# Coding\n\n" + block + "\n", false},
	} {
		t.Run(name, func(t *testing.T) {
			r := root(t, map[string]string{"rules/coding.md": test.old})
			w, err := write(t, r, test.rule)
			envtest.FailIf(t, err != nil || (w.Verb == amended) != test.amended, "%+v, %v", w, err)
			envtest.Same(t, test.want, read(t, r, "rules/coding.md"))
		})
	}
}

func TestR13Places(t *testing.T) {
	for _, good := range []string{"rules/coding.md", "context/voice/style-rules.md", "context/a.md", "rules/A_b.c.md"} {
		err := checkPath(good)
		envtest.FailIf(t, err != nil, "CheckPath(%q) = %v", good, err)
	}
	for _, bad := range []string{
		"", "rules", "rules/", "rules/.md", "rules/a.txt", "core/index.json", "rules/../core/index.json", "rules/../../x.md", "/rules/a.md", "rules//a.md",
		"./rules/a.md", "rules/./a.md", "context/../rules/a.md", `rules\a.md`, "rules/a.md/", "rules/.hidden/a.md", "rules/a\x00.md", "rules/a\n.md", "Rules/a.md",
		"rules/ä.md", "rules/a b.md", "rules/a:b.md", "memories/a.md", "patterns/pattern-001.md", "CHANGELOG.md", "rules/..md", "rulesx/a.md",
	} {
		envtest.Wraps(t, ErrRuleRefused, checkPath(bad), bad)
	}
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.StringMatching(`(rules|context|core)?[./\\a-z]{0,12}(\.md)?`).Draw(t, "name")
		if err := checkPath(name); err == nil && (!filepath.IsLocal(name) || strings.Contains(name, "..") || !strings.HasPrefix(name, "rules/") && !strings.HasPrefix(name, "context/")) {
			t.Fatalf("%q is allowed", name)
		}
	})
}

// Whatever is in the way of a rule, nothing is followed and nothing is lost.
func TestR13Hostile(t *testing.T) {
	one := Pattern{Title: "Return early", Text: "New.", Domain: topic.Coding, Sources: make([]string, 3)}
	outside := filepath.Join(t.TempDir(), "outside")
	envtest.NoError(t, os.Mkdir(outside, 0o700))
	for name, prepare := range map[string]func(dir string) error{
		"a link to elsewhere": func(dir string) error { return os.Symlink(outside, filepath.Join(dir, "rules")) },
		"a link to the index": func(dir string) error {
			return errors.Join(os.Mkdir(filepath.Join(dir, "rules"), 0o700), os.Symlink("../core/index.json", filepath.Join(dir, "rules/coding.md")))
		},
		"a link to nothing": func(dir string) error {
			return errors.Join(os.Mkdir(filepath.Join(dir, "rules"), 0o700), os.Symlink("../gone.md", filepath.Join(dir, "rules/coding.md")))
		},
		"a link to itself": func(dir string) error {
			return errors.Join(os.Mkdir(filepath.Join(dir, "rules"), 0o700), os.Symlink("coding.md", filepath.Join(dir, "rules/coding.md")))
		},
		"a link to core": func(dir string) error { return os.Symlink("core", filepath.Join(dir, "rules")) },
		"a link for the folder of its rules": func(dir string) error {
			return errors.Join(os.Mkdir(filepath.Join(dir, "rules"), 0o700), os.Symlink(outside, filepath.Join(dir, "rules/coding")),
				os.WriteFile(filepath.Join(dir, "rules/coding.md"), []byte("### Mine\n\nBy hand.\n"), 0o600))
		},
		"a file for that folder": func(dir string) error {
			return errors.Join(os.Mkdir(filepath.Join(dir, "rules"), 0o700), os.WriteFile(filepath.Join(dir, "rules/coding"), []byte("mine"), 0o600))
		},
		"a folder":              func(dir string) error { return os.MkdirAll(filepath.Join(dir, "rules/coding.md"), 0o700) },
		"a file for the folder": func(dir string) error { return os.WriteFile(filepath.Join(dir, "rules"), []byte("mine"), 0o600) },
		"a pipe": func(dir string) error {
			return errors.Join(os.Mkdir(filepath.Join(dir, "rules"), 0o700), pipe(filepath.Join(dir, "rules/coding.md")))
		},
		"a large file": func(dir string) error {
			return errors.Join(os.Mkdir(filepath.Join(dir, "rules"), 0o700), os.WriteFile(filepath.Join(dir, "rules/coding.md"), make([]byte, maxFile+1), 0o600))
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := root(t, nil)
			_, err := r.Settle(t.Context(), t0, func(m *repo.Memory) (repo.Message, error) { return repo.Message{Subject: "first"}, nil })
			envtest.NoError(t, err)
			if err := prepare(r.Path()); err != nil {
				t.Skip(err)
			}
			index := read(t, r, repo.IndexPath)
			_, err = write(t, r, one)
			envtest.Wraps(t, ErrRuleRefused, err)
			_, err = r.Settle(t.Context(), t0, func(m *repo.Memory) (repo.Message, error) { return repo.Message{}, nil })
			envtest.FailIf(t, err != nil, "nothing else can be written: %v", err)
			envtest.Same(t, index, read(t, r, repo.IndexPath), "the index says")
			list, err := os.ReadDir(outside)
			envtest.FailIf(t, err != nil || len(list) > 0, "outside there is %v, %v", list, err)
			_, err = os.Lstat(filepath.Join(r.Path(), "gone.md"))
			envtest.Wraps(t, fs.ErrNotExist, err, "a link to nothing was followed")
		})
	}
	r := root(t, map[string]string{"rules/coding.md": strings.Repeat("x", maxFile-10)})
	_, err := write(t, r, one)
	envtest.Wraps(t, ErrRuleRefused, err, "a file that would be too large")
}

// The changelog needs no heading of any kind, and what is in it is left in place.
func TestR10Changelog(t *testing.T) {
	first := Pattern{ID: "pattern-001", Title: "Return early", Domain: topic.Coding, Sources: make([]string, 3), Decided: "2026-02-03", Rule: "rules/coding.md#return-early"}
	again := first
	again.Auto = true
	const one = "## 2026-02-03 add Return early\n\n- Added to rules/coding.md, compiled from 3 learnings (pattern-001)\n"
	const two = "## 2026-02-03 amend Return early\n\n- Changed in rules/coding.md, compiled from 3 learnings (pattern-001)\n" +
		"- Auto-applied: a matter of form, written without asking. `git revert` of this commit takes it back.\n"
	for old, want := range map[string]string{
		"":                       "# Changelog\n\nHow the rules of this memory changed, the latest last.\n\n" + one + "\n" + two,
		"By hand, without end":   "By hand, without end\n\n" + one + "\n" + two,
		"# Mine\r\n\r\ntext\r\n": "# Mine\r\n\r\ntext\r\n" + strings.ReplaceAll("\n"+one+"\n"+two, "\n", "\r\n"),
	} {
		r := root(t, nil)
		if old != "" {
			envtest.Write(t, old, r.Path(), ChangelogPath)
		}
		_, err := r.Settle(t.Context(), t0, func(m *repo.Memory) (repo.Message, error) {
			return repo.Message{Subject: "note"}, errors.Join(noteChange(m, &first, added), noteChange(m, &again, amended))
		})
		envtest.Same(t, want, read(t, r, ChangelogPath), old)
		envtest.Wraps(t, nil, err)
	}
}
