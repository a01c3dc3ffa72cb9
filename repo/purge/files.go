package purge

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"mem/facts"
	"mem/guard"
	"mem/repo/disk"
	"mem/repo/gitstore"
	"mem/repo/gitstore/gitconfig"
)

// maxFile bounds a file that is looked at.
const maxFile = 1 << 30

// shortcuts are files of mem's own that are made anew where they are missing, and one
// that only versions before made.
var shortcuts = []string{".git/mem/digest", ".git/mem/cues", ".git/mem/cache", ".git/mem/sessions", ".git/mem/tmp/purge-marks"}

// eachFile calls f for the regular files of a memory that are not objects of git's.
func (p Purger) eachFile(f func(name string) error) error {
	return filepath.WalkDir(p.Folder, func(full string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(p.Folder, full)
		if err != nil {
			return err
		}
		name = filepath.ToSlash(name)
		if e.IsDir() && name == ".git/objects" {
			return filepath.SkipDir
		}
		if !e.Type().IsRegular() || name == gitconfig.PurgePath || name == idsPath {
			return nil
		}
		return f(name)
	})
}

// idsPath notes the new ids of commits, for a purge that goes on where another broke off.
const idsPath = gitconfig.PurgePath + "-ids"

// readIDs returns the new ids of commits by their old ones, as far as they were noted.
func readIDs(d *disk.Dir) (map[string]string, error) {
	data, err := d.ReadFile(idsPath, maxFile)
	if errors.Is(err, fs.ErrNotExist) {
		return map[string]string{}, nil
	}
	ids := map[string]string{}
	if err == nil {
		err = json.Unmarshal(data, &ids)
	}
	return ids, err
}

// noteIDs adds new ids to those that were noted. A commit may have had several.
func noteIDs(d *disk.Dir, changed map[string]string) error {
	ids, err := readIDs(d)
	if err != nil || len(changed) == 0 {
		return err
	}
	for old, id := range ids {
		if next := changed[id]; next != "" {
			ids[old] = next
		}
	}
	maps.Copy(ids, changed)
	data, err := json.Marshal(ids, json.Deterministic(true))
	if err != nil {
		return fmt.Errorf("note new ids: %w", err)
	}
	return d.WriteFile(idsPath, data, gitstore.TempDir)
}

// translate names the commits by their new ids: what waits for the person is known by them.
func translate(data []byte, ids map[string]string) []byte {
	return reCommit.Get().ReplaceAllFunc(data, func(id []byte) []byte { return []byte(cmp.Or(ids[string(id)], string(id))) })
}

// cleanFiles takes the words out of the work tree and of what mem keeps beside it.
func (p Purger) cleanFiles(d *disk.Dir, c cleaner, res *Result) error {
	for _, name := range shortcuts {
		if err := d.RemoveAll(name); err != nil {
			return err
		}
	}
	ids, err := readIDs(d)
	if err != nil {
		return err
	}
	return p.eachFile(func(name string) error {
		data, err := d.ReadFile(name, maxFile)
		if err != nil {
			return fmt.Errorf("read %s: %w", guard.Line(name), err)
		}
		to, cleaned, err := p.cleanFile(c, name, data, ids)
		if err != nil {
			return err
		}
		if bytes.Equal(cleaned, data) && to == name {
			return nil
		}
		res.Files++
		if len(c.ids) > 0 && strings.HasPrefix(name, "learnings/") {
			return d.Remove(name) // all of it is about the lesson
		}
		return replaceFile(d, name, to, cleaned)
	})
}

// replaceFile gives a file other content, and perhaps another name.
func replaceFile(d *disk.Dir, name, to string, data []byte) error {
	if err := d.MkdirAll(path.Dir(to)); err != nil {
		return err
	}
	if err := d.WriteFile(to, data, gitstore.TempDir); err != nil || to == name {
		return err
	}
	return d.Remove(name)
}

// cleanFile returns what a file is called and holds without the words, sealed again if it was.
func (p Purger) cleanFile(c cleaner, name string, data []byte, ids map[string]string) (to string, cleaned []byte, err error) {
	to, cleaned = c.cleanFile(name, data, ids)
	if name == KnownPath && p.Reseal != nil {
		cleaned, err = p.Reseal(cleaned, data)
	}
	return to, cleaned, err
}

// cleanFile returns what a file is called and holds without the words.
func (c cleaner) cleanFile(name string, data []byte, ids map[string]string) (string, []byte) {
	switch {
	case strings.HasPrefix(name, ".git/mem/"):
		return name, translate(c.replace(data), ids)
	case strings.HasPrefix(name, ".git/") && strings.HasSuffix(name, "_EDITMSG"):
		return name, c.replace(data)
	case strings.HasPrefix(name, ".git/"): // Git's own have their forms; verify names one that holds the words.
		return name, data
	}
	if path, cleaned := c.cleanFact(data); path != "" && strings.HasPrefix(name, facts.Folder+"/") {
		return path, cleaned
	}
	return c.rename(name), c.clean(data)
}

// forget lets git drop what no ref leads to any more.
func (p Purger) forget(ctx context.Context, d *disk.Dir, store *gitstore.Store) error {
	err := gitconfig.Flush(d)
	if err == nil {
		err = p.deleteRefs(ctx, "refs/remotes/", stashArea)
	}
	if err != nil {
		return err
	}
	git := func(args ...string) func() error {
		return func() error { _, err := p.git(ctx, args...); return err }
	}
	return inOrder(
		func() error { return p.renewIndex(ctx, d, store) }, func() error { return gitconfig.DropLists(d, true) },
		git("repack", "-a", "-q"), func() error { return gitconfig.Flush(d) }, // before the old packs go
		git("repack", "-a", "-d", "-q"), git("prune", "--expire=now"),
	)
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
	if err := errors.Join(d.SyncFile(temp), d.SyncDir(gitstore.TempDir)); err != nil { // with the name, by which the lock is known
		return err
	}
	return store.ReplaceIndex(ctx, temp, lockWait)
}

// maxPlaces is how many places an error names.
const maxPlaces = 5

// verify searches every object and every file.
func (p Purger) verify(ctx context.Context, d *disk.Dir, c cleaner) error {
	var places []string
	err := p.eachObject(ctx, func(what string, data []byte) {
		if c.finds(data, false) {
			places = append(places, "object "+what)
		}
	})
	if err == nil {
		err = p.eachFile(func(name string) error {
			data, err := d.ReadFile(name, maxFile)
			if err == nil && (c.finds(data, false) || c.finds([]byte(name), false)) {
				places = append(places, name)
			}
			return err
		})
	}
	if err != nil || len(places) == 0 {
		return err
	}
	more := ""
	if n := len(places) - maxPlaces; n > 0 {
		places, more = places[:maxPlaces], fmt.Sprintf(" and %d more", n)
	}
	return fmt.Errorf("%w, in %s%s", ErrLeft, guard.Line(strings.Join(places, ", ")), more)
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
		f(kind+" "+id, data)
	}
	if err := cmd.Wait(); err != nil {
		return fmt.Errorf("git cat-file: %w", err)
	}
	return nil
}

// Count returns how many objects of the history, and files that mem keeps beside it, hold the words. Words that
// facts could not be read without wrap ErrRefused.
func (p Purger) Count(ctx context.Context, w Words) (n int, err error) {
	c, breaks := newCleaner(w), false
	count := func(_ string, data []byte) {
		if c.finds(data, false) {
			n++
			breaks = breaks || c.breaks(data[:max(1, len(data))-1])
		}
	}
	if err = p.eachObject(ctx, count); err == nil && breaks {
		err = fmt.Errorf("%w: what mem itself writes has such a word, and could not be read without it", ErrRefused)
	}
	if err != nil {
		return 0, err
	}
	err = p.eachFile(func(name string) error {
		if !strings.HasPrefix(name, gitstore.PrivateDir+"/") {
			return nil
		}
		data, err := os.ReadFile(filepath.Join(p.Folder, filepath.FromSlash(name)))
		if count(name, data); errors.Is(err, fs.ErrNotExist) { // one that another process was done with
			return nil
		}
		return err
	})
	return n, err
}

// FindWordings returns what lessons said in all versions of the index, and in all facts, that git has.
func (p Purger) FindWordings(ctx context.Context, ids ...string) (texts []string, err error) {
	err = p.eachObject(ctx, func(_ string, data []byte) {
		if f, err := facts.Parse(data[:max(1, len(data))-1]); err == nil {
			texts = append(texts, f.Wordings(ids)...)
			return
		}
		for _, id := range ids {
			i := bytes.Index(data, []byte(`"id": "`+id+`"`))
			if i < 0 {
				continue
			}
			_, line, _ := bytes.Cut(data[max(0, bytes.LastIndex(data[:i], []byte("\n      \"text\": "))):i], []byte(": "))
			line, _, _ = bytes.Cut(line, []byte("\n"))
			text, err := jsontext.AppendUnquote(nil, bytes.TrimSuffix(line, []byte(",")))
			if err == nil && !slices.Contains(texts, string(text)) {
				texts = append(texts, string(text))
			}
		}
	})
	return texts, err
}
