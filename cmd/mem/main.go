// Command mem keeps the lessons of coding agents in a git repository of their
// own. Run "mem help" for what it does.
package main

import (
	"context"
	"os"
	"os/signal"
	"runtime/debug"
	"sync/atomic"
	"syscall"
	"time"
)

func main() {
	startPoller()
	skipCollection()
	ctx, lend, stop := interruptible()
	env := systemEnv()
	env.Lend = lend
	env.IgnorePipe = func() { signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) }
	code := run(ctx, env, os.Args[1:])
	stop()
	os.Exit(code)
}

// startPoller lets the runtime open what it needs for itself while few files are open:
// where a limit forbids it later, the program crashes instead of saying so.
func startPoller() {
	f, _ := os.Open(os.DevNull)
	_ = f.Close() // of nil too
}

// late is how long a Ctrl-C that was typed for another program may take to arrive.
const late = 200 * time.Millisecond

// interruptible returns a context that ends with the first signal to stop; the
// second ends the process at once. Between lend and back the terminal belongs to
// another program, such as an editor, and Ctrl-C is ignored.
func interruptible() (ctx context.Context, lend func() (back func()), stop func()) {
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

// When memory is collected is decided here, for the whole program:
//
//   - Most commands are over before a collection would pay, so there is none
//     (skipCollection), up to a limit that only far too large a memory reaches.
//   - A worker and an MCP server run for a while and collect as Go does by
//     default (collectAsUsual).
//   - While a large session file is read, memory is worth more than time
//     (collectOften): it passes through in pieces that are soon garbage.
const (
	memoryLimit = 1 << 30 // bytes
	largeFile   = 4 << 20
)

func skipCollection() {
	debug.SetGCPercent(-1)
	debug.SetMemoryLimit(memoryLimit)
}

func collectAsUsual() { debug.SetGCPercent(100) }

// collectOften is for a program that is about to read the file.
func collectOften(path string) {
	if info, err := os.Stat(path); err == nil && info.Size() > largeFile {
		debug.SetGCPercent(50)
	}
}
