package purge

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"mem/repo/gitstore/gitconfig"
)

// command is git in the memory.
func (p Purger) command(ctx context.Context, args ...string) *exec.Cmd {
	return gitconfig.Command(ctx, p.Folder, p.Environ, append([]string{"-c", "core.quotePath=false", "-c", "core.commitGraph=false"}, args...)...)
}

// git runs git and returns what it prints.
func (p Purger) git(ctx context.Context, args ...string) (string, error) {
	return gitconfig.Run(p.command(ctx, args...), "", args[0])
}

// listRefs returns the refs below folders, with what they name.
func (p Purger) listRefs(ctx context.Context, folders ...string) (map[string]string, error) {
	out, err := p.git(ctx, append([]string{"for-each-ref", "--format=%(refname) %(objectname)"}, folders...)...)
	return readIDLines(out), err
}

// readIDLines reads lines of a name and an id.
func readIDLines(text string) map[string]string {
	ids := map[string]string{}
	for line := range strings.Lines(text) {
		if name, id, ok := strings.Cut(strings.TrimSpace(line), " "); ok {
			ids[name] = id
		}
	}
	return ids
}

// updateRefs does what "git update-ref --stdin" is told, all of it or nothing.
func (p Purger) updateRefs(ctx context.Context, updates string) error {
	if updates == "" {
		return nil
	}
	_, err := gitconfig.Run(p.command(ctx, "update-ref", "--stdin"), "start\n"+updates+"prepare\ncommit\n", "update-ref")
	return err
}

// deleteRefs removes the refs below folders.
func (p Purger) deleteRefs(ctx context.Context, folders ...string) error {
	refs, err := p.listRefs(ctx, folders...)
	var updates strings.Builder
	for ref, id := range refs {
		fmt.Fprintf(&updates, "delete %s %s\n", ref, id)
	}
	return errors.Join(err, p.updateRefs(ctx, updates.String()))
}

// export writes what refs lead to anew, below area, and returns the new ids of the commits and files that are others now.
func (p Purger) export(ctx context.Context, c cleaner, refs []string, res *Result) (map[string]string, error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	marks := filepath.Join(p.Folder, ".git", "mem", "tmp", "purge-marks")
	from := p.command(ctx, append([]string{"fast-export", "--show-original-ids", "--signed-tags=strip", "--tag-of-filtered-object=rewrite",
		"--reencode=no", "--use-done-feature"}, refs...)...)
	to := p.command(ctx, "-c", "fastimport.unpackLimit=1", "fast-import", "--quiet", "--force", "--done", "--export-marks="+marks)
	var saidFrom, saidTo bytes.Buffer
	from.Stderr, to.Stderr = &saidFrom, &saidTo
	in, err1 := from.StdoutPipe()
	out, err2 := to.StdinPipe()
	answers, err3 := to.StdoutPipe()
	err := errors.Join(err1, err2, err3)
	for _, cmd := range []*exec.Cmd{from, to} {
		if err == nil {
			err = cmd.Start()
		}
	}
	if err != nil {
		return nil, fmt.Errorf("start git: %w", err)
	}
	f := filter{
		cleaner: c, in: bufio.NewReaderSize(in, 1<<20), out: bufio.NewWriterSize(out, 1<<20), said: bufio.NewReader(answers),
		held: map[string]bool{}, facts: map[string]string{}, moved: map[string]string{}, marks: map[string]string{},
	}
	if err = f.copyStream(); err != nil {
		stop()
	}
	_ = out.Close()
	_, _ = io.Copy(io.Discard, answers)
	if errFrom := from.Wait(); errFrom != nil && err == nil {
		err = gitconfig.Explain("fast-export", saidFrom.String(), errFrom)
	}
	if errTo := to.Wait(); errTo != nil && err == nil {
		err = gitconfig.Explain("fast-import", saidTo.String(), errTo)
	}
	if err != nil {
		return nil, err
	}
	ids, err := readChanged(marks, f.marks)
	for _, id := range f.commits {
		if ids[id] != "" {
			res.Commits++
		}
	}
	return ids, err
}

// readChanged returns the new ids of the commits and files that have another one than before. Git noted them in a file.
func readChanged(file string, before map[string]string) (map[string]string, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("read what git wrote: %w", err)
	}
	now, changed := readIDLines(string(data)), map[string]string{}
	for id, mark := range before {
		if now[mark] != id {
			changed[id] = now[mark]
		}
	}
	return changed, nil
}
