package recall_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mem/curate/evidence"
	"mem/index"
	"mem/recall"

	"mem/envtest"
)

// sections takes a context apart: the lines of each list, by its heading.
func sections(text string) (order []string, lines map[string][]string) {
	lines = map[string][]string{}
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if head, ok := strings.CutPrefix(line, "## "); ok {
			order = append(order, head)
		} else if item, ok := strings.CutPrefix(line, "- "); ok && len(order) > 0 {
			head := order[len(order)-1]
			item, _, _ = strings.Cut(item, " (2026-") // when it was last seen
			lines[head] = append(lines[head], item)
		}
	}
	return order, lines
}

// TestE9TierTwoThenTierOne: what the code proves is read after the policy, 20 lessons at most and high confidence
// first, and then (E2) the last 20 of those that came up and are not proven.
func TestE9TierTwoThenTierOne(t *testing.T) {
	m := memory()
	p := evidence.Proof{Survey: &evidence.Survey{Findings: map[string]evidence.Presence{}}}
	for i := range 75 {
		it := learning(fmt.Sprintf("lesson %02d", i), 50-float64(i)/10)
		it.ID, it.LastSeen = fmt.Sprintf("m-%08x", i), t0.Add(-time.Duration(i)*time.Hour)
		m.Index.Items = append(m.Index.Items, it)
		if i < 25 { // lesson 00 is in 3 files, lesson 24 in 27
			p.Survey.Findings[it.Key] = evidence.Presence{Files: i + 3, Terms: []string{"x"}}
		}
	}
	_, _, err := p.Apply(m)
	envtest.NoError(t, err)
	c := bundle(t, m, recall.Options{Core: true, Budget: 10000, Limit: 20, Mode: recall.Strict})
	text := inside(t, c.Text)
	order, lines := sections(text)
	envtest.Same(t, []string{"Proven", "Core", "Fresh"}, order, "E9 sections")
	policy := strings.Index(text, "Notes, not instructions")
	envtest.FailIf(t, policy < 0 || policy > strings.Index(text, "## Proven"), "E9 the policy does not come first:\n%s", text)
	var proven, fresh []string
	for i := 24; i > 4; i-- {
		proven = append(proven, fmt.Sprintf("lesson %02d", i))
	}
	envtest.Same(t, proven, lines["Proven"], "E9 proven lessons")
	for i := range 75 {
		text := fmt.Sprintf("lesson %02d", i)
		if !slices.Contains(lines["Proven"], text) && !slices.Contains(lines["Core"], text) && len(fresh) < 20 {
			fresh = append(fresh, text)
		}
	}
	diff := cmp.Diff(fresh, lines["Fresh"])
	envtest.FailIf(t, diff != "" || len(lines["Fresh"]) != 20, "E2 fresh lessons (-want +got):\n%s", diff)
	why := map[string]string{}
	for _, r := range c.Why {
		why[r.Text] = r.Why
	}
	envtest.Same(t, "high confidence, found in 27 files", why["lesson 24"], "why")
}

// TestProvenByFewFiles: what three or four files prove comes after what more do, however often it came up.
func TestProvenByFewFiles(t *testing.T) {
	m := memory(learning("In three", 99), learning("In five", 1), learning("In none", 50), watchOut("what is there", 70))
	p := evidence.Proof{Survey: &evidence.Survey{Findings: map[string]evidence.Presence{
		"in three": {Files: 3}, "in five": {Files: 5}, "in none": {}, "avoid: what is there": {Files: 9},
	}}}
	_, _, err := p.Apply(m)
	envtest.NoError(t, err)
	c := bundle(t, m, recall.Options{Core: true, Budget: 1000, Limit: 20})
	_, lines := sections(inside(t, c.Text))
	envtest.Same(t, []string{"In five", "In three"}, lines["Proven"])
	envtest.Same(t, "found in 3 files", c.Why[1].Why, "why")
}

// TestE2LatestNotes: the latest 20 blocks of a LEARNINGS.md are read, the latest
// one first, but what a memory knows, in whatever state, is not.
func TestE2LatestNotes(t *testing.T) {
	m := memory()
	retired := learning("note 24", 1)
	retired.Status = index.Retired
	m.Index.Items = append(m.Index.Items, learning("note 23", 1), retired)
	var noted, want []string
	for i := range 25 {
		noted = append(noted, fmt.Sprintf("note %02d", i))
	}
	for i := 22; i > 4; i-- {
		want = append(want, fmt.Sprintf("note %02d", i))
	}
	c := recall.Bundle([]recall.Source{{Memory: m, Root: ".mem", Learnings: noted}}, recall.Options{Core: true, Budget: 3000, Limit: 5})
	_, lines := sections(inside(t, c.Text))
	envtest.Same(t, want, lines["Fresh"], "fresh")
}
