package main

import (
	"mem/cmd/mem/console"
)

// An Env is the world as a command sees it. Tests make their own.
type Env = console.Env
