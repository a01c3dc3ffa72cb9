package purge

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"mem/repo"
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

// A git calls git in a repository: in the memory, or in the copy.
type git struct {
	folder  string
	environ []string
}

func (g git) command(ctx context.Context, args ...string) *exec.Cmd {
	var all []string
	for _, setting := range []string{
		"core.quotePath=false", "core.commitGraph=false", "safe.bareRepository=all", "repack.writeBitmaps=false", "repack.packKeptObjects=false",
	} {
		all = append(all, "-c", setting)
	}
	return gitconfig.Command(ctx, g.folder, g.environ, append(all, args...)...)
}

func (g git) run(ctx context.Context, args ...string) error {
	_, err := gitconfig.Run(g.command(ctx, args...), "", args[0])
	return err
}

// listRefs returns the refs, with what they name: an id or, of one that stands for another, that one, too.
func (g git) listRefs(ctx context.Context) (map[string]string, error) {
	out, err := gitconfig.Run(g.command(ctx, "for-each-ref", "--format=%(refname) %(objectname)%(symref)"), "", "for-each-ref")
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

// rewrite writes the history anew, as far as it holds the words, lets the files follow, and moves all refs to it.
func (p *purger) rewrite(ctx context.Context, c cleaner, words *repo.Words, res *Result) error {
	old, err := p.listRefs(ctx)
	if err != nil {
		return err
	}
	copied := git{filepath.Join(p.folder, filepath.FromSlash(copyPath)), p.environ}
	var f *filter
	var now map[string]string
	return inOrder(
		func() error { return p.makeCopy(ctx, old) },
		func() (err error) { f, err = copied.export(ctx, c); return err },
		func() (err error) { now, err = copied.listRefs(ctx); return err },
		func() error { return copied.run(ctx, "repack", "-a", "-d", "-q", "--pack-kept-objects") },
		func() error { return p.d.RemoveAll(copyPath + alternates) },
		func() error { return copied.run(ctx, "rev-list", "--objects", "--all", "--quiet") }, // fails if an object is missing
		func() error { return c.check(ctx, copied, func(string) bool { return false }) },
		func() error { return p.root.NotePurge(nameFirst(words, f.first)) },
		p.takePacks,
		func() error { return p.cleanFiles(c, f.ids, res) },
		func() error { res.Commits = f.renamed; return p.moveRefs(ctx, old, now) },
	)
}

// nameFirst adds to the names of what is purged the commits that first held it.
func nameFirst(words *repo.Words, first []string) *repo.Words {
	for _, name := range slices.Clone(words.Names) {
		for _, id := range first {
			if _, commit := repo.CutPurged(name); commit == "" {
				words.Names = append(words.Names, name+"-"+id)
			}
		}
	}
	return words
}

// alternates is where a repository names another one whose objects it reads.
const alternates = "/objects/info/alternates"

// makeCopy makes the copy, with these refs and one for each stash. What a remote has is fetched again.
func (p *purger) makeCopy(ctx context.Context, refs map[string]string) error {
	var packed strings.Builder
	for ref, id := range refs {
		if !strings.HasPrefix(ref, "refs/remotes/") && !strings.Contains(id, "/") {
			fmt.Fprintf(&packed, "%s %s\n", id, ref)
		}
	}
	stashes, err := gitconfig.Run(p.command(ctx, "stash", "list", "--format=%H"), "", "stash")
	for i, id := range strings.Fields(stashes) {
		fmt.Fprintf(&packed, "%s %s%d\n", id, stashArea, i)
	}
	if err == nil {
		err = p.d.RemoveAll(copyPath)
	}
	if err == nil {
		err = p.d.MkdirAll(copyPath + "/refs")
	}
	for name, text := range map[string]string{"/HEAD": "ref: refs/heads/main\n", alternates: "../../../objects\n", "/packed-refs": packed.String()} {
		if err == nil {
			err = p.d.WriteLoose(copyPath+name, []byte(text)) // it is made anew after a power cut
		}
	}
	return err
}

// export writes what the refs of the copy lead to anew.
func (g git) export(ctx context.Context, c cleaner) (*filter, error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	from := g.command(ctx, "fast-export", "--show-original-ids", "--signed-tags=strip", "--tag-of-filtered-object=rewrite", "--reencode=no", "--use-done-feature",
		"--all")
	to := g.command(ctx, "fast-import", "--quiet", "--force", "--done", "--export-marks=marks")
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
	data, err := os.ReadFile(filepath.Join(g.folder, "marks"))
	if err != nil {
		return nil, fmt.Errorf("read what git wrote: %w", err)
	}
	f.compare(readIDLines(string(data)))
	return f, nil
}

// takePacks moves the packs of the copy to the memory, durably, and keeps them from git until it dropped the others. Git has flushed
// them, and they are read-only.
func (p *purger) takePacks() error {
	names, err := p.d.ListFolder(copyPath + "/objects/pack")
	if err = errors.Join(err, p.d.MkdirAll(packFolder), p.dropKept()); err != nil {
		return fmt.Errorf("list packs: %w", err)
	}
	for _, name := range names {
		stem, isPack := strings.CutSuffix(name, ".pack")
		if !isPack {
			continue
		}
		err = errors.Join(err, p.d.WriteFile(packFolder+"/"+stem+".keep", []byte(kept), gitstore.TempDir))
		for _, name := range []string{name, stem + ".idx"} {
			if err == nil {
				err = p.d.Rename(copyPath+"/objects/pack/"+name, packFolder+"/"+name)
			}
		}
	}
	return errors.Join(err, p.d.SyncDir(packFolder))
}

// dropKept lets git have the packs that mem kept from it, and removes what git or a purge left of one where it died.
func (p *purger) dropKept() error {
	names, err := p.d.ListFolder(packFolder)
	for _, name := range names {
		stem, isKeep := strings.CutSuffix(packFolder+"/"+name, ".keep")
		if isKeep {
			said, err2 := p.d.ReadFile(stem+".keep", 1<<10)
			err, isKeep = errors.Join(err, err2), string(said) == kept
		}
		if isKeep && !p.d.Exists(stem+".idx") {
			err = errors.Join(err, p.d.Remove(stem+".pack"))
		}
		if isKeep || strings.HasPrefix(name, ".tmp-") {
			err = errors.Join(err, p.d.Remove(packFolder+"/"+name))
		}
	}
	return err
}

// moveRefs moves all refs to their new history, together: what git is told is done as a whole or not at all. What it prepared, in
// its locks, is flushed before they become the refs.
func (p *purger) moveRefs(ctx context.Context, old, now map[string]string) error {
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
	_, _ = io.WriteString(in, "start\n") // what it does not read, it does not answer
	for _, ref := range slices.Sorted(maps.Keys(old)) {
		switch {
		case strings.HasPrefix(ref, "refs/remotes/"):
			_, _ = fmt.Fprintf(in, "option no-deref\ndelete %s\n", ref)
		case now[ref] != old[ref] && !strings.Contains(old[ref], "/"):
			_, _ = fmt.Fprintf(in, "update %s %s %s\n", ref, now[ref], old[ref])
		}
	}
	_, _ = io.WriteString(in, "prepare\n")
	answers := bufio.NewReader(out)
	for line := ""; err == nil && line != "prepare: ok\n"; {
		line, err = answers.ReadString('\n')
	}
	if err == nil {
		err = gitconfig.Flush(p.d)
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

// beginLogs makes the logs anew but for the list of stashes, and notes the new history as mem's own doing: one that git
// brought would wait for the person.
func (p *purger) beginLogs() error {
	names, err := p.d.ListFolder(".git/logs/refs")
	for _, name := range append(names, "../HEAD", "../../ORIG_HEAD", "../../FETCH_HEAD", "../../COMMIT_EDITMSG", "../../TAG_EDITMSG") {
		if name != path.Base(stashLog) {
			err = errors.Join(err, p.d.RemoveAll(path.Join(".git/logs/refs", name)))
		}
	}
	head, err2 := p.store.ReadHead()
	if err = errors.Join(err, err2, p.dropMove(), p.d.MkdirAll(path.Dir(".git/logs/"+head.Ref))); err != nil {
		return err
	}
	signature := object.Signature(gitconfig.ReadIdentity(p.d, p.w.At.Project, p.environ).Committer, p.w.Now.UTC())
	return p.store.AppendLog(head.Ref, object.Hash{}, head.Tip, signature, moved)
}

// dropMove takes out of the list of stashes what git noted when the newest got its new id.
func (p *purger) dropMove() error {
	data, err := p.d.ReadFile(stashLog, maxFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	list := slices.DeleteFunc(slices.Collect(bytes.Lines(data)), func(line []byte) bool { return bytes.HasSuffix(line, []byte("\t"+moved+"\n")) })
	if err != nil {
		return err
	}
	return p.d.WriteFile(stashLog, bytes.Join(list, nil), gitstore.TempDir)
}

// renewIndex makes git's index anew, in a file of mem's own: a lock of git's would stay if it dies.
func (p *purger) renewIndex(ctx context.Context) error {
	const temp = gitstore.TempDir + "/purge-index"
	cmd := p.command(ctx, "read-tree", "HEAD")
	cmd.Env = append(cmd.Env, "GIT_INDEX_FILE="+filepath.Join(p.folder, filepath.FromSlash(temp)))
	if _, err := gitconfig.Run(cmd, "", "read-tree"); err != nil {
		return err
	}
	if err := p.d.SyncFile(temp); err != nil {
		return err
	}
	return p.store.ReplaceIndex(ctx, temp, lockWait)
}
