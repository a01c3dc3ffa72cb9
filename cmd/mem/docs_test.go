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

// TestDocs runs the blocks of a page that begin with a command, one after the other, and has
// them print what is printed there.
func TestDocs(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("lines of a shell")
	}
	for page, before := range map[string]string{
		"sync.md": "mem learn --now 2026-02-03T04:05:06Z --root laptop 'Use pnpm'; mem learn --now 2026-02-04T04:05:06Z --root desktop 'Read the log before the code'; " +
			"mem learn --now 2026-02-03T04:05:06Z --root ada 'Wait for the lock'; mem learn --now 2026-02-04T04:05:06Z --root bob 'Name the port'",
		"promote.md": "mkdir app; cd app; git init -q; mem learn --now 2026-02-03T04:05:06Z --pin 'Wrap errors with %w'",
		"export.md":  "git init -q; mem learn --now 2026-02-03T04:05:06Z --domain mistake 'Avoid: deploying on a Friday'",
	} {
		t.Run(page, func(t *testing.T) { runBlocks(t, page, before) })
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

func runBlocks(t *testing.T, page, before string) {
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
	isBlock, wasCode := false, false
	for line := range strings.Lines(string(text)) {
		said, isCode := strings.CutPrefix(line, "    ")
		command, isCommand := strings.CutPrefix(said, "$ ")
		isBlock = isCode && (isBlock || isCommand && !wasCode)
		if wasCode = isCode; !isBlock {
			continue
		}
		want.WriteString(said)
		if isCommand {
			got.WriteString(said + run(command))
		}
	}
	// A clone hands in under a name that is drawn.
	drawn := regexp.MustCompile(`refs/mem/in/main/\w+`)
	if diff := cmp.Diff(want.String(), drawn.ReplaceAllString(got.String(), "refs/mem/in/main/…")); diff != "" {
		t.Errorf("docs/%s (-there +run):\n%s", page, diff)
	}
}
