package recall

import (
	"path"
	"path/filepath"
	"slices"
	"strings"

	"mem/index"
	"mem/lazy"
	"mem/oracle/heuristic/shell"
)

// A Call is the use of a tool by an agent: what it is about to do or has just done, a command, an error, a file, for
// which lessons are looked up. Commands and errors are understood as they are when lessons are made of them, so that the
// same words come out.
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

// ListKeys returns what the call is about, the most telling first, in the folder where the agent is: of a call that
// failed its errors and its command, of one that is over its errors if it may have failed, and of one to come the
// command or the files. Files are named as seen from the project, unless that is "".
func ListKeys(c Call, dir, project string) (keys []index.CueKey) {
	args := shell.ParseArguments(c.Input)
	class := shell.ClassOf(c.Tool)
	switch {
	case class == shell.ShellTool && c.Over:
		cmd := shell.Parse(args.Command)
		if looks := shell.LooksAround(cmd.MainPart().Program); !c.Failed && (looks || !c.Unsure && !cmd.HidesExit()) {
			return nil // an error that it prints may be what it looked for
		} else if looks {
			return commandKeys(cmd, index.FailureKey)
		}
		keys = errorKeys(shell.Project{Root: dir}, c)
		if c.Failed {
			keys = append(keys, commandKeys(cmd, index.FailureKey)...)
		}
		return keys
	case class == shell.ShellTool:
		return commandKeys(shell.Parse(args.Command), index.CommandKey)
	case c.Failed:
		return errorKeys(shell.Project{Root: dir}, c)
	case !c.Over && c.Changes():
		files := shell.PatchedFiles(args.Command)
		if args.File != "" {
			files = []string{args.File}
		}
		for _, file := range files {
			keys = append(keys, pathKeys(nameFile(file, dir, project))...)
		}
	}
	return keys
}

// Changes reports whether the call changes files: by a tool for that, or a command that says so.
func (c Call) Changes() bool {
	class := shell.ClassOf(c.Tool)
	return class == shell.EditTool || reRewrites.Matches(c.Line())
}

var reRewrites = lazy.New(`\b(?:fix|fmt|gofmt|format|write|sed -i)\b`)

func errorKeys(p shell.Project, c Call) (keys []index.CueKey) {
	out := c.Output
	if len(out) > 2*maxOutput {
		out = out[:maxOutput] + "\n" + out[len(out)-maxOutput:]
	}
	for _, f := range p.FindFaults(out, c.Failed) {
		keys = append(keys, index.ErrorKey(p.Signature(f.Line)))
	}
	if c.Failed {
		keys = append(keys, folderKeys(strings.ReplaceAll(out, p.Root+"/", ""))...)
	}
	return keys
}

// maxFolders bounds the folders of an output that are looked up.
const maxFolders = 64

// folderKeys returns the keys of the folders in the project that an output names: what failed may be there
// and not in what was changed.
func folderKeys(out string) (keys []index.CueKey) {
	seen := map[string]bool{}
	for name := range strings.FieldsFuncSeq(out, func(r rune) bool { return strings.ContainsRune(" \t\n`'\"():,", r) }) {
		for dir := path.Dir(name); strings.Contains(dir, "/") && !path.IsAbs(dir) && !seen[dir]; dir = path.Dir(dir) {
			seen[dir] = true
			if keys = append(keys, index.ErrorKey(dir)); len(keys) == maxFolders {
				return keys
			}
		}
	}
	return keys
}

// commandKeys returns the keys of each command of a line, and of what a program in front of one runs:
// a lesson about "git commit" is about "wrap git commit", too.
func commandKeys(c shell.Command, keyOf func(general string) index.CueKey) (keys []index.CueKey) {
	for _, s := range c.Parts {
		for ok := !s.OnlyAsks(); ok; s, ok = s.Inner() {
			for _, key := range formKeys(s, keyOf) {
				if !slices.Contains(keys, key) {
					keys = append(keys, key)
				}
			}
		}
	}
	return keys
}

// formKeys returns the keys of a command, from specific to general: with all flags that matter, with
// each of them, without flags, and program and subcommand alone.
func formKeys(s shell.Simple, keyOf func(general string) index.CueKey) (keys []index.CueKey) {
	whole, bare := s.General(true), s.General(false)
	forms := []string{whole}
	for _, flag := range strings.Fields(strings.TrimPrefix(whole, bare)) {
		forms = append(forms, bare+" "+flag)
	}
	if s.Sub != "" || len(s.Words) == 1 || !shell.HasSubcommands(s.Program) {
		forms = append(forms, bare)
	}
	if s.Sub != "" && s.Runner == "" {
		forms = append(forms, s.Family())
	}
	for _, form := range forms {
		if key := keyOf(form); form != "" && !slices.Contains(keys, key) {
			keys = append(keys, key)
		}
	}
	return keys
}

// nameFile returns the name of a file as seen from the project, or else from the folder where
// the agent is. Links may lead to either.
func nameFile(file, dir, project string) string {
	if !filepath.IsAbs(file) {
		file = filepath.Join(dir, file)
	}
	names, roots := []string{file}, []string{dir}
	if project != "" {
		roots = []string{project, dir}
		if real, err := filepath.EvalSymlinks(project); err == nil {
			roots = []string{project, real, dir}
		}
		if real, err := filepath.EvalSymlinks(filepath.Dir(file)); err == nil {
			names = append(names, filepath.Join(real, filepath.Base(file)))
		}
	}
	for _, root := range roots {
		for _, name := range names {
			if rel, err := filepath.Rel(root, name); err == nil && filepath.IsLocal(rel) {
				return rel
			}
		}
	}
	return file
}

// maxDepth bounds how deep a file lies for which its folders are looked up.
const maxDepth = 16

func pathKeys(file string) (keys []index.CueKey) {
	file = filepath.ToSlash(file)
	for ; file != "" && len(keys) < maxDepth; file = file[:max(0, strings.LastIndexByte(file, '/'))] {
		keys = append(keys, index.PathKey(file))
	}
	return keys
}
