package console

import (
	"context"
	"os"
	"os/signal"
	"runtime/debug"
	"sync/atomic"
	"syscall"
	"time"
)

// StartPoller lets the runtime open what it needs for itself while few files are open:
// where a limit forbids it later, the program crashes instead of saying so.
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

// SkipCollection lets no memory be collected, up to a limit that only far too large a memory
// reaches: most commands are over before it would pay.
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
