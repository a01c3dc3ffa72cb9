// Command peak runs a program and writes to the file $PEAK how many
// nanoseconds it took and how many KiB (on some systems bytes) it held at its
// peak. A child's peak is never less than what its parent held when it was
// started, so that a parent this small measures best.
package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"time"
)

func main() {
	cmd := exec.Command(os.Args[1], os.Args[2:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	start := time.Now()
	err := cmd.Run()
	took := time.Since(start)
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(127)
	}
	peak := int64(0)
	if usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
		peak = int64(usage.Maxrss)
	}
	if err := os.WriteFile(os.Getenv("PEAK"), fmt.Appendf(nil, "%d %d", took.Nanoseconds(), peak), 0o600); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(127)
	}
	os.Exit(cmd.ProcessState.ExitCode())
}
