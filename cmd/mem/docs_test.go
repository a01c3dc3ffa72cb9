package main

import (
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestDocsSync runs what docs/sync.md shows, and has it print what is printed there.
func TestDocsSync(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("lines of a shell")
	}
	text, err := os.ReadFile("../../docs/sync.md")
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	run := func(line string) string {
		cmd := exec.Command("sh", "-c", line)
		cmd.Dir = folder
		cmd.Env = append(os.Environ(), "HOME="+folder, "MEM_HOOK_WORKER=false", "GIT_CONFIG_NOSYSTEM=1")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v\n%s", line, err, out)
		}
		return strings.ReplaceAll(string(out), folder, "/home/ada")
	}
	run("mem learn --now 2026-02-03T04:05:06Z --root laptop 'Use pnpm'; mem learn --now 2026-02-04T04:05:06Z --root desktop 'Read the log before the code'")
	var want, got strings.Builder
	for line := range strings.Lines(string(text)) {
		said, isCode := strings.CutPrefix(line, "    ")
		if !isCode && want.Len() > 0 {
			break
		}
		if !isCode {
			continue
		}
		want.WriteString(said)
		if command, is := strings.CutPrefix(said, "$ "); is {
			got.WriteString(said + run(command))
		}
	}
	if diff := cmp.Diff(want.String(), got.String()); diff != "" {
		t.Errorf("docs/sync.md (-there +run):\n%s", diff)
	}
}
