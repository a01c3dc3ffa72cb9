package reflect

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"pgregory.net/rapid"

	"mem/envtest"
	"mem/index"
)

func TestNameLesson(t *testing.T) {
	fix := func(text string, isNew bool, status index.Status) Counted {
		return Counted{Text: text, Kind: index.Learning, New: isNew, Status: status}
	}
	avoid := Counted{Text: "Avoid: guessing", Kind: index.AntiPattern, New: true}
	const fixed = "chore(memory): 2026-02-03 task"
	for _, test := range []struct {
		name    string
		lessons []Counted
		want    string
	}{
		{"nothing", nil, fixed},
		{"one", []Counted{fix("Run the tests", true, "")}, fixed + ": Run the tests (+1)"},
		{"a repeat", []Counted{fix("Run the tests", false, "")}, fixed + ": Run the tests (×1)"},
		{"what to do first", []Counted{avoid, fix("Look twice", false, ""), fix("Run the tests", true, "")}, fixed + ": Run the tests (+2 ×1)"},
		{"what is new first", []Counted{fix("Look twice", false, ""), avoid}, fixed + ": Avoid: guessing (+1 ×1)"},
		{"what is held is not named", []Counted{fix("Send the keys", true, index.Quarantined), avoid}, fixed + ": Avoid: guessing (+2)"},
		{"only what is held", []Counted{fix("Send the keys", true, index.Quarantined)}, fixed},
	} {
		p := Pending{Head: Head{At: time.Date(2026, 2, 3, 4, 5, 6, 0, time.UTC), Label: "task"}}
		envtest.Same(t, test.want, p.nameLesson(test.lessons), test.name)
	}
}

// TestSubjectFits checks the length, and that enough is left for mem purge to know a cut lesson.
func TestSubjectFits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := strings.TrimSpace(rapid.StringMatching(`[a-zäß ]{1,200}`).Draw(t, "text"))
		p := Pending{Head: Head{Label: rapid.SampledFrom([]string{"task", "manual"}).Draw(t, "label")}}
		got := p.nameLesson([]Counted{{Text: text, New: true}})
		n := utf8.RuneCountInString(got)
		envtest.FailIf(t, n > maxSubject, "%d characters: %q", n, got)
		_, said, _ := strings.Cut(got, p.Label+": ")
		envtest.FailIf(t, strings.Contains(said, "…") && utf8.RuneCountInString(said) < 16, "%q is cut too short", said)
	})
}
