package vouched

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"mem/frontmatter"
	"mem/guard"
	"mem/index"
	"mem/index/withheld"
	"mem/render"
	"mem/repo/gitstore"
	"mem/repo/gitstore/object"
	"mem/repo/union"
	"mem/repo/walk"
)

// HidesIn reports whether something of a file waits.
func (l *List) HidesIn(name string) bool { return l.Hides() && len(l.Files[name]) > 0 }

// IsBrought reports whether a file that is not as in the last commit came from elsewhere.
func (l *List) IsBrought(name string, data []byte) bool {
	if !l.Hides() {
		return false
	}
	finder, err := l.find()
	is := err != nil // a command that writes says why
	if err == nil {
		is, err = finder.IsBrought(name, data)
	}
	if is = is || err != nil; is {
		l.root.Warn("git brought what stands in " + guard.Line(name) + "; it is shown as it was until you commit it and accept it: 'mem trust' shows it, and asks")
	}
	return is
}

// ReadShown reads a file that is not shown as it is, but as this version of it, without
// what waits. A new one of the work tree is shown empty.
func (l *List) ReadShown(store *gitstore.Store, name string, shown object.Hash, seen gitstore.File) (data []byte, exists bool, err error) {
	data, exists = seen.Data, seen.Changed || !shown.IsZero()
	if shown != seen.Blob || data == nil {
		if data = nil; !shown.IsZero() {
			data, err = store.ReadBlob(shown)
		}
	}
	if l.HidesIn(name) {
		data = l.show(name, data)
		exists = len(data) > 0
	}
	return append([]byte{}, data...), exists, err
}

// show returns what a file that holds this is shown as: without what waits, and with
// what was written to it here. Where that cannot be told apart it is as it was before.
func (l *List) show(name string, now []byte) []byte {
	for _, step := range slices.Backward(l.Files[name]) {
		was, err := l.readBlob(step[0])
		made, err2 := l.readBlob(step[1])
		switch {
		case errors.Join(err, err2) != nil:
			return nil
		case bytes.Equal(now, made):
			now = was
			continue
		case !hasBrought(string(was), string(made), string(now)):
			continue
		}
		merged, err := union.MergeFile(name, made, now, was)
		if err != nil {
			text, ok := union.MergeLines(string(made), string(now), string(was))
			if merged = []byte(text); !ok {
				merged = was
			}
		}
		now = merged
	}
	return now
}

// hasBrought reports whether a text has a line that another one brought, compared with
// what it was.
func hasBrought(was, made, now string) bool {
	has := map[string]bool{}
	for line := range strings.Lines(now) {
		has[strings.TrimSpace(line)] = true
	}
	for line := range strings.Lines(was) {
		delete(has, strings.TrimSpace(line))
	}
	delete(has, "")
	for line := range strings.Lines(made) {
		if has[strings.TrimSpace(line)] {
			return true
		}
	}
	return false
}

// readBlob reads a version of a file; nothing of none.
func (l *List) readBlob(blob object.Hash) ([]byte, error) {
	if blob.IsZero() {
		return nil, nil
	}
	return l.root.Store.ReadBlob(blob)
}

// ListTexts returns what waits: the lessons that are covered, with all that a session is
// told of them, and of the files what is new and does not only say the same again. now reads one as it is, was as it is shown. What is not there any more is dropped
// from the list: no yes to what is there is one to that.
func (l *List) ListTexts(ix *index.Index, now, was func(path string) ([]byte, error)) (texts []string) {
	if l == nil {
		return nil
	}
	maps.DeleteFunc(l.Lessons, func(id string, _ []string) bool { return !l.Covers(id) })
	said := map[string]bool{}
	for i := range ix.Items {
		it := &ix.Items[i]
		if !l.Covers(it.ID) {
			continue
		}
		texts = append(texts, fmt.Sprintf("%s (%s)", it.ShownText(), it.Status))
		said[it.ShownText()] = true
		for _, f := range walk.ShownFields {
			if value := f.Read(it); f.Name != "kind" && f.Name != "text" && value != "null" && value != `""` {
				texts = append(texts, "its "+f.Name+": "+value)
			}
		}
	}
	hidden := withheld.WordsOf(ix)
	for _, name := range slices.Sorted(maps.Keys(l.Files)) {
		text, _ := now(name) // else it is gone again
		before, _ := was(name)
		if bytes.Equal(text, before) {
			delete(l.Files, name)
			continue
		}
		texts = append(texts, name)
		if f, err := frontmatter.Parse(text); err == nil { // which says how it was captured
			text = []byte(f.Body())
		}
		for line := range strings.Lines(string(text)) {
			line = strings.TrimRight(line, "\n")
			if !said[strings.TrimPrefix(line, "# ")] && !strings.Contains("\n"+string(before)+"\n", "\n"+line+"\n") {
				texts = append(texts, name+": "+hidden.Mark(line))
			}
		}
	}
	if len(texts) == 0 && len(l.Commits) > 0 {
		texts = append(texts, render.Count(len(l.Commits), "commit", "commits")+" without anything to read but what 'git log' says")
	}
	return texts
}
