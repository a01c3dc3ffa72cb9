package heuristic

import (
	"encoding/json"
	"fmt"
	"regexp"
	"testing"

	"mem/envtest"
	"mem/session"
)

// The floors below which the labelled set must not fall.
const (
	wantPrecision = 0.95
	wantRecall    = 0.7
)

// A labelled is one case of fixtures/heuristics.
type labelled struct {
	Name  string
	Steps []compact
	Fixes []string // each is a pattern that one lesson must match
	Known string   // why this case is allowed to go wrong; "" if it is not
}

// A compact is a step, or a call with its answer, as the cases write it.
type compact struct {
	User, Say, Bash, Edit, Write, Read, Plan, Tool string
	Old, New, Content, Input, Out                  string
	Reason, Text                                   string
	Kind                                           session.Kind
	Origin                                         session.Origin
	Cause                                          session.Cause
	Stop, Edited, Abandoned                        bool
}

// expand writes out the steps of a case.
func expand(cs []compact) []session.Event {
	var out []session.Event
	add := func(s session.Event) {
		s.ID = fmt.Sprintf("e%d", len(out))
		out = append(out, s)
	}
	for i, c := range cs {
		st := session.Event{Abandoned: c.Abandoned}
		switch {
		case c.User != "":
			st.Kind, st.Origin, st.Text = session.UserText, session.Human, c.User
		case c.Say != "":
			st.Kind, st.Origin, st.Text = session.AssistantText, session.Agent, c.Say
		case c.Stop:
			st.Kind, st.Origin, st.Text = session.Interrupt, session.Human, "[Request interrupted by user]"
		case c.Kind != "":
			st.Kind, st.Origin, st.Text = c.Kind, c.Origin, c.Text
		default:
			call, result := c.call(fmt.Sprintf("c%d", i))
			add(call)
			add(result)
			continue
		}
		add(st)
	}
	return out
}

// call expands a tool call and its answer.
func (c compact) call(id string) (call, result session.Event) {
	name, input := c.Tool, c.Input
	arguments := map[string]any{}
	switch {
	case c.Bash != "":
		name, arguments["command"] = "Bash", c.Bash
	case c.Edit != "":
		name, arguments["file_path"] = "Edit", c.Edit
		arguments["old_string"], arguments["new_string"] = c.Old, c.New
	case c.Write != "":
		name, arguments["file_path"], arguments["content"] = "Write", c.Write, c.Content
	case c.Read != "":
		name, arguments["file_path"] = "Read", c.Read
	case c.Plan != "":
		name, arguments["plan"] = "ExitPlanMode", c.Plan
	}
	if input == "" {
		b, err := json.Marshal(arguments)
		if err != nil {
			panic(err) // maps of strings always marshal
		}
		input = string(b)
	}
	by, from := session.Agent, session.Tool
	if c.Origin != "" {
		by, from = c.Origin, c.Origin
	}
	call = session.Event{Kind: session.ToolCall, Origin: by, Tool: name, CallID: id, Input: input, Abandoned: c.Abandoned}
	result = session.Event{Kind: session.ToolResult, Origin: from, Tool: name, CallID: id, Text: c.Out,
		Cause: c.Cause, Reason: c.Reason, Edited: c.Edited, Abandoned: c.Abandoned}
	return call, result
}

func loadCases(t testing.TB, name string) []labelled {
	t.Helper()
	var cases []labelled
	err := json.Unmarshal([]byte(envtest.Read(t, "../../fixtures/heuristics", name)), &cases)
	envtest.StopIf(t, err != nil, "%s: %v", name, err)
	return cases
}

// A score counts what came out against what was wanted.
type score struct{ right, junk, missed int }

// judge compares the lessons of one side with the patterns for it. Every lesson that no pattern claims is junk; every
// pattern that claims none is missed.
func judge(got []string, want []string) (s score, notes []string) {
	claimed := make([]bool, len(got))
	for _, w := range want {
		re, hit := regexp.MustCompile(w), false
		for i, l := range got {
			if re.MatchString(l) {
				claimed[i], hit = true, true
			}
		}
		if !hit {
			s.missed++
			notes = append(notes, "missed "+w)
		}
	}
	for i, l := range got {
		if claimed[i] {
			s.right++
		} else {
			s.junk++
			notes = append(notes, "junk "+l)
		}
	}
	return s, notes
}

// run applies the rules to a case and judges what comes out.
func (c labelled) run() (sum score, notes []string) {
	return judge(textsOf(Lessons(expand(c.Steps), "", 8)), c.Fixes)
}

// TestLabelled holds every case to its label. A case that is known to go wrong says so in "known" and only counts in
// the figures, which must stay above the floors.
func TestLabelled(t *testing.T) {
	cases := append(loadCases(t, "positives.json"), loadCases(t, "negatives.json")...)
	var sum score
	for _, c := range cases {
		got, notes := c.run()
		sum = score{sum.right + got.right, sum.junk + got.junk, sum.missed + got.missed}
		for _, note := range notes {
			if c.Known != "" {
				t.Logf("%s (known: %s): %s", c.Name, c.Known, note)
			} else {
				t.Errorf("%s: %s", c.Name, note)
			}
		}
	}
	precision := float64(sum.right) / float64(max(1, sum.right+sum.junk))
	recall := float64(sum.right) / float64(max(1, sum.right+sum.missed))
	t.Logf("%d cases: %d right, %d junk, %d missed; precision %.3f, recall %.3f", len(cases), sum.right, sum.junk, sum.missed, precision, recall)
	envtest.FailIf(t, precision < wantPrecision, "precision %.3f, want at least %.2f", precision, wantPrecision)
	envtest.FailIf(t, recall < wantRecall, "recall %.3f, want at least %.2f", recall, wantRecall)
}
