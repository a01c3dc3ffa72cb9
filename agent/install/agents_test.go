package install

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mem/agent"
	"mem/envtest"
	"mem/repo/disk"
)

// What a row installs is taken out again without a trace, in a project and for all projects, and the documentation has
// each row.
func TestRows(t *testing.T) {
	docs := envtest.Read(t, "../../docs/hooks.md")
	for _, r := range agent.Table {
		envtest.FailIf(t, !strings.Contains(docs, "\n| `"+r.Name+"` |"), "%s is not in docs/hooks.md", r.Name)
		for _, global := range []bool{false, true} {
			dir := t.TempDir()
			p := Place{Global: global, Project: filepath.Join(dir, "p"), Dir: dir, Home: filepath.Join(dir, "home"), Getenv: func(string) string { return "" }}
			check(t, errors.Join(os.Mkdir(p.Project, 0o700), os.Mkdir(p.Home, 0o700)))
			edits, err := PlanAgent(r.Name, p, false)
			if global && r.Home == "" || !global && r.Files[0].Project == "" {
				if err == nil {
					t.Errorf("%s, global %v: no error", r.Name, global)
				}
				continue
			}
			if err != nil {
				t.Fatalf("%s, global %v: %v", r.Name, global, err)
			}
			for _, e := range edits {
				check(t, e.Write(disk.Files{}))
				if text := string(e.After); strings.Contains(text, "{event}") || strings.Contains(text, "{line}") || !strings.Contains(text, "mem") {
					t.Errorf("%s: %s", r.Name, text)
				}
			}
			envtest.FailIf(t, !IsInstalled(r.Name, p), "%s, global %v: it is not installed", r.Name, global)
			edits, err = PlanAgent(r.Name, p, true)
			check(t, err)
			for _, e := range edits {
				check(t, e.Write(disk.Files{}))
			}
			for _, folder := range []string{p.Project, p.Home} {
				if left, err := os.ReadDir(folder); err != nil || len(left) > 0 {
					t.Errorf("%s, global %v: left behind: %v %v", r.Name, global, left, err)
				}
			}
		}
	}
}

func check(t *testing.T, err error) {
	t.Helper()
	envtest.NoError(t, err)
}

// Files that are a list or a script, as each is written.
func TestFill(t *testing.T) {
	line := hooksOf(agent.Find("kiro")).line()
	for name, want := range map[string]string{
		"kiro": "{\n  \"version\": \"v1\",\n  \"hooks\": [\n" +
			`    {"name": "mem SessionStart", "trigger": "SessionStart", "action": {"type": "command", "command": "` + line + `"}, "timeout": 3},` + "\n" +
			`    {"name": "mem UserPromptSubmit", "trigger": "UserPromptSubmit", "action": {"type": "command", "command": "` + line + `"}, "timeout": 3}` + "\n  ]\n}\n",
		"kimi": "# mem: begin\n[[hooks]]\nevent = \"UserPromptSubmit\"\ncommand = \"" + strings.ReplaceAll(line, "kiro", "kimi") + "\"\ntimeout = 3\n# mem: end",
		"cline": "#!/bin/sh\n# Written by \"mem hook install cline\"; \"mem hook uninstall cline\" takes it away again.\nsaid=$(command -v mem >/dev/null && mem hook cline 2>/dev/null)\n" +
			"[ -n \"$said\" ] && printf '%s\\n' \"$said\" || echo '{\"cancel\": false}'\n",
	} {
		envtest.Same(t, want, fill(agent.Find(name), agent.Find(name).Files[0]), name)
	}
	add, _ := editionOf(agent.Find("kimi"), agent.Find("kimi").Files[0])
	for _, taken := range []string{"hooks = []\n", "x = \n"} {
		got, err := add([]byte(taken))
		envtest.FailIf(t, err == nil, "%q becomes %q", taken, got)
	}
	mine := "[[hooks]]\nevent = \"Stop\"\ncommand = \"x\"\n"
	got, err := add([]byte(mine))
	envtest.FailIf(t, err != nil || !strings.HasPrefix(string(got), mine), "beside another hook: %q, %v", got, err)
}
