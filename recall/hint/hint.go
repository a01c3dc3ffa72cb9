// Package hint finds the lessons that matter for what an agent is about to do, or has
// just done: a command, an error, a file. Commands and errors are understood as they are
// when lessons are made of them, so that the same words come out.
package hint

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"

	"mem/index/cue"
	"mem/oracle/heuristic/input"
	"mem/oracle/heuristic/shell"
)

// A Call is the use of a tool by an agent.
type Call struct {
	Tool   string
	Input  string // JSON
	Output string // "" before the call
	Over   bool   // it came back
	Failed bool   // it came back, and is known to have failed
	Unsure bool   // the agent does not say whether it failed
}

// maxOutput bounds what is read of an output from either end, in bytes.
const maxOutput = 32 << 10

// ListKeys returns what the call is about, the most telling first, in a folder: of a
// call that failed its errors and its command, of one that is over its errors if it may
// have failed, and of one to come the command or the file.
func ListKeys(c Call, dir string) []cue.Key {
	args := input.ParseArguments(c.Input)
	class := input.ClassOf(c.Tool)
	switch {
	case class == input.Shell && c.Over:
		cmd := shell.Parse(args.Command)
		if !c.Failed && (!c.Unsure && !cmd.HidesExit() || shell.LooksAround(cmd.MainPart().Program)) {
			return nil // an error that it prints may be what it looked for
		}
		keys := errorKeys(shell.Project{Root: dir}, c)
		if c.Failed {
			keys = append(keys, commandKeys(cmd, cue.ForFailure)...)
		}
		return keys
	case class == input.Shell:
		return commandKeys(shell.Parse(args.Command), cue.ForCommand)
	case c.Failed:
		return errorKeys(shell.Project{Root: dir}, c)
	case !c.Over && (class == input.Edit || class == input.Write):
		return pathKeys(dir, cmp.Or(args.File, input.PatchedFile(args.Command)))
	}
	return nil
}

func errorKeys(p shell.Project, c Call) (keys []cue.Key) {
	out := c.Output
	if len(out) > 2*maxOutput {
		out = out[:maxOutput] + "\n" + out[len(out)-maxOutput:]
	}
	for _, f := range p.FindFaults(out, c.Failed) {
		keys = append(keys, cue.ForError(p.Signature(f.Line)))
	}
	return keys
}

// commandKeys returns the keys of each command of a line: with all flags that say what it
// does, with each of them, without, and by program and subcommand alone.
func commandKeys(c shell.Command, keyOf func(general string) cue.Key) (keys []cue.Key) {
	for _, s := range c.Parts {
		whole, bare := s.General(true), s.General(false)
		forms := []string{whole}
		for _, flag := range strings.Fields(strings.TrimPrefix(whole, bare)) {
			forms = append(forms, bare+" "+flag)
		}
		for _, form := range append(forms, bare, s.Family()) {
			if key := keyOf(form); form != "" && !slices.Contains(keys, key) {
				keys = append(keys, key)
			}
		}
	}
	return keys
}

// maxDepth bounds how deep a file lies for which its folders are looked up.
const maxDepth = 16

// pathKeys returns the keys of a file in dir and of the folders around it.
func pathKeys(dir, file string) (keys []cue.Key) {
	if rel, err := filepath.Rel(dir, file); err == nil && filepath.IsAbs(file) && filepath.IsLocal(rel) {
		file = rel
	}
	file = strings.TrimPrefix(filepath.ToSlash(file), "./")
	for ; file != "" && len(keys) < maxDepth; file = file[:max(0, strings.LastIndexByte(file, '/'))] {
		keys = append(keys, cue.ForPath(file))
	}
	return keys
}
