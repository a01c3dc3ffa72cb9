// Package console is the terminal, the streams and the process of a command: printing, asking, and reading
// piped input. It cleans all output, and reserves for a person what an agent must not decide.
package console

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"runtime/debug"
	"sync/atomic"
	"syscall"
	"time"

	"mem/repo/disk"
	"mem/workspace"
)

// StartPoller makes the runtime open its own files while few are open. If a limit on open files prevents it
// later, the program crashes without a message.
func StartPoller() {
	f, _ := os.Open(os.DevNull)
	_ = f.Close() // of nil too
}

// late is how long a Ctrl-C that was typed for another program may take to arrive.
const late = 200 * time.Millisecond

// ListenForStop returns a context that ends with the first signal to stop; the
// second ends the process at once. Between lend and back the terminal belongs to
// another program, such as an editor, and Ctrl-C is ignored.
func ListenForStop() (ctx context.Context, lend func() (back func()), stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	var lent atomic.Int32
	go func() {
		for s := range signals {
			if s == os.Interrupt && lent.Load() > 0 {
				continue
			}
			signal.Stop(signals)
			cancel()
		}
	}()
	lend = func() func() {
		lent.Add(1)
		return func() {
			time.AfterFunc(late, func() { lent.Add(-1) })
		}
	}
	return ctx, lend, func() { signal.Stop(signals); cancel() }
}

// When memory is collected is decided here, for the whole program.
const (
	memoryLimit = 1 << 30 // bytes
	largeFile   = 4 << 20
)

// SkipCollection turns garbage collection off, up to a limit that only a far too large memory reaches: most
// commands end before it would pay.
func SkipCollection() {
	debug.SetGCPercent(-1)
	debug.SetMemoryLimit(memoryLimit)
}

// CollectAsUsual is for what runs for a while, such as a worker: it collects as Go does by default.
func CollectAsUsual() { debug.SetGCPercent(100) }

// CollectOften is for the reading of the file at path: a large one passes through in pieces that
// are soon garbage.
func CollectOften(path string) {
	if info, err := os.Stat(path); err == nil && info.Size() > largeFile {
		debug.SetGCPercent(50)
	}
}

// Version is the module's version, or the commit it was built from.
func Version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	if v := info.Main.Version; v != "" && v != "(devel)" {
		return v
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" && len(s.Value) >= 12 {
			return "devel-" + s.Value[:12]
		}
	}
	return "devel"
}

// An Env is the world as a command sees it. Tests make their own.
type Env struct {
	workspace.World // Version and Note are set by the program

	In       io.Reader
	Out, Err io.Writer

	// Lend leaves Ctrl-C to another program on the same terminal until back is
	// called; nil if this program does not listen for it.
	Lend func() (back func())

	IgnorePipe func()                                           // keeps the process alive when its output is closed early; nil does nothing
	Patience   time.Duration                                    // the longest wait for the answer of a server; 0 leaves it to the question
	HookLimit  time.Duration                                    // how long a hook works at most before it gives up; 0 is an hour
	Files      disk.Files                                       // changes the files that are not in a memory
	Sleep      func(ctx context.Context, d time.Duration) error // before a server is asked again; nil is the real clock
}

// SystemEnv is the Env of a real process.
func SystemEnv() Env {
	dir, err := os.Getwd()
	if err != nil {
		dir = "."
	}
	world := workspace.World{Dir: dir, Environ: os.Environ(), Clock: time.Now, Detach: restartSelf}
	limit := 400 * time.Millisecond // many times what a hook takes; the start and the end of the process come on top
	return Env{World: world, In: os.Stdin, Out: os.Stdout, Err: os.Stderr, HookLimit: limit}
}

// restartSelf runs this program once more, in the background.
func restartSelf(dir string, args ...string) error {
	bin, err := os.Executable()
	if err != nil {
		return err
	}
	closeInherited()
	cmd := exec.Command(bin, args...)
	cmd.Dir, cmd.SysProcAttr = dir, detachedAttr()
	if err := cmd.Start(); err != nil {
		return err
	}
	go func() { _ = cmd.Wait() }() // reaps it: mem mcp may outlive it
	return nil
}

// Browse opens a file or an address in the person's browser, and waits a moment at most.
func (e Env) Browse(target string) error {
	args := []string{"xdg-open"}
	switch runtime.GOOS {
	case "darwin":
		args[0] = "open"
	case "windows":
		args = []string{"rundll32", "url.dll,FileProtocolHandler"}
	}
	path, err := exec.LookPath(args[0])
	isDark := args[0] == "xdg-open" && e.Getenv("DISPLAY")+e.Getenv("WAYLAND_DISPLAY")+e.Getenv("BROWSER") == "" // a browser of text would take the terminal
	if err != nil || isDark {
		return errors.New("no browser was found")
	}
	cmd := exec.Command(path, append(args[1:], target)...)
	cmd.Dir, cmd.Env, cmd.SysProcAttr = e.Dir, e.Environ, detachedAttr()
	if err := cmd.Start(); err != nil {
		return err
	}
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	select {
	case err = <-done:
	case <-time.After(time.Second): // it is the browser itself
	}
	return err
}
