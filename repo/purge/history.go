package purge

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"mem/repo/disk"
	"mem/repo/gitstore"
	"mem/repo/gitstore/gitconfig"
	"mem/repo/gitstore/object"
)

// The copy is a repository of its own, which git alone writes to. It is made anew each time.
const (
	copyPath   = gitconfig.PurgePath + ".git"
	packFolder = ".git/objects/pack"
	stashArea  = "refs/mem-stash/"
	stashLog   = ".git/logs/refs/stash"
	moved      = gitstore.Own + "purge" // is what logs say of it

	// kept is in the file that keeps a pack from git until the others are gone: git would copy it to another one, and
	// remove it before the name of that lasts.
	kept = "a purge made it\n"
)

// command is git in the memory or, of a Purger of that, in the copy.
func (p Purger) command(ctx context.Context, args ...string) *exec.Cmd {
	var all []string
	for _, setting := range []string{
		"core.quotePath=false", "core.commitGraph=false", "safe.bareRepository=all", "repack.writeBitmaps=false", "repack.packKeptObjects=false",
	} {
		all = append(all, "-c", setting)
	}
	return gitconfig.Command(ctx, p.Folder, p.Environ, append(all, args...)...)
}

// git runs git and returns what it prints.
func (p Purger) git(ctx context.Context, args ...string) (string, error) {
	return gitconfig.Run(p.command(ctx, args...), "", args[0])
}

func (p Purger) run(ctx context.Context, args ...string) error {
	_, err := p.git(ctx, args...)
	return err
}

// listRefs returns the refs, with what they name: an id or, of one that stands for another, that one, too.
func (p Purger) listRefs(ctx context.Context) (map[string]string, error) {
	out, err := p.git(ctx, "for-each-ref", "--format=%(refname) %(objectname)%(symref)")
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

// updateRefs does what "git update-ref --stdin" is told, all of it or nothing. What git prepared, in its locks, is flushed before
// they become the refs.
func (p Purger) updateRefs(ctx context.Context, updates string, flush func() error) error {
	cmd, said := p.command(ctx, "update-ref", "-m", moved, "--stdin"), bytes.Buffer{}
	cmd.Stderr = &said
	in, err1 := cmd.StdinPipe()
	out, err2 := cmd.StdoutPipe()
	err := errors.Join(err1, err2)
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return fmt.Errorf("start git: %w", err)
	}
	_, _ = io.WriteString(in, "start\n"+updates+"prepare\n") // what it does not read, it does not answer
	answers := bufio.NewReader(out)
	for line := ""; err == nil && line != "prepare: ok\n"; {
		line, err = answers.ReadString('\n')
	}
	if err == nil {
		err = flush()
	}
	if err == nil {
		_, err = io.WriteString(in, "commit\n")
	}
	_ = in.Close()
	_, _ = io.Copy(io.Discard, answers)
	if err = errors.Join(err, cmd.Wait()); err != nil {
		return fmt.Errorf("git update-ref: %s: %w", strings.TrimSpace(said.String()), err)
	}
	return nil
}

// rewrite writes the history anew, as far as it holds the words, lets the files follow, and moves all refs to it.
func (p Purger) rewrite(ctx context.Context, d *disk.Dir, w Words, res *Result) error {
	old, err := p.listRefs(ctx)
	if err != nil {
		return err
	}
	c, copied := newCleaner(w), p
	copied.Folder = filepath.Join(p.Folder, filepath.FromSlash(copyPath))
	var f *filter
	var now map[string]string
	return disk.InOrder(
		func() error { return p.makeCopy(ctx, d, copied, old) },
		func() (err error) { f, err = copied.export(ctx, c); return err },
		func() (err error) { now, err = copied.listRefs(ctx); return err },
		func() error { return copied.run(ctx, "repack", "-a", "-d", "-q", "--pack-kept-objects") },
		func() error { return d.RemoveAll(copyPath + alternates) },
		func() error { return copied.run(ctx, "rev-list", "--objects", "--all", "--quiet") }, // fails if an object is missing
		func() error { return copied.search(ctx, c, func(string) bool { return false }) },
		func() error { return p.note(d, w.with(f.first)) },
		func() error { return takePacks(d) },
		func() error { return p.cleanFiles(d, c, f.ids, res) },
		func() error { res.Commits = f.renamed; return p.moveRefs(ctx, d, old, now) },
	)
}

// alternates is where a repository names another one whose objects it reads.
const alternates = "/objects/info/alternates"

// makeCopy makes the copy, with these refs and one for each stash. What a remote has is fetched again.
func (p Purger) makeCopy(ctx context.Context, d *disk.Dir, copied Purger, refs map[string]string) error {
	if err := errors.Join(d.RemoveAll(copyPath), d.MkdirAll(copyPath+"/refs"), d.WriteLoose(copyPath+"/HEAD", []byte("ref: refs/heads/main\n")),
		d.WriteLoose(copyPath+alternates, []byte("../../../objects\n"))); err != nil {
		return err
	}
	stashes, err := p.git(ctx, "stash", "list", "--format=%H")
	if err != nil {
		return err
	}
	var updates strings.Builder
	for i, id := range strings.Fields(stashes) {
		fmt.Fprintf(&updates, "create %s%d %s\n", stashArea, i, id)
	}
	for ref, id := range refs {
		if !strings.HasPrefix(ref, "refs/remotes/") && !strings.Contains(id, "/") {
			fmt.Fprintf(&updates, "create %s %s\n", ref, id)
		}
	}
	return copied.updateRefs(ctx, updates.String(), func() error { return nil }) // it is made anew after a power cut
}

// export writes what the refs of the copy lead to anew.
func (p Purger) export(ctx context.Context, c cleaner) (*filter, error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	from := p.command(ctx, "fast-export", "--show-original-ids", "--signed-tags=strip", "--tag-of-filtered-object=rewrite", "--reencode=no", "--use-done-feature",
		"--all")
	to := p.command(ctx, "fast-import", "--quiet", "--force", "--done", "--export-marks=marks")
	from.Stderr, to.Stderr = os.Stderr, os.Stderr
	in, err1 := from.StdoutPipe()
	out, err2 := to.StdinPipe()
	answers, err3 := to.StdoutPipe()
	err := errors.Join(err1, err2, err3)
	if err == nil {
		err = errors.Join(from.Start(), to.Start())
	}
	if err != nil {
		return nil, fmt.Errorf("start git: %w", err)
	}
	f := &filter{
		cleaner: c, in: bufio.NewReaderSize(in, 1<<20), out: bufio.NewWriterSize(out, 1<<20), said: bufio.NewReader(answers),
		changed: map[string]string{}, moved: map[string]string{}, marks: map[string]string{}, parents: map[string][]string{},
	}
	if err = f.copyStream(); err != nil {
		stop()
	}
	_ = out.Close()
	_, _ = io.Copy(io.Discard, answers)
	if err = errors.Join(err, from.Wait(), to.Wait()); err != nil {
		return nil, fmt.Errorf("git fast-export and fast-import: %w", err)
	}
	data, err := os.ReadFile(filepath.Join(p.Folder, "marks"))
	if err != nil {
		return nil, fmt.Errorf("read what git wrote: %w", err)
	}
	f.compare(readIDLines(string(data)))
	return f, nil
}

// takePacks moves the packs of the copy to the memory, durably, and keeps them from git until it dropped the others. Git has flushed
// them, and they are read-only.
func takePacks(d *disk.Dir) error {
	names, err := d.ListFolder(copyPath + "/objects/pack")
	if err = errors.Join(err, d.MkdirAll(packFolder), dropKept(d)); err != nil {
		return fmt.Errorf("list packs: %w", err)
	}
	for _, name := range names {
		stem, isPack := strings.CutSuffix(name, ".pack")
		if !isPack {
			continue
		}
		err = errors.Join(err, d.WriteFile(packFolder+"/"+stem+".keep", []byte(kept), gitstore.TempDir))
		for _, name := range []string{name, stem + ".idx"} {
			if err == nil {
				err = d.Rename(copyPath+"/objects/pack/"+name, packFolder+"/"+name)
			}
		}
	}
	return errors.Join(err, d.SyncDir(packFolder))
}

// moveRefs moves all refs to their new history, together.
func (p Purger) moveRefs(ctx context.Context, d *disk.Dir, old, now map[string]string) error {
	var updates strings.Builder
	for _, ref := range slices.Sorted(maps.Keys(old)) {
		switch {
		case strings.HasPrefix(ref, "refs/remotes/"):
			fmt.Fprintf(&updates, "option no-deref\ndelete %s\n", ref)
		case now[ref] != old[ref] && !strings.Contains(old[ref], "/"):
			fmt.Fprintf(&updates, "update %s %s %s\n", ref, now[ref], old[ref])
		}
	}
	return p.updateRefs(ctx, updates.String(), func() error { return gitconfig.Flush(d) })
}

// beginLogs makes the logs anew but for the list of stashes, and notes the new history as mem's own doing: one that git
// brought would wait for the person.
func (p Purger) beginLogs(d *disk.Dir, store *gitstore.Store) error {
	names, err := d.ListFolder(".git/logs/refs")
	for _, name := range append(names, "../HEAD", "../../ORIG_HEAD", "../../FETCH_HEAD", "../../COMMIT_EDITMSG", "../../TAG_EDITMSG") {
		if name != path.Base(stashLog) {
			err = errors.Join(err, d.RemoveAll(path.Join(".git/logs/refs", name)))
		}
	}
	head, err2 := store.ReadHead()
	if err = errors.Join(err, err2, dropMove(d), d.MkdirAll(path.Dir(".git/logs/"+head.Ref))); err != nil {
		return err
	}
	by, _ := gitconfig.ReadCommitter(d, p.Project, p.Environ)
	signature := object.Signature(by.Committer, p.Now.UTC())
	return store.AppendLog(head.Ref, object.Hash{}, head.Tip, signature, moved)
}

// dropMove takes out of the list of stashes what git noted when the newest got its new id.
func dropMove(d *disk.Dir) error {
	if !d.Exists(stashLog) {
		return nil
	}
	data, err := d.ReadFile(stashLog, maxFile)
	var list []byte
	for line := range bytes.Lines(data) {
		if !bytes.HasSuffix(line, []byte("\t"+moved+"\n")) {
			list = append(list, line...)
		}
	}
	if err != nil || len(list) == len(data) {
		return err
	}
	return d.WriteFile(stashLog, list, gitstore.TempDir)
}

// forget lets git drop what no ref leads to any more.
func (p Purger) forget(ctx context.Context, d *disk.Dir, store *gitstore.Store) error {
	return disk.InOrder(
		func() error { return gitconfig.Flush(d) },
		func() error { return p.renewIndex(ctx, d, store) },
		func() error { return gitconfig.DropLists(d, true) },
		func() error { return p.run(ctx, "repack", "-a", "-d", "-q") },
		func() error { return dropKept(d) },
		func() error { return p.run(ctx, "prune", "--expire=now") },
		func() error { return d.RemoveAll(copyPath) },
	)
}

// dropKept lets git have the packs that mem kept from it, and removes what git or a purge left of one where it died.
func dropKept(d *disk.Dir) error {
	names, err := d.ListFolder(packFolder)
	for _, name := range names {
		stem, isKeep := strings.CutSuffix(packFolder+"/"+name, ".keep")
		if isKeep {
			said, err2 := d.ReadFile(stem+".keep", 1<<10)
			err, isKeep = errors.Join(err, err2), string(said) == kept
		}
		if isKeep && !d.Exists(stem+".idx") {
			err = errors.Join(err, d.Remove(stem+".pack"))
		}
		if isKeep || strings.HasPrefix(name, ".tmp-") {
			err = errors.Join(err, d.Remove(packFolder+"/"+name))
		}
	}
	return err
}

// renewIndex makes git's index anew, in a file of mem's own: a lock of git's would stay if it dies.
func (p Purger) renewIndex(ctx context.Context, d *disk.Dir, store *gitstore.Store) error {
	const temp = gitstore.TempDir + "/purge-index"
	for _, args := range [][]string{{"read-tree", "HEAD"}, {"update-index", "-q", "--refresh"}} {
		cmd := p.command(ctx, args...)
		cmd.Env = append(cmd.Env, "GIT_INDEX_FILE="+filepath.Join(p.Folder, filepath.FromSlash(temp)))
		if _, err := gitconfig.Run(cmd, "", args[0]); err != nil && args[0] == "read-tree" { // the other says that a person edited a file
			return err
		}
	}
	if err := d.SyncFile(temp); err != nil {
		return err
	}
	return store.ReplaceIndex(ctx, temp, lockWait)
}

// eachObject calls f for all objects that git has, reachable or not.
func (p Purger) eachObject(ctx context.Context, f func(what string, data []byte)) error {
	cmd := p.command(ctx, "cat-file", "--batch-all-objects", "--batch", "--unordered", "--buffer")
	pipe, err := cmd.StdoutPipe()
	if err == nil {
		cmd.Stderr = os.Stderr
		err = cmd.Start()
	}
	if err != nil {
		return fmt.Errorf("start git: %w", err)
	}
	out := bufio.NewReaderSize(pipe, 1<<20)
	for {
		head, err := out.ReadString('\n')
		if err == io.EOF {
			break
		}
		var id, kind string
		var size int
		if _, scanned := fmt.Sscan(head, &id, &kind, &size); err != nil || scanned != nil {
			return fmt.Errorf("git cat-file says %q", head)
		}
		data := make([]byte, size+1) // and a line break
		if _, err := io.ReadFull(out, data); err != nil {
			return fmt.Errorf("read object %s: %w", id, err)
		}
		f("object "+kind+" "+id, data[:size])
	}
	if err := cmd.Wait(); err != nil {
		return fmt.Errorf("git cat-file: %w", err)
	}
	return nil
}
