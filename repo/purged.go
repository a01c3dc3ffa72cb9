package repo

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/go-json-experiment/json"

	"mem/facts"
	"mem/fault"
	"mem/index"
	"mem/repo/disk"
	"mem/repo/gitstore"
)

// Errors about purges. The first two concern a memory into which git brought another history. They come with
// ErrBusy: the write has to wait.
var (
	ErrReturned = fault.New(fault.Later, "git brought back what was purged", "run the command again")
	ErrWords    = fault.New(fault.Refused, "words were purged, which this clone may have",
		"run 'mem purge -' here with the same words, or clone the memory again")
	ErrNotPurged = fault.New(fault.Refused, "nothing was purged", "") // a memory cannot be purged as it stands
)

// Words lists what package purge removes from a memory.
type Words struct {
	IDs   []string `json:"ids"`   // ids of purged records, including former ones
	Texts []string `json:"texts"` // what they said, or what a person named

	Names []string `json:"names,omitzero"` // their names in the index, with the commits that first had them
}

// WordsStart begins the names, in the index, of words that were purged: no lesson's id begins so.
const WordsStart = "w-"

// CutPurged splits an index name of purged words into their id and the commit that first held them: if that
// commit is back, so are the words. Most names have no commit.
func CutPurged(name string) (of, commit string) {
	if at := strings.LastIndexByte(name, '-'); at >= len(WordsStart) {
		return name[:at], name[at+1:]
	}
	return name, ""
}

// ReadPurge returns the words of an unfinished purge of the memory in a folder; found is false if there is none.
func ReadPurge(folder string) (w Words, found bool, err error) {
	data, err := os.ReadFile(filepath.Join(folder, filepath.FromSlash(gitstore.PurgePath)))
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) { // what opens the memory says that it is a file
		return w, false, nil
	}
	if err == nil {
		err = json.Unmarshal(data, &w)
	}
	return w, true, err
}

// NotePurge records words to be purged, and adds those recorded before to w. It refuses if they cannot all be
// purged. The caller has the lock.
func (r *Root) NotePurge(w *Words) error {
	if err := r.checkWhole(); err != nil {
		return err
	}
	was, _, err := ReadPurge(r.Path())
	for to, from := range map[*[]string][]string{&w.IDs: was.IDs, &w.Texts: was.Texts, &w.Names: was.Names} {
		*to = slices.Compact(slices.Sorted(slices.Values(slices.Concat(*to, from))))
	}
	data, err2 := json.Marshal(w)
	if err = errors.Join(err, err2); err != nil {
		return fmt.Errorf("note what to purge: %w", err)
	}
	return r.d.WriteFile(gitstore.PurgePath, data, gitstore.TempDir)
}

func (r *Root) checkWhole() error {
	head, err := r.store.ReadHead()
	switch {
	case err != nil:
		return err
	case head.Ref == "":
		return fmt.Errorf("%w: no branch is checked out", ErrNotPurged)
	case r.d.Exists(".git/shallow"):
		return fmt.Errorf("%w: this is a shallow clone, which does not have the whole history", ErrNotPurged)
	case r.d.Exists(".git/worktrees"):
		return fmt.Errorf("%w: the memory has linked work trees, with files and logs of their own; 'git worktree list' names them", ErrNotPurged)
	case r.d.Exists(gitstore.PurgePath):
		return nil
	}
	return r.CheckBusy()
}

// Exclude calls f while nothing else writes to the memory, or lets git pack it.
func (r *Root) Exclude(ctx context.Context, f func(*disk.Dir, *gitstore.Store) error) error {
	return r.exclude(ctx, func(*disk.Lock) error {
		packing, err := r.d.AcquireLock(ctx, gitstore.PackLockPath, r.opts.LockWait) // what is packed now is copied
		if err != nil {
			return fmt.Errorf("wait for git to pack: %w", err)
		}
		return errors.Join(f(r.d, r.store), packing.Release())
	})
}

// FindWords returns the texts of lessons, by id, from all facts in git and all index versions older than facts.
// Later indexes add nothing, and a text merge by git may have swapped words in them. Names of other purged
// words yield nothing.
func (r *Root) FindWords(ctx context.Context, names []string) (words Words, err error) {
	for _, name := range names {
		if of, commit := CutPurged(name); commit == "" && !strings.HasPrefix(of, WordsStart) {
			words.IDs = append(words.IDs, of)
		}
	}
	if len(words.IDs) == 0 {
		return words, nil
	}
	err = gitstore.EachObject(ctx, r.Path(), r.opts.Environ, func(_ string, data []byte) {
		f, err := facts.Parse(data)
		texts := f.Wordings(words.IDs)
		if err != nil && slices.ContainsFunc(words.IDs, func(id string) bool { return bytes.Contains(data, []byte(`"`+id+`"`)) }) {
			texts = findOld(data, words.IDs)
		}
		for _, text := range texts {
			words.Texts = append(words.Texts, index.StripAvoid(text))
		}
	})
	words.Texts = slices.Compact(slices.Sorted(slices.Values(words.Texts)))
	return words, err
}

// findOld returns what lessons said in an index from before there were facts.
func findOld(data []byte, ids []string) (texts []string) {
	if ix, _, err := index.Load(data, time.Time{}); err == nil && ix.Log == "" {
		for _, it := range ix.Items {
			if slices.Contains(ids, it.ID) {
				texts = append(texts, it.Text)
			}
		}
	}
	return texts
}

// checkPurged returns an error if git moved the branch and brought purged words back that no purge is recorded
// for. Lessons can prove their return by themselves; it then records them for the purge.
func (s *fold) checkPurged(ctx context.Context) error {
	if own := s.r.store.ReadOwn(s.m.tx.Head.Ref); len(own) == 0 || slices.Contains(own, s.m.tx.Head.Tip) {
		return nil
	}
	names, isBack := s.log.Purged()
	if s.was != nil { // git may have taken out of the log that it was purged
		was, _ := s.was.Purged()
		names = slices.Concat(names, was)
	}
	noted, _, err := ReadPurge(s.r.Path())
	for _, name := range names {
		of, commit := CutPurged(name)
		h, _ := gitstore.ParseHash(commit)
		switch {
		case commit == "" || slices.Contains(noted.Names, of) || s.r.store.FindKind(h) != gitstore.KindCommit:
		case strings.HasPrefix(of, WordsStart):
			err = fmt.Errorf("%[2]w: %[1]w; 'mem purge -' with the same words takes them out", ErrWords, ErrBusy)
		default:
			isBack = true
		}
	}
	if !isBack {
		return err
	}
	words, errFind := s.r.FindWords(ctx, names)
	if errFind != nil {
		return fmt.Errorf("look for what was purged: %w", errFind)
	}
	if slices.ContainsFunc(words.Texts, func(text string) bool { return !slices.Contains(noted.Texts, text) }) {
		err = errors.Join(err, s.r.NotePurge(&words), fmt.Errorf("%[2]w: %[1]w; 'mem purge --continue' takes it out again", ErrReturned, ErrBusy))
	}
	return err
}
