// Package console is the terminal and the streams of a command: printing, asking,
// reading what is piped in. It cleans all that is printed, and leaves to a person what
// an agent must not decide.
package console

import (
	"context"
	"io"
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

	// IgnorePipe keeps the process alive when its output is closed early; nil does
	// nothing.
	IgnorePipe func()

	// Patience is the longest wait for the answer of a server; 0 leaves it to the
	// question.
	Patience time.Duration

	// Files changes the files that are not in a memory.
	Files disk.Files

	// Sleep waits before a server is asked again; nil is the real clock.
	Sleep func(ctx context.Context, d time.Duration) error
}
