package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"

	"mem/envtest"
	"mem/index"
	"mem/lazy"
	"mem/repo/disk"
	"mem/repo/disk/disktest"
)

// A row is a way to call a command that writes: what is interrupted, and after what. Of each list of arguments
// the last is the input. "sync" is of the other clone where the first argument says so.
type row struct {
	bare   bool              // without a memory
	files  map[string]string // below the folder
	before [][]string
	args   []string
	again  []string // what ends it where it broke off half-way; nil for the same once more
	often  bool     // stops at more places
	sends  bool     // to the hub, where another clone is
	hidden bool     // what it does is in no file that is compared
}

// The lessons that each memory of a sweep has; the first three have what makes a pattern.
var sweptTexts = []string{"Run make first", "Keep silent about Kumquat-Zebra", "Read the log first", "Name the port"}

// sweptID is the id of one of these.
func sweptID(n int) string { return index.BaseID(index.KeyOf(sweptTexts[n])) }

// readers are the commands that change nothing that counts, and those that are elsewhere: "mem report" writes a page, as
// TestSweepOfUserFiles has it, and "mem review edit" needs an editor.
var readers = []string{
	"mem", "mem completion", "mem config", "mem context", "mem daily", "mem doctor", "mem exit-codes", "mem help", "mem list", "mem log", "mem mcp",
	"mem model", "mem report", "mem review", "mem review edit", "mem rule", "mem search", "mem show", "mem skills", "mem stats",
	"mem status", "mem trace", "mem trace show", "mem version",
}

const versionOne = `{"version":1,"updatedAt":"2026-01-02T00:00:00.000Z","items":[{"key":"use pnpm","text":"Use pnpm","kind":"learning","hits":3,"score":4.5,
"firstSeen":"2026-01-01T00:00:00.000Z","lastSeen":"2026-01-02T00:00:00.000Z","origin":"user"}]}`

var untidy = strings.Replace(versionOne, `"text":"Use pnpm"`, `"text":"Use  pnpm   here"`, 1)

// reflected is a reflection, and ended the end of a session that has one.
var (
	reflected = []string{"reflect", "-", `{"mistakes":["guessing the port"],"fixes":["Read the port from compose.yaml"]}`}
	ended     = []string{"hook", "claude", `{"session_id":"s","hook_event_name":"SessionEnd","transcript_path":"TALK"}`}
)

var proofs = map[string]string{
	"f0.go": "fooBar()", "f1.go": "fooBar()", "f2.go": "fooBar()", "f3.go": "fooBar()", "f4.go": "fooBar()", "f5.go": "fooBar()",
	"LEARNINGS.md": "# Learned\n\n---\nCall `fooBar` before anything else\n---\nCall `bazQux` after everything else\n",
}

// approved makes a rule.
var approved = []string{"review", "approve", "pattern-001", "--title", "Errors", ""}

// met makes a clone that has what the memory has, and more.
var met = [][]string{
	{"other", "learn", "Wait for the lock", ""}, {"sync", "--remote", "HUB", "--own", ""}, {"other", "sync", "--remote", "HUB", "--own", ""},
	{"other", "learn", "Close the file", ""}, {"other", "sync", ""}, {"learn", "Use vite here", ""},
}

// adopted has it purged in the other clone.
var adopted = append(slices.Clip(met), []string{"other", "purge", "--item", sweptID(1), "--push", "--yes", ""})

// rows are the commands that write. One that is neither here nor among the readers fails the test.
var rows = map[string][]row{
	"mem backfill":       {{before: [][]string{{"talk"}}, args: []string{"backfill", ""}}},
	"mem config set":     {{args: []string{"config", "set", "max_lessons", "5", ""}}, {args: []string{"config", "set", "headless", "automation", "--global", ""}}},
	"mem config unset":   {{before: [][]string{{"config", "set", "mode", "global", ""}}, args: []string{"config", "unset", "mode", ""}}},
	"mem export":         {{before: [][]string{approved}, args: []string{"export", "agents-md", "--to", "AGENTS.md", ""}}},
	"mem feedback":       {{args: []string{"feedback", sweptID(0), "--wrong", ""}}},
	"mem hook":           {{args: ended, hidden: true}}, // it ends well, whatever becomes of it
	"mem hook install":   {{args: []string{"hook", "install", "claude", "--yes", ""}}},
	"mem hook uninstall": {{before: [][]string{{"hook", "install", "claude", "--yes", ""}}, args: []string{"hook", "uninstall", "claude", "--yes", ""}}},
	"mem ingest":         {{files: map[string]string{"notes.md": "# Notes\n\n- Use the cache for builds\n- Ask before a push\n"}, args: []string{"ingest", "notes.md", ""}}},
	"mem init": {
		{bare: true, args: []string{"init", "--yes", ""}, hidden: true}, // the next command does it, too
		{bare: true, files: map[string]string{".mem/core/index.json": versionOne}, args: []string{"init", "--yes", ""}, often: true, hidden: true},
	},
	"mem learn": {
		{args: []string{"learn", "Use vite here", ""}},
		{before: [][]string{approved}, args: []string{"learn", "Wrap errors", "--domain", "coding", "--tags", "errors", "--tags", "go", ""}},
		{bare: true, files: map[string]string{".mem/core/index.json": versionOne}, before: [][]string{{"trust", "--yes", ""}}, args: []string{"learn", "Use vite here", ""}, often: true},
	},
	"mem model set": {{args: []string{"model", "set", "openai", "qwen", "--global", ""}}},
	"mem month":     {{before: [][]string{reflected}, args: []string{"month", "2026-02", ""}}},
	"mem pin":       {{args: []string{"pin", sweptID(0), ""}}},
	"mem prove":     {{files: proofs, args: []string{"prove", ""}}},
	"mem purge": {
		{args: []string{"purge", "--item", sweptID(1), "--yes", ""}, again: []string{"purge", "--continue", ""}, often: true},
		{args: []string{"purge", "-", "--yes", "Kumquat-Zebra\n"}, again: []string{"purge", "--continue", ""}},
		{before: met, args: []string{"purge", "--item", sweptID(1), "--push", "--yes", ""}, again: []string{"purge", "--push", "--yes", ""}, sends: true},
	},
	"mem redistill":      {{bare: true, files: map[string]string{".mem/core/index.json": untidy}, before: [][]string{{"trust", "--yes", ""}}, args: []string{"redistill", "--yes", ""}}},
	"mem redo":           {{before: [][]string{{"undo", sweptID(1), ""}}, args: []string{"redo", sweptID(1), ""}, often: true}},
	"mem reflect":        {{args: reflected}},
	"mem restore":        {{before: [][]string{{"retire", sweptID(0), ""}}, args: []string{"restore", sweptID(0), ""}}},
	"mem retire":         {{args: []string{"retire", sweptID(0), sweptID(3), ""}}},
	"mem review approve": {{args: approved}},
	"mem review reject":  {{args: []string{"review", "reject", "pattern-001", "--reason", "no", ""}}},
	"mem review reopen":  {{before: [][]string{{"review", "reject", "pattern-001", "--reason", "no", ""}}, args: []string{"review", "reopen", "pattern-001", ""}}},
	"mem rule retire":    {{before: [][]string{approved}, args: []string{"rule", "retire", "Errors", ""}}},
	"mem supersede":      {{args: []string{"supersede", sweptID(0), sweptID(3), ""}}},
	"mem sync":           {{before: met, args: []string{"sync", ""}, often: true, sends: true}, {before: adopted, args: []string{"sync", ""}, sends: true}},
	"mem toggle":         {{args: []string{"toggle", "off", ""}, hidden: true}},
	"mem trust":          {{before: [][]string{{"forget"}}, args: []string{"trust", "--yes", ""}, hidden: true}},
	"mem undo":           {{args: []string{"undo", sweptID(1), ""}, often: true}},
	"mem unpin":          {{before: [][]string{{"pin", sweptID(0), ""}}, args: []string{"unpin", sweptID(0), ""}}},
	"mem worker":         {{before: [][]string{{"loose"}, ended}, args: []string{"worker", ""}, often: true, hidden: true}}, // so does the worker after it
}

// A mode is a way in which a command is interrupted: at a change of the disk, or at a call of git.
type mode struct {
	name       string
	err        error
	forever    bool
	power, git bool
}

var modes = []mode{
	{name: "kill"}, {name: "power cut", power: true}, {name: "git dies", git: true}, {name: "EACCES", err: syscall.EACCES},
	{name: "ENOSPC", err: syscall.ENOSPC}, {name: "ENOSPC from there on", err: syscall.ENOSPC, forever: true}, {name: "EIO from there on", err: syscall.EIO, forever: true},
}

// dying is a git that dies at a call.
const dying = `#!/bin/sh
if [ "$MEM_TEST_GIT" ]; then
	until mkdir "$MEM_TEST_GIT.lock" 2>/dev/null; do :; done
	n=$(($(cat "$MEM_TEST_GIT")-1))
	echo $n > "$MEM_TEST_GIT"
	rmdir "$MEM_TEST_GIT.lock"
	[ $n -eq 0 ] && exit 137
fi
exec %s "$@"
`

// TestSweepCommands interrupts each command that writes at changes of the disk and at calls of git. A second command follows:
// its lesson is there, what was acknowledged is there, and of anything else all or nothing; git finds nothing to say. In CI
// it stops at some places, and with MEM_EVERY at each.
func TestSweepCommands(t *testing.T) {
	walkCommands(newRoot(Env{}, ""), func(c *cobra.Command) {
		path := c.CommandPath()
		envtest.FailIf(t, rows[path] == nil && !slices.Contains(readers, path) && !strings.HasPrefix(path, "mem completion "),
			"nothing says whether %q writes", path)
	})
	git, err := exec.LookPath("git")
	bin := t.TempDir()
	if err = errors.Join(err, os.WriteFile(filepath.Join(bin, "git"), fmt.Appendf(nil, dying, git), 0o700)); err != nil {
		t.Skip(err)
	}
	t.Setenv("PATH", bin+string(filepath.ListSeparator)+os.Getenv("PATH"))
	for nth, path := range slices.Sorted(maps.Keys(rows)) {
		for i, r := range rows[path] {
			t.Run(fmt.Sprint(path[4:], " ", i), func(t *testing.T) {
				t.Parallel()
				newSweep(t, r).run(nth + i)
			})
		}
	}
}

// A sweep is a command, and the folder in which it is interrupted over and over: in world are a project with its memory,
// and a home.
type sweep struct {
	*testing.T
	row
	base, template string
	talk           string            // a session
	before, after  map[string]string // what there is in the end if it is not done, and if it is
	sent           string            // what the hub has then, before anything else
	changes, calls int               // of the disk and of git, if nothing interrupts it
}

func newSweep(t *testing.T, r row) *sweep {
	talk, err := filepath.Abs("../../fixtures/traces/demo-claude.jsonl")
	envtest.NoError(t, err)
	s := &sweep{T: t, row: r, base: filepath.Join(t.TempDir(), "run"), template: filepath.Join(t.TempDir(), "template"), talk: talk}
	envtest.Git(t, filepath.Dir(s.base), "init", "-q", "--template=", "--bare", "-b", "main", "run/hub.git")
	envtest.Git(t, filepath.Dir(s.base), "init", "-q", "--template=", "run/world/p")
	for name, text := range r.files {
		put(t, s.in("p", name), []byte(text))
	}
	if !r.bare {
		for _, text := range sweptTexts {
			s.must("learn", text, "--domain", "coding", "--tags", "errors", "--tags", "go", "")
		}
	}
	for _, line := range r.before {
		s.must(line...)
	}
	for _, folder := range []string{"p/.mem", "q", "../hub.git"} {
		if _, err := os.Stat(s.in(folder)); err == nil && !r.often { // one pack is faster to copy than many objects; the others have these
			envtest.Git(t, s.in(folder), "repack", "-Adq")
		}
	}
	envtest.NoError(t, os.Rename(s.base, s.template))
	s.restore()
	s.dieAt(1 << 20)
	plan := new(disktest.Plan)
	code, said := s.mem(plan.Fault, r.args...)
	envtest.StopIf(t, code != 0, "mem %q: %d: %s", r.args, code, said)
	s.changes, s.calls = plan.Seen(), 1<<20-s.revive()
	s.sent, s.after = s.hub(), s.end()
	s.restore()
	s.before = s.end()
	envtest.FailIf(t, !s.hidden && !s.sends && cmp.Equal(s.before, s.after), "nothing tells whether it is done")
	return s
}

func (s *sweep) in(names ...string) string {
	return filepath.Join(append([]string{s.base, "world"}, names...)...)
}

// restore puts the template in the place that is always the same: a memory is known by it.
func (s *sweep) restore() {
	s.Helper()
	envtest.NoError(s, errors.Join(os.RemoveAll(s.base), os.CopyFS(s.base, os.DirFS(s.template))))
}

// counter is the file that says at which of the next calls git dies; without it, it lives.
func (s *sweep) counter() string { return filepath.Join(s.base, "git") }

// dieAt writes that file.
func (s *sweep) dieAt(n int) { put(s.T, s.counter(), []byte(strconv.Itoa(n))) }

// revive lets git live, and returns how many calls were left.
func (s *sweep) revive() int {
	s.Helper()
	data, err := os.ReadFile(s.counter())
	left, err2 := strconv.Atoi(strings.TrimSpace(string(data)))
	err = errors.Join(err, err2, os.Remove(s.counter()))
	envtest.NoError(s, err)
	return left
}

// mem runs a command in this process.
func (s *sweep) mem(fault disk.Fault, args ...string) (code int, said string) {
	var out bytes.Buffer
	last := len(args) - 1
	root := s.in("p", ".mem")
	if args[0] == "other" {
		args, last, root = args[1:], last-1, s.in("q")
	}
	args = slices.Clone(args)
	for i, arg := range args {
		if args[i] = arg; arg == "HUB" {
			args[i] = filepath.Join(s.base, "hub.git")
		}
	}
	world := newWorld(s.in("p"), "HOME="+s.in("home"), "PATH="+os.Getenv("PATH"), "MEM_HOOK_WORKER=false", "MEM_ROOT="+root,
		"PI_CODING_AGENT_SESSION_DIR="+s.in("p", "talks"))
	if _, err := os.Stat(s.counter()); err == nil {
		world.Environ = append(world.Environ, "MEM_TEST_GIT="+s.counter())
	}
	world.Fault = fault
	in := strings.ReplaceAll(args[last], "TALK", s.talk)
	code = run(s.Context(), Env{In: strings.NewReader(in), Out: &out, Err: &out, Files: disk.Files{Fault: fault}, World: world}, args[:last])
	return code, out.String()
}

// must runs a command that prepares the folder.
func (s *sweep) must(args ...string) {
	s.Helper()
	switch args[0] {
	case "forget": // whose memory it is
		envtest.NoError(s, os.RemoveAll(s.in("home")))
	case "talk": // was held here
		data := envtest.Read(s, "../../fixtures/traces/demo-pi.jsonl")
		put(s.T, s.in("p", "talks", "p", "one.jsonl"), piFolder.Get().ReplaceAll([]byte(data), []byte(`"cwd":"`+s.in("p")+`"`)))
	case "loose": // are so many objects that git is asked to pack them
		put(s.T, s.in("p/.mem/.git/mem/loose"), []byte("50 0\n"))
	default:
		code, said := s.mem(new(disktest.Plan).Fault, args...)
		envtest.StopIf(s, code != 0, "mem %q: %d: %s", args, code, said)
	}
}

// end lets the second command run, and the clones meet, and returns what there is then.
func (s *sweep) end() map[string]string {
	fault := new(disktest.Plan).Fault
	code, said := s.mem(fault, "learn", "Second to none", "")
	if strings.Contains(said, "mem trust") { // a disk that failed may let mem ask once more; what is learned waits for the answer, or is refused
		_, _ = s.mem(fault, "trust", "--yes", "")
		if code != 0 {
			code, said = s.mem(fault, "learn", "Second to none", "")
		}
	}
	_, _ = s.mem(fault, "worker", "--retry", "")
	if _, err := os.Stat(s.in("home/.mem")); err == nil {
		_, _ = s.mem(fault, "learn", "Second to none", "--root", s.in("home/.mem"), "")
	}
	s.meet()
	all := s.look()
	if code != 0 {
		all["the second command"] = said
	}
	return all
}

// meet lets the clones exchange what they have.
func (s *sweep) meet() {
	for _, line := range [][]string{{"sync", ""}, {"other", "sync", ""}, {"sync", ""}} {
		if s.sends {
			_, _ = s.mem(nil, line...)
		}
	}
}

// hub returns the index that the hub has.
func (s *sweep) hub() string {
	hub, err := envtest.TryGit(s.in("../hub.git"), "show", "main:core/index.json")
	return fmt.Sprintln(normalize(hub), err)
}

// look returns what there is, and what git says of it.
func (s *sweep) look() map[string]string {
	all := map[string]string{}
	for _, folder := range []string{"p/.mem", "home/.mem", "q", "../hub.git"} {
		if _, err := os.Stat(s.in(folder)); err != nil {
			continue
		}
		out, err := envtest.TryGit(s.in(folder), "fsck", "--strict", "--no-dangling")
		if all["fsck of "+folder] = out; err == nil && folder != "../hub.git" {
			all["status of "+folder], err = envtest.TryGit(s.in(folder), "status", "--porcelain")
		}
		if err != nil {
			all["git in "+folder] = err.Error()
		}
	}
	if s.sends {
		all["hub"] = s.hub()
	}
	s.addFiles(all)
	return all
}

// piFolder is where a session of pi was held.
var piFolder = lazy.New(`"cwd": ?"[^"]*"`)

// unstable is what differs with the order in which things came, or each time.
var unstable = lazy.New(`(?m)^ *"(?:log|trace)": .*\n|\br-[0-9a-f]{12}\b`)

// normalize returns the lines of a file in an order of their own.
func normalize(text string) string {
	lines := strings.Split(unstable.Get().ReplaceAllString(text, ""), "\n")
	for i, line := range lines {
		lines[i] = strings.TrimSuffix(line, ",")
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// addFiles adds the files of the folder that are not git's, nor mem's own.
func (s *sweep) addFiles(all map[string]string) {
	s.Helper()
	err := filepath.WalkDir(s.in(), func(path string, e fs.DirEntry, err error) error {
		if err == nil && e.IsDir() && (e.Name() == ".git" || e.Name() == ".local" || e.Name() == "log") { // the index is the fold of core/log
			return filepath.SkipDir
		}
		if err != nil || e.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		name, _ := filepath.Rel(s.in(), path)
		all[name] = normalize(string(data))
		return err
	})
	envtest.NoError(s, err)
}

// run interrupts the command in each mode, at places that are as far from each other as can be; one that is like
// others, the nth, only by a kill, a power cut and one mode more.
func (s *sweep) run(nth int) {
	isWhole := envtest.IsWhole()
	for i, m := range modes {
		if !isWhole && !s.often && i > 1 && i != 2+nth%(len(modes)-2) {
			continue
		}
		all := s.changes
		if m.git {
			all = s.calls
		}
		n := min(1, all)
		if isWhole {
			n = all
		}
		if m.power { // once it has said that it is done
			envtest.Same(s, "", s.interrupt(m, all+1), m.name, "at the end")
		}
		for k := range n {
			at := 1 + (k*len(modes)+(i+nth)%len(modes))*all/(n*len(modes))
			envtest.Same(s, "", s.interrupt(m, at), m.name, "at", at, "of", all)
		}
	}
}

// interrupt interrupts the command at one place and says what is wrong then.
func (s *sweep) interrupt(m mode, at int) string {
	s.restore()
	plan := &disktest.Plan{At: at, Err: m.err, Forever: m.forever}
	if m.git {
		plan.At = 0
		s.dieAt(at)
	}
	if m.power {
		var err error
		plan.Disk, err = disktest.Follow(s.in())
		envtest.NoError(s, err)
		plan.Disk.IsShared, plan.Disk.IsGit = true, true
	}
	code, said := s.mem(plan.Fault, s.args...)
	if m.git {
		s.revive()
	}
	if m.power {
		cut := s.in() + " cut"
		envtest.NoError(s, errors.Join(plan.Disk.Cut(cut, disktest.Losses[at%len(disktest.Losses)]), os.RemoveAll(s.in()), os.Rename(cut, s.in())))
	}
	return s.judge(code, said)
}

// judge says what is wrong with what a command left that ended with a code.
func (s *sweep) judge(code int, said string) string {
	if code == 0 && s.sends && s.hub() != s.sent {
		return "it said that it is done, and the hub does not have it"
	}
	isPurging := false
	if _, err := os.Stat(s.in("p/.mem/.git/mem/purge")); err == nil {
		isPurging = true
		if code, said := s.mem(nil, "purge", "--continue", ""); code != 0 {
			return fmt.Sprintf("the purge cannot go on: %d: %s", code, said)
		}
	}
	got := s.end()
	isDone := cmp.Equal(s.after, got)
	if !isDone && (isPurging || code != 0 && !cmp.Equal(s.before, got)) {
		args := s.args
		if s.again != nil && (isPurging || s.sends) {
			args = s.again
		}
		if code, more := s.mem(nil, args...); code != 0 {
			said += "; again: " + more
		}
		s.meet()
		got = s.look()
		isDone = cmp.Equal(s.after, got)
	}
	if isDone || (code != 0 || s.hidden) && cmp.Equal(s.before, got) {
		return ""
	}
	return fmt.Sprintf("it said %d: %s\nif it is done (-want +got):\n%sif it is not:\n%s", code, said, differ(s.after, got), differ(s.before, got))
}

// differ names the lines that are on one side alone.
func differ(want, got map[string]string) string {
	all := map[string]int{}
	for sign, files := range map[int]map[string]string{-1: want, 1: got} {
		for name, text := range files {
			for line := range strings.Lines(text) {
				all[name+": "+strings.TrimSuffix(line, "\n")] += sign
			}
		}
	}
	var b strings.Builder
	for _, line := range slices.Sorted(maps.Keys(all)) {
		if n := all[line]; n != 0 {
			fmt.Fprintf(&b, "%+d %s\n", n, line)
		}
	}
	return b.String()
}
