// Command mem keeps the lessons of coding agents in a git repository of their
// own. Run "mem help" for what it does.
package main

import (
	"os"
	"os/signal"
	"syscall"

	"mem/cmd/mem/console"
)

func main() {
	console.StartPoller()
	console.SkipCollection()
	ctx, lend, stop := console.ListenForStop()
	env := console.SystemEnv()
	env.Lend = lend
	env.IgnorePipe = func() { signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) }
	code := run(ctx, env, os.Args[1:])
	stop()
	os.Exit(code)
}
