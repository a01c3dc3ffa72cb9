package curate

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

// of returns units with the tags a and b, and more where one is given.
func unitsOf(ids ...string) (units []unit) {
	for _, id := range ids {
		id, tags, _ := strings.Cut(id, " ")
		if tags == "" {
			tags = "a b"
		}
		units = append(units, unitOf(id, tags))
	}
	return units
}

func isMild(text string) bool { return !strings.Contains(text, "curl") }

func TestProposedWords(t *testing.T) {
	same := unitsOf("1", "2", "3")
	for i := range same {
		same[i].Text = []string{"Avoid: guessing", "avoid:  Guessing", "Guessing"}[i]
	}
	g := findGroups(same)[0]
	if got := ruleText(g, ""); got != "Avoid: guessing" && got != "Guessing" {
		t.Errorf("one statement thrice: %q", got)
	}
	best := unitsOf("1", "2", "3")
	best[1].Score, best[2].Score = 5, 6
	g = findGroups(best)[0]
	if diff := cmp.Diff("- Text of 3\n- Text of 2\n- Text of 1", ruleText(g, "")); diff != "" {
		t.Error(diff)
	}
	for tags, want := range map[string]string{"go null-handling": "What to know about go and null handling", "a b c": "What to know about a, b and c"} {
		g := findGroups(unitsOf("1 "+tags, "2 "+tags, "3 "+tags))[0]
		if got := ruleTitle(g, func(string) bool { return false }); got != want {
			t.Errorf("Title(%s) = %q, want %q", tags, got, want)
		}
	}
	early := unitsOf("1", "2", "3")
	early[0].Since, early[1].Since, early[2].Since = time.Unix(3, 0), time.Unix(2, 0), time.Unix(1, 0)
	early[0].Score = 5
	if got := ruleTitle(findGroups(early)[0], isMild); got != "Text of 3" {
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
		group := unitsOf("1", "2", "3")
		for i := range group {
			list := strings.Split(texts, "|")
			group[i].Text = list[min(i, len(list)-1)]
		}
		g := findGroups(group)[0]
		if got := ruleTitle(g, isMild); got != want || utf8.RuneCountInString(got) > maxName {
			t.Errorf("Title(%s) = %q, want %q", texts, got, want)
		}
	}
	long := strings.Repeat("x", 40) + " " + strings.Repeat("y", 40) + " " + strings.Repeat("z", 40)
	g = findGroups(unitsOf("1 "+long, "2 "+long, "3 "+long))[0]
	if got := ruleTitle(g, func(string) bool { return false }); got == "" || utf8.RuneCountInString(got) > maxName {
		t.Errorf("a name of %d characters", utf8.RuneCountInString(got))
	}
}
