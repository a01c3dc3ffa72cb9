package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mem/envtest"
)

// TestMisbehaviourOfTheQueue puts the worker in front of servers that do
// everything wrong: a session that was not learned from stays in the queue,
// mem status says why, and it is learned from when an oracle answers.
func TestMisbehaviourOfTheQueue(t *testing.T) {
	for _, kind := range []string{"anthropic", "openai"} {
		for _, tt := range misbehaviours {
			t.Run(kind+"/"+tt.name, func(t *testing.T) {
				t.Parallel()
				b := newBench(t)
				b.serve(kind, tt.does)
				b.hurry(tt.name)
				b.run(0, "reflect", "--root", "m", "lessons.json")
				b.environ = append([]string{"MEM_ORACLE_ORDER=" + kind, "MEM_HOOK_QUIET=0s", "MEM_ROOT=" + filepath.Join(b.dir, "m")}, b.environ...)
				before := b.head()
				b.run(0, "hook", "claude", fmt.Sprintf(`{"hook_event_name":"Stop","transcript_path":%q}`, filepath.Join(b.dir, "session.jsonl")))
				stdout, _ := b.run(0, "worker", "--wait") // a program that another test starts may hold the lock for a moment
				b.check()
				if tt.learns || strings.HasPrefix(tt.name, "nothing to learn") {
					envtest.FailIf(t, stdout != "nothing waits in the queue\n" || tt.learns == (before == b.head()),
						"the worker says %q; commit before %s, after %s", stdout, before, b.head())
					return
				}
				envtest.Same(t, b.head(), before, "committed")
				status, _ := b.run(0, "status")
				if !strings.Contains(status, "failed   session ") || !strings.Contains(status, tt.stderr) || !strings.Contains(status, "tried 1 time, again after 2026-02-03 04:06 UTC") {
					t.Errorf("status says %s", status)
				}
				b.environ[0] = "MEM_ORACLE_ORDER=heuristic"
				stdout, _ = b.run(0, "worker", "--retry", "--wait")
				envtest.FailIf(t, stdout != "nothing waits in the queue\n" || before == b.head(),
					"the session is lost: %q", stdout)
				b.check()
			})
		}
	}
}

// A hook that cannot finish gives up with one line, whatever holds it, and prints nothing else.
// A session is queued all the same, where no one waits for it.
func TestHookGivesUp(t *testing.T) {
	for event, more := range map[string]string{"SessionStart": "", "PreToolUse": "", "Stop": "; it goes on in the background"} {
		dir := t.TempDir()
		inProject(t, dir, "learn", "Read the log")
		file, err := filepath.Abs("../../fixtures/traces/claude-correction.jsonl")
		envtest.NoError(t, err)
		in := fmt.Sprintf(`{"hook_event_name":%q,"session_id":"s","transcript_path":%q,"tool_name":"Bash","tool_input":{"command":"cat log"}}`, event, file)
		ctx, giveUp := context.WithCancelCause(t.Context())
		var out, errs bytes.Buffer
		var again []string
		env := Env{In: strings.NewReader(in), Out: &out, Err: &errs, World: newWorld(dir, "HOME="+dir+"/home", "MEM_ROOT="+dir+"/m")}
		env.Clock = func() time.Time { giveUp(errors.New("too late")); select {} } // as a disk that is gone
		env.Detach = func(_ string, args ...string) error { again = args; return nil }
		code := run(ctx, env, []string{"hook", "claude"})
		envtest.FailIf(t, code != 0 || out.Len() > 0 || errs.String() != "mem: skipped: too late"+more+"\n",
			"%s: exit %d, printed %q, said %q", event, code, &out, &errs)
		if (again != nil) != (event == "Stop") {
			t.Errorf("%s: started %q", event, again)
		} else if again != nil {
			_, _, stderr := inProject(t, dir, again...)
			envtest.FailIf(t, !strings.Contains(stderr, "queued: session"), "%q says %q", again, stderr)
		}
	}
}
