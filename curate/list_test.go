package curate

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"mem/repo"

	"mem/envtest"
)

func settle(t *rapid.T, r *repo.Root) string {
	c, err := r.Settle(t.Context(), t0, func(*repo.Memory) (repo.Message, error) { return repo.Message{}, nil })
	envtest.NoError(t, err)
	return c.ID
}

// names returns the names of the rules as they lie in their files.
func names(t *rapid.T, r *repo.Root) (list []string) {
	m, err := r.View(t0)
	envtest.NoError(t, err)
	rules, unread := listRules(m)
	envtest.StopIf(t, len(unread) > 0, "unread: %q", unread)
	for _, l := range rules {
		list = append(list, l.Name)
	}
	slices.Sort(list)
	return list
}

// Whatever a person writes into a list and into the files of its rules, each section is a
// rule, what is in none is one, too, and mem comes to rest after one look.
func TestListsLaws(t *testing.T) {
	blocks := map[string]string{
		"A": "### A\n\n**Source:** Compiled from 3 learnings on 2026-02-02\n**Confidence:** HIGH\n\nDo a.\n",
		"B": "### B\n\n**Source:** Compiled from 3 learnings on 2026-02-01\n**Confidence:** HIGH\n\nDo b.\n",
		"C": "### C\nBy hand.\n", "D!": "### D!\n\n```\n### not one\n```\n", "D": "### D\n\n#### More\n\nText\n", "": "## Notes\n\n- kept\n",
	}
	keys := slices.Sorted(maps.Keys(blocks))
	list := func(t *rapid.T, end string) (text string, has []string) {
		parts := []string{"# Coding\n", "Words.\n"}
		for _, key := range rapid.Permutation(keys).Draw(t, "blocks")[:rapid.IntRange(1, len(keys)).Draw(t, "n")] {
			if parts = append(parts, blocks[key]); key != "" {
				has = append(has, key)
			}
		}
		has = append(has, "Coding") // the words
		return strings.ReplaceAll(strings.Join(parts, "\n"), "\n", end), slices.Sorted(slices.Values(has))
	}
	r := root(t, nil)
	at := filepath.Join(r.Path(), "rules", "coding.md")
	rapid.Check(t, func(rt *rapid.T) {
		envtest.NoError(rt, os.RemoveAll(filepath.Dir(at)))
		settle(rt, r)
		for step := range rapid.IntRange(1, 4).Draw(rt, "steps") {
			text, want := list(rt, rapid.SampledFrom([]string{"\n", "\r\n"}).Draw(rt, "end"))
			envtest.Write(t, text, r.Path(), "rules/coding.md")
			if files, _ := filepath.Glob(filepath.Join(r.Path(), "rules/coding/*.md")); len(files) > 0 && rapid.Bool().Draw(rt, "remove") {
				// gone from its file, and not edited in the list: gone
				data, err := os.ReadFile(files[0])
				name, _, _ := strings.Cut(strings.TrimPrefix(string(data), "# "), "\n")
				if is := strings.TrimSpace(blocks[name]); err == nil && is != "" && strings.HasSuffix("##"+strings.TrimSpace(string(data)), is) && os.Remove(files[0]) == nil {
					want = slices.DeleteFunc(want, func(n string) bool { return n == name })
				}
			}
			settle(rt, r)
			got := names(rt, r)
			envtest.StopIf(rt, !slices.Equal(got, want), "step %d: the rules are %q, want %q, of\n%s", step, got, want, text)
			data := envtest.Read(rt, at)
			for _, line := range []string{"Words.", "- kept"} {
				envtest.Same(rt, strings.Contains(data, line), strings.Contains(text, line), step, text, data)
			}
			a, b := strings.Index(data, "### A"), strings.Index(data, "### B")
			envtest.StopIf(rt, a >= 0 && b > a, "step %d: not by day:\n%s", step, data)
			envtest.Same(rt, "", settle(rt, r), step)
		}
	})
}
