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
	"time"

	"mem/lazy"
	"mem/repo"
	"mem/repo/disk"
	"mem/repo/gitstore"
	"mem/workspace"
)

// The copy is a repository of its own, which git alone writes to. It is made anew each time.
const (
	copyPath   = gitstore.PurgePath + ".git"
	packFolder = ".git/objects/pack"
	alternates = "/objects/info/alternates" // where a repository names another one whose objects it reads
	stashArea  = "refs/mem-stash/"
	stashLog   = ".git/logs/refs/stash"
	moved      = gitstore.Own + "purge" // is what logs say of it
	lockWait   = 10 * time.Second
)

// A git calls git in a repository: in the memory, or in the copy.
type git struct {
	folder, dir string // and git's own in that
	environ     []string
}

func (g git) command(ctx context.Context, args ...string) *exec.Cmd {
	all := []string{"-c", "core.quotePath=false", "-c", "core.commitGraph=false", "-c", "safe.bareRepository=all",
		"-c", "repack.writeBitmaps=false", "-c", "pack.packSizeLimit=0"}
	return gitstore.Command(ctx, g.folder, g.environ, append(all, args...)...)
}

func (g git) run(ctx context.Context, args ...string) error {
	_, err := gitstore.Run(g.command(ctx, args...), "", args[0])
	return err
}

// listRefs returns the refs with their ids; a symbolic ref's id is followed by the name of its target.
func (g git) listRefs(ctx context.Context) (map[string]string, error) {
	out, err := gitstore.Run(g.command(ctx, "for-each-ref", "--format=%(refname) %(objectname)%(symref)"), "", "for-each-ref")
	return readIDLines(out), err
}

func readIDLines(text string) map[string]string {
	ids := map[string]string{}
	for line := range strings.Lines(text) {
		if name, id, ok := strings.Cut(strings.TrimSpace(line), " "); ok {
			ids[name] = id
		}
	}
	return ids
}

type purger struct {
	git
	w     *workspace.Workspace
	root  *repo.Root
	d     *disk.Dir
	store *gitstore.Store
}

func exclude(ctx context.Context, w *workspace.Workspace, f func(*purger) error) error {
	root, err := w.OpenRoot()
	if err != nil {
		return err
	}
	return root.Exclude(ctx, func(d *disk.Dir, store *gitstore.Store) error {
		return f(&purger{git{d.Path(), ".git", w.Environ}, w, root, d, store})
	})
}

// Announce records the words to be purged before anything else happens: before a lesson leaves the index, or commits
// with the words are fetched. It adds the words recorded before, and removes the locks of an interrupted purge.
func Announce(ctx context.Context, w *workspace.Workspace, words *repo.Words) error {
	return exclude(ctx, w, func(p *purger) error {
		return disk.InOrder(
			func() error { return p.store.Recover(ctx, lockWait) }, // git cannot pass what mem left when it died
			func() error { return p.clearLocks(ctx) },
			func() error { return p.root.NotePurge(words) },
		)
	})
}

// run purges the announced words, and adds to words.Names the commits that first held them.
func (p *purger) run(ctx context.Context, words *repo.Words, res *Result) error {
	c, copied := newCleaner(*words), git{filepath.Join(p.folder, filepath.FromSlash(copyPath)), ".", p.environ}
	var old, now map[string]string
	var f *filter
	var pack string
	return disk.InOrder(
		func() error { return p.root.EditJobs(c.replace) }, // what waits outside the memory's folder
		func() (err error) { old, err = p.listRefs(ctx); return err },
		func() error { return p.makeCopy(ctx, old) },
		func() (err error) { f, err = copied.export(ctx, c); return err },
		func() (err error) { now, err = copied.listRefs(ctx); return err },
		func() error { return copied.run(ctx, "repack", "-a", "-d", "-q", "--pack-kept-objects") },
		func() error { return p.d.RemoveAll(copyPath + alternates) },
		func() error { return copied.run(ctx, "rev-list", "--objects", "--all", "--quiet") }, // fails if an object is missing
		func() error { return c.check(ctx, copied) },
		func() error { return p.root.NotePurge(f.nameFirst(words)) },
		func() (err error) { pack, err = p.takePack(); return err },
		func() error { return p.cleanFiles(c, f.ids, res) },
		func() error { return p.moveRefs(ctx, old, now) },
		p.beginLogs,
		func() error { return gitstore.Flush(p.d) },
		func() error { return p.renewIndex(ctx) },
		func() error { return gitstore.DropLists(p.d, true) },
		// Git flushes no name: a copy of what was taken could be gone with it.
		func() error { return p.git.run(ctx, "repack", "-a", "-d", "-q", "--keep-pack="+pack) },
		func() error { return p.git.run(ctx, "prune", "--expire=now") },
		func() error { return p.d.RemoveAll(copyPath) },
		func() error { return c.check(ctx, p.git) },
		func() error { return p.clearLocks(ctx) }, // a git that ended well may have failed to remove one
		func() error { return gitstore.Flush(p.d) },
		func() error { res.Commits = f.renamed; return nil },
	)
}

// patience is how long to wait for a git lock before it counts as dead.
var patience = 2 * time.Second

// clearLocks waits for git's locks to go. An interrupted purge leaves locks where its git died: there were none when
// it began, and no live git holds a ref's lock for so long. Any other lock is an error that wraps disk.ErrLocked. A
// person's git holds that of the index while an editor is open; a purge never lets git take it.
func (p *purger) clearLocks(ctx context.Context) error {
	for {
		var lock string
		err := disk.Await(ctx, patience, func() error {
			return gitstore.Walk(p.folder, ".git", func(name string, _ fs.DirEntry) error {
				if lock = name; strings.HasSuffix(name, ".lock") && !strings.HasPrefix(name, ".git/objects/") {
					return disk.ErrLocked
				}
				return nil
			}, gitstore.PrivateDir)
		})
		switch {
		case !errors.Is(err, disk.ErrLocked):
			return err
		case lock == ".git/index.lock" || !p.d.Exists(gitstore.PurgePath):
			return fmt.Errorf("git has %s; if no git command runs here, remove it: %w", lock, disk.ErrLocked)
		}
		if err := p.d.Remove(lock); err != nil {
			return err
		}
	}
}

// makeCopy makes the copy, with these refs and one for each stash. Remote-tracking refs are left out: they are fetched again.
func (p *purger) makeCopy(ctx context.Context, refs map[string]string) error {
	stashes, err := gitstore.Run(p.command(ctx, "stash", "list", "--format=%H"), "", "stash")
	var packed strings.Builder
	for i, id := range strings.Fields(stashes) {
		fmt.Fprintf(&packed, "%s %s%d\n", id, stashArea, i)
	}
	for ref, id := range refs {
		if !strings.HasPrefix(ref, "refs/remotes/") && !strings.Contains(id, "/") {
			fmt.Fprintf(&packed, "%s %s\n", id, ref)
		}
	}
	write := func(name, text string) func() error {
		return func() error { return p.d.WriteLoose(copyPath+name, []byte(text)) } // it is made anew after a power cut
	}
	return disk.InOrder(
		func() error { return err },
		func() error { return p.d.RemoveAll(copyPath) },
		func() error { return p.d.MkdirAll(copyPath + "/refs") },
		write("/HEAD", "ref: refs/heads/main\n"), write("/packed-refs", packed.String()), write(alternates, "../../../objects\n"),
	)
}

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
		changed: map[string]string{}, moved: map[string]string{}, marks: map[string]string{}, ids: map[string]string{}, parents: map[string][]string{},
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
	f.compare(readIDLines(string(data)))
	return f, err
}

// takePack moves the copy's pack into the memory, durably, and returns its name. The pack is never there
// without its index. Before, it removes what an interrupted git or purge left of others.
func (p *purger) takePack() (pack string, err error) {
	const from = copyPath + "/objects/pack"
	names, err := p.d.ListFolder(packFolder)
	for _, name := range names {
		stem, isIndex := strings.CutSuffix(name, ".idx")
		if isIndex && !slices.Contains(names, stem+".pack") || strings.HasPrefix(name, ".tmp-") {
			err = errors.Join(err, p.d.Remove(packFolder+"/"+name))
		}
	}
	names, err2 := p.d.ListFolder(from)
	err = errors.Join(err, err2, p.d.MkdirAll(packFolder))
	for _, pack = range slices.DeleteFunc(names, func(name string) bool { return !slices.Contains([]string{".idx", ".pack"}, path.Ext(name)) }) {
		if err == nil {
			err = errors.Join(p.d.Rename(from+"/"+pack, packFolder+"/"+pack), p.d.SyncDirs(packFolder))
		}
	}
	return pack, err
}

// listMoves returns the input of git update-ref: it deletes remote-tracking refs, and moves changed refs to their new ids.
func listMoves(old, now map[string]string) string {
	var b strings.Builder
	for _, ref := range slices.Sorted(maps.Keys(old)) {
		switch {
		case strings.HasPrefix(ref, "refs/remotes/"):
			fmt.Fprintf(&b, "option no-deref\ndelete %s\n", ref)
		case now[ref] != old[ref] && !strings.Contains(old[ref], "/"):
			fmt.Fprintf(&b, "update %s %s %s\n", ref, now[ref], old[ref])
		}
	}
	return b.String()
}

// moveRefs moves all refs to their new history in one transaction of git. What git prepared in its lock files
// is flushed before these become the refs.
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
	_, _ = io.WriteString(in, "start\n"+listMoves(old, now)+"prepare\n") // what it does not read, it does not answer
	answers := bufio.NewReader(out)
	for line := ""; err == nil && line != "prepare: ok\n"; {
		line, err = answers.ReadString('\n')
	}
	if err == nil {
		err = gitstore.Flush(p.d)
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

// reMove matches what git noted in the list of stashes when the newest got its new id.
var reMove = lazy.New(`(?m)^.*\t` + moved + `\n`)

// beginLogs deletes all logs except the list of stashes, and records the new history as mem's own: changes that
// arrived by git would need the person's approval.
func (p *purger) beginLogs() error {
	names, err := p.d.ListFolder(".git/logs/refs")
	for _, name := range append(names, "../HEAD", "../../ORIG_HEAD", "../../FETCH_HEAD", "../../COMMIT_EDITMSG", "../../TAG_EDITMSG") {
		if name != path.Base(stashLog) {
			err = errors.Join(err, p.d.RemoveAll(path.Join(".git/logs/refs", name)))
		}
	}
	if stashes, errRead := p.d.ReadFile(stashLog, maxFile); errRead == nil {
		err = errors.Join(err, p.d.WriteFile(stashLog, reMove.Get().ReplaceAll(stashes, nil), gitstore.TempDir))
	} else if !errors.Is(errRead, fs.ErrNotExist) {
		err = errors.Join(err, errRead)
	}
	head, errHead := p.store.ReadHead()
	if err = errors.Join(err, errHead, p.d.MkdirAll(path.Dir(".git/logs/"+head.Ref))); err != nil {
		return err
	}
	by, _ := gitstore.ReadCommitter(p.d, p.w.At.Project, p.environ)
	signature := gitstore.Signature(by.Committer, p.w.Now.UTC())
	return p.store.AppendLog(head.Ref, gitstore.Hash{}, head.Tip, signature, moved)
}

// renewIndex builds git's index again, in a file of mem's own: if git died, its lock would stay.
func (p *purger) renewIndex(ctx context.Context) error {
	const temp = gitstore.TempDir + "/purge-index"
	cmd := p.command(ctx, "read-tree", "HEAD")
	cmd.Env = append(cmd.Env, "GIT_INDEX_FILE="+filepath.Join(p.folder, filepath.FromSlash(temp)))
	return disk.InOrder(
		func() error { _, err := gitstore.Run(cmd, "", "read-tree"); return err },
		func() error { return p.d.SyncFile(temp) },
		func() error { return p.store.ReplaceIndex(ctx, temp, lockWait) },
	)
}
