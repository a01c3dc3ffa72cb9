package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
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
					if stdout != "nothing waits in the queue\n" || tt.learns == (before == b.head()) {
						t.Errorf("the worker says %q; commit before %s, after %s", stdout, before, b.head())
					}
					return
				}
				if before != b.head() {
					t.Errorf("committed %s", b.head())
				}
				status, _ := b.run(0, "status")
				if !strings.Contains(status, "failed   session ") || !strings.Contains(status, tt.stderr) || !strings.Contains(status, "tried 1 time, again after 2026-02-03 04:06 UTC") {
					t.Errorf("status says %s", status)
				}
				b.environ[0] = "MEM_ORACLE_ORDER=heuristic"
				stdout, _ = b.run(0, "worker", "--retry", "--wait")
				if stdout != "nothing waits in the queue\n" || before == b.head() {
					t.Errorf("the session is lost: %q", stdout)
				}
				b.check()
			})
		}
	}
}

func TestIsForHook(t *testing.T) {
	for line, want := range map[string]bool{
		"hook claude":                  true,
		"--root m --now x hook claude": true,
		"hook --nosuch":                true,
		"hook":                         true,
		"hook install claude":          false,
		"hook uninstall pi":            false,
		"help hook":                    false,
		"trace show hook":              false,
		"--root hook status":           false,
		"reflect hook":                 false,
		"":                             false,
	} {
		root := newRoot(Env{}, "")
		c, rest, err := root.Find(strings.Fields(line))
		if err == nil {
			_ = c.ParseFlags(rest)
		}
		if got := findCommand(c, strings.Fields(line)).Annotations[forHook] != ""; got != want {
			t.Errorf("%q is for a hook: %v", line, got)
		}
	}
}
