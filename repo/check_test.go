package repo_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"mem/index"
	"mem/index/codec"
	"mem/repo"
	"mem/repo/disk/disktest"
)

// state is what a root holds, as git and plain files show it.
type state struct {
	history string // messages of all commits
	traces  []string
	journal string
	index   *index.Index
}

// plainGit runs git and returns what it prints.
func plainGit(dir string, args ...string) (string, error) {
	cmd := exec.Command("git", append([]string{"-C", dir}, args...)...)
	cmd.Env = append(os.Environ(), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_DIR="+filepath.Join(dir, ".git"), "GIT_WORK_TREE="+dir)
	out, err := cmd.CombinedOutput()
	if err != nil {
		err = fmt.Errorf("git %s: %w: %s", strings.Join(args, " "), err, out)
	}
	return string(out), err
}

func look(dir string) (state, error) {
	var s state
	r, err := repo.Open(dir, repo.Options{})
	if err != nil {
		return s, err
	}
	defer r.Close()
	commits, err := r.ListCommits()
	if err != nil {
		return s, err
	}
	for _, c := range commits {
		s.history += c.Message
	}
	for name, into := range map[string]func(string){
		repo.TracesPath:       func(text string) { s.traces = strings.Fields(text) },
		"daily/2026-02-03.md": func(text string) { s.journal = text },
	} {
		data, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
		if err != nil {
			return s, err
		}
		into(string(data))
	}
	data, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(repo.IndexPath)))
	if err != nil {
		return s, err
	}
	s.index, _, err = codec.Load(data, t0)
	return s, err
}

// times says how often a reflection was counted, or complains if the places
// that say so do not agree.
func (s state) times(id string) (int, error) {
	var found [4]int
	found[0] = strings.Count(s.history, "Mem-Reflection: "+id+"\n")
	found[2] = strings.Count(s.journal, "- reflection "+id+"\n")
	for _, known := range s.traces {
		if known == id {
			found[1]++
		}
	}
	for _, it := range s.index.Items {
		if it.Key == index.KeyOf("Lesson of "+id) {
			found[3] += it.Hits
		}
	}
	for _, n := range found[1:] {
		if n != found[0] {
			return found[0], fmt.Errorf("reflection %s: commits, traces, journal and hits are %v", id, found)
		}
	}
	return found[0], nil
}

// check says what is wrong with a root after operations that were interrupted
// and one ordinary command after them. must lists the reflections that were
// acknowledged, may those that were attempted.
func check(dir string, must, may []string) error {
	quick := repo.Options{Fault: new(disktest.Plan).Fault} // which flushes nothing
	if err := nextCommand(dir, quick, "next"); err != nil {
		return err
	}
	if err := clean(dir); err != nil {
		return err
	}
	s, err := look(dir)
	if err != nil {
		return err
	}
	must = append(slices.Clip(must), "next")
	for _, id := range slices.Concat(must, may) {
		n, err := s.times(id)
		if err != nil {
			return err
		}
		if n > 1 || n == 0 && slices.Contains(must, id) {
			return fmt.Errorf("reflection %s was counted %d times; acknowledged are %q", id, n, must)
		}
	}
	for _, id := range s.traces {
		if !slices.Contains(must, id) && !slices.Contains(may, id) {
			return fmt.Errorf("reflection %s was counted, which was never attempted", id)
		}
	}
	return nil
}

// nextCommand is what any command does: it drains the queue and counts
// something of its own.
func nextCommand(dir string, opts repo.Options, id string) error {
	if err := drain(context.Background(), dir, opts); err != nil && !errors.Is(err, repo.ErrNoRoot) {
		return fmt.Errorf("the next command: %w", err)
	}
	if err := count(context.Background(), dir, opts, id); err != nil {
		return fmt.Errorf("the next command: %w", err)
	}
	return nil
}

// clean says what git or a look at the folder finds wrong.
func clean(dir string) error {
	if _, err := plainGit(dir, "fsck", "--strict", "--no-dangling"); err != nil {
		return err
	}
	status, err := plainGit(dir, "status", "--porcelain")
	if err != nil {
		return err
	}
	if status != "" {
		return fmt.Errorf("git status is not clean:\n%s", status)
	}
	return filepath.WalkDir(dir, func(at string, e fs.DirEntry, err error) error {
		rel, _ := filepath.Rel(dir, at)
		rel = filepath.ToSlash(rel)
		switch {
		case err != nil:
			return err
		case strings.HasSuffix(rel, ".lock"), strings.HasPrefix(e.Name(), ".mem-"), rel == ".git/mem/journal",
			strings.HasPrefix(rel, ".git/mem/tmp/"), strings.HasPrefix(rel, ".git/mem/spool/"), strings.HasPrefix(rel, ".git/mem/rescue/"):
			return fmt.Errorf("%s was left behind", rel)
		}
		return nil
	})
}
