package stats

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"mem/guard"
)

// A trial says what agents made of the same tasks with and without something, such as a memory.
type trial struct {
	Runs   int    `json:"runs"`   // that count
	Broken int    `json:"broken"` // that broke off, and do not
	Arms   []*arm `json:"arms"`
}

// An arm holds an agent's runs with something against those without, of tasks that have both.
type arm struct {
	Agent   string   `json:"agent"`
	Kind    string   `json:"kind"` // of the tasks; "all" for each
	Arm     string   `json:"arm"`
	Tasks   int      `json:"tasks"`
	With    tally    `json:"with"`
	Without tally    `json:"without"`
	Points  float64  `json:"points"` // of a hundred: how much larger the share that passed is
	Low     float64  `json:"low"`    // of the interval that holds the true difference, in 19 of 20 cases
	High    float64  `json:"high"`
	Tells   bool     `json:"tells"` // 0 is not in it, and there are enough tasks
	Worse   []string `json:"worse"` // tasks of which a smaller share passed than without

	shares, others []float64 // that passed, by task
}

type tally struct {
	Runs    float64 `json:"runs"`
	Passed  float64 `json:"passed"`
	Seconds float64 `json:"seconds"`
	Metered float64 `json:"metered"` // runs that said their tokens
	Tokens  float64 `json:"tokens"`  // of these, in and out
}

func (t tally) plus(u tally) tally {
	return tally{t.Runs + u.Runs, t.Passed + u.Passed, t.Seconds + u.Seconds, t.Metered + u.Metered, t.Tokens + u.Tokens}
}

// alone is the arm that all others are held against.
const alone = "without"

// CompareRuns reads runs, a line of JSON each as fixtures/ab/run writes them, and compares them.
func CompareRuns(r io.Reader) (t trial, err error) {
	all := map[[4]string]tally{} // by agent, kind, arm and task
	for dec := jsontext.NewDecoder(r); ; {
		var one struct {
			Agent, Kind, Arm, Task, Error      string
			Passed                             bool
			Seconds, InputTokens, OutputTokens float64
		}
		err := json.UnmarshalDecode(dec, &one, json.MatchCaseInsensitiveNames(true))
		switch {
		case errors.Is(err, io.EOF):
			t.compare(all)
			return t, nil
		case err != nil:
			return t, fmt.Errorf("run %d: %w", t.Runs+t.Broken+1, err)
		case one.Error != "":
			t.Broken++
			continue
		}
		t.Runs++
		u := tally{Runs: 1, Seconds: one.Seconds, Tokens: one.InputTokens + one.OutputTokens}
		if one.Passed {
			u.Passed = 1
		}
		if u.Tokens > 0 {
			u.Metered = 1
		}
		for _, kind := range []string{"all", one.Kind} {
			key := [4]string{one.Agent, kind, one.Arm, one.Task}
			all[key] = all[key].plus(u)
		}
	}
}

func (t *trial) compare(all map[[4]string]tally) {
	a := &arm{}
	for _, k := range slices.SortedFunc(maps.Keys(all), func(a, b [4]string) int { return slices.Compare(a[:], b[:]) }) {
		x, y := all[k], all[[4]string{k[0], k[1], alone, k[3]}]
		if k[2] == alone || y.Runs == 0 {
			continue
		}
		if a.Agent != k[0] || a.Kind != k[1] || a.Arm != k[2] {
			a = &arm{Agent: k[0], Kind: k[1], Arm: k[2]}
			t.Arms = append(t.Arms, a)
		}
		p, q := x.Passed/x.Runs, y.Passed/y.Runs
		a.shares, a.others = append(a.shares, p), append(a.others, q)
		if a.Tasks, a.With, a.Without = a.Tasks+1, a.With.plus(x), a.Without.plus(y); p < q {
			a.Worse = append(a.Worse, k[3])
		}
		a.Points, a.Low, a.High = findDifference(a.shares, a.others)
		a.Tells = a.Tasks >= enough && (a.Low > 0 || a.High < 0)
	}
}

// findDifference returns by how many points of a hundred the mean of p is above that of q, and the interval of Newcombe
// for pairs: those of Wilson of both, put together (his method 10). A task is one trial however often it was run, as
// its runs are alike.
func findDifference(p, q []float64) (points, low, high float64) {
	var a, b, pp, pq, qq, n float64 = 0, 0, 0, 0, 0, float64(len(p))
	for i := range p {
		a, b = a+p[i]/n, b+q[i]/n
		pp, pq, qq = pp+p[i]*p[i], pq+p[i]*q[i], qq+q[i]*q[i]
	}
	if pq -= n * a * b; pq > 0 { // the same tasks pass; that may be chance
		pq = max(0, pq-0.5)
	}
	phi := pq / max(1e-9, math.Sqrt((pp-n*a*a)*(qq-n*b*b)))
	span := func(x, y float64) float64 { return math.Sqrt(max(0, x*x-2*phi*x*y+y*y)) }
	aLow, aHigh := findInterval(a, n)
	bLow, bHigh := findInterval(b, n)
	round := func(x float64) float64 { return math.Round(1000*x) / 10 }
	return round(a - b), round(a - b - span(a-aLow, bHigh-b)), round(a - b + span(aHigh-a, b-bLow))
}

// Write writes what a trial says for people.
func (t trial) Write(w io.Writer) {
	fmt.Fprintf(w, "runs  %d count, %d broke off\n", t.Runs, t.Broken)
	if len(t.Arms) == 0 {
		fmt.Fprintf(w, "No task was run both %q and with something else: there is nothing to compare.\n", alone)
		return
	}
	fmt.Fprint(w, "\nPoints are of a hundred. In brackets is the interval that holds the true difference in\n19 of 20 cases. A task is one trial, however often it was run.\n")
	head := ""
	for _, a := range t.Arms {
		if s := fmt.Sprintf("\n%s, %s: %.0f of %.0f passed %s\n", a.Agent, a.Kind, a.Without.Passed, a.Without.Runs, alone); s != head {
			head = s
			fmt.Fprint(w, guard.Scrub(s))
		}
		verdict := map[bool]string{false: ": not enough to tell"}[a.Tells]
		fmt.Fprintf(w, "  %-10s  %.0f of %.0f passed, %+.0f points (%+.0f to %+.0f)%s\n", guard.Line(a.Arm), a.With.Passed, a.With.Runs, a.Points, a.Low, a.High, verdict)
		if a.With.Metered > 0 && a.Without.Metered > 0 {
			x, y := a.With.Tokens/a.With.Metered, a.Without.Tokens/a.Without.Metered
			fmt.Fprintf(w, "%14.0f tokens a run, × %.2f\n", x, x/y)
		}
		if x, y := a.With.Seconds/a.With.Runs, a.Without.Seconds/a.Without.Runs; y > 0 {
			fmt.Fprintf(w, "%14.0f seconds a run, × %.2f\n", x, x/y)
		}
		if a.Worse != nil {
			fmt.Fprintf(w, "              worse: %s\n", guard.Line(strings.Join(a.Worse, ", ")))
		}
	}
}
