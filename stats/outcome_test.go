package stats

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mem/envtest"
	"mem/index"
	"mem/recall"
	"mem/session"
)

var noon = time.Date(2026, 2, 3, 12, 0, 0, 0, time.UTC)

// minute is so many minutes after noon.
func minute(n int) time.Time { return noon.Add(time.Duration(n) * time.Minute) }

// newSession is a session that says in one line each, a minute apart, what happened:
// "$ COMMAND" ran, "$! COMMAND" failed with the error below, "> TEXT" was said by the
// person and "edit FILE" was done.
func newSession(lines ...string) *session.Session {
	s := &session.Session{ID: "s", Agent: "claude", CWD: "/p"}
	for i, line := range lines {
		var kind, rest string
		fmt.Sscanf(line, "%s", &kind)
		rest = line[len(kind)+1:]
		id := fmt.Sprint(i)
		call := session.Event{Time: minute(i), Kind: session.ToolCall, Origin: session.Agent, Tool: "Bash", CallID: id}
		result := session.Event{Time: minute(i), Kind: session.ToolResult, Origin: session.Tool, CallID: id, Text: "done"}
		switch kind {
		case ">":
			s.Events = append(s.Events, session.Event{Time: minute(i), Kind: session.UserText, Origin: session.Human, Text: rest})
			continue
		case "edit":
			call.Tool = "Edit"
			data, _ := json.Marshal(map[string]string{"file_path": "/p/" + rest})
			call.Input = string(data)
		default:
			data, _ := json.Marshal(map[string]string{"command": rest})
			call.Input = string(data)
			switch kind {
			case "$!":
				result.Cause, result.Text = session.Failed, "error: Cannot find module 'zod' from 'src/a.ts'"
			case "$no":
				result.Cause, result.Text = session.DeniedByUser, ""
			}
		}
		s.Events = append(s.Events, call, result)
	}
	return s
}

func TestJudge(t *testing.T) {
	failure := index.Item{ID: "m-1", Kind: index.Learning, Cue: &index.Literals{Command: "bun test", Error: "error: cannot find module '…'"}, Remedy: &index.Literals{Command: "bun install"}}
	habit := index.Item{ID: "m-1", Kind: index.AntiPattern, Cue: &index.Literals{Command: "npm publish"}, Remedy: &index.Literals{Command: "make release"}}
	file := index.Item{ID: "m-1", Kind: index.AntiPattern, Cue: &index.Literals{Path: "src/gen/"}}
	hint := index.Item{ID: "m-1", Kind: index.Learning, Cue: &index.Literals{Command: "make deploy"}, Remedy: &index.Literals{Command: "make login"}}
	other := index.Item{ID: "m-1", Kind: index.AntiPattern, Cue: &index.Literals{Command: "make e2e"}, Remedy: &index.Literals{Command: "docker compose up -d db && make e2e"}}
	form := index.Item{ID: "m-1", Kind: index.AntiPattern, Cue: &index.Literals{Command: "pytest"}, Remedy: &index.Literals{Command: "pytest tests/unit"}}
	script := index.Item{ID: "m-1", Kind: index.AntiPattern, Text: "Running `python gen.py` twice", Cue: &index.Literals{Command: "python"}}
	late, own := failure, failure
	late.FirstSeen = minute(1)
	own.Sources = []index.Source{{Session: "s"}}
	start := recall.Receipt{At: minute(-1), Kind: recall.AtStart, Items: []string{"m-1"}}
	before := recall.Receipt{At: minute(1).Add(time.Second), Kind: recall.AtAction, Items: []string{"m-1"}}
	after := before
	after.Over = true
	hurt := outcome{ID: "m-1", Occasion: true, Repeated: true}
	for _, tt := range []struct {
		name  string
		it    index.Item
		lines []string
		told  []recall.Receipt
		want  []outcome
	}{
		{"it did not matter", failure, []string{"> hello", "$ ls", "$! make"}[:2], nil, nil},
		{"told for nothing", failure, []string{"$ ls"}, []recall.Receipt{start}, []outcome{{ID: "m-1", Told: recall.AtStart}}},
		{"it went well", failure, []string{"$ bun test"}, nil, []outcome{{ID: "m-1", Occasion: true}}},
		{"again, not told", failure, []string{"> x", "$! bun test"}, nil, []outcome{hurt}},
		{"the error of another command", failure, []string{"$! bun run check"}, nil, []outcome{hurt}},
		{"told, and followed", failure, []string{"$ bun install", "$ bun test"}, []recall.Receipt{start}, []outcome{{ID: "m-1", Told: recall.AtStart, Occasion: true, Followed: true}}},
		{"told, and not followed", failure, []string{"$! bun test", "> try bun install", "$ bun install"}, []recall.Receipt{start}, []outcome{{ID: "m-1", Told: recall.AtStart, Occasion: true, Repeated: true}}},
		{"the remedy was refused", failure, []string{"$! bun test", "$no bun install"}, []recall.Receipt{start}, []outcome{{ID: "m-1", Told: recall.AtStart, Occasion: true, Repeated: true}}},
		{"told after it failed", failure, []string{"> x", "$! bun test", "$ bun install", "$ bun test"}, []recall.Receipt{after}, []outcome{hurt, {ID: "m-1", Told: recall.AtAction, Late: true, Occasion: true, Followed: true}}},
		{"told before the command", failure, []string{"> x", "$! bun test"}, []recall.Receipt{before}, []outcome{{ID: "m-1", Told: recall.AtAction, Occasion: true, Repeated: true}}},
		{"told by the person's own memory", failure, []string{"$ bun test"}, []recall.Receipt{{At: noon, Kind: recall.OnDemand, Global: []string{"m-1"}}}, []outcome{{ID: "m-1", Told: recall.OnDemand, Occasion: true}}},
		{"before it was learned", late, []string{"$! bun test", "$ ls", "$ ls"}, nil, nil},
		{"where it was learned", own, []string{"$! bun test"}, nil, nil},
		{"a command to avoid", habit, []string{"$ npm publish"}, nil, []outcome{hurt}},
		{"a command avoided", habit, []string{"$ make release"}, []recall.Receipt{start}, []outcome{{ID: "m-1", Told: recall.AtStart, Occasion: true, Followed: true}}},
		{"a command that needs another before it", other, []string{"$ make e2e"}, []recall.Receipt{start}, []outcome{{ID: "m-1", Told: recall.AtStart, Occasion: true, Repeated: true}}},
		{"with that", other, []string{"$ docker compose up -d cache db && make e2e"}, []recall.Receipt{start}, []outcome{{ID: "m-1", Told: recall.AtStart, Occasion: true, Followed: true}}},
		{"a command to be run otherwise", form, []string{"$ pytest -x"}, []recall.Receipt{start}, []outcome{{ID: "m-1", Told: recall.AtStart, Occasion: true, Repeated: true}}},
		{"which was", form, []string{"$ pytest -x tests/unit"}, []recall.Receipt{start}, []outcome{{ID: "m-1", Told: recall.AtStart, Occasion: true, Followed: true}}},
		{"another script", script, []string{"$ python other.py"}, nil, nil},
		{"the script", script, []string{"$ python ./gen.py"}, nil, []outcome{hurt}},
		{"a refused command to avoid", habit, []string{"$no npm publish"}, nil, []outcome{hurt}},
		{"a file to avoid", file, []string{"edit src/gen/a.go"}, nil, []outcome{hurt}},
		{"another file", file, []string{"edit src/a.go"}, nil, nil},
		{"a command that needs another", hint, []string{"$ make deploy"}, nil, []outcome{{ID: "m-1", Occasion: true}}},
		{"which failed", hint, []string{"$! make deploy"}, nil, []outcome{hurt}},
	} {
		l, ok := newLesson(&tt.it)
		s := newSession(tt.lines...)
		diff := cmp.Diff(tt.want, l.judge(s, listMoments(s, nil), tt.told))
		envtest.FailIf(t, !ok || diff != "", "%s: %v (-want +got):\n%s", tt.name, ok, diff)
	}
	_, ok := newLesson(&index.Item{Cue: &index.Literals{Tool: "Bash"}})
	envtest.FailIf(t, ok, "a lesson without a command, an error or a file is one that a session tells of")
}

// TestRate: figures as in the tables for Wilson's interval, and none of fewer than five.
func TestRate(t *testing.T) {
	for _, tt := range []struct {
		hits, of int
		want     string
	}{
		{0, 0, "0 of 0"}, {4, 4, "4 of 4"}, {5, 5, "5 of 5 (100%; 57 to 100)"},
		{0, 10, "0 of 10 (0%; 0 to 28)"}, {15, 30, "15 of 30 (50%; 33 to 67)"},
	} {
		envtest.Same(t, tt.want, newRate(tt.hits, tt.of).String(), "newRate", tt.hits, tt.of)
	}
}

// TestFork: what a session copied from the one that it was forked from happened once.
func TestFork(t *testing.T) {
	habit := index.Item{ID: "m-1", Kind: index.AntiPattern, Status: index.Active, Cue: &index.Literals{Command: "npm publish"}}
	c := NewCount(nil, time.Time{})
	c.AddLessons(&index.Index{Items: []index.Item{habit}}, true)
	s := newSession("> Add a page", "$ npm publish", "> No, don't delete `build`, use `make clean` instead")
	for i := range s.Events {
		s.Events[i].ID = fmt.Sprint("e", i)
	}
	whole := s.Events
	s.Events = whole[:3]
	c.AddSession(s)
	fork := *s
	fork.ID, fork.Events = "fork", whole
	c.AddSession(&fork)
	r := c.Finish()
	want := (Rate{Hits: 1, Of: 1})
	envtest.FailIf(t, r.Sessions != 2 || r.NotTold != want, "%+v", r)
}
