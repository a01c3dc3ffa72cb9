// Package union says what two versions of a file of a memory become, given the
// version that both come from.
//
// git asks it through mem merge-driver, in the middle of a merge, a rebase or a
// revert, and it may be asked wherever both versions are known. It reads nothing
// but what it is handed. The records are merged as package index/merge does it, lists
// by their entries, learnings and rules by their lines. Views are left as they are:
// they are made of merged records, by the next command that writes. What two people
// wrote in one place is left to git: MergeFile refuses it, as all that it has a doubt
// about.
package union

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"mem/index"
	"mem/index/codec"
	"mem/index/merge"
	"mem/topic"
)

// ErrUnsure is wrapped when git, and then a person, should merge a file.
var ErrUnsure = errors.New("not a file that mem can merge by itself")

// MaxSize bounds each version of a file, in bytes.
const MaxSize = 64 << 20

// Patterns are the files that MergeFile merges, as git's attributes name them.
var Patterns = []string{
	index.Path, "core/traces.json", "core/CORE.md", "core/expertise.yaml", "long-term-memory.md",
	"patterns/*.md", "learnings/*/*.md", "rules/*.md", "rules/*/*.md", "context/*.md", "context/*/*.md", "context/*/*/*.md", "daily/*.md", "monthly/*.md", "CHANGELOG.md",
}

// MergeFile returns what the file at a path of a memory becomes, of which two
// versions were made of base; an empty one is none. It is commutative for what is
// not a view, and loses nothing that only one side has.
func MergeFile(name string, base, ours, theirs []byte) ([]byte, error) {
	for _, data := range [][]byte{base, ours, theirs} {
		if len(data) > MaxSize {
			return nil, fmt.Errorf("%d bytes: %w", len(data), ErrUnsure)
		}
	}
	if name == index.Path { // first: what one side took back gets a number
		return mergeIndex(base, ours, theirs)
	}
	if merged, ok := mergeWhole(base, ours, theirs); ok {
		return merged, nil
	}
	return mergeText(name, base, ours, theirs)
}

// mergeText is MergeFile for a file that is not the index, and that both sides changed.
func mergeText(name string, base, ours, theirs []byte) ([]byte, error) {
	switch name {
	case "core/traces.json":
		return mergeTraces(ours, theirs)
	case "core/CORE.md", "core/expertise.yaml", "long-term-memory.md":
		return []byte(cmp.Or(string(ours), string(theirs))), nil
	case "CHANGELOG.md":
		return mergeLists(base, ours, theirs, changes)
	}
	if topic.RuleFolder(name) != "" {
		return mergeRules(string(base), string(ours), string(theirs)), nil
	}
	switch folder, _, _ := strings.Cut(name, "/"); folder {
	case "daily":
		return mergeLists(base, ours, theirs, journal)
	case "rules", "context", "learnings", "monthly": // a month is due again then
		return joinFiles(base, ours, theirs)
	case "patterns":
		return mergePatterns(name, base, ours, theirs)
	}
	return nil, fmt.Errorf("%s: %w", name, ErrUnsure)
}

// mergeRules merges lists of rules. They are made anew of the files of the rules: what only
// a list has, as a person wrote it there, is kept where the lines of both fit together.
func mergeRules(base, ours, theirs string) []byte {
	if line, _, _ := strings.Cut(ours, "\n"); base == "" && strings.HasPrefix(theirs, line+"\n") {
		base = line + "\n"
	}
	isTwice := func(text string) bool { // both approved a rule
		names := slices.DeleteFunc(strings.Split(text, "\n"), func(line string) bool { return !strings.HasPrefix(line, "### ") })
		slices.Sort(names)
		return len(slices.Compact(slices.Clone(names))) < len(names)
	}
	if merged, ok := MergeLines(base, ours, theirs); ok && !isTwice(merged) {
		return []byte(merged)
	}
	return []byte(cmp.Or(ours, theirs))
}

// mergeWhole merges versions of which two are the same.
func mergeWhole(base, ours, theirs []byte) ([]byte, bool) {
	switch {
	case bytes.Equal(ours, theirs), bytes.Equal(base, theirs):
		return ours, true
	case bytes.Equal(base, ours):
		return theirs, true
	}
	return nil, false
}

func mergeIndex(versions ...[]byte) ([]byte, error) {
	var ix [3]*index.Index
	for i, data := range versions {
		if len(data) == 0 && i == 0 {
			continue // each side made one
		}
		loaded, report, err := codec.Load(data, time.Time{})
		switch {
		case err != nil:
			return nil, err
		case loaded.ReadOnly():
			return nil, fmt.Errorf("index of version %d: %w", loaded.Version, index.ErrNewerVersion)
		case report != codec.Report{}:
			return nil, fmt.Errorf("records or dates that cannot be read: %w", codec.ErrUnreadable)
		}
		if ix[i] = loaded; i > 0 && ix[0] != nil {
			merge.RestoreFrom(loaded, ix[0], string(data)) // another program may have rewritten it
		}
	}
	return codec.Encode(merge.Indexes(ix[0], ix[1], ix[2]))
}
