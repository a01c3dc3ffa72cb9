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

// A Trial says what agents made of the same tasks with and without something, such as a memory.
type Trial struct {
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
	Tells   bool     `json:"tells"` // 0 is not in it
	Worse   []string `json:"worse"` // tasks of which a smaller share passed than without

	shares, others []float64 // that passed, by task
}

// A tally counts runs.
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

// CompareRuns reads runs, a line of JSON each as fixtures/ab/run writes them, and holds the arms against each other.
func CompareRuns(r io.Reader) (t Trial, err error) {
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
		case one.Task == "" || one.Arm == "":
			return t, fmt.Errorf("run %d names no task or no arm", t.Runs+t.Broken+1)
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

// compare makes the arms.
func (t *Trial) compare(all map[[4]string]tally) {
	for _, k := range slices.SortedFunc(maps.Keys(all), func(a, b [4]string) int { return slices.Compare(a[:], b[:]) }) {
		x, y := all[k], all[[4]string{k[0], k[1], alone, k[3]}]
		if k[2] == alone || y.Runs == 0 {
			continue
		}
		if n := len(t.Arms); n == 0 || t.Arms[n-1].Agent != k[0] || t.Arms[n-1].Kind != k[1] || t.Arms[n-1].Arm != k[2] {
			t.Arms = append(t.Arms, &arm{Agent: k[0], Kind: k[1], Arm: k[2]})
		}
		a := t.Arms[len(t.Arms)-1]
		a.Tasks, a.With, a.Without = a.Tasks+1, a.With.plus(x), a.Without.plus(y)
		a.shares, a.others = append(a.shares, x.Passed/x.Runs), append(a.others, y.Passed/y.Runs)
		if x.Passed/x.Runs < y.Passed/y.Runs {
			a.Worse = append(a.Worse, k[3])
		}
	}
	for _, a := range t.Arms {
		a.Points, a.Low, a.High = findDifference(a.shares, a.others)
		a.Tells = a.Low > 0 || a.High < 0
	}
}

// findDifference returns by how many points of a hundred the mean of p is above that of q, and the interval of Newcombe
// for pairs: those of Wilson of both, put together. A task is one trial however often it was run, as its runs are alike.
func findDifference(p, q []float64) (points, low, high float64) {
	var a, b, pp, pq, qq, n float64 = 0, 0, 0, 0, 0, float64(len(p))
	for i := range p {
		a, b = a+p[i]/n, b+q[i]/n
	}
	for i := range p {
		pp, pq, qq = pp+(p[i]-a)*(p[i]-a), pq+(p[i]-a)*(q[i]-b), qq+(q[i]-b)*(q[i]-b)
	}
	together := pq / max(1e-9, math.Sqrt(pp*qq)) // the correlation: how far the same tasks pass
	half := func(x, y float64) float64 { return math.Sqrt(max(0, x*x-2*together*x*y+y*y)) }
	aLow, aHigh := findInterval(a, n)
	bLow, bHigh := findInterval(b, n)
	round := func(x float64) float64 { return math.Round(1000*x) / 10 }
	return round(a - b), round(a - b - half(a-aLow, bHigh-b)), round(a - b + half(aHigh-a, b-bLow))
}

// Write writes what a trial says for people.
func (t Trial) Write(w io.Writer) {
	fmt.Fprintf(w, "runs  %d count, %d broke off\n", t.Runs, t.Broken)
	if len(t.Arms) == 0 {
		fmt.Fprintf(w, "No task was run both %q and with something else: there is nothing to compare.\n", alone)
		return
	}
	fmt.Fprint(w, "\nPoints are of a hundred. In brackets is the interval that holds the true difference in\n19 of 20 cases. A task is one trial, however often it was run.\n")
	for i, a := range t.Arms {
		if i == 0 || a.Agent != t.Arms[i-1].Agent || a.Kind != t.Arms[i-1].Kind {
			fmt.Fprintf(w, "\n%s, %s: %.0f of %.0f passed %s\n", guard.Line(a.Agent), guard.Line(a.Kind), a.Without.Passed, a.Without.Runs, alone)
		}
		verdict := map[bool]string{false: ": not enough to tell"}[a.Tells]
		fmt.Fprintf(w, "  %-10s %.0f of %.0f passed, %+.0f points (%+.0f to %+.0f)%s\n", guard.Line(a.Arm), a.With.Passed, a.With.Runs, a.Points, a.Low, a.High, verdict)
		if a.With.Metered*a.Without.Metered > 0 {
			writeCost(w, "tokens", a.With.Tokens/a.With.Metered, a.Without.Tokens/a.Without.Metered)
		}
		writeCost(w, "seconds", a.With.Seconds/a.With.Runs, a.Without.Seconds/a.Without.Runs)
		if a.Worse != nil {
			fmt.Fprintf(w, "             worse: %s\n", guard.Line(strings.Join(a.Worse, ", ")))
		}
	}
}

// writeCost writes what a run cost.
func writeCost(w io.Writer, what string, with, without float64) {
	if without > 0 {
		fmt.Fprintf(w, "             %.0f %s a run, × %.2f\n", with, what, with/without)
	}
}
