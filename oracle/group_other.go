//go:build !unix

package oracle

import "os/exec"

// ownGroup does nothing: only the program itself is ended, not what it started.
func ownGroup(*exec.Cmd) {}
