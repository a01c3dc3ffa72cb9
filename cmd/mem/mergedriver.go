package main

import (
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"mem/repo/union"
)

// errNotMerged is returned for a file that git is to merge. It wraps nothing: the
// code is 1 whatever the cause.
var errNotMerged = errors.New("left to git")

// newMergeDriver is what git runs to merge a file of a memory; package gitconfig
// tells it so. It needs no configuration and takes no lock: git has its own.
func newMergeDriver(env Env) *cobra.Command {
	return &cobra.Command{
		Use:    "merge-driver BASE OURS THEIRS PATH",
		Short:  "Merge a file of a memory for git, which runs this",
		Hidden: true,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 4 {
				return usagef("mem merge-driver takes the three versions of a file and its path, as git passes them")
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error {
			if err := mergeForGit(env, args[0], args[1], args[2], args[3]); err != nil {
				return fmt.Errorf("merge %s: %w: %s", args[3], errNotMerged, err)
			}
			return nil
		},
	}
}

// mergeForGit replaces ours by what it and theirs become, whole or not at all.
func mergeForGit(env Env, base, ours, theirs, path string) error {
	var data [3][]byte
	for i, name := range []string{base, ours, theirs} {
		info, err := os.Stat(name)
		if err != nil {
			return err
		}
		if !info.Mode().IsRegular() || info.Size() > union.MaxSize {
			return fmt.Errorf("%s: %w", name, union.ErrUnsure)
		}
		if data[i], err = os.ReadFile(name); err != nil {
			return err
		}
	}
	merged, err := union.MergeFile(path, data[0], data[1], data[2])
	if err != nil {
		return err
	}
	return env.Files.WriteFile(ours, merged, 0o600)
}
