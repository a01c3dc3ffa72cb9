package main

import (
	"context"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
	"time"
)

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
