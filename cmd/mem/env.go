package main

import (
	"os"
	"time"

	"mem/cmd/mem/console"
	"mem/workspace"
)

// An Env is the world as a command sees it. Tests make their own.
type Env = console.Env

// systemEnv is the Env of a real process.
func systemEnv() Env {
	dir, err := os.Getwd()
	if err != nil {
		dir = "."
	}
	binary, _ := os.Executable() // without it git merges as it always did
	world := workspace.World{Dir: dir, Binary: binary, Environ: os.Environ(), Clock: time.Now, Detach: restartSelf}
	return Env{World: world, In: os.Stdin, Out: os.Stdout, Err: os.Stderr}
}
