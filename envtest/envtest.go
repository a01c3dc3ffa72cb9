// Package envtest runs tests in an environment of their own: no setting of the machine, the
// shell, an agent or CI changes what they see.
package envtest

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// every is what MEM_EVERY says: 1 for sweeps that stop at each place, n for those that stop at each nth at least. Without it,
// as in CI, they leave out so much that all of them end within minutes.
var every, _ = strconv.Atoi(os.Getenv("MEM_EVERY"))

// IsWhole reports whether nothing is to be left out.
func IsWhole() bool { return every == 1 }

// Step returns how far apart the places are at which a sweep stops, where CI stops at each nth.
func Step(n int) int {
	if every > 0 {
		return min(n, every)
	}
	return n
}

// M is the tests of a package.
type M struct{ *testing.M }

// Run runs the tests in an empty home, with the variables that programs need to run at all and
// those that switch tests on.
func (m M) Run() int {
	isBenchmark := slices.ContainsFunc(os.Args, func(arg string) bool { return strings.HasPrefix(arg, "-test.bench=") })
	if dir := inMemory(isBenchmark); dir != "" {
		defer os.RemoveAll(dir)
		os.Setenv("TMPDIR", dir)
	}
	dir, err := os.MkdirTemp("", "home-")
	home, info := filepath.Join(dir, "home"), filepath.Join(dir, "template", "info")
	err = errors.Join(err, os.Mkdir(home, 0o700), os.MkdirAll(info, 0o700), os.WriteFile(filepath.Join(info, "exclude"), []byte("# one a line\n"), 0o600))
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	for name, value := range environ(home) {
		if err := os.Setenv(name, value); err != nil {
			panic(err)
		}
	}
	for _, kv := range os.Environ() {
		if name, _, _ := strings.Cut(kv, "="); !isKept(name) {
			os.Unsetenv(name)
		}
	}
	if os.Getenv("GOGC") == "" && !isBenchmark {
		debug.SetGCPercent(400) // tests are many short lives: a third of their time went into collecting them
	}
	_ = flag.Set("test.parallel", strconv.Itoa(2*runtime.GOMAXPROCS(0))) // half of the time they wait for processes and locks
	return m.M.Run()
}

// gitSettings keep git from reading what is the machine's, and from looking after each command whether there is something to
// tidy up: that is a process more.
var gitSettings = map[string]string{"GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "maintenance.auto", "GIT_CONFIG_VALUE_0": "false"}

// GitEnv returns these settings, and a template for new repositories that has what mem looks at and none of git's examples:
// for the environment of a test that makes its own.
func GitEnv() (env []string) {
	for name := range gitSettings {
		env = append(env, name+"="+os.Getenv(name))
	}
	return append(env, "GIT_TEMPLATE_DIR="+os.Getenv("GIT_TEMPLATE_DIR"))
}

// environ returns what is set. Where Go keeps what it built and fetched is said, as that is
// below the home that is left.
func environ(home string) map[string]string {
	set := map[string]string{"HOME": home, "USERPROFILE": home, "TZ": "UTC"}
	for name, value := range gitSettings {
		set[name] = value
	}
	set["GIT_TEMPLATE_DIR"] = filepath.Join(filepath.Dir(home), "template")
	keep := func(name string, find func() (string, error), below ...string) {
		if dir, err := find(); err == nil && os.Getenv(name) == "" {
			set[name] = filepath.Join(append([]string{dir}, below...)...)
		}
	}
	keep("GOCACHE", os.UserCacheDir, "go-build")
	keep("GOENV", os.UserConfigDir, "go", "env")
	keep("GOPATH", os.UserHomeDir, "go")
	return set
}

// isKept reports whether a variable stays: programs are found and run by it, Go is set up by it, or
// it switches a test on.
func isKept(name string) bool {
	isOfGo := strings.HasPrefix(name, "GO") && !strings.HasPrefix(name, "GOOGLE") || strings.HasPrefix(name, "CGO_")
	return isOfGo || gitSettings[name] != "" || slices.Contains([]string{
		"", "PATH", "PATHEXT", "HOME", "USERPROFILE", "USER", "LOGNAME", "TZ", "GIT_TEMPLATE_DIR", "TMPDIR", "TMP", "TEMP", "CC",
		"SYSTEMROOT", "SYSTEMDRIVE", "WINDIR", "COMSPEC", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH",
		"MEM_AGENTS", "MEM_BEFORE", "MEM_EVAL", "MEM_EVERY", "MEM_HISTORIES", "MEM_LOOK",
	}, strings.ToUpper(name))
}

// A TB is a test, also one of rapid's.
type TB interface {
	Helper()
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
}

// NoError ends a test that cannot go on after an error.
func NoError(t TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatalf("%v", err)
	}
}

// FailIf reports what is wrong, and the test goes on.
func FailIf(t TB, isWrong bool, format string, args ...any) {
	t.Helper()
	if isWrong {
		t.Errorf(format, args...)
	}
}

// StopIf is FailIf for what the rest of a test stands on.
func StopIf(t TB, isWrong bool, format string, args ...any) {
	t.Helper()
	if isWrong {
		t.Fatalf(format, args...)
	}
}

// Same reports what differs between what a test wants and what it got, and what that is about.
func Same[T any](t TB, want, got T, about ...any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s(-want +got):\n%s", fmt.Sprintln(about...), diff)
	}
}

// Wraps reports an error that does not wrap the one that a test wants.
func Wraps(t TB, want, err error, about ...any) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("%serror %v, want %v", fmt.Sprintln(about...), err, want)
	}
}
