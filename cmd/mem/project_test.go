package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mem/envtest"
	"mem/trace"
)

// A layout is a way in which a project lies on the disk. Its script is run in an empty folder and makes the project, with a
// repository "seed" to make it of, and another project, "other", that is a neighbour.
type layout struct {
	name   string
	script string
	made   string   // folder in which the memory is made; "" for the first of from
	after  string   // what happens after the memory was made and used in each folder; "" for nothing
	from   []string // folders in which commands run
	held   []string // folders in which sessions were held, which may be gone; more than from
}

var layouts = []layout{
	{name: "plain", script: "git clone -q seed p", from: []string{"p", "p/sub"}},
	{name: "linked work tree", script: "git clone -q seed p; git -C p worktree add -q ../wt", from: []string{"p", "wt", "wt/sub"}},
	{name: "linked work tree inside", script: "git clone -q seed p; git -C p worktree add -q .claude/worktrees/aa", from: []string{"p/.claude/worktrees/aa", "p"}},
	{name: "removed work tree", script: "git clone -q seed p; git -C p worktree add -q ../wt; git -C p worktree add -q .claude/worktrees/aa",
		after: "git -C p worktree remove --force ../wt; git -C p worktree remove --force .claude/worktrees/aa", from: []string{"p"}, held: []string{"wt", "wt/sub", "p/.claude/worktrees/aa"}},
	{name: "removed before the memory was made", script: "git clone -q seed p; git -C p worktree add -q ../p-fix -b fix; git -C p worktree remove ../p-fix", from: []string{"p"}, held: []string{"p-fix"}},
	{name: "bare and work trees", script: "git clone -q --bare seed p.git; git -C p.git worktree add -q ../one; git -C p.git worktree add -q ../two",
		after: "git -C p.git worktree remove --force ../one", from: []string{"two", "p.git"}, held: []string{"one"}},
	{name: "bare in a folder of its own", script: "git clone -q --bare seed p/.bare; echo 'gitdir: ./.bare' >p/.git; git -C p worktree add -q one; git -C p worktree add -q two", from: []string{"p/one", "p/two", "p"}},
	{name: "submodule", script: "git clone -q seed whole; git -C whole -c protocol.file.allow=always submodule --quiet add ../seed lib; git -C whole commit -qm lib; (cd whole; mem init)", from: []string{"whole/lib", "whole/lib/sub"}},
	{name: "emptied submodule", script: "git clone -q seed whole; git -C whole -c protocol.file.allow=always submodule --quiet add ../seed lib; git -C whole commit -qm lib; (cd whole; mem init; mem learn 'Mind the neighbour')",
		after: "git -C whole submodule --quiet deinit -f lib", from: []string{"whole/lib"}, held: []string{"whole/lib/sub"}},
	{name: "git folder elsewhere", script: "git init -q --separate-git-dir p.git p; git -C p commit -q --allow-empty -m x; git -C p worktree add -q ../wt", from: []string{"p", "wt"}},
	{name: "moved", script: "git clone -q seed p", made: "p", after: "mv p q", from: []string{"q", "q/sub"}, held: []string{"p", "p/sub"}},
	{name: "symbolic link", script: "git clone -q seed p; ln -s p link", from: []string{"link", "p", "link/sub"}},
	{name: "link to a folder in it", script: "git clone -q seed p; ln -s p/sub link; ln -s ../p/sub other/link", from: []string{"link", "p", "other/link"}},
	{name: "nested repositories", script: "git clone -q seed whole; git clone -q seed whole/p; (cd whole; mem init)", from: []string{"whole/p", "whole/p/sub"}},
	{name: "around nested repositories", script: "git clone -q seed p; git clone -q seed p/in; cp -r p/in other/in; (cd p/in; mem init)", from: []string{"p", "p/sub"}},
	{name: "none", script: "mkdir -p p/sub", from: []string{"p", "p/sub"}},
}

// A place is a home with the project of a layout.
type place struct {
	dir string
	env []string
}

// sh runs a line in a folder of the place, with mem on the PATH.
func (p place) sh(t *testing.T, dir, line, stdin string) string {
	t.Helper()
	var out bytes.Buffer
	cmd := exec.Command("sh", "-ec", line)
	cmd.Dir, cmd.Env, cmd.Stdin, cmd.Stdout, cmd.Stderr = filepath.Join(p.dir, dir), p.env, strings.NewReader(stdin), &out, &out
	err := cmd.Run()
	envtest.StopIf(t, err != nil, "in %s: %s: %v\n%s", dir, line, err, out.String())
	return out.String()
}

// newPlace makes the project and its neighbour, both with a memory.
func newPlace(t *testing.T, l layout) place {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	envtest.NoError(t, err)
	self, err := os.Executable()
	envtest.NoError(t, err)
	p := place{dir: filepath.Join(dir, "w")}
	for _, folder := range []string{"w", "bin", "home"} {
		envtest.NoError(t, os.Mkdir(filepath.Join(dir, folder), 0o700))
	}
	if err := os.Symlink(self, filepath.Join(dir, "bin", "mem")); err != nil { // see TestMain
		t.Fatal(err)
	}
	p.env = append(envtest.GitEnv(), "HOME="+filepath.Join(dir, "home"), "PATH="+filepath.Join(dir, "bin")+":"+os.Getenv("PATH"), "NOW=2026-02-03T04:05:06Z", "MEM_HOOK_WORKER=false",
		"GIT_AUTHOR_NAME=A", "GIT_AUTHOR_EMAIL=a@b", "GIT_COMMITTER_NAME=A", "GIT_COMMITTER_EMAIL=a@b", "GOCOVERDIR="+t.TempDir())
	p.sh(t, ".", "git init -q seed; mkdir seed/sub; touch seed/sub/f; git -C seed add .; git -C seed commit -qm x; git clone -q seed other; (cd other; mem init; mem learn 'Mind the neighbour')", "")
	p.sh(t, ".", l.script, "")
	p.sh(t, cmp.Or(l.made, l.from[0]), "mem init; mem learn 'Mind the spout'", "")
	return p
}

// hold writes a session of Claude Code that was held in a folder, which may be gone, and a memory of it, with a word of their own.
func (p place) hold(t *testing.T, n int, folder, branch string) (id, file string) {
	t.Helper()
	cwd := filepath.Join(p.dir, folder)
	id = fmt.Sprintf("%08d-1111-4111-8111-111111111111", n)
	file = filepath.Join(filepath.Dir(p.dir), "home/.claude/projects", trace.ClaudeSlug(cwd), id+".jsonl")
	var lines bytes.Buffer
	for i, text := range []string{"Make the tests pass", fmt.Sprintf("From now on, always run `make kettle%d` before a commit.", n)} {
		line, err := json.Marshal(map[string]any{
			"type": "user", "uuid": fmt.Sprintf("u%d-%d", n, i), "sessionId": id, "cwd": cwd, "gitBranch": branch, "timestamp": fmt.Sprintf("2026-02-01T10:00:%02dZ", i), "version": "2.1.0",
			"message": map[string]any{"role": "user", "content": text},
		})
		envtest.NoError(t, err)
		lines.Write(append(line, '\n'))
	}
	put(t, file, lines.Bytes())
	const note = "---\nname: kettle%d\ndescription: d\nmetadata:\n  type: project\n  originSessionId: %s\n---\n\nThe kettle%[1]d is on.\n"
	put(t, filepath.Join(filepath.Dir(file), "memory", fmt.Sprintf("kettle%d.md", n)), fmt.Appendf(nil, note, n, id))
	return id, file
}

func put(t *testing.T, file string, data []byte) {
	t.Helper()
	envtest.NoError(t, os.MkdirAll(filepath.Dir(file), 0o700))
	envtest.NoError(t, os.WriteFile(file, data, 0o600))
}

// TestProject: wherever a project is worked on it has one memory, with the sessions and the notes of all its folders, and
// none of another project's.
func TestProject(t *testing.T) {
	for _, l := range layouts {
		t.Run(l.name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t, l)
			if l.after != "" {
				for _, dir := range slices.Concat(l.from, l.held) {
					if _, err := os.Stat(filepath.Join(p.dir, dir)); err == nil {
						p.sh(t, dir, "mem learn 'Mind the lid of "+dir+"'", "")
					}
				}
				p.sh(t, ".", l.after, "")
			}
			held := slices.Concat(l.from, l.held)
			for n, folder := range held {
				p.hold(t, n+1, folder, "fix")
			}
			p.hold(t, 90, "other", "main")
			p.hold(t, 91, "gone", "main")
			root := ""
			for n, dir := range l.from {
				noted := len(held)
				if l.after == "" {
					noted = len(l.from) // a memory stays where only the branch of its session speaks for a folder that is gone
				}
				p.checkFrom(t, dir, len(held), noted)
				var s struct{ Root string }
				envtest.NoError(t, json.Unmarshal([]byte(p.sh(t, dir, "mem status --json", "")), &s))
				real, err := filepath.EvalSymlinks(s.Root)
				envtest.FailIf(t, err != nil || root != "" && real != root,
					"in %s the memory is %s, and elsewhere %s: %v", dir, real, root, err)
				root = real
				p.checkHooks(t, dir, 50+n, n == 0)
			}
		})
	}
}

// checkFrom looks at what commands see in a folder of the project, of which so many sessions are there.
func (p place) checkFrom(t *testing.T, dir string, sessions, noted int) {
	t.Helper()
	for _, c := range []struct{ line, has string }{
		{"mem list", "Mind the spout"},
		{"mem init 2>&1", "is there already"},
		{"mem search --sessions kettle1", "kettle1"},
		{"mem backfill --dry-run", fmt.Sprintf(" %d session", sessions)},
		{"mem reflect --dry-run 2>&1", "kettle"},
		{"mem ingest claude --dry-run --settle 0 2>&1", fmt.Sprint("kettle", noted)},
	} {
		out := p.sh(t, dir, c.line, "")
		envtest.FailIf(t, !strings.Contains(out, c.has), "in %s: %s: no %q in:\n%s", dir, c.line, c.has, out)
		envtest.FailIf(t, strings.Contains(out, "neighbour") || strings.Contains(out, "kettle9"),
			"in %s: %s: another project's:\n%s", dir, c.line, out)
	}
}

// checkHooks plays a session that was begun in a folder and whose shell then went to the neighbour: with every event, or with
// those that show, find by the words and teach.
func (p place) checkHooks(t *testing.T, dir string, n int, all bool) {
	t.Helper()
	id, file := p.hold(t, n, dir, "main")
	other := p.sh(t, "other", "mem list; mem status", "")
	events := []string{"SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PostToolUseFailure", "PreCompact", "Stop", "SessionEnd"}
	if !all {
		events = []string{"SessionStart", "UserPromptSubmit", "SessionEnd"}
	}
	for _, event := range events {
		path := file
		if event == "SessionEnd" {
			path = "" // it is found by its id
		}
		in, err := json.Marshal(map[string]any{
			"hook_event_name": event, "session_id": id, "transcript_path": path, "cwd": filepath.Join(p.dir, "other"), "source": "startup",
			"prompt": "mind what the neighbour and the spout want", "tool_name": "Bash", "tool_input": map[string]any{"command": "make"}, "error": "failed",
		})
		envtest.NoError(t, err)
		out := p.sh(t, "other", "mem hook claude", string(in))
		envtest.FailIf(t, strings.Contains(out, "neighbour\n") || event == "SessionStart" && !strings.Contains(out, "spout"),
			"a session of %s, at %s in the neighbour, was shown:\n%s", dir, event, out)
	}
	envtest.Same(t, other, p.sh(t, "other", "mem list; mem status", ""), "a session of", dir,
		"changed the neighbour's memory")
	if out := p.sh(t, dir, "mem worker >/dev/null 2>&1; mem list", ""); !strings.Contains(out, fmt.Sprint("kettle", n)) {
		t.Errorf("a session of %s taught its memory nothing:\n%s", dir, out)
	}
	envtest.NoError(t, os.Remove(file))
}

// TestFolderGone: a session stays with the memory that it was shown when its folder is removed, and the person claims
// folders that are gone, however they are called, but not repositories in them.
func TestFolderGone(t *testing.T) {
	p := newPlace(t, layouts[1])
	begin := fmt.Sprintf(`{"hook_event_name":"SessionStart","session_id":"00000001-1111-4111-8111-111111111111","cwd":%q,"source":"startup"}`, filepath.Join(p.dir, "wt"))
	p.sh(t, "wt", "mem hook claude", begin)
	_, file := p.hold(t, 1, "wt", "main")
	p.sh(t, "p", "git worktree remove --force ../wt", "")
	stop := strings.Replace(begin, "SessionStart", "Stop", 1)
	p.sh(t, "other", "mem hook claude", strings.Replace(stop, filepath.Join(p.dir, "wt"), filepath.Join(p.dir, "other")+`","transcript_path":"`+file, 1))
	out := p.sh(t, "p", "mem worker >/dev/null 2>&1; mem list", "")
	envtest.FailIf(t, !strings.Contains(out, "kettle1"), "the session taught its memory nothing:\n%s", out)
	p.hold(t, 2, "old", "main")
	p.hold(t, 3, "old/own", "main")
	if out := p.sh(t, "p", "git init -q ../old/own; ln -s . ../link; mem backfill --dry-run --from ../link/old", ""); !strings.Contains(out, "2 sessions: 2 of claude") {
		t.Errorf("what was claimed is not found, or more than that:\n%s", out)
	}
}
