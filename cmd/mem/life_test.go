package main

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"mem/envtest"
	"mem/recall"
	"mem/session"
	"mem/trace"
)

// TestLives lives through each folder that MEM_EVAL names and that holds one project's packed sessions, in order of
// time: what hooks show at starts, with prompts and around tool calls, and what the worker learns at the ends. It prints
// each line shown at an action, for readers to judge, the lessons and candidates at the end, and counts.
func TestLives(t *testing.T) {
	for dir := range strings.FieldsSeq(os.Getenv("MEM_EVAL")) {
		files, _ := filepath.Glob(filepath.Join(dir, "*.jsonl.gz"))
		if _, err := os.Stat(filepath.Join(dir, "labels.json")); err == nil || len(files) == 0 {
			continue // the sessions of several projects
		}
		l := lived{t: t, home: t.TempDir(), project: t.TempDir(), tokens: map[string][]int{}}
		out, err := exec.CommandContext(t.Context(), "git", "init", "-q", l.project).CombinedOutput()
		envtest.StopIf(t, err != nil, "git init: %v\n%s", err, out)
		for _, file := range files {
			l.add(file)
		}
		if slices.SortStableFunc(l.steps, func(a, b moment) int { return a.at.Compare(b.at) }); len(l.steps) == 0 {
			continue
		}
		l.run(l.steps[0].at.Add(-time.Hour), "init")
		for _, m := range l.steps {
			m.do(m.at)
		}
		l.report(dir)
	}
}

// lived is the life of a project.
type lived struct {
	t             *testing.T
	home, project string
	steps         []moment
	tokens        map[string][]int // of each session, by when they were shown
	calls, fired  int
}

// A moment is when an agent calls a hook, or when its session has ended.
type moment struct {
	at time.Time
	do func(at time.Time)
}

// add adds the moments of a session, whose folder becomes the life's own.
func (l *lived) add(file string) {
	packed, _ := os.ReadFile(file) // what cannot be read is not packed either
	plain, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		l.t.Fatal(file, err)
	}
	data, err := io.ReadAll(plain)
	if err != nil {
		l.t.Fatal(file, err)
	}
	doc, err := trace.Read(bytes.NewReader(data))
	if err != nil || doc.Session == nil || doc.Session.CWD == "" || doc.Session.Agent != "claude" && doc.Session.Agent != "codex" {
		l.t.Logf("left out: %s", file)
		return
	}
	data = bytes.ReplaceAll(data, []byte(doc.Session.CWD), []byte(l.project))
	if doc, err = trace.Read(bytes.NewReader(data)); err != nil {
		l.t.Fatal(file, err)
	}
	s, number := doc.Session, len(l.tokens["start"])
	for _, when := range []string{"start", "prompt", "action"} {
		l.tokens[when] = append(l.tokens[when], 0)
	}
	show := func(at time.Time, e session.Event, when string, payload map[string]any) {
		l.steps = append(l.steps, moment{at, func(at time.Time) { l.tokens[when][number] += l.show(at, s, e, payload) }})
	}
	show(s.Started, session.Event{}, "start", map[string]any{"hook_event_name": "SessionStart", "source": "startup"})
	at, open := s.Started, map[string]session.Event{}
	for _, e := range s.Events {
		if e.Time.After(at) {
			at = e.Time // the order of the file counts
		}
		if payload, when := payloadOf(s, e, open); payload != nil {
			show(at, e, when, payload)
		}
	}
	path := filepath.Join(l.home, ".claude", "projects", trace.ClaudeSlug(l.project), s.ID+".jsonl")
	if s.Agent == "codex" {
		path = filepath.Join(l.home, ".codex", "sessions", s.Started.Format("2006/01/02"), s.Started.Format("rollout-2006-01-02T15-04-05-")+s.ID+".jsonl")
	}
	l.steps = append(l.steps, moment{s.Ended.Add(time.Second), func(at time.Time) {
		envtest.NoError(l.t, errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, data, 0o600)))
		l.show(at, s, session.Event{}, map[string]any{"hook_event_name": "Stop", "transcript_path": path})
		l.run(at, "worker")
	}})
}

// payloadOf returns what the agent's hook says of an event, nil if it calls none. open holds the calls so far.
func payloadOf(s *session.Session, e session.Event, open map[string]session.Event) (payload map[string]any, when string) {
	switch {
	case e.Kind == session.UserText && e.Origin == session.Human:
		return map[string]any{"hook_event_name": "UserPromptSubmit", "prompt": e.Text}, "prompt"
	case e.Kind == session.ToolCall:
		open[e.CallID] = e
		return map[string]any{"hook_event_name": "PreToolUse", "tool_name": e.Tool, "tool_input": json.RawMessage(e.Input)}, "action"
	case e.Kind != session.ToolResult || open[e.CallID].Tool == "" || e.Cause == session.DeniedByUser || e.Cause == session.Cancelled:
		return nil, ""
	}
	call := open[e.CallID]
	payload = map[string]any{"hook_event_name": "PostToolUse", "tool_name": call.Tool, "tool_input": json.RawMessage(call.Input), "tool_response": e.Text}
	if e.Cause != session.OK && s.Agent == "claude" {
		payload["hook_event_name"], payload["error"] = "PostToolUseFailure", e.Text
	}
	return payload, "action"
}

// run runs mem in this process, at a time.
func (l *lived) run(at time.Time, args ...string) (code int, stdout string) {
	var out bytes.Buffer
	env := Env{In: strings.NewReader(""), Out: &out, Err: io.Discard, World: newWorld(l.project, "HOME="+l.home, "MEM_HOOK_WORKER=false", "MEM_HOOK_QUIET=0s")}
	return run(l.t.Context(), env, append([]string{"--now", at.Format(time.RFC3339)}, args...)), out.String()
}

// show calls a hook, and prints and counts what it shows.
func (l *lived) show(at time.Time, s *session.Session, e session.Event, payload map[string]any) (tokens int) {
	payload["session_id"], payload["cwd"] = s.ID, l.project
	said, err := json.Marshal(payload)
	if l.calls++; err != nil {
		return 0 // the input is so long that it was cut
	}
	var a struct {
		HookSpecificOutput struct{ AdditionalContext string }
	}
	if _, out := l.run(at, "hook", s.Agent, string(said)); json.Unmarshal([]byte(out), &a) != nil {
		return 0 // nothing was shown
	}
	text := a.HookSpecificOutput.AdditionalContext
	if e.Tool != "" || e.CallID != "" {
		l.fired++
		l.t.Logf("%s %s %s %s %.200q\n      %s", s.ID, e.ID, payload["hook_event_name"], e.Cause, payload["tool_input"], strings.Join(strings.Fields(text), " "))
	}
	return recall.Tokens(text)
}

// report prints what there is at the end, and what it took.
func (l *lived) report(dir string) {
	for _, args := range [][]string{{"list", "--status", "all", "--limit", "0", "--json"}, {"list", "--candidates", "--limit", "0", "--json"}} {
		if code, out := l.run(l.steps[len(l.steps)-1].at.Add(time.Hour), args...); code == 0 {
			l.t.Logf("%s\n%s", strings.Join(args, " "), out)
		}
	}
	line := fmt.Sprintf("== life of %s: %d sessions, %d hooks, %d lines at an action;", filepath.Base(dir), len(l.tokens["start"]), l.calls, l.fired)
	for _, when := range []string{"start", "prompt", "action"} {
		n, sum := slices.Sorted(slices.Values(l.tokens[when])), 0
		for _, one := range n {
			sum += one
		}
		line += fmt.Sprintf(" %s: median %d, 90 %% %d, max %d, all %d tokens;", when, n[len(n)/2], n[len(n)*9/10], n[len(n)-1], sum)
	}
	l.t.Log(line)
}
