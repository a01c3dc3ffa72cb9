package main

import (
	"os"
	"os/exec"
	"regexp"
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

// TestReadmeBlocks pastes every line of the README that begins with "$ ", in order and in
// an empty home, and compares what is printed with what is shown, but for dates and commits.
func TestReadmeBlocks(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("lines of a shell")
	}
	text, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	const end = "--- end of a command ---"
	var script, want strings.Builder
	for line := range strings.Lines(string(text)) {
		said, isCode := strings.CutPrefix(line, "    ")
		command, isCommand := strings.CutPrefix(said, "$ ")
		switch {
		case isCode && isCommand:
			script.WriteString(command + "echo '" + end + "'\n")
			want.WriteString(end + "\n")
		case isCode && want.Len() > 0 && !strings.HasPrefix(said, "mem hook install"):
			want.WriteString(said)
		}
	}
	home := t.TempDir()
	cmd := exec.Command("sh", "-e")
	cmd.Stdin, cmd.Dir = strings.NewReader(script.String()), home
	cmd.Env = append(os.Environ(), "HOME="+home, "MEM_HOOK_WORKER=false", "GIT_CONFIG_NOSYSTEM=1")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	hide := regexp.MustCompile(`\b[0-9a-f]{12}\b|\b\d{4}-\d\d-\d\d\b`)
	show := func(s string) string { return hide.ReplaceAllString(s, "X") }
	// The mark stands before what is shown in want, and after what is printed in out.
	printed := end + "\n" + strings.TrimSuffix(string(out), end+"\n")
	if diff := cmp.Diff(show(want.String()), show(printed)); diff != "" {
		t.Errorf("README.md (-there +run):\n%s", diff)
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
