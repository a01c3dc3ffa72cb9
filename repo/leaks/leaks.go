// Package leaks takes secrets out of what a memory counts, and finds them in the
// files that a person or another program wrote. It changes no file: repo decides
// what follows.
package leaks

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"mem/guard"
	"mem/index"
	"mem/index/codec"
	"mem/repo/gitstore"
	"mem/repo/gitstore/object"
)

// IsNew reports whether a file holds what looks like a secret and did not hold it
// before.
func IsNew(old, data []byte) bool {
	n := guard.CountSecrets(string(data))
	return n > 0 && n > guard.CountSecrets(string(old))
}

// IsLeak is IsNew for a file of a person. The name of one that is new, without old,
// counts too.
func IsLeak(name string, old, data []byte) bool {
	return old == nil && guard.CountSecrets(name) > 0 || IsNew(old, data)
}

// ScrubLessons returns lessons without secrets and invisible characters. A tag with
// one is left out.
func ScrubLessons(lessons []index.Lesson) []index.Lesson {
	lessons = slices.Clone(lessons)
	for i := range lessons {
		l := &lessons[i]
		l.Text = guard.Scrub(l.Text)
		l.Why = guard.Scrub(l.Why)
		scrubLiterals(&l.Cue)
		scrubLiterals(&l.Remedy)
		l.Tags = slices.DeleteFunc(slices.Clone(l.Tags), func(tag string) bool { return guard.Scrub(tag) != tag })
		scrubSource(&l.Source)
		l.Before = slices.Clone(l.Before)
		for j := range l.Before {
			scrubSource(&l.Before[j])
		}
	}
	return lessons
}

// ScrubRecords returns records without secrets in what they say.
func ScrubRecords(records []index.Item) []index.Item {
	records = slices.Clone(records)
	for i := range records {
		it := &records[i]
		if text := guard.Scrub(it.Text); text != it.Text {
			it.Text, it.Key = text, index.KeyOf(text)
		}
		it.Sources = slices.Clone(it.Sources)
		for j := range it.Sources {
			scrubSource(&it.Sources[j])
		}
	}
	return records
}

// scrubLiterals takes secrets out of what a lesson is about.
func scrubLiterals(l *index.Literals) {
	for _, text := range []*string{&l.Tool, &l.Command, &l.Error, &l.Path} {
		*text = guard.Scrub(*text)
	}
}

// scrubSource takes secrets out of a source: the names of sessions and of what is
// in them are the trace's own.
func scrubSource(s *index.Source) {
	for _, text := range []*string{&s.Trace, &s.Session, &s.Span, &s.Model} {
		*text = guard.Scrub(*text)
	}
}

// Announce returns what is to be called once a memory is mem's own: if another program made it, warn gets what looks like a secret there.
func Announce(store *gitstore.Store, warn func(string)) func() {
	tip := findForeign(store)
	return func() {
		if tip.IsZero() {
			return
		}
		if found := describe(store, tip); found != "" {
			warn("this memory holds what looks like secrets, which mem leaves as they are, in " + found)
		}
	}
}

// findForeign returns the tip of a history whose index another program
// wrote as version 1; zero for any other.
func findForeign(store *gitstore.Store) object.Hash {
	head, err := store.ReadHead()
	if err != nil || head.Tip.IsZero() {
		return object.Hash{}
	}
	tip, err := store.ReadCommit(head.Tip)
	if err != nil {
		return object.Hash{}
	}
	blob, err := store.FindBlob(tip.Tree, index.Path)
	if err != nil || blob.IsZero() {
		return object.Hash{}
	}
	data, err := store.ReadBlob(blob)
	if err != nil {
		return object.Hash{}
	}
	if ix, _, err := codec.Load(data, time.Time{}); err != nil || ix.Version > 1 {
		return object.Hash{}
	}
	return head.Tip
}

// maxScanned is how many bytes of a history are looked at, from the newest on.
const maxScanned = 64 << 20

// describe counts and names what looks like a secret in the files of a commit, and
// in those of its history; "" if there is none.
func describe(store *gitstore.Store, tip object.Hash) string {
	now, before := map[string]int{}, map[string]int{}
	seen, bytes := map[object.Hash]bool{}, 0
	err := store.WalkHistory(tip, func(c object.Commit) bool {
		files, err := store.ListFiles(c.Tree, nil)
		if err != nil {
			return false
		}
		counts := before
		if c.Hash == tip {
			counts = now
		}
		for path, blob := range files {
			if seen[blob] {
				continue
			}
			seen[blob] = true
			data, err := store.ReadBlob(blob)
			if err != nil {
				continue // the command that needs it says so
			}
			bytes += len(data)
			if n := guard.CountSecrets(string(data)); n > 0 {
				counts[path] = max(counts[path], n)
			}
		}
		return bytes < maxScanned
	})
	var found []string
	if len(now) > 0 {
		found = append(found, "its files: "+listCounts(now))
	}
	if len(before) > 0 {
		found = append(found, "its history: "+listCounts(before))
	}
	if err != nil || len(found) == 0 {
		return ""
	}
	return strings.Join(found, "; in ")
}

// listCounts lists paths with their counts, those with the most first.
func listCounts(counts map[string]int) string {
	const most = 8
	var paths, names []string
	for path := range counts {
		paths = append(paths, path)
	}
	slices.SortFunc(paths, func(a, b string) int {
		if n := counts[b] - counts[a]; n != 0 {
			return n
		}
		return strings.Compare(a, b)
	})
	for _, path := range paths[:min(len(paths), most)] {
		names = append(names, fmt.Sprintf("%s (%d)", guard.Line(path), counts[path]))
	}
	if n := len(paths) - most; n > 0 {
		names = append(names, fmt.Sprintf("%d more", n))
	}
	return strings.Join(names, ", ")
}
