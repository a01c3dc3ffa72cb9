package walk

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	"mem/index"
	"mem/repo/disk"
	"mem/repo/gitstore"
	"mem/repo/gitstore/object"
	"mem/repo/gitstore/reflog"
)

// A statement is what a commit says to sessions: a field of a lesson that is shown, or a
// line of a file.
type statement struct{ at, field, value string }

// shownFields are what a session is told of a lesson.
var shownFields = slices.DeleteFunc(slices.Clone(index.Fields), func(f index.Field) bool {
	return !slices.Contains([]string{"cue", "kind", "remedy", "text", "why"}, f.Name)
})

// FindForeign returns what of an index and of the files at head says something that mem's
// last commit did not say, nor the remotes at these commits: git brought it, unless all
// that came since was committed here. Authors of commits are no proof. It is the text of a
// lesson, by its id, and what a file is and what it was, by its path.
func FindForeign(d *disk.Dir, store *gitstore.Store, head gitstore.Head, path string, ix *index.Index, own []object.Hash, now time.Time) (map[string][2]string, error) {
	tips, isOwn := reflog.FindOwn(d, head.Ref)
	if isOwn || slices.Contains(tips, head.Tip) {
		return nil, nil
	}
	w := newWalker(store, path, now)
	was, err := w.listTexts(tips[0])
	if errors.Is(err, object.ErrDamaged) {
		return nil, nil // git collected it
	}
	files, err2 := w.listTexts(head.Tip)
	if err := errors.Join(err, err2); err != nil {
		return nil, err
	}
	maps.DeleteFunc(files, func(name string, blob object.Hash) bool { return was[name] == blob })
	said, known := map[statement]bool{}, map[statement]bool{}
	addLessons(said, ix)
	err = w.addLines(said, head.Tip, files)
	for _, tip := range append(own, tips[0]) { // a merge of these says nothing new
		had, err2 := w.readRaw(tip)
		addLessons(known, orEmpty(had))
		err = errors.Join(err, err2, w.addLines(known, tip, files))
	}
	found := map[string][2]string{}
	for s := range said {
		if i := ix.ByID(s.at); known[s] {
			continue
		} else if i >= 0 {
			found[s.at] = [2]string{ix.Items[i].Text}
		} else {
			found[s.at] = [2]string{files[s.at].String(), was[s.at].String()}
		}
	}
	return found, err
}

// addLessons adds what an index says.
func addLessons(said map[statement]bool, ix *index.Index) {
	for _, it := range ix.Items {
		for _, f := range shownFields {
			if it.IsShown() {
				said[statement{it.ID, f.Name, f.Read(&it)}] = true
			}
		}
	}
}

// addLines adds what a commit says in these files.
func (w *walker) addLines(said map[statement]bool, h object.Hash, files map[string]object.Hash) error {
	blobs, err := w.listTexts(h)
	for name := range files {
		if blob := blobs[name]; err == nil && !blob.IsZero() {
			var text []byte
			text, err = w.store.ReadBlob(blob)
			for line := range strings.Lines(string(text)) {
				if line = strings.TrimSpace(line); line != "" {
					said[statement{at: name, value: line}] = true
				}
			}
		}
	}
	return err
}

// listTexts returns the files of a commit that people write and sessions are shown, and
// the configuration.
func (w *walker) listTexts(h object.Hash) (map[string]object.Hash, error) {
	c, err := w.readCommit(h)
	if err != nil {
		return nil, err
	}
	files, err := w.store.ListFiles(c.Tree, nil)
	maps.DeleteFunc(files, func(name string, _ object.Hash) bool {
		top, _, _ := strings.Cut(name, "/")
		return name == "patterns/index.md" ||
			!slices.Contains([]string{"rules", "context", "memories", "learnings", "patterns", "daily", "monthly", "MEMORY.md", "mem.toml"}, top)
	})
	return files, err
}
