package render

import (
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"mem/envtest"
)

func TestFormat(t *testing.T) {
	rows := []Row{
		{ID: "m-1c4ef328", Kind: "lesson", Seen: "×3", Age: "12d", Text: "Run the tests before the push to main", Marks: "pinned"},
		{ID: "m-a5dec6b6", Kind: "watch-out", Seen: "×1", Age: "today", Text: "Avoid: 数据库 guessing, and more words than fit here"},
		{ID: "rules/anti-patterns-of-this-house.md", Kind: "rule", Text: "Errors"},
	}
	for _, test := range []struct {
		name string
		rows []Row
		on   Terminal
		want []string
	}{
		{"narrow", rows, Terminal{Width: 80}, []string{
			"ID          KIND       SEEN  AGE    TEXT",
			"m-1c4ef328  lesson     ×3    12d    Run the tests before the push to m… (pinned)",
			"m-a5dec6b6  watch-out  ×1    today  Avoid: 数据库 guessing, and more words than…",
			"rules/anti-patterns-of-this-house.md  rule                    Errors",
		}},
		{"wide", rows[:1], Terminal{Width: 120}, []string{
			"ID          KIND    SEEN  AGE  TEXT",
			"m-1c4ef328  lesson  ×3    12d  Run the tests before the push to main (pinned)",
		}},
		{"colours", []Row{{ID: "2026-03", Kind: "month", Text: "What came back"}, {ID: "m-1", Kind: "watch-out", Text: "No"}}, Terminal{Width: 80, Colour: true}, []string{
			faint + "ID" + plain + "       " + faint + "KIND" + plain + "       " + faint + "TEXT" + plain,
			yellow + "2026-03" + plain + "  month      What came back",
			yellow + "m-1" + plain + "      " + red + "watch-out" + plain + "  No",
		}},
	} {
		got := strings.Split(strings.TrimSuffix(FormatRows(test.rows, test.on), "\n"), "\n")
		envtest.Same(t, test.want, got, test.name)
	}
}

// TestWidth checks that no line of a usual list is wider than its terminal, and that an id is never cut.
func TestWidth(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		row := Row{
			ID: rapid.StringMatching(`m-[0-9a-f]{8}`).Draw(t, "id"), Kind: "watch-out", Seen: "×12", Age: "3mo",
			Text: rapid.StringMatching(`[a-z äß語🎉]{0,200}`).Draw(t, "text"), Marks: rapid.SampledFrom([]string{"", "pinned"}).Draw(t, "marks"),
		}
		width := rapid.IntRange(70, 200).Draw(t, "width")
		lines := strings.Split(FormatRows([]Row{row}, Terminal{Width: width}), "\n")
		got := CellWidth(lines[1])
		envtest.FailIf(t, got > width, "%d cells in %q, want at most %d", got, lines[1], width)
		if !strings.HasPrefix(lines[1], row.ID+" ") || row.Marks != "" && !strings.HasSuffix(lines[1], "("+row.Marks+")") {
			t.Errorf("%q lost its id or its marks", lines[1])
		}
	})
}

func TestAge(t *testing.T) {
	now := time.Date(2026, 2, 3, 4, 5, 6, 0, time.UTC)
	for want, ago := range map[string]int{"today": 0, "1d": 1, "13d": 13, "2w": 14, "8w": 59, "2mo": 60, "24mo": 729, "2y": 730} {
		envtest.Same(t, want, ShowAge(now.AddDate(0, 0, -ago), now), ago)
	}
	envtest.Same(t, "", ShowAge(time.Time{}, now), "Age of no time")
}
