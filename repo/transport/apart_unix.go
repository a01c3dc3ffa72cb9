//go:build unix

package transport

import (
	"os/exec"
	"syscall"
)

// setApart gives a program no terminal: what it starts has none to ask on.
func setApart(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }
