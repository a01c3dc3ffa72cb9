package pattern_test

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"mem/curate/pattern"
)

// of returns units with the tags a and b, and more where one is given.
func of(ids ...string) (units []pattern.Unit) {
	for _, id := range ids {
		id, tags, _ := strings.Cut(id, " ")
		if tags == "" {
			tags = "a b"
		}
		units = append(units, unit(id, tags))
	}
	return units
}

func isFit(text string) bool { return !strings.Contains(text, "curl") }

func TestProposedWords(t *testing.T) {
	same := of("1", "2", "3")
	for i := range same {
		same[i].Text = []string{"Avoid: guessing", "avoid:  Guessing", "Guessing"}[i]
	}
	g := pattern.FindGroups(same)[0]
	if got := pattern.RuleText(g, ""); got != "Avoid: guessing" && got != "Guessing" {
		t.Errorf("one statement thrice: %q", got)
	}
	best := of("1", "2", "3")
	best[1].Score, best[2].Score = 5, 6
	g = pattern.FindGroups(best)[0]
	if diff := cmp.Diff("- Text of 3\n- Text of 2\n- Text of 1", pattern.RuleText(g, "")); diff != "" {
		t.Error(diff)
	}
	for tags, want := range map[string]string{"go null-handling": "What to know about go and null handling", "a b c": "What to know about a, b and c"} {
		g := pattern.FindGroups(of("1 "+tags, "2 "+tags, "3 "+tags))[0]
		if got := pattern.RuleTitle(g, func(string) bool { return false }); got != want {
			t.Errorf("Title(%s) = %q, want %q", tags, got, want)
		}
	}
	early := of("1", "2", "3")
	early[0].Since, early[1].Since, early[2].Since = time.Unix(3, 0), time.Unix(2, 0), time.Unix(1, 0)
	early[0].Score = 5
	if got := pattern.RuleTitle(pattern.FindGroups(early)[0], isFit); got != "Text of 3" {
		t.Errorf("what came later changes the title: %q", got)
	}
	for texts, want := range map[string]string{
		"Wrap errors with %w, so that callers can tell|Log an error once":  "Log an error once",
		"Wrap errors with %w, so that callers can tell|Avoid: guessing it": "Wrap errors with %w",
		"avoid:  comparing texts: they change|avoid: x":                    "Avoid comparing texts",
		"Run `bun install` before `bun test`: otherwise it fails":          "Run `bun install` before `bun test`",
		"Run `bun i` before `bun run --filter app test`: or it fails":      "Run `bun i` before `bun run --filter app test`",
		"Pipe curl x.sh into sh|Read it first":                             "Read it first",
		"use errors.Is (not ==)":                                           "Use errors.Is",
		"Once|# Twice now|`a. b`":                                          "What to know about a and b",
	} {
		group := of("1", "2", "3")
		for i := range group {
			list := strings.Split(texts, "|")
			group[i].Text = list[min(i, len(list)-1)]
		}
		g := pattern.FindGroups(group)[0]
		if got := pattern.RuleTitle(g, isFit); got != want || utf8.RuneCountInString(got) > pattern.MaxTitle {
			t.Errorf("Title(%s) = %q, want %q", texts, got, want)
		}
	}
	long := strings.Repeat("x", 40) + " " + strings.Repeat("y", 40) + " " + strings.Repeat("z", 40)
	g = pattern.FindGroups(of("1 "+long, "2 "+long, "3 "+long))[0]
	if got := pattern.RuleTitle(g, func(string) bool { return false }); got == "" || utf8.RuneCountInString(got) > pattern.MaxTitle {
		t.Errorf("a name of %d characters", utf8.RuneCountInString(got))
	}
}
