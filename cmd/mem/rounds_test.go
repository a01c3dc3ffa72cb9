package main

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"mem/envtest"
	"mem/repo/disk/disktest"
)

// A command that commits waits for the disk three times in a row, and for nothing else.
func TestRoundsOfCommands(t *testing.T) {
	dir := t.TempDir()
	run := func(plan *disktest.Plan, in string, args ...string) {
		t.Helper()
		var out bytes.Buffer
		world := newWorld(dir, "HOME="+dir, "MEM_ROOT="+filepath.Join(dir, ".mem"), "MEM_HOOK_WORKER=false")
		world.Fault = plan.Fault
		code := run(t.Context(), Env{In: strings.NewReader(in), Out: &out, Err: &out, World: world}, args)
		envtest.StopIf(t, code != 0, "%v: %s", args, out.String())
	}
	run(new(disktest.Plan), "", "learn", "Start the database first")
	learn, reflect := new(disktest.Plan), new(disktest.Plan)
	run(learn, "", "learn", "Use the port of the compose file")
	run(reflect, `{"fixes":["Read the flags from the help"]}`, "reflect", "-")
	envtest.FailIf(t, learn.Rounds() != 3 || reflect.Rounds() != 3,
		"%d rounds of flushes for learn, %d for reflect", learn.Rounds(), reflect.Rounds())
}
