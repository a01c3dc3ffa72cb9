// Package envtest runs tests in an environment of their own: no setting of the machine, the
// shell, an agent or CI changes what they see.
package envtest

import (
	"flag"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"testing"
)

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
	home, err := os.MkdirTemp("", "home-")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(home)
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

// environ returns what is set. Where Go keeps what it built and fetched is said, as that is
// below the home that is left.
func environ(home string) map[string]string {
	set := map[string]string{"HOME": home, "USERPROFILE": home, "TZ": "UTC", "GIT_CONFIG_NOSYSTEM": "1"}
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
	return isOfGo || slices.Contains([]string{
		"", "PATH", "PATHEXT", "HOME", "USERPROFILE", "USER", "LOGNAME", "TZ", "GIT_CONFIG_NOSYSTEM", "TMPDIR", "TMP", "TEMP", "CC",
		"SYSTEMROOT", "SYSTEMDRIVE", "WINDIR", "COMSPEC", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH",
		"MEM_AGENTS", "MEM_BEFORE", "MEM_EVAL", "MEM_EVERY", "MEM_HISTORIES", "MEM_LOOK",
	}, strings.ToUpper(name))
}
