package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"mem/envtest"
)

// argv configures a program to ask.
func argv(words ...string) []string {
	return []string{"MEM_ORACLE_COMMAND_ARGV=[\"" + strings.Join(words, `","`) + "\"]"}
}

// failures are the ways in which a model fails, and what is said of each of a session and
// of other questions.
var failures = []struct {
	name        string
	environ     []string // nil: a server that never answers
	says, other string
}{
	{"exit code", argv("answer", "fail"), "no credit left", "no credit left"},
	{"hang", nil, "no answer within 50ms", "no answer within 50ms"},
	{"prose", argv("answer", "prose"), "the answer holds no lessons", "no oracle gave an answer that can be used"},
	{"empty", argv("answer", "print", " "), "the answer holds no lessons", "no oracle gave an answer that can be used"},
	{"half JSON", argv("answer", "print", `{\"lessons\":[{\"text\":\"Ru`), "the answer holds no lessons", "no oracle gave an answer that can be used"},
	{"missing program", argv("/nonexistent/llm"), "/nonexistent/llm cannot be run", "/nonexistent/llm cannot be run"},
	{"no budget", append(argv("answer", "print", "# Spent"), "MEM_ORACLE_MAX_CALLS_PER_DAY=1"), "budget spent", "budget for models is spent"},
	{"killed", argv("sh", "-c", "kill -9 $PPID; sleep 9"), "the process that read it died", ""},
}

// TestFailures lets each way of asking a model meet each failure: nothing counts as read, the status
// says why a session waits, and once the model works all is learned, once.
func TestFailures(t *testing.T) {
	stop := `{"hook_event_name":"SessionEnd","transcript_path":%q}`
	for _, way := range []struct {
		name    string
		args    []string
		code    int
		session bool // it is about one
		good    []string
		learned string // by the same words, once the model works
	}{
		{"worker", []string{"worker", "--wait"}, 0, true, argv("answer", "print", strings.ReplaceAll(goodAnswer, `"`, `\"`)), "nothing waits in the queue"},
		{"backfill", []string{"backfill", "--all"}, 75, true, argv("answer", "print", strings.ReplaceAll(goodAnswer, `"`, `\"`)), "learned 1 new, 0 repeated from 1 session"},
		{"reflect", []string{"reflect", "session.jsonl"}, 75, true, argv("answer", "print", strings.ReplaceAll(goodAnswer, `"`, `\"`)), "learned 2 new"},
		{"month", []string{"month"}, 75, false, argv("answer", "print", "# Fine"), "by command"},
		{"redistill", []string{"redistill"}, 75, false, argv("answer", "reword", " first"), "by command"},
	} {
		for _, f := range failures {
			t.Run(way.name+"/"+f.name, func(t *testing.T) {
				t.Parallel()
				b := newBench(t)
				b.environ = append(b.environ, "MEM_ROOT="+filepath.Join(b.dir, "m"))
				base := slices.Clone(b.environ)
				b.run(0, "reflect", "lessons.json")
				switch way.name {
				case "worker":
					b.run(0, "hook", "claude", fmt.Sprintf(stop, filepath.Join(b.dir, "session.jsonl")))
				case "backfill":
					envtest.NoError(t, os.MkdirAll(filepath.Join(b.dir, ".claude/projects/-x"), 0o700))
					envtest.NoError(t, os.Link(filepath.Join(b.dir, "session.jsonl"), filepath.Join(b.dir, ".claude/projects/-x/s.jsonl")))
				}
				if b.environ = append(b.environ, f.environ...); f.environ == nil {
					b.serve("openai", hang)
					b.patience = 50 * time.Millisecond
				}
				if f.name == "no budget" {
					b.run(0, "month", "--dry-run")
				}
				before, stderr := b.head(), ""
				if f.name == "killed" {
					mem := exec.CommandContext(t.Context(), "mem", way.args...)
					mem.Dir, mem.Env = b.dir, append(b.environ, "NOW=2026-02-03T04:05:06Z")
					out, err := mem.CombinedOutput()
					envtest.StopIf(t, err == nil, "it lives: %s", out)
				} else {
					_, stderr = b.run(way.code, way.args...)
				}
				envtest.Same(t, before, b.head(), "it made a commit")
				status, _ := b.run(0, "status")
				switch {
				case way.session && (f.name != "killed" || way.name == "worker"):
					envtest.FailIf(t, !strings.Contains(status, "failed   session ") || !strings.Contains(status, f.says),
						"status: %s", status)
				case !strings.Contains(stderr, f.other):
					t.Errorf("stderr: %s", stderr)
				}

				b.environ, b.patience = append(slices.Clone(base), way.good...), 0
				if way.name == "worker" {
					way.args = append(way.args, "--retry")
				}
				if out, _ := b.run(0, way.args...); !strings.Contains(out, way.learned) || b.head() == before {
					t.Errorf("with a model that works: %s", out)
				}
				learned := b.head()
				out, _ := b.run(0, "worker", "--retry", "--wait")
				envtest.FailIf(t, !strings.Contains(out, "nothing waits") || b.head() != learned, "it is not done: %s", out)
				by := b.git("log", "-1", "--format=%(trailers:key=Mem-Model,valueonly)")
				envtest.FailIf(t, strings.TrimSpace(by) != "command", "by %q", by)
			})
		}
	}
}
