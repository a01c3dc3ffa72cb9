//go:build unix

package main

import "syscall"

// detached lets a program outlive this one and its terminal.
func detached() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

// beNice lets every other program go first. It is for a process that leads a
// group of its own, as one that was detached does: on some systems the
// threads of a process are only reached through their group.
func beNice() {
	if syscall.Getpgrp() == syscall.Getpid() {
		// Without it the work is done all the same.
		_ = syscall.Setpriority(syscall.PRIO_PGRP, 0, 10)
	}
}
