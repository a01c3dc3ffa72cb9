package main

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/testscript"

	"mem/cmd/mem/console"
	"mem/config"
	"mem/envtest"
	"mem/lazy"
)

func TestMain(m *testing.M) {
	testscript.Main(envtest.M{M: m}, map[string]func(){
		"mem":     scripted,
		"heard":   heard,
		"answer":  answer,
		"rewrite": rewrite,
	})
}

// hideAgents returns PATH without the agents of this machine, of which mem would speak: a
// folder that has one gives way to one in dir, of links to the rest of it.
func hideAgents(dir, path string) string {
	list := filepath.SplitList(path)
	for i, from := range list {
		if !slices.ContainsFunc(config.Programs, func(name string) bool { return isProgram(filepath.Join(from, name)) }) {
			continue
		}
		list[i] = filepath.Join(dir, fmt.Sprintf(".path%d", i))
		_ = os.Mkdir(list[i], 0o700)
		rest, _ := os.ReadDir(from)
		for _, f := range rest {
			if !slices.Contains(config.Programs, f.Name()) {
				_ = os.Symlink(filepath.Join(from, f.Name()), filepath.Join(list[i], f.Name()))
			}
		}
	}
	return strings.Join(list, string(filepath.ListSeparator))
}

// scripted is mem as scripts run it: the shipped program, but for the clock,
// which stands still at $NOW, and for how long a hook works at most: $HOOK_LIMIT.
func scripted() {
	console.StartPoller()
	env := console.SystemEnv()
	if now := os.Getenv("NOW"); now != "" {
		t, err := time.Parse(time.RFC3339Nano, now)
		if err != nil {
			panic(err)
		}
		env.Clock = func() time.Time { return t }
	}
	env.HookLimit, _ = time.ParseDuration(os.Getenv("HOOK_LIMIT")) // a busy machine takes its time
	ctx, lend, stop := console.ListenForStop()
	env.Lend = lend
	defer stop()
	os.Exit(run(ctx, env, os.Args[1:]))
}

// TestScripts runs every script below testdata. Each says in its first lines what it shows.
func TestScripts(t *testing.T) {
	fixtures, err := filepath.Abs("../../fixtures")
	envtest.NoError(t, err)
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		UpdateScripts:       *envtest.Update,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"clean":     clean,
			"clone":     cloneTrusted,
			"converse":  converse,
			"each":      each,
			"exits":     exits,
			"fails":     checkFailure,
			"feed":      feed,
			"holds":     holds,
			"hook":      callHook,
			"items":     items,
			"lessons":   sameLessons,
			"mask":      mask,
			"project":   makeProject,
			"put":       putFile,
			"says":      checkSaid("stdout"),
			"warns":     checkSaid("stderr"),
			"slug":      slug,
			"snapshot":  snapshot,
			"subst":     subst,
			"big":       writeBig,
			"unchanged": unchanged,
			"unpack":    unpackVersion,
		},
		Condition: func(cond string) (bool, error) {
			switch cond {
			case "root":
				return os.Geteuid() == 0, nil // no mode keeps root from anything
			}
			return false, fmt.Errorf("there is no condition %q", cond)
		},
		Setup: func(e *testscript.Env) error {
			home := filepath.Join(e.WorkDir, "home")
			e.Setenv("PATH", hideAgents(e.WorkDir, e.Getenv("PATH")))
			e.Vars = append(e.Vars, "HOME="+home, "NOW=2026-02-03T04:05:06Z", "TZ=UTC",
				"GIT_AUTHOR_NAME=Ada", "GIT_AUTHOR_EMAIL=ada@example.com",
				"GIT_COMMITTER_NAME=Ada", "GIT_COMMITTER_EMAIL=ada@example.com",
				"GOGC=400",                 // as in these tests
				"GORACE=atexit_sleep_ms=0", // under -race every process would wait a second
				"MEM_HOOK_WORKER=false",    // it would work in the midst of what a script does
				"FIXTURES="+fixtures)
			e.Vars = append(e.Vars, envtest.GitEnv()...)
			return os.Mkdir(home, 0o700)
		},
	})
}

// destructive is what no text of mem may tell a person to run.
var destructive = lazy.New(`(^|[^-\w])(rm\s+-?[\w./~]|rmdir\b|git( -C \S+)? (reset --(hard|merge|keep)|checkout (--|\.|-f)|restore\b|clean\b|push (-f|--force)|branch -D|stash drop|gc\b|reflog expire|update-ref -d)|del /|mv -f)`)

// clean runs "clean DIR" and fails if git sees a change in the work tree.
func clean(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: clean dir")
	}
	ts.Check(ts.Exec("git", "-C", args[0], "status", "--porcelain"))
	if said := ts.ReadFile("stdout"); said != "" {
		ts.Fatalf("git status says:\n%s", said)
	}
}

// cloneTrusted runs "clone FROM TO", which clones a memory, and vouches for it.
func cloneTrusted(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: clone from to")
	}
	ts.Check(ts.Exec("git", "clone", "-q", args[0], args[1]))
	ts.Check(ts.Exec("mem", "trust", "--root", args[1], "--yes"))
}

// each runs "each PROGRAM ARGS... -- LAST..." once with each of the last arguments.
func each(ts *testscript.TestScript, neg bool, args []string) {
	at := slices.Index(args, "--")
	if neg || at < 1 {
		ts.Fatalf("usage: each program [args...] -- last...")
	}
	for _, last := range args[at+1:] {
		ts.Check(ts.Exec(args[0], append(slices.Clone(args[1:at]), last)...))
	}
}

// exits runs "exits CODE PROGRAM ARGS..." and fails unless the code is CODE.
// What a failing mem prints must have the form that all its failures have.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits code program [args...]")
	}
	got := 0
	var exit *exec.ExitError
	if err := ts.Exec(args[1], args[2:]...); errors.As(err, &exit) {
		got = exit.ExitCode()
	} else {
		ts.Check(err)
	}
	if want, err := strconv.Atoi(args[0]); err != nil || got != want {
		ts.Fatalf("exit code %d, want %s", got, args[0])
	}
	if args[1] != "mem" || got == 0 {
		return
	}
	if out := ts.ReadFile("stdout"); out != "" {
		ts.Fatalf("a failing command printed a result: %q", out)
	}
	if problem := badFailure(got, ts.ReadFile("stderr")); problem != "" {
		ts.Fatalf("%s", problem)
	}
}

// checkSaid runs "says PATTERN PROGRAM ARGS..." and fails unless the output of the program, which ends well, matches the
// pattern; with ! before it, if it does. There may be more of them: "says PATTERN and PATTERN not PATTERN PROGRAM ARGS...".
// The program may be hook or feed. Lines behind it can look for more in the same output. "warns" looks in what is said
// beside the output.
func checkSaid(stream string) func(*testscript.TestScript, bool, []string) {
	return func(ts *testscript.TestScript, neg bool, args []string) {
		look, command := cutPatterns(ts, stream, args)
		switch command[0] {
		case "hook":
			callHook(ts, false, command[1:])
		case "feed":
			feed(ts, false, command[1:])
		default:
			ts.Check(ts.Exec(command[0], command[1:]...))
		}
		look(neg)
	}
}

// cutPatterns cuts the patterns from the program behind them, and returns what looks for them in a stream.
func cutPatterns(ts *testscript.TestScript, stream string, args []string) (look func(neg bool), command []string) {
	n := 1
	for n+1 < len(args) && (args[n] == "and" || args[n] == "not") {
		n += 2
	}
	if n >= len(args) {
		ts.Fatalf("usage: pattern [and pattern] [not pattern]... program [args...]")
	}
	return func(neg bool) {
		for i := 0; i < n; i += 2 {
			holds(ts, neg || i > 0 && args[i-1] == "not", []string{stream, args[i]})
		}
	}, args[n:]
}

// holds runs "holds FILE PATTERN..." and fails unless the file, which may be stdout or stderr, matches each of the patterns;
// with ! before it, if it matches one.
func holds(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) < 2 {
		ts.Fatalf("usage: holds file pattern...")
	}
	text := ts.ReadFile(args[0])
	for _, pattern := range args[1:] {
		re, err := regexp.Compile("(?m)" + pattern)
		ts.Check(err)
		if re.MatchString(text) == neg {
			ts.Fatalf("match for `%s` in %s: %t", pattern, args[0], neg)
		}
	}
}

// checkFailure runs "fails CODE PATTERN PROGRAM ARGS...", which is exits CODE, and looks in what is said of the failure, as
// says does in the output.
func checkFailure(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 3 {
		ts.Fatalf("usage: fails code pattern program [args...]")
	}
	look, command := cutPatterns(ts, "stderr", args[1:])
	exits(ts, false, append(args[:1:1], command...))
	look(false)
}

// badFailure says what is wrong with how a failure was told; "" if nothing is.
func badFailure(code int, stderr string) string {
	said, hinted := false, false
	for line := range strings.Lines(stderr) {
		line = strings.TrimSuffix(line, "\n")
		text, isNote := strings.CutPrefix(line, "mem: ")
		_, isHint := strings.CutPrefix(line, "hint: ")
		switch {
		case !isNote && !isHint:
			return fmt.Sprintf("%q is neither an error nor a hint", line)
		case isNote && (text == "" || unicode.IsUpper([]rune(text)[0]) || strings.HasSuffix(text, ".")):
			return fmt.Sprintf("%q is empty, starts with a capital or ends with a period", line)
		case destructive.Get().MatchString(line):
			return fmt.Sprintf("%q tells a person to destroy something", line)
		}
		said, hinted = said || isNote, hinted || isHint
	}
	switch {
	case !said:
		return "nothing was said about the failure"
	case !hinted && !slices.Contains([]int{1, 3, 4, 7, 9, 130}, code): // of which some errors say all there is to say
		return fmt.Sprintf("a failure with code %d comes without a hint", code)
	}
	return ""
}

// callHook runs "hook AGENT EVENT ARGS..." as an agent runs mem hook, with EVENT on standard input: it is JSON, a file with
// some, or names a line of the file events. ${VARIABLES} in it have their values. "! hook" fails if the agent is handed a word.
func callHook(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) < 2 {
		ts.Fatalf("usage: hook agent event [args...]")
	}
	event := args[1]
	switch {
	case strings.HasSuffix(event, ".json"):
		event = ts.ReadFile(event)
	case !strings.HasPrefix(event, "{"):
		_, rest, ok := strings.Cut("\n"+ts.ReadFile(filepath.Join(ts.Getenv("WORK"), "events")), "\n"+event+" ")
		if event, _, _ = strings.Cut(rest, "\n"); !ok {
			ts.Fatalf("no event is called %s", args[1])
		}
	}
	ts.Check(ts.Exec("heard", append([]string{expand(ts, event), "mem", "hook", args[0]}, args[2:]...)...))
	if said := ts.ReadFile("stdout"); neg && said != "" {
		ts.Fatalf("the agent is handed %s", said)
	}
}

// feed runs "feed FILE PROGRAM ARGS...", which has the file on standard input.
func feed(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: feed file program [args...]")
	}
	ts.Check(ts.Exec("heard", append([]string{ts.ReadFile(args[0])}, args[1:]...)...))
}

// heard runs the program behind its first argument with that on standard input.
func heard() {
	cmd := exec.Command(os.Args[2], os.Args[3:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(os.Args[1]), os.Stdout, os.Stderr
	if err := cmd.Run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// makeProject runs "project DIR", which makes a repository and goes there. "project DIR INIT..." makes a memory, too, with
// these arguments of mem init; -- for none.
func makeProject(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: project dir [--] [init args...]")
	}
	ts.Check(ts.Exec("git", "init", "-q", args[0]))
	ts.Check(ts.Chdir(ts.MkAbs(args[0])))
	if len(args) > 1 {
		ts.Check(ts.Exec("mem", append([]string{"init"}, args[1:]...)...))
	}
}

// items runs "items N FILE" and writes an index of N different lessons, as pi-self-learning wrote them.
func items(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: items n file")
	}
	n, err := strconv.Atoi(args[0])
	ts.Check(err)
	var b strings.Builder
	for i := range n {
		if i > 0 {
			b.WriteString(",")
		}
		text := fmt.Sprintf("Run  step %d of the build", i+1)
		fmt.Fprintf(&b, "\n    {\"key\": %q, \"text\": %q, \"kind\": \"learning\", \"hits\": 1, \"score\": 1, "+
			"\"firstSeen\": \"2026-02-01T00:00:00.000Z\", \"lastSeen\": \"2026-02-01T00:00:00.000Z\"}",
			strings.ToLower(strings.ReplaceAll(text, "  ", " ")), text)
	}
	path := ts.MkAbs(args[1])
	ts.Check(os.MkdirAll(filepath.Dir(path), 0o700))
	ts.Check(os.WriteFile(path, []byte("{\n  \"version\": 1,\n  \"items\": ["+b.String()+"\n  ]\n}\n"), 0o600))
}

// What differs between machines because a commit does: its id, in full or
// short, and the ids of reflections that came without one.
var (
	commitID     = lazy.New(`(^|[\s"(])([0-9a-f]{40}|[0-9a-f]{12})\b`)
	reflectionID = lazy.New(`\br-[0-9a-f]{12}\b`)
	factName     = lazy.New(`core/log/\S+\.jsonl`)
)

// mask runs "mask FROM TO" and writes FROM to the file TO, with commit ids and
// places that differ between machines replaced. FROM may be stdout.
func mask(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: mask from to")
	}
	text := ts.ReadFile(args[0])
	for _, name := range []string{"WORK", "FIXTURES"} {
		text = strings.ReplaceAll(text, ts.Getenv(name), "$"+name)
	}
	text = commitID.Get().ReplaceAllString(text, "${1}COMMIT")
	text = factName.Get().ReplaceAllString(text, "core/log/FACT")
	text = reflectionID.Get().ReplaceAllString(text, "r-ID")
	text = strings.ReplaceAll(text, "Mem-Version: "+console.Version(), "Mem-Version: VERSION")
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), []byte(text), 0o600))
}

// slug runs "slug VAR claude|pi DIR" and sets VAR to the name that the agent
// gives the folder with the sessions of the project in DIR.
func slug(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: slug var agent dir")
	}
	dir := ts.MkAbs(args[2])
	switch args[1] {
	case "claude":
		ts.Setenv(args[0], regexp.MustCompile(`[^a-zA-Z0-9]`).ReplaceAllString(dir, "-"))
	case "pi":
		ts.Setenv(args[0], "--"+strings.NewReplacer("/", "-", `\`, "-", ":", "-").Replace(strings.TrimPrefix(dir, "/"))+"--")
	}
}

// putFile runs "put FROM TO", which is cp to a file in a folder that need not be there.
func putFile(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: put from to")
	}
	ts.Check(os.MkdirAll(filepath.Dir(ts.MkAbs(args[1])), 0o777))
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), []byte(ts.ReadFile(args[0])), 0o666))
}

// snapshot runs "snapshot FILE DIR..." and writes to FILE the DIRs and every file and folder below them, with its mode, time
// and content.
func snapshot(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: snapshot file dir...")
	}
	for i, dir := range args[1:] {
		args[i+1] = ts.MkAbs(dir)
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(strings.Join(args[1:], "\x00")+"\n"+look(ts, args[1:])), 0o600))
}

// unchanged runs "unchanged FILE" and fails unless all that snapshot wrote to FILE is as it was.
func unchanged(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: unchanged file")
	}
	dirs, before, _ := strings.Cut(ts.ReadFile(args[0]), "\n")
	if diff := cmp.Diff(before, look(ts, strings.Split(dirs, "\x00"))); diff != "" {
		ts.Fatalf("changed (-before +after):\n%s", diff)
	}
}

// look returns a line for every file and folder below some.
func look(ts *testscript.TestScript, dirs []string) string {
	var b strings.Builder
	for _, dir := range dirs {
		ts.Check(filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			info, err := d.Info()
			if err != nil {
				return err
			}
			var data []byte
			if info.Mode().IsRegular() {
				data, err = os.ReadFile(path)
			}
			fmt.Fprintf(&b, "%s %s %d %x\n", path, info.Mode(), info.ModTime().UnixNano(), sha256.Sum256(data))
			return err
		}))
	}
	return b.String()
}

// subst runs "subst FILE..." and puts the values of ${VARIABLES} into the files.
func subst(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: subst file...")
	}
	for _, name := range args {
		ts.Check(os.WriteFile(ts.MkAbs(name), []byte(expand(ts, ts.ReadFile(name))), 0o600))
	}
}

// expand puts the values of ${VARIABLES} into a text.
func expand(ts *testscript.TestScript, text string) string {
	return regexp.MustCompile(`\$\{\w+\}`).ReplaceAllStringFunc(text, func(v string) string { return ts.Getenv(v[2 : len(v)-1]) })
}

// writeBig runs "big FILE START MIB" and makes a file of one line that begins with START and is some MiB long.
func writeBig(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: big file start mib")
	}
	mib, err := strconv.Atoi(args[2])
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(args[1]+strings.Repeat("x", mib<<20)), 0o600))
}
