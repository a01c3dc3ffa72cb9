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

	"github.com/google/go-cmp/cmp"

	"mem/facts"
	"mem/index"
	"mem/repo"
)

// state is what a root holds, as git and plain files show it.
type state struct {
	history string // messages of all commits
	traces  string
	journal string
	index   *index.Index
}

// plainGit runs git and returns what it prints.
func plainGit(dir string, args ...string) (string, error) {
	cmd := exec.Command("git", append([]string{"-C", dir}, args...)...)
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_DIR="+filepath.Join(dir, ".git"), "GIT_WORK_TREE="+dir)
	out, err := cmd.CombinedOutput()
	if err != nil {
		err = fmt.Errorf("git %s: %w: %s", strings.Join(args, " "), err, out)
	}
	return string(out), err
}

func look(dir string) (s state, err error) {
	if s.history, err = plainGit(dir, "log", "--format=%B"); err != nil {
		return s, err
	}
	for name, into := range map[string]*string{repo.TracesPath: &s.traces, firstDay: &s.journal} {
		data, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
		if err != nil {
			return s, err
		}
		*into = string(data)
	}
	data, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(repo.IndexPath)))
	if err == nil {
		s.index, _, err = index.Load(data, t0)
	}
	if err != nil {
		return s, err
	}
	return s, isFold(dir, data)
}

// isFold says whether an index is other than what the facts of HEAD make.
func isFold(dir string, data []byte) error {
	tree, err := plainGit(dir, "rev-parse", "HEAD:"+facts.Folder)
	if err != nil {
		return err
	}
	return within(dir, repo.Options{}, func(r *repo.Root) error { // without keys all is known
		log, err := r.ReadLog(0)
		if err != nil {
			return err
		}
		ix := log.Fold()
		ix.Log = strings.TrimSpace(tree)
		if want, err := ix.Encode(); err != nil || string(want) != string(data) {
			return fmt.Errorf("the index is no fold of its log: %s: %w", cmp.Diff(string(want), string(data)), err)
		}
		return nil
	})
}

// times says how often a reflection counts, or complains if the places that say so do not agree.
func (s state) times(id string) (int, error) {
	r := facts.SightingID(id)
	journal, read, hits := strings.Count(s.journal, "<!-- mem:"+r+" "), strings.Count(s.traces, `"`+r+`"`), 0
	for _, it := range s.index.Items {
		if it.Key == index.KeyOf("Lesson of "+id) {
			hits += it.Hits
		}
	}
	if said := strings.Count(s.history, "Mem-Reflection: "+r+"\n"); said != read || hits > read || hits != journal {
		return hits, fmt.Errorf("reflection %s: %d commits, read %d times, %d entries in the journal, %d hits", id, said, read, journal, hits)
	}
	return hits, nil
}

// check says what is wrong with a root after operations that were interrupted and one ordinary command after them. must
// lists the reflections that were acknowledged, may those that were attempted.
func check(dir string, must, may []string) (s state, err error) {
	if err = errors.Join(nextCommand(dir, quick(), "next"), clean(dir)); err != nil {
		return s, err
	}
	if s, err = look(dir); err != nil {
		return s, err
	}
	must = append(slices.Clip(must), "next")
	for _, id := range slices.Concat(must, may) {
		n, err := s.times(id)
		if err != nil {
			return s, err
		}
		if n > 1 || n == 0 && slices.Contains(must, id) {
			return s, fmt.Errorf("reflection %s was counted %d times; acknowledged are %q", id, n, must)
		}
	}
	return s, nil
}

// nextCommand is what any command does: it drains the queue and counts something of its own.
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
