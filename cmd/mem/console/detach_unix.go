//go:build unix

package console

import (
	"os"
	"os/signal"
	"strconv"
	"syscall"
)

// detachedAttr lets a program outlive this one and its terminal.
func detachedAttr() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

// closeInherited keeps a process that outlives this one from inheriting files beyond the three standard ones,
// such as a pipe of an agent or a lock of a script.
func closeInherited() {
	open, _ := os.ReadDir("/dev/fd") // where there is none, nothing is known of them
	for _, e := range open {
		if fd, err := strconv.Atoi(e.Name()); err == nil && fd > 2 {
			syscall.CloseOnExec(fd)
		}
	}
}

// BeNice lets every other program go first. It is for a process that leads a
// group of its own, as one that was detached does: on some systems the
// threads of a process are only reached through their group.
func BeNice() {
	if syscall.Getpgrp() == syscall.Getpid() {
		// Without it the work is done all the same.
		_ = syscall.Setpriority(syscall.PRIO_PGRP, 0, 10)
	}
}

// notifyResize tells a channel when the terminal has another size.
func notifyResize(resized chan<- os.Signal) { signal.Notify(resized, syscall.SIGWINCH) }
