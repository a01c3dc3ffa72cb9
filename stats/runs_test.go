package stats

import (
	"fmt"
	"strings"
	"testing"

	"mem/envtest"
)

// TestFindDifference: the interval is that of Newcombe's method 10. The first rows are fourfold tables, computed apart from
// this code; the others have shares between 0 and 1, a single task, and tasks that all come out alike.
func TestFindDifference(t *testing.T) {
	// pairs are so many tasks that passed with both, with the first, with the second, and with neither.
	pairs := func(both, first, second, neither int) (p, q []float64) {
		for i, n := range []int{both, first, second, neither} {
			for range n {
				p, q = append(p, []float64{1, 1, 0, 0}[i]), append(q, []float64{1, 0, 1, 0}[i])
			}
		}
		return p, q
	}
	for _, tt := range []struct {
		both, first, second, neither int
		want                         [3]float64
	}{
		{36, 12, 2, 0, [3]float64{20, 5.7, 34}},
		{20, 12, 2, 16, [3]float64{20, 5.6, 32.9}},
		{14, 5, 0, 22, [3]float64{12.2, 1.1, 22.6}},
		{0, 9, 0, 0, [3]float64{100, 57.7, 100}},
		{3, 8, 1, 0, [3]float64{58.3, 12.2, 81.6}},
		{3, 0, 0, 9, [3]float64{0, -18.7, 18.7}},
		{0, 0, 1, 0, [3]float64{-100, -100, 12.2}},
	} {
		var got [3]float64
		p, q := pairs(tt.both, tt.first, tt.second, tt.neither)
		got[0], got[1], got[2] = findDifference(p, q)
		envtest.FailIf(t, got != tt.want, "%+v: %v", tt, got)
		d, low, high := findDifference(q, p)
		envtest.FailIf(t, d != -got[0] || low != -got[2] || high != -got[1], "%+v, exchanged: %v (%v to %v)", tt, d, low, high)
	}
	const third = 1.0 / 3
	d, low, high := findDifference([]float64{1, 2 * third, third, 1, 0, 1}, []float64{third, 0, third, 2 * third, 0, 1})
	envtest.FailIf(t, [3]float64{d, low, high} != [3]float64{27.8, -21.2, 62}, "of shares: %v (%v to %v)", d, low, high)
}

// runLines are runs of one agent: "TASK KIND ARM PASSES FAILURES", each of ten seconds and, but for failures, a hundred tokens.
func runLines(rows ...string) string {
	var b strings.Builder
	for _, row := range rows {
		var task, kind, arm string
		var passes, failures int
		fmt.Sscan(row, &task, &kind, &arm, &passes, &failures)
		const line = `{"task":%q,"kind":%q,"arm":%q,"run":1,"agent":"a","seconds":10,"passed":%t,%s"turns":3}` + "\n"
		b.WriteString(strings.Repeat(fmt.Sprintf(line, task, kind, arm, true, `"inputTokens":90,"outputTokens":10,`), passes))
		b.WriteString(strings.Repeat(fmt.Sprintf(line, task, kind, arm, false, ""), failures))
	}
	return b.String()
}

// TestCompareRuns: arms are compared by the tasks that both have, those of a kind also alone, and nothing is claimed of few.
func TestCompareRuns(t *testing.T) {
	in := runLines("t1 help without 1 2", "t1 help with 3 0", "t2 help without 0 3", "t2 help with 3 0", "t3 help without 0 3",
		"t3 help with 2 1", "t4 help without 0 3", "t4 help with 3 0", "t5 help without 0 3", "t5 help with 3 0",
		"t6 harm without 3 0", "t6 harm with 1 2", "t7 harm with 1 0", "t8 help without 1 0") +
		`{"task":"t1","kind":"help","arm":"with","run":9,"agent":"a","error":"exit 1"}` + "\n"
	got, err := CompareRuns(strings.NewReader(in))
	envtest.FailIf(t, err != nil || got.Runs != 38 || got.Broken != 1,
		"%d count, %d broke off, %v", got.Runs, got.Broken, err)
	var b strings.Builder
	got.Write(&b)
	const want = `runs  38 count, 1 broke off

Points are of a hundred. In brackets is the interval that holds the true difference in
19 of 20 cases. A task is one trial, however often it was run.

a, all: 4 of 18 passed without
  with        15 of 18 passed, +61 points (-13 to +90): not enough to tell
           100 tokens a run, × 1.00
            10 seconds a run, × 1.00
              worse: t6

a, harm: 3 of 3 passed without
  with        1 of 3 passed, -67 points (-98 to +31): not enough to tell
           100 tokens a run, × 1.00
            10 seconds a run, × 1.00
              worse: t6

a, help: 1 of 15 passed without
  with        14 of 15 passed, +87 points (+25 to +95)
           100 tokens a run, × 1.00
            10 seconds a run, × 1.00
`
	envtest.Same(t, want, b.String(), "in words")
	// What looks clear says nothing yet while the tasks are few.
	few, _ := CompareRuns(strings.NewReader(runLines("t1 help without 0 9", "t1 help with 9 0", "t2 help without 0 9", "t2 help with 9 0")))
	a := few.Arms[0]
	envtest.FailIf(t, a.Low < 0 || a.Tells, "of two tasks: %+v", a)
	for _, bad := range []string{"{", `{"task":1}`, "[]"} {
		_, err := CompareRuns(strings.NewReader(runLines("t1 help with 1 0") + bad))
		envtest.FailIf(t, err == nil || !strings.HasPrefix(err.Error(), "run 2: "), "%s: %v", bad, err)
	}
	none, err := CompareRuns(strings.NewReader(runLines("t1 help with 1 0")))
	envtest.FailIf(t, err != nil || len(none.Arms) > 0, "with nothing to compare: %v, %v", none, err)
}
