package rule_test

import (
	"errors"
	"strings"
	"testing"

	"mem/curate/rule"
	"mem/envtest"
	"mem/topic"
)

func TestMain(m *testing.M) { envtest.M{M: m}.Run() }

// Whatever code is in a rule, the rules after it stay rules.
func TestR12Code(t *testing.T) {
	for _, text := range []string{
		"```npm ci``` is right",
		"Run this:\n```sh\nnpm ci",
		"~~~ never closed",
		"````md\n```\nnot the end\n```\n````",
		"```\n~~~\n```",
		"```sh\nnpm ci\n```",
		"    ``` as it is",
	} {
		for _, domain := range []string{topic.Coding, topic.Process} {
			r := root(t, nil)
			one := rule.Rule{Name: "Code", Text: text, Domain: domain, Learnings: 3, Day: "2026-02-03"}
			two, three := one, one
			two.Name, two.Text = "Next", "One.\n"
			three.Name, three.Text = "Next", "Two.\n"
			if _, err := write(t, r, one, two); err != nil {
				t.Fatal(err)
			}
			w, err := write(t, r, three)
			if err != nil || !w.Amended {
				t.Errorf("%s, %q: a second copy of the next rule: %+v, %v", domain, text, w, err)
			}
			m, err := r.View(t0)
			if err != nil {
				t.Fatal(err)
			}
			if got, ok := rule.ReadText(m, w.Path, "Next"); !ok || got != "Two." {
				t.Errorf("%s, %q: the next rule says %q, %v", domain, text, got, ok)
			}
			if got, ok := rule.ReadText(m, rule.TargetPath(domain, "Code"), "Code"); !ok || !strings.HasPrefix(got, strings.TrimSpace(text)) {
				t.Errorf("%s, %q: it says %q, %v", domain, text, got, ok)
			}
		}
	}
}

// No person agreed to what git leaves of a rule when a merge is not finished.
func TestR13Conflict(t *testing.T) {
	was := "# Coding\n\n### Next\n\n<<<<<<< HEAD\nOne.\n=======\nTwo.\n>>>>>>> other\n"
	r := root(t, map[string]string{"rules/coding.md": was})
	one := rule.Rule{Name: "Next", Text: "Three.", Domain: topic.Coding, Learnings: 3, Day: "2026-02-03"}
	if _, err := write(t, r, one); !errors.Is(err, rule.ErrRefused) {
		t.Errorf("%v, want %v", err, rule.ErrRefused)
	}
	if got := read(t, r, "rules/coding.md"); got != was {
		t.Errorf("the file says %q", got)
	}
	if _, err := write(t, r); err != nil {
		t.Fatal(err)
	}
	m, err := r.View(t0)
	if err != nil {
		t.Fatal(err)
	}
	if rule.CanAppend(m, topic.Coding, 10) {
		t.Error("a rule would be written there without asking")
	}
}
