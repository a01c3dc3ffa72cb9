package oracle

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"mem/envtest"
)

// role names the variable that makes this test binary the program that a Command runs.
const role = "MEM_TEST_ROLE"

// agentNames are the coding agents: called by one of their names this binary is that agent.
var agentNames = []string{"claude", "codex", "gemini", "opencode", "pi"}

func TestMain(m *testing.M) {
	if slices.Contains(agentNames, strings.TrimSuffix(filepath.Base(os.Args[0]), ".exe")) {
		if err := playAgent(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	if what := os.Getenv(role); what != "" {
		os.Exit(play(what))
	}
	os.Exit(envtest.M{M: m}.Run())
}

// play is the program.
func play(what string) int {
	in, err := io.ReadAll(os.Stdin)
	if err != nil {
		return 99
	}
	what, arg, _ := strings.Cut(what, " ")
	switch what {
	case "echo":
		fmt.Printf("%s", in)
	case "say":
		fmt.Print(arg)
	case "env":
		fmt.Print(strings.Join(os.Environ(), "\n"))
	case "dir":
		dir, err := os.Getwd()
		if err != nil {
			return 99
		}
		fmt.Print(dir)
	case "fail":
		fmt.Print("half an answer")
		fmt.Fprint(os.Stderr, arg)
		return 3
	case "bytes":
		n, err := strconv.Atoi(arg)
		if err != nil {
			return 99
		}
		fmt.Print(strings.Repeat("x", n))
	case "flood":
		for {
			if _, err := fmt.Print(strings.Repeat("x", 1<<16)); err != nil {
				return 4
			}
		}
	case "family": // the child holds the pipe at arg until it ends
		child := exec.Command(os.Args[0])
		child.Env = append(os.Environ(), role+"=hold "+arg)
		if err := child.Start(); err != nil {
			return 99
		}
		time.Sleep(10 * time.Minute)
	case "leave": // a child that holds the output
		child := exec.Command(os.Args[0])
		child.Env, child.Stdout = append(os.Environ(), role+"=linger"), os.Stdout
		if err := child.Start(); err != nil {
			return 99
		}
		fmt.Print(arg)
	case "linger":
		time.Sleep(3 * time.Second)
	case "hold":
		f, err := os.OpenFile(arg, os.O_WRONLY, 0)
		if err != nil {
			return 99
		}
		fmt.Fprintln(f, "held")
		time.Sleep(10 * time.Minute)
	}
	return 0
}

// playing is a Command that runs this test binary in a role.
func playing(t *testing.T, what string, environ ...string) command {
	t.Helper()
	self, err := os.Executable()
	envtest.NoError(t, err)
	return command{Argv: []string{self}, Environ: append([]string{role + "=" + what}, environ...)}
}

func TestCommandAnswers(t *testing.T) {
	for _, tt := range []struct {
		request Request
		want    string
	}{
		{Request{Prompt: "prompt\n"}, "prompt\n"},
		{Request{System: "system", Prompt: "prompt"}, "system\n\nprompt"},
		{Request{Prompt: strings.Repeat("é", 200_000)}, strings.Repeat("é", 200_000)},
		{Request{Prompt: "x", Timeout: time.Minute}, "x"},
	} {
		got, err := playing(t, "echo").Ask(t.Context(), tt.request)
		envtest.FailIf(t, err != nil || got != tt.want, "Ask = %d bytes, %v; want %d", len(got), err, len(tt.want))
	}
	got, err := playing(t, "say nothing was asked").Ask(t.Context(), Request{Prompt: strings.Repeat("x", 1<<20)})
	envtest.FailIf(t, err != nil || got != "nothing was asked", "Ask = %q, %v", got, err)
	got, err = playing(t, "leave an answer").Ask(t.Context(), Request{})
	envtest.FailIf(t, err != nil || got != "an answer", "with a child that goes on: Ask = %q, %v", got, err)
	envtest.Same(t, "command", (command{}).Name(), "Name")
}

func TestCommandEnvironment(t *testing.T) {
	c := playing(t, "env", "A=1", "GIT_DIR=/x", "GIT_INDEX_FILE=y", "GITHUB_TOKEN=z", "MEM_CHILD=0", "PATH=/bin", "EMPTY=")
	got, err := c.Ask(t.Context(), Request{})
	envtest.NoError(t, err)
	want := []string{"MEM_CHILD=1", role + "=env", "A=1", "GITHUB_TOKEN=z", "PATH=/bin", "EMPTY="}
	envtest.Same(t, want, strings.Split(got, "\n"), "environment")
	envtest.Same(t, 7+1, len(c.Environ), "the environment that was given changed")
}

func TestCommandFolder(t *testing.T) {
	c := playing(t, "dir")
	dir, err := filepath.EvalSymlinks(t.TempDir())
	envtest.NoError(t, err)
	c.Dir = dir
	got, err := c.Ask(t.Context(), Request{})
	envtest.FailIf(t, err != nil || got != dir, "it runs in %q, %v; want %q", got, err, dir)
}

func TestCommandFails(t *testing.T) {
	for _, tt := range []struct{ stderr, says string }{
		{"", "exit status 3"},
		{"one line", "exit status 3: one line"},
		{"first\n\nlast line  \n\n", "exit status 3: last line"},
		{strings.Repeat("x", 5000) + "the end", "xxxthe end"},
		{"\n\n", "exit status 3"},
	} {
		// Built for coverage, the program complains without a place for it.
		got, err := playing(t, "fail "+tt.stderr, "GOCOVERDIR="+t.TempDir()).Ask(t.Context(), Request{})
		envtest.FailIf(t, err == nil || got != "" || !strings.HasSuffix(err.Error(), tt.says),
			"Ask = %q, %v; want an error that ends in %q", got, err, tt.says)
		if err != nil && len(err.Error()) > 1000 {
			t.Errorf("an error of %d bytes", len(err.Error()))
		}
		var exit *exec.ExitError
		envtest.FailIf(t, !errors.As(err, &exit) || exit.ExitCode() != 3, "Ask = %v, which holds no exit code", err)
	}
}

func TestCommandIsMissing(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file") // that is no program
	envtest.NoError(t, os.WriteFile(file, []byte("text"), 0o600))
	for _, argv := range [][]string{nil, {}, {"mem-test-no-such-program"}, {filepath.Join(t.TempDir(), "none")}, {file}} {
		got, err := command{Argv: argv}.Ask(t.Context(), Request{})
		envtest.FailIf(t, err == nil || got != "", "%q: Ask = %q, %v", argv, got, err)
	}
}

func TestCommandAnswerIsBounded(t *testing.T) {
	got, err := playing(t, "bytes "+strconv.Itoa(maxAnswer)).Ask(t.Context(), Request{})
	envtest.FailIf(t, err != nil || len(got) != maxAnswer, "%d bytes: Ask = %d bytes, %v", maxAnswer, len(got), err)
	for _, what := range []string{"bytes " + strconv.Itoa(maxAnswer+1), "flood"} {
		got, err := playing(t, what).Ask(t.Context(), Request{Timeout: time.Minute})
		envtest.FailIf(t, err == nil || got != "" || !strings.Contains(err.Error(), "answer too long"),
			"%s: Ask = %d bytes, %v", what, len(got), err)
	}
}

// A program that takes too long ends, and what it started ends with it.
func TestCommandTimeout(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no process groups")
	}
	fifo := filepath.Join(t.TempDir(), "fifo")
	if out, err := exec.Command("mkfifo", fifo).CombinedOutput(); err != nil {
		t.Skipf("no named pipes: %v: %s", err, out)
	}
	held := make(chan error, 1)
	ended := make(chan error, 1)
	ctx, cancel := context.WithCancel(t.Context())
	go func() { // reads until the last process that holds the pipe is gone
		f, err := os.Open(fifo)
		if err != nil {
			held <- err
			return
		}
		defer f.Close()
		_, err = io.ReadFull(f, make([]byte, len("held\n")))
		held <- err
		_, err = io.Copy(io.Discard, f)
		ended <- err
	}()
	go func() { // as soon as the grandchild runs
		envtest.Wraps(t, nil, <-held, "the child did not start")
		cancel()
	}()
	_, err := playing(t, "family "+fifo, "PATH="+os.Getenv("PATH")).Ask(ctx, Request{})
	envtest.Wraps(t, context.Canceled, err, "Ask")
	if err := <-ended; err != nil { // it comes once nothing that the program started is left
		t.Error(err)
	}
}

func TestCommandLimits(t *testing.T) {
	hang := playing(t, "family /dev/null")
	for _, tt := range []struct {
		name           string
		limit, timeout time.Duration
	}{{"of the request", 0, 50 * time.Millisecond}, {"of the command", 50 * time.Millisecond, time.Hour}} {
		hang.Limit = tt.limit
		_, err := hang.Ask(t.Context(), Request{Timeout: tt.timeout})
		envtest.FailIf(t, !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "no answer within 50ms"),
			"limit %s: Ask = %v", tt.name, err)
	}
}
