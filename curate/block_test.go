package curate

import (
	"errors"
	"strings"
	"testing"

	"mem/topic"

	"mem/envtest"
)

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
			one := Pattern{Title: "Code", Text: text, Domain: domain, Sources: make([]string, 3)}
			two, three := one, one
			two.Title, two.Text = "Next", "One.\n"
			three.Title, three.Text = "Next", "Two.\n"
			if _, err := write(t, r, one, two); err != nil {
				t.Fatal(err)
			}
			w, err := write(t, r, three)
			envtest.FailIf(t, err != nil || w.Verb != amended,
				"%s, %q: a second copy of the next rule: %+v, %v", domain, text, w, err)
			m, err := r.View(t0)
			envtest.NoError(t, err)
			got, ok := readRule(m, strings.TrimSuffix(w.Where, "#next"), "Next")
			envtest.FailIf(t, !ok || got != "Two.", "%s, %q: the next rule says %q, %v", domain, text, got, ok)
			if got, ok := readRule(m, targetPath(domain, "Code"), "Code"); !ok || !strings.HasPrefix(got, strings.TrimSpace(text)) {
				t.Errorf("%s, %q: it says %q, %v", domain, text, got, ok)
			}
		}
	}
}

// No person agreed to what git leaves of a rule when a merge is not finished.
func TestR13Conflict(t *testing.T) {
	was := "# Coding\n\n### Next\n\n<<<<<<< HEAD\nOne.\n=======\nTwo.\n>>>>>>> other\n"
	r := root(t, map[string]string{"rules/coding.md": was})
	one := Pattern{Title: "Next", Text: "Three.", Domain: topic.Coding, Sources: make([]string, 3)}
	if _, err := write(t, r, one); !errors.Is(err, ErrRuleRefused) {
		t.Errorf("%v, want %v", err, ErrRuleRefused)
	}
	envtest.Same(t, was, read(t, r, "rules/coding.md"), "the file says")
	if _, err := write(t, r); err != nil {
		t.Fatal(err)
	}
	m, err := r.View(t0)
	envtest.NoError(t, err)
	envtest.FailIf(t, canAppend(m, topic.Coding, 10), "a rule would be written there without asking")
}

// splitRules takes a file of rules apart as sessions read it.
func TestSplitRules(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		want       []string // names and texts
	}{
		{"rules/coding.md", "# Coding\n\n### A\n\n**Source:** x\n**Confidence:** HIGH\n\nDo a.\n\n#### More\n\nyes\n\n### B\nDo b.\n## Other\n\n### Empty\n",
			[]string{"A: Do a.\n\n#### More\n\nyes", "B: Do b."}},
		{"context/voice/how-we-talk.md", "Short.\r\nPlain.\n", []string{"How we talk: Short.\nPlain."}},
		{"context/strategies/x.md", "# Slow is fast\n\n## Guidance\n\nThink.\n", []string{"Slow is fast: Think."}},
		{"rules/empty.md", "# Nothing\n", nil},
	} {
		var got []string
		for _, l := range splitRules(tt.name, []byte(tt.text)) {
			got = append(got, l.Name+": "+l.Text)
		}
		envtest.Same(t, tt.want, got, tt.name)
	}
}
