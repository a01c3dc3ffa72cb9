package main

import (
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestDocs runs the first block that a page shows, and has it print what is printed there.
func TestDocs(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("lines of a shell")
	}
	for page, before := range map[string]string{
		"sync.md":    "mem learn --now 2026-02-03T04:05:06Z --root laptop 'Use pnpm'; mem learn --now 2026-02-04T04:05:06Z --root desktop 'Read the log before the code'",
		"promote.md": "mkdir app; cd app; git init -q; mem learn --now 2026-02-03T04:05:06Z --pin 'Wrap errors with %w'",
		"export.md":  "git init -q; mem learn --now 2026-02-03T04:05:06Z --domain mistake 'Avoid: deploying on a Friday'",
	} {
		t.Run(page, func(t *testing.T) { runFirstBlock(t, page, before) })
	}
}

func runFirstBlock(t *testing.T, page, before string) {
	text, err := os.ReadFile("../../docs/" + page)
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
	run(before)
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
		t.Errorf("docs/%s (-there +run):\n%s", page, diff)
	}
}
