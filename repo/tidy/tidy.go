// Package tidy lets git put the packs of a memory together, in the background.
//
// Commits fill one pack after the other (see repo/gitstore/openpack), and a memory that an
// older mem wrote, or a person's git, has objects in files of their own. Git puts
// them together so that each pack is at least twice as large as the next smaller one: a
// large pack is written anew rarely, and there are few. The open pack is left alone. Where
// git is not there, or does not know how, nothing happens, and mem status says what waits.
package tidy

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"mem/repo"
	"mem/repo/gitstore/gitconfig"
	"mem/repo/private"
)

// From how many full packs on, more than there were the last time, a worker that runs anyway asks
// git, and one is started for it; and from how many objects in one of the 256 folders of those
// that are not packed.
const (
	somePacks = 2
	manyPacks = 8
	manyLoose = 4
)

// A State says how a memory's objects are kept.
type State struct {
	Packs int `json:"packs"` // that are full
	Loose int `json:"loose"` // objects in one folder, of files of their own

	Before int64     `json:"before,omitzero"` // bytes, when git was last asked
	After  int64     `json:"after,omitzero"`  // once it had done
	At     time.Time `json:"at,omitzero"`
	Failed string    `json:"failed,omitzero"` // why it did nothing
}

// Look returns how the objects are kept now, and what came of the last packing.
func Look(root *repo.Root) State {
	s := readLast(root)
	s.Packs, s.Loose = count(root)
	return s
}

// IsDue reports whether a worker should be started to ask git.
func IsDue(root *repo.Root) bool { return hasMore(root, manyPacks) }

// hasMore reports whether so many packs, or many loose objects, came since the last time.
func hasMore(root *repo.Root, packs int) bool {
	last := readLast(root)
	nowPacks, nowLoose := count(root)
	return nowPacks >= last.Packs+packs || nowLoose >= last.Loose+manyLoose
}

// readLast returns what came of the last packing. Without the note of it git is asked once more.
func readLast(root *repo.Root) (s State) {
	if data, err := root.ReadNote(private.NotePacked); err == nil {
		_ = json.Unmarshal(data, &s)
	}
	return s
}

// count returns how many packs are full, and how many objects are in a folder.
func count(root *repo.Root) (packs, loose int) {
	objects := filepath.Join(root.Path(), ".git", "objects")
	names, _ := os.ReadDir(filepath.Join(objects, "pack"))
	for _, name := range names {
		switch filepath.Ext(name.Name()) {
		case ".pack":
			packs++
		case ".keep":
			packs--
		}
	}
	files, _ := os.ReadDir(filepath.Join(objects, "17"))
	return packs, len(files)
}

// Pack lets git put the packs together, if that is due. What it says against it is noted.
func Pack(ctx context.Context, root *repo.Root, now time.Time) error {
	if !hasMore(root, somePacks) {
		return nil
	}
	before, failed := measure(root), ""
	if err := repack(ctx, root.Path()); err != nil {
		failed = err.Error()
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	s := Look(root)
	s.Before, s.After, s.At, s.Failed = before, measure(root), now.UTC(), failed
	note, err := json.Marshal(s, json.Deterministic(true))
	if err != nil {
		return fmt.Errorf("note what git packed: %w", err)
	}
	return root.KeepNote(private.NotePacked, note)
}

// Describe says what was done, or waits; "" for nothing.
func (s State) Describe() string {
	what := ""
	if s.Packs >= manyPacks || s.Loose >= manyLoose {
		what = fmt.Sprintf("%d full packs and about %d loose objects wait for git to put them together", s.Packs, 256*s.Loose)
	}
	switch {
	case s.At.IsZero():
		return what
	case s.Failed != "":
		return fmt.Sprintf("%s; on %s it did not: %s", what, s.At.Format(time.DateOnly), s.Failed)
	}
	return fmt.Sprintf("git packed %d kB into %d kB on %s", s.Before>>10, s.After>>10, s.At.Format(time.DateOnly))
}

// repack asks git. It takes one processor and bounded memory.
func repack(ctx context.Context, dir string) error {
	cmd := gitconfig.Command(ctx, dir, os.Environ(), "-c", "pack.threads=1", "-c", "pack.windowMemory=256m", "repack", "-d", "-q", "--geometric=2")
	var said bytes.Buffer
	cmd.Stderr = &said
	if err := cmd.Run(); err != nil {
		line, _, _ := strings.Cut(said.String(), "\n")
		return fmt.Errorf("git repack: %s: %w", line, err)
	}
	return nil
}

// measure returns how many bytes the objects take.
func measure(root *repo.Root) (n int64) {
	_ = filepath.WalkDir(filepath.Join(root.Path(), ".git", "objects"), func(_ string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil // gone meanwhile
		}
		if info, err := d.Info(); err == nil && info.Mode().IsRegular() {
			n += info.Size()
		}
		return nil
	})
	return n
}
