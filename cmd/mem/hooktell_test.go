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
	"mem/recall/shown"
	"mem/repo"
	"mem/repo/private"
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
		World: newWorld(dir, "HOME="+dir+"/home", "MEM_HOOK_WORKER=false", "MEM_MAX_CORE_ITEMS=3", "MEM_ROOT="+dir+"/m"),
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
		World: newWorld(dir, "MEM_ROOT="+dir+"/m", "MEM_MAX_LESSONS=20")}
	if code := run(t.Context(), env, []string{"reflect", "-"}); code != 0 {
		t.Fatal(env.Err)
	}
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
				if errs != "" {
					t.Errorf("%s: %s", tt.event, errs)
				}
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
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	data, err := root.ReadNote(private.NoteShown)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, r := range shown.ParseReceipts(data) {
		for _, id := range r.Items {
			if seen[r.Session+id] {
				t.Errorf("%s was told %s twice", r.Session, id)
			}
			seen[r.Session+id] = true
		}
	}
	note, err := root.ReadNote(private.NoteTold)
	var list []shown.Record
	if err := json.Unmarshal(note, &list); err != nil {
		t.Error(err)
	}
	if err != nil || len(list) != 3 || len(shown.ParseReceipts(data)) != 6 {
		t.Fatalf("%d sessions and %d receipts are noted, %v", len(list), len(shown.ParseReceipts(data)), err)
	}
	for _, r := range list {
		if !r.Prompt || len(r.Items) < 7 {
			t.Errorf("noted: %+v", r)
		}
	}
}

// What cannot be noted is told nevertheless.
func TestTellWithoutANote(t *testing.T) {
	dir := t.TempDir()
	env := Env{In: strings.NewReader(`{"mistakes":[],"fixes":["Run the tests"]}`), Out: &bytes.Buffer{}, Err: &bytes.Buffer{},
		World: newWorld(dir, "MEM_ROOT="+dir+"/m")}
	if code := run(t.Context(), env, []string{"reflect", "-"}); code != 0 {
		t.Fatal(env.Err)
	}
	root, err := repo.Open(dir+"/m", repo.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	held := make(chan struct{})
	done := make(chan error)
	go func() {
		done <- root.AmendNote(private.NoteTold, func(old []byte) []byte { close(held); <-done; return old })
	}()
	<-held // another process holds the note, for longer than a hook waits
	_, out, _ := inProject(t, dir, "hook", "claude", says("s", "SessionStart", `"source":"startup"`))
	done <- nil
	if err := <-done; err != nil {
		t.Error(err)
	}
	var a struct{ HookSpecificOutput map[string]string }
	if err := json.Unmarshal([]byte(out), &a); err != nil || !strings.Contains(a.HookSpecificOutput["additionalContext"], "Run the tests") {
		t.Errorf("%v: %q", err, out)
	}
	if len(out) > agent.MaxAnswer {
		t.Errorf("%d characters", len(out))
	}
}
