package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"mem/agent"
	"mem/envtest"
	"mem/recall"
	"mem/repo"
	"mem/workspace"
)

// newWorld is a world of a folder and these variables, at benchTime.
func newWorld(dir string, environ ...string) workspace.World {
	return workspace.World{Dir: dir, Environ: environ, Clock: func() time.Time { return benchTime }}
}

// inProject runs mem in this process, in a folder that is its home too.
func inProject(t *testing.T, dir string, args ...string) (code int, stdout, stderr string) {
	var out, errs bytes.Buffer
	env := Env{
		In: strings.NewReader(""), Out: &out, Err: &errs,
		World: newWorld(dir, "HOME="+dir+"/home", "MEM_HOOK_WORKER=false", "MEM_CONTEXT_START=core", "MEM_MAX_CORE_ITEMS=3", "MEM_ROOT="+dir+"/m"),
	}
	code = run(t.Context(), env, args)
	return code, out.String(), errs.String()
}

// says is what a hook of Claude Code says.
func says(session, event, more string) string {
	return fmt.Sprintf(`{"session_id":%q,"hook_event_name":%q,%s}`, session, event, more)
}

// However many processes answer the hooks of a session at once, one of them
// tells it what it should read, one answers its first prompt, and no session
// is forgotten because another one was noted.
func TestTellAtOnce(t *testing.T) {
	dir := t.TempDir()
	lessons := `{"mistakes":[],"fixes":["Read the log"`
	for i := range 12 {
		lessons += fmt.Sprintf(`,"A rule, number %d"`, i)
	}
	env := Env{In: strings.NewReader(lessons + `,"Migrate the database first","Database migrations need a review"]}`), Out: &bytes.Buffer{}, Err: &bytes.Buffer{},
		World: newWorld(dir, "HOME="+dir+"/home", "MEM_ROOT="+dir+"/m", "MEM_MAX_LESSONS=20")}
	code := run(t.Context(), env, []string{"reflect", "-"})
	envtest.StopIf(t, code != 0, "%v", env.Err)
	for _, tt := range []struct{ event, more string }{
		{"SessionStart", `"source":"startup"`},
		{"UserPromptSubmit", `"prompt":"write the database migrations and let them migrate"`},
	} {
		const sessions, each = 3, 4
		var mu sync.Mutex
		var all sync.WaitGroup
		texts := map[int][]string{}
		for i := range sessions * each {
			all.Go(func() {
				_, out, errs := inProject(t, dir, "hook", "claude", says(fmt.Sprintf("s-%d", i%sessions), tt.event, tt.more))
				envtest.Same(t, "", errs, tt.event)
				mu.Lock()
				defer mu.Unlock()
				if out != "" {
					texts[i%sessions] = append(texts[i%sessions], out)
				}
			})
		}
		all.Wait()
		for s := range sessions {
			if len(texts[s]) != 1 {
				t.Errorf("%s: session %d is told %d times: %q", tt.event, s, len(texts[s]), texts[s])
			}
		}
	}
	root, err := repo.Open(dir+"/m", repo.Options{})
	envtest.NoError(t, err)
	defer root.Close()
	data := envtest.Read(t, dir+"/m/.git/mem/shown/2026-02.jsonl")
	seen, receipts := map[string]bool{}, 0
	for line := range strings.Lines(data) {
		var r recall.Receipt
		err := json.Unmarshal([]byte(line), &r)
		envtest.FailIf(t, err != nil || r.Session == "", "receipt %q: %v", line, err)
		receipts++
		for _, id := range r.Items {
			envtest.FailIf(t, seen[r.Session+id], "%s was told %s twice", r.Session, id)
			seen[r.Session+id] = true
		}
	}
	note, err := root.ReadNote(repo.NoteTold)
	var list []recall.ShownRecord
	if err := json.Unmarshal(note, &list); err != nil {
		t.Error(err)
	}
	envtest.StopIf(t, err != nil || len(list) != 3 || receipts != 6,
		"%d sessions and %d receipts are noted, %v", len(list), receipts, err)
	for _, r := range list {
		envtest.FailIf(t, !r.Prompt || len(r.Items) < 7, "noted: %+v", r)
	}
}

// What cannot be noted is told nevertheless.
func TestTellWithoutANote(t *testing.T) {
	dir := t.TempDir()
	env := Env{In: strings.NewReader(`{"mistakes":[],"fixes":["Run the tests"]}`), Out: &bytes.Buffer{}, Err: &bytes.Buffer{},
		World: newWorld(dir, "HOME="+dir+"/home", "MEM_ROOT="+dir+"/m")}
	code := run(t.Context(), env, []string{"reflect", "-"})
	envtest.StopIf(t, code != 0, "%v", env.Err)
	root, err := repo.Open(dir+"/m", repo.Options{})
	envtest.NoError(t, err)
	defer root.Close()
	held := make(chan struct{})
	done := make(chan error)
	go func() {
		done <- root.AmendNote(repo.NoteTold, func(old []byte) []byte { close(held); <-done; return old })
	}()
	<-held // another process holds the note, for longer than a hook waits
	_, out, _ := inProject(t, dir, "hook", "claude", says("s", "SessionStart", `"source":"startup"`))
	done <- nil
	err = <-done
	envtest.FailIf(t, err != nil, "%v", err)
	var a struct{ HookSpecificOutput map[string]string }
	if err := json.Unmarshal([]byte(out), &a); err != nil || !strings.Contains(a.HookSpecificOutput["additionalContext"], "Run the tests") {
		t.Errorf("%v: %q", err, out)
	}
	envtest.FailIf(t, len(out) > agent.MaxAnswer, "%d characters", len(out))
}

// A session that is resumed is sent again what it was told before: it is told only what came since, until it is compacted.
func TestTellResumed(t *testing.T) {
	dir := t.TempDir()
	now := benchTime
	mem := func(in string, args ...string) string {
		t.Helper()
		now = now.Add(time.Minute)
		var out, errs bytes.Buffer
		env := Env{In: strings.NewReader(in), Out: &out, Err: &errs,
			World: newWorld(dir, "HOME="+dir+"/home", "MEM_HOOK_WORKER=false", "MEM_ROOT="+dir+"/m")}
		env.Clock = func() time.Time { return now }
		code := run(t.Context(), env, args)
		envtest.StopIf(t, code != 0, "%v: %d %s", args, code, &errs)
		return out.String()
	}
	tell := func(id, event, more string) string {
		t.Helper()
		out := mem("", "hook", "claude", fmt.Sprintf(`{"session_id":%q,"hook_event_name":%q,%s}`, id, event, more))
		var a struct{ HookSpecificOutput map[string]string }
		err := json.Unmarshal([]byte(out), &a)
		envtest.StopIf(t, out != "" && err != nil, "%v", err)
		return a.HookSpecificOutput["additionalContext"]
	}
	mem("", "learn", "Read the log")
	mem("", "learn", "Use pnpm")
	want := func(when, text string, lines ...string) {
		t.Helper()
		var got []string
		for l := range strings.Lines(text) {
			if strings.HasPrefix(l, "- ") {
				got = append(got, strings.TrimSpace(l))
			}
		}
		envtest.Same(t, lines, got, when)
	}
	const resume = `"source":"resume"`
	text := tell("s", "SessionStart", `"source":"startup"`)
	envtest.FailIf(t, strings.Count(text, "\n- ") != 2, "at the start: %s", text)
	want("resumed", tell("s", "SessionStart", resume))
	mem("", "learn", "Name the branch after the ticket")
	want("after a lesson", tell("s", "SessionStart", resume), "- Name the branch after the ticket (2026-02-03)")
	want("once more", tell("s", "SessionStart", resume))
	mem("", "learn", "Tag each release")
	want("prompted", tell("s", "UserPromptSubmit", `"prompt":"hi"`))
	want("after another lesson", tell("s", "SessionStart", resume), "- Tag each release (2026-02-03)")
	text = tell("t", "SessionStart", resume)
	envtest.FailIf(t, strings.Count(text, "\n- ") != 4, "forgotten here: %s", text)
	text = tell("s", "SessionStart", `"source":"compact"`) + tell("s", "UserPromptSubmit", `"prompt":"hi"`) + tell("s", "SessionStart", resume)
	envtest.FailIf(t, strings.Count(text, "\n- ") != 4, "compacted, and resumed: %s", text)
}
