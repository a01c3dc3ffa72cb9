package main

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"mem/envtest"
)

// agentOf starts mem mcp in a process of its own, as an agent does, and
// connects the SDK's client to it.
func agentOf(t *testing.T, dir string, args ...string) (*sdk.ClientSession, *exec.Cmd) {
	t.Helper()
	bin, err := os.Executable()
	envtest.NoError(t, err)
	cmd := exec.Command(bin)
	cmd.Args = append([]string{"mem", "mcp"}, args...) // see TestMain
	cmd.Dir = dir
	cmd.Env = []string{"HOME=" + filepath.Join(dir, "home"), "NOW=2026-02-03T04:05:06Z", "TZ=UTC", "PATH=" + os.Getenv("PATH")}
	var stderr strings.Builder
	cmd.Stderr = &stderr
	client, err := sdk.NewClient(&sdk.Implementation{Name: "test"}, nil).Connect(t.Context(), &sdk.CommandTransport{Command: cmd}, nil)
	envtest.StopIf(t, err != nil, "%v\n%s", err, stderr.String())
	return client, cmd
}

// ask returns the text of a tool's answer.
func ask(t *testing.T, c *sdk.ClientSession, tool string, args map[string]any) (text string, failed bool) {
	t.Helper()
	res, err := c.CallTool(t.Context(), &sdk.CallToolParams{Name: tool, Arguments: args})
	envtest.StopIf(t, err != nil, "%s: %v", tool, err)
	return res.Content[0].(*sdk.TextContent).Text, res.IsError
}

// TestAgent is a session of an agent with a server over standard input and
// output: it hands in lessons, and finds and reads what others wrote.
func TestAgent(t *testing.T) {
	dir := t.TempDir()
	index := `{"version": 2, "items": [
		{"key": "a", "text": "Use pnpm\u001b[2J \u202e ghp_0123456789abcdefghijABCDEFGHIJ012345", "kind": "learning", "hits": 1, "score": 9,
		 "firstSeen": "2026-01-01T10:00:00.000Z", "lastSeen": "2026-01-01T10:00:00.000Z", "id": "m-00000001"},
		{"key": "b", "text": "Read https://example.com/pnpm", "kind": "learning", "hits": 1, "score": 9, "status": "quarantined",
		 "firstSeen": "2026-01-01T10:00:00.000Z", "lastSeen": "2026-01-01T10:00:00.000Z", "id": "m-00000002"}]}`
	envtest.NoError(t, os.MkdirAll(filepath.Join(dir, ".mem", "core"), 0o700))
	envtest.NoError(t, os.WriteFile(filepath.Join(dir, ".mem", "core", "index.json"), []byte(index), 0o600))
	env := Env{Out: io.Discard, Err: io.Discard, World: newWorld(dir, "HOME="+filepath.Join(dir, "home"))}
	code := run(t.Context(), env, []string{"trust", "--yes"})
	envtest.StopIf(t, code != 0, "trust: %d", code)
	c, _ := agentOf(t, dir, "--write")
	text, failed := ask(t, c, "reflect", map[string]any{"id": "r-1", "mistakes": []string{"npm in a pnpm project"}, "fixes": []string{}})
	envtest.FailIf(t, failed || !strings.Contains(text, `"status": "learned"`), "reflect: failed %t, %s", failed, text)
	text, _ = ask(t, c, "reflect", map[string]any{"id": "r-1", "mistakes": []string{"npm in a pnpm project"}})
	envtest.FailIf(t, !strings.Contains(text, `"status": "nothing"`), "the same reflection again: %s", text)
	text, failed = ask(t, c, "search", map[string]any{"query": "PNPM project"})
	want := `{
  "file": ".mem/core/index.json",
  "items": [
    {
      "id": "m-430574d9",
      "type": "lesson",
      "text": "Avoid: npm in a pnpm project",
      "kind": "antiPattern",
      "hits": 1,
      "lastSeen": "2026-02-03T04:05:06Z"
    },
    {
      "id": "m-00000001",
      "type": "lesson",
      "text": "Use pnpm [redacted:github-token]",
      "kind": "learning",
      "hits": 1,
      "lastSeen": "2026-01-01T10:00:00Z"
    }
  ],
  "leftOut": 0
}`
	diff := cmp.Diff(want, text)
	envtest.FailIf(t, diff != "" || failed, "search: failed %t (-want +got):\n%s", failed, diff)
	text, _ = ask(t, c, "list", map[string]any{"limit": 1})
	envtest.FailIf(t, !strings.Contains(text, `"leftOut": 1`) || strings.Contains(text, "ghp_"), "list: %s", text)
	text, _ = ask(t, c, "context", map[string]any{"budget_tokens": 400})
	for _, bad := range []string{"ghp_", "\x1b", "\u202e", "example.com"} {
		envtest.FailIf(t, strings.Contains(text, bad), "context holds %q: %s", bad, text)
	}
	envtest.FailIf(t, !strings.Contains(text, "npm in a pnpm project") || len(text) > 1600, "context: %s", text)
	for task, first := range map[string]string{"": "- Use pnpm", "the npm project": "- Avoid: npm in a pnpm project"} {
		text, failed = ask(t, c, "context", map[string]any{"for": task})
		envtest.FailIf(t, failed || !strings.Contains(text, "## Core\n\n"+first),
			"context for %q: failed %t, %s", task, failed, text)
	}
	if text, failed = ask(t, c, "context", map[string]any{"budget_tokens": 1}); failed || text != "There is no lesson yet, or none that fits." {
		t.Errorf("context without room: failed %t, %s", failed, text)
	}
	err := c.Close()
	envtest.FailIf(t, err != nil, "the server did not end well: %v", err)
}

// TestAgentGone ends a server that is told to, with the code of an interrupt.
func TestAgentGone(t *testing.T) {
	dir := t.TempDir()
	c, cmd := agentOf(t, dir)
	text, failed := ask(t, c, "status", nil)
	envtest.FailIf(t, !failed || !strings.Contains(text, "no memory here yet"), "status: failed %t, %s", failed, text)
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Skip(err)
	}
	over := make(chan error, 1)
	go func() { over <- c.Wait() }()
	select {
	case <-over:
	case <-time.After(5 * time.Minute):
		t.Fatal("the server went on")
	}
	c.Close() // it waits for the process, whose code is what counts
	status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus)
	envtest.FailIf(t, ok && status.ExitStatus() != 130, "exit status %d, want 130", status.ExitStatus())
	_, err := os.Stat(filepath.Join(dir, ".mem"))
	envtest.FailIf(t, err == nil, "a server that only reads made a memory")
}
