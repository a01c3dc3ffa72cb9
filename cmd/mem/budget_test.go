package main

import (
	"io"
	"net/http"
	"runtime"
	"strings"
	"testing"

	"mem/envtest"
)

// TestBudget spends the budget of a day: a person is told, and the session is left for tomorrow.
func TestBudget(t *testing.T) {
	b := newBench(t)
	asks := b.serve("openai", answers(`{"lessons":[]}`))
	b.environ = append(b.environ, "MEM_ORACLE_MAX_CALLS_PER_DAY=2", "MEM_MAX_LESSONS=3")
	// The first question makes the memory, so that it counts whatever comes of it.
	stdout, _ := b.run(0, "reflect", "--root", "m", "session.jsonl")
	envtest.StopIf(t, !strings.Contains(stdout, "nothing to learn") || asks.Load() != 1,
		"%q after %d questions", stdout, asks.Load())
	b.run(0, "reflect", "--root", "m", "-n", "session.jsonl") // looking costs, too
	if stdout, _ := b.run(0, "status", "--root", "m"); !strings.Contains(stdout, "spent    2 of 2 calls and about 2000 tokens today (UTC)\n") ||
		!strings.Contains(stdout, "skips    openai (m): the day's budget is spent: 2 of 2 calls today\n") || !strings.Contains(stdout, "asks     no oracle; ") {
		t.Errorf("status says %s", stdout)
	}
	_, stderr := b.run(75, "reflect", "--root", "m", "--oracle", "openai", "session.jsonl") // it was asked for
	if !strings.Contains(stderr, "mem: openai: not asked: 2 of 2 calls today: the day's budget for models is spent\n") {
		t.Errorf("asked alone: %q", stderr)
	}
	_, stderr = b.run(75, "reflect", "--root", "m", "session.jsonl")
	envtest.FailIf(t, !strings.Contains(stderr, "mem: openai: not asked: 2 of 2 calls today") || asks.Load() != 2,
		"%q after %d questions", stderr, asks.Load())
	b.run(0, "reflect", "--root", "m", "lessons.json")
	b.check()
}

// TestKeyCommand takes the key from a program, which wins over the variable,
// and asks no one when there is none to be had.
func TestKeyCommand(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no echo")
	}
	for _, kind := range []string{"anthropic", "openai"} {
		b := newBench(t)
		asks := b.serve(kind, answers(goodAnswer))
		variable := "MEM_ORACLE_" + strings.ToUpper(kind) + "_KEY_COMMAND="
		b.environ[len(b.environ)-1] = strings.ToUpper(kind) + "_API_KEY=of-the-environment"
		b.environ = append(b.environ, variable+`["echo","`+testKey+`"]`)
		stdout, stderr := b.run(0, "reflect", "--root", "m", "--oracle", kind, "session.jsonl")
		envtest.FailIf(t, !strings.Contains(stdout, "learned 2 new"), "%s: %q, %q", kind, stdout, stderr)
		body := b.git("log", "-1", "--format=%(trailers:key=Mem-Model,valueonly)")
		envtest.FailIf(t, strings.TrimSpace(body) != kind+"/m", "%s: the commit names %q", kind, body)
		for _, argv := range []string{`["false"]`, `["true"]`} {
			b.environ[len(b.environ)-1] = variable + argv
			if _, stderr := b.run(75, "month", "--root", "m", "--dry-run", "--oracle", kind); !strings.Contains(stderr, "mem: "+kind+": read the key: key_command: ") {
				t.Errorf("%s with %s: %q", kind, argv, stderr)
			}
		}
		b.environ[len(b.environ)-1] = variable + `["no-such-program"]`
		if _, stderr := b.run(75, "month", "--root", "m", "--dry-run"); !strings.Contains(stderr, kind+": key_command: there is no program no-such-program in PATH") {
			t.Errorf("%s: %q", kind, stderr)
		}
		envtest.Same(t, 1, asks.Load(), kind, "asked times")
		b.check()
	}
}

// TestFreeText checks that a summary, which has no schema, is asked for as
// text.
func TestFreeText(t *testing.T) {
	for _, kind := range []string{"anthropic", "openai"} {
		b := newBench(t)
		b.serve(kind, func(s scene, ask int32, w http.ResponseWriter, r *http.Request) {
			if body, _ := io.ReadAll(r.Body); strings.Contains(string(body), "schema") || strings.Contains(string(body), "response_format") {
				t.Errorf("%s: sent %s", kind, body)
			}
			answers("## Wins\n\n- All well")(s, ask, w, r)
		})
		b.run(0, "reflect", "--root", "m", "lessons.json")
		stdout, stderr := b.run(0, "month", "--root", "m")
		envtest.FailIf(t, !strings.Contains(stdout, "from 1 reflection, by "+kind+"/m"), "%s: %q, %q", kind, stdout, stderr)
	}
}

// TestTooBig does not send what the model's context cannot hold.
func TestTooBig(t *testing.T) {
	b := newBench(t)
	asks := b.serve("openai", answers(goodAnswer))
	b.environ = append(b.environ, "MEM_ORACLE_OPENAI_CONTEXT_TOKENS=1000")
	_, stderr := b.run(75, "reflect", "--root", "m", "session.jsonl")
	envtest.FailIf(t, asks.Load() != 0 || !strings.Contains(stderr, "in context_tokens = 1000: the prompt does not fit"),
		"%d requests, %q", asks.Load(), stderr)
}
