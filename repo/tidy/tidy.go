// Package tidy lets git put the objects of a memory together, in the background.
//
// Each commit writes its objects in files of their own. Once there are many, git puts them into
// packs. Where git is not there they stay as they are, and mem status says so.
package tidy

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"time"

	"github.com/go-json-experiment/json"

	"mem/repo"
	"mem/repo/private"
)

// A State says what came of the last packing.
type State struct {
	Before int64     `json:"before,omitzero"` // bytes, when git was last asked
	After  int64     `json:"after,omitzero"`  // once it had done
	At     time.Time `json:"at,omitzero"`
	Failed string    `json:"failed,omitzero"` // why it did nothing
}

// Look returns what came of the last packing; nothing without one.
func Look(root *repo.Root) (s State) {
	if data, err := root.ReadNote(private.NotePacked); err == nil {
		_ = json.Unmarshal(data, &s)
	}
	return s
}

// IsDue reports whether a worker should be started to ask git.
func IsDue(root *repo.Root) bool { return root.ReadLoose().IsMuch(1) }

// Pack lets git put the objects together, if that is due. What it says against it is noted.
func Pack(ctx context.Context, root *repo.Root, now time.Time) error {
	if !IsDue(root) {
		return nil
	}
	s := State{Before: measure(root), At: now.UTC()}
	if err := root.Repack(ctx, now); ctx.Err() != nil || errors.Is(err, repo.ErrLocked) {
		return ctx.Err()
	} else if err != nil {
		s.Failed = err.Error()
	}
	s.After = measure(root)
	note, err := json.Marshal(s, json.Deterministic(true))
	if err != nil {
		return fmt.Errorf("note what git packed: %w", err)
	}
	return root.KeepNote(private.NotePacked, note)
}

// Describe says what was done, or waits; "" for nothing.
func (s State) Describe() string {
	switch {
	case s.Failed != "":
		return fmt.Sprintf("the history takes %d kB; on %s git did not make it smaller: %s", s.After>>10, s.At.Format(time.DateOnly), s.Failed)
	case !s.At.IsZero():
		return fmt.Sprintf("git packed %d kB into %d kB on %s", s.Before>>10, s.After>>10, s.At.Format(time.DateOnly))
	}
	return ""
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
