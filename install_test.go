package mem_test

import (
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"

	"mem/envtest"
)

// runIn runs a program in a folder, and wants it to end with this exit code; -1 stands for any but 0.
func runIn(t *testing.T, dir string, want int, environ []string, name string, args ...string) string {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), environ...)
	out, err := cmd.CombinedOutput()
	if code := cmd.ProcessState.ExitCode(); code != want && (want != -1 || code == 0) {
		t.Fatalf("%s %v: %v, want the exit code %d\n%s", name, args, err, want, out)
	}
	return string(out)
}

// TestInstall installs everything below a folder, as 'make install' does: and the program runs.
func TestInstall(t *testing.T) {
	if _, err := exec.LookPath("make"); err != nil || testing.Short() {
		t.Skip("it needs make, and builds the program")
	}
	dir := t.TempDir()
	run := func(name string, args ...string) string { return runIn(t, "", 0, nil, name, args...) }
	stage := filepath.Join(dir, "stage")
	run("make", "install", "DESTDIR="+stage, "PREFIX=/opt/mem", "BIN="+filepath.Join(dir, "mem"))
	for file, text := range map[string]string{
		"bin/mem":                                  "",
		"share/bash-completion/completions/mem":    "__start_mem",
		"share/zsh/site-functions/_mem":            "#compdef mem",
		"share/fish/vendor_completions.d/mem.fish": "complete -c mem",
		"share/man/man1/mem-log.1":                 "mem-log \\- Show what was learned when",
	} {
		data, err := os.ReadFile(filepath.Join(stage, "opt/mem", file))
		envtest.FailIf(t, err != nil || !strings.Contains(string(data), text), "%s has no %q: %v", file, text, err)
	}
	out := run(filepath.Join(stage, "opt/mem/bin/mem"), "version")
	envtest.FailIf(t, !strings.Contains(out, "reads 1 to"), "the installed program says %q", out)
	var outside []string
	_ = filepath.WalkDir(stage, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && !strings.HasPrefix(path, filepath.Join(stage, "opt/mem")) {
			outside = append(outside, path)
		}
		return err
	})
	if len(outside) > 0 {
		t.Errorf("installed elsewhere: %v", slices.Sorted(slices.Values(outside)))
	}
	t.Run("plugin", func(t *testing.T) {
		runIn(t, "", 0, []string{"CLAUDE_CONFIG_DIR=" + dir}, filepath.Join(stage, "opt/mem/bin/mem"), "hook", "install", "claude", "--global", "--yes")
		envtest.Same(t, read(t, dir, "settings.json"), read(t, "packaging/claude/hooks/hooks.json"),
			"packaging/claude/hooks/hooks.json is not what 'mem hook install claude' writes")
	})
	if goSystem := runtime.GOOS + "-" + runtime.GOARCH; strings.HasPrefix(goSystem, "linux-") {
		dist := filepath.Join(dir, "dist")
		runIn(t, "", 0, []string{"SYSTEMS=" + goSystem, "LEVEL=1", "BUILT=" + filepath.Join(dir, "mem")}, "packaging/release", dist)
		t.Run("release", func(t *testing.T) { checkRelease(t, dist) })
	}
}

var read = envtest.Read

func write(t *testing.T, text string, path ...string) {
	t.Helper()
	envtest.NoError(t, os.WriteFile(filepath.Join(path...), []byte(text), 0o700))
}

func find(t *testing.T, path ...string) string {
	t.Helper()
	found, _ := filepath.Glob(filepath.Join(path...))
	envtest.StopIf(t, len(found) != 1, "%v are %v", path, found)
	return found[0]
}

// checkRelease installs what was made for one system in each way that this machine has.
func checkRelease(t *testing.T, dist string) {
	runIn(t, dist, 0, nil, "sha256sum", "--check", "--quiet", "SHA256SUMS")
	sum, _, _ := strings.Cut(runIn(t, dist, 0, nil, "sha256sum", find(t, dist, "mem-*.tar.gz")), " ")
	for file, want := range map[string]string{"install.sh": "\n" + sum + "  mem-", "mem.rb": `sha256 "` + sum + `"`, "server.json": `"identifier": "@example/mem"`} {
		text := read(t, dist, file)
		if rest := strings.ReplaceAll(text, "{{SUM-", ""); !strings.Contains(text, want) || strings.Contains(rest, "{{") || file == "server.json" && !json.Valid([]byte(text)) {
			t.Errorf("%s is not filled in:\n%s", file, text)
		}
	}
	for tool, check := range map[string]func(*testing.T, string){"sh": checkScript, "npm": checkPackage, "dpkg-deb": checkDebian} {
		t.Run(tool, func(t *testing.T) {
			if _, err := exec.LookPath(tool); err != nil {
				t.Skip(err)
			}
			check(t, dist)
		})
	}
}

// runsHere wants an installed program to run, and to end as it should.
func runsHere(t *testing.T, program string) {
	t.Helper()
	out := runIn(t, "", 0, nil, program, "--version")
	envtest.FailIf(t, !strings.HasPrefix(out, "mem "), "%s says %q", program, out)
	runIn(t, "", 2, nil, program, "no-such-command")
}

func checkScript(t *testing.T, dist string) {
	dir := t.TempDir()
	prefix, script := filepath.Join(dir, "a prefix"), filepath.Join(dist, "install.sh")
	env := []string{"PREFIX=" + prefix, "FROM=file://" + dist}
	runIn(t, "", 0, env, "sh", script)
	runIn(t, "", 0, env, "sh", script) // an update
	runsHere(t, filepath.Join(prefix, "bin/mem"))
	read(t, prefix, "share/man/man1/mem-log.1")
	runIn(t, "", 0, env, "sh", script, "--uninstall")

	archive := filepath.Base(find(t, dist, "mem-*.tar.gz"))
	write(t, "not "+archive, dir, archive)
	write(t, "#!/bin/sh\necho Plan9\n", dir, "uname")
	for want, env := range map[string][]string{
		"the sum of " + archive + " is wrong: nothing was unpacked": {"PREFIX=" + prefix, "FROM=file://" + dir},
		"there is no archive for Plan9":                             {"PREFIX=" + prefix, "FROM=file://" + dist, "PATH=" + dir + ":" + os.Getenv("PATH")},
		"PREFIX is not an absolute path":                            {"PREFIX=here"},
	} {
		out := runIn(t, "", 1, env, "sh", script)
		envtest.FailIf(t, !strings.Contains(out, want), "it says %q, not %q", out, want)
	}
	left, _ := filepath.Glob(filepath.Join(prefix, "*"))
	envtest.FailIf(t, len(left) > 0, "%v are left", left)
}

func checkPackage(t *testing.T, dist string) {
	dir := t.TempDir()
	env := []string{"npm_config_cache=" + filepath.Join(dir, "cache"), "npm_config_offline=true", "npm_config_update_notifier=false"}
	packages, _ := filepath.Glob(filepath.Join(dist, "*.tgz"))
	runIn(t, dir, 0, env, "npm", append([]string{"install", "--global", "--no-audit", "--no-fund", "--prefix", dir}, packages...)...)
	program := filepath.Join(dir, "bin/mem")
	runsHere(t, program)
	for _, signal := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT} { // as it reads what does not come
		cmd := exec.Command(program, "mcp")
		in, _ := cmd.StdinPipe()
		out, _ := cmd.StdoutPipe()
		envtest.NoError(t, cmd.Start())
		_, _ = in.Write([]byte(`{"jsonrpc":"2.0","id":1,"method":"ping"}` + "\n"))
		n, err := out.Read(make([]byte, 1))
		envtest.FailIf(t, n == 0, "it answers nothing: %v", err)
		_ = cmd.Process.Signal(signal)
		if _ = cmd.Wait(); cmd.ProcessState.ExitCode() != 130 { // as mem itself
			t.Errorf("%v: %v", signal, cmd.ProcessState)
		}
	}
}

func checkDebian(t *testing.T, dist string) {
	dir := t.TempDir()
	runIn(t, "", 0, nil, "dpkg-deb", "--extract", find(t, dist, "mem_*.deb"), dir)
	runsHere(t, filepath.Join(dir, "usr/bin/mem"))
	for _, name := range []string{"man/man1/mem.1.gz", "zsh/vendor-completions/_mem", "doc/mem/copyright", "doc/mem/changelog.gz"} {
		find(t, dir, "usr/share", name)
	}
}

// bashFolder is a new folder for scripts of bash.
func bashFolder(t *testing.T) string {
	if _, err := exec.LookPath("bash"); err != nil || runtime.GOOS == "windows" {
		t.Skip("it needs bash")
	}
	return t.TempDir()
}

// TestHome gives a copy of all this another home: everything that is imported is found, and all that is published names it.
func TestHome(t *testing.T) {
	dir := bashFolder(t)
	envtest.Git(t, ".", "checkout-index", "--all", "--prefix="+dir+"/")
	envtest.Git(t, dir, "init", "-q")
	envtest.Git(t, dir, "add", "--all")
	runIn(t, dir, 2, nil, "packaging/set-home", "example.org/you/mem")
	runIn(t, dir, 0, nil, "packaging/set-home", "https://code.example.org/you/mem/")
	runIn(t, dir, 0, []string{"GOPROXY=off"}, "go", "list", "-deps", "-test", "./...")
	if _, home, _ := strings.Cut(read(t, dir, "packaging/home"), "HOME_URL="); home != "https://code.example.org/you/mem\nNPM_NAME=@you/mem\nMCP_NAME=org.example.code/mem\n" {
		t.Errorf("packaging/home says %s", home)
	}
}

// TestAction shows what came with some commits, from a memory beside the code and from one that the code's repository tracks.
func TestAction(t *testing.T) {
	dir, date := bashFolder(t), "2026-02-03T04:05:06Z"
	commit := func(author, message string) string {
		runIn(t, dir, 0, []string{"GIT_AUTHOR_DATE=" + date, "GIT_COMMITTER_DATE=" + date, "GIT_COMMITTER_NAME=c", "GIT_COMMITTER_EMAIL=c@x"},
			"git", "commit", "-q", "--allow-empty", "--author", author+" <"+author+"@x>", "-m", message)
		return strings.TrimSpace(envtest.Git(t, dir, "rev-parse", "HEAD"))
	}
	remember := func(text string) {
		write(t, text, dir, "long-term-memory.md")
		envtest.Git(t, dir, "add", ".")
	}
	envtest.Git(t, dir, "init", "-q", "-b", "memory")
	commit("ada", "learn\n\n+ Before the branch")
	date = "2026-02-04T04:05:06Z"
	envtest.Git(t, dir, "checkout", "-q", "--orphan", "main")
	remember("# Long-term memory\n\n- Known before (m-1a, 2026-02-03)\n")
	base := commit("ada", "base")
	remember("# Long-term memory\n\n- Read the log (m-2b, 2026-02-04)\n- Known before, in other words (m-1a, 2026-02-03)\n")
	head := commit("ada", "the change")
	envtest.Git(t, dir, "checkout", "-q", "memory")
	commit("ada", "chore(memory): task\n\n+ Use `pnpm` & <b>not</b> npm: https://x\n+ Read the log\n~ Reworded")
	commit("bob", "learn\n\n+ Of another author")
	envtest.Git(t, dir, "update-ref", "refs/mem/main", "memory")
	script, _ := filepath.Abs("packaging/action/summary")
	const title = "## What the sessions taught\n\n"
	want := title + "- Read the log\n- Use \\`pnpm\\` &amp; &lt;b&gt;not&lt;/b&gt; npm: https&#58;//x\n"
	envtest.Same(t, title+"No lesson came with these commits.\n",
		runIn(t, dir, 0, nil, script, head, head, "refs/mem/none"), "without commits it says")
	runIn(t, dir, 1, nil, script, base, "refs/mem/main")
	_, run, _ := strings.Cut(read(t, "packaging/action/action.yml"), "run: |\n")
	summary := filepath.Join(dir, "summary.md")
	envtest.Git(t, dir, "remote", "add", "origin", dir)
	runIn(t, dir, 0, []string{"BASE=" + base, "HEAD=" + head, "REF=refs/mem/main", "GITHUB_ACTION_PATH=" + filepath.Dir(script), "GITHUB_STEP_SUMMARY=" + summary}, "bash", "-eo", "pipefail", "-c", run)
	envtest.Same(t, want, read(t, summary), "the summary")
}
