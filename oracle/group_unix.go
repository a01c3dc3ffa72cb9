//go:build unix

package oracle

import (
	"os/exec"
	"syscall"
)

// ownGroup makes the program and what it starts one group, so that a program
// that takes too long ends with everything it started.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
