// Package console is the terminal, the streams and the process of a command: printing, asking,
// reading what is piped in. It cleans all that is printed, and leaves to a person what
// an agent must not decide.
package console

import (
	"context"
	"io"
	"os"
	"os/exec"
	"time"

	"mem/repo/disk"
	"mem/workspace"
)

// An Env is the world as a command sees it. Tests make their own.
type Env struct {
	workspace.World // Version and Note are set by the program

	In       io.Reader
	Out, Err io.Writer

	// Lend leaves Ctrl-C to another program on the same terminal until back is
	// called; nil if this program does not listen for it.
	Lend func() (back func())

	IgnorePipe func()                                           // keeps the process alive when its output is closed early; nil does nothing
	Patience   time.Duration                                    // the longest wait for the answer of a server; 0 leaves it to the question
	Files      disk.Files                                       // changes the files that are not in a memory
	Sleep      func(ctx context.Context, d time.Duration) error // before a server is asked again; nil is the real clock
}

// SystemEnv is the Env of a real process.
func SystemEnv() Env {
	dir, err := os.Getwd()
	if err != nil {
		dir = "."
	}
	world := workspace.World{Dir: dir, Environ: os.Environ(), Clock: time.Now, Detach: restartSelf}
	return Env{World: world, In: os.Stdin, Out: os.Stdout, Err: os.Stderr}
}

// restartSelf runs this program once more, in the background.
func restartSelf(dir string, args ...string) error {
	bin, err := os.Executable()
	if err != nil {
		return err
	}
	closeInherited()
	cmd := exec.Command(bin, args...)
	cmd.Dir, cmd.SysProcAttr = dir, detachedAttr()
	if err := cmd.Start(); err != nil {
		return err
	}
	go func() { _ = cmd.Wait() }() // reaps it: mem mcp may outlive it
	return nil
}
