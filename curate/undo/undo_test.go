package undo_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"mem/curate/undo"
	"mem/envtest"
	"mem/facts"
	"mem/index"
	"mem/repo"
	"mem/repo/disk/disktest"
)

func TestMain(m *testing.M) { envtest.M{M: m}.Run() }

var t0 = time.Date(2026, 2, 3, 4, 5, 6, 0, time.UTC)

type callback = func(*repo.Memory) (repo.Message, error)

// reflect is a callback that counts lessons, as a reflection does.
func reflect(id string, texts ...string) callback {
	return func(m *repo.Memory) (repo.Message, error) {
		var fixes []index.Lesson
		for _, text := range texts {
			fixes = append(fixes, index.Lesson{Text: text})
		}
		m.Learn(facts.Fact{ID: id, Label: "task", Fixes: fixes})
		return repo.Message{Subject: "chore(memory): " + id, Trailers: []repo.Trailer{{Key: "Mem-Reflection", Value: id}}}, nil
	}
}

// change is a callback that changes a record, as a decision does.
func change(id string, f func(*index.Item)) callback {
	return func(m *repo.Memory) (repo.Message, error) {
		at := m.Index.ByID(id)
		if at < 0 || !m.Index.Items[at].Change(f) {
			return repo.Message{}, nil
		}
		return repo.Message{Subject: "decide: " + id, Trailers: []repo.Trailer{{Key: "Mem-Item", Value: id}}}, nil
	}
}

// write is a callback that adds a section to a file.
func write(path, section string) callback {
	return func(m *repo.Memory) (repo.Message, error) {
		old, err := m.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) {
			old, err = []byte("# Rules\n"), nil
		}
		if err != nil {
			return repo.Message{}, err
		}
		return repo.Message{Subject: "rule: " + section}, m.WriteFile(path, fmt.Appendf(slices.Clip(old), "\n### %s\n\n- Do %[1]s\n", section))
	}
}

// takeBack is a callback that takes a commit back.
func takeBack(r *repo.Root, id string) (callback, error) {
	log, err := undo.ReadLog(r)
	if err != nil {
		return nil, err
	}
	step, err := log.FindStep(context.Background(), id, false)
	if err != nil {
		return nil, err
	}
	return func(m *repo.Memory) (repo.Message, error) {
		_, msg, err := step.Apply(m)
		return msg, err
	}, nil
}

// quick are options of a root that flushes nothing.
func quick() repo.Options { return repo.Options{Fault: new(disktest.Plan).Fault} }

func makeRoot(t interface {
	envtest.TB
	Cleanup(func())
}, ctx context.Context) *repo.Root {
	dir, err := os.MkdirTemp("", "mem-undo-")
	envtest.NoError(t, err)
	t.Cleanup(func() { os.RemoveAll(dir) })
	r, err := repo.Create(ctx, filepath.Join(dir, "m"), quick())
	envtest.NoError(t, err)
	t.Cleanup(func() { r.Close() })
	return r
}

// readAll returns the files of a root, the rules of a file in the order of their text, as one that comes back may stand
// before or after what took the place of its neighbour; and the index without the name of its log.
func readAll(dir string) (map[string]string, error) {
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(at string, e fs.DirEntry, err error) error {
		if err == nil && e.Name() == ".git" {
			return fs.SkipDir
		}
		if err != nil || e.IsDir() {
			return err
		}
		data, err := os.ReadFile(at)
		rel, _ := filepath.Rel(dir, at)
		parts := strings.Split(string(data), "\n###")
		if strings.HasPrefix(rel, "rules") {
			slices.Sort(parts)
		}
		files[filepath.ToSlash(rel)] = strings.Join(parts, "\n###")
		return err
	})
	if err != nil {
		return nil, err
	}
	files[repo.IndexPath] = log.ReplaceAllString(files[repo.IndexPath], "")
	maps.DeleteFunc(files, func(path, _ string) bool { return strings.HasPrefix(path, facts.Folder) })
	return files, nil
}

// What an index says of the log: its name, and what was taken back.
var (
	log    = regexp.MustCompile(`\n  "log": .*`)
	undone = regexp.MustCompile(`(?s),\n  "undone": \[.*?\]`)
)

// TestUndoLaws: whatever commit of a history is undone and redone, the memory says what it said before.
func TestUndoLaws(t *testing.T) {
	ctx := t.Context()
	rapid.Check(t, func(t *rapid.T) {
		r := makeRoot(t, ctx)
		at, commits := t0, []string{}
		settle := func(f callback) error {
			at = at.Add(time.Duration(rapid.IntRange(0, 900).Draw(t, "minutes")) * time.Minute)
			c, err := r.Settle(ctx, at, f)
			if err == nil && c.ID != "" {
				commits = append(commits, c.ID)
			}
			return err
		}
		texts := rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"use pnpm", "read the log", "run it twice", "close the file"}), 1, 2, rapid.ID[string])
		ids := rapid.SampledFrom([]string{index.BaseID("use pnpm"), index.BaseID("read the log"), index.BaseID("run it twice")})
		for i := range rapid.IntRange(1, 9).Draw(t, "commands") {
			var f callback
			switch id := ids.Draw(t, "id"); rapid.IntRange(0, 6).Draw(t, "command") {
			case 0:
				f = change(id, func(it *index.Item) { it.Status = index.Retired })
			case 1:
				f = change(id, func(it *index.Item) { it.Status, it.Pinned = index.Active, !it.Pinned })
			case 2:
				f = write("rules/"+rapid.SampledFrom([]string{"a", "b"}).Draw(t, "file")+".md", fmt.Sprint("rule", i))
			case 3:
				if len(commits) == 0 {
					continue
				}
				var err error
				if f, err = takeBack(r, rapid.SampledFrom(commits).Draw(t, "earlier")); errors.Is(err, undo.ErrRefused) {
					continue
				} else if err != nil {
					t.Fatal(err)
				}
			default:
				f = reflect(fmt.Sprintf("r-%012d", i), texts.Draw(t, "texts")...)
			}
			err := settle(f)
			envtest.StopIf(t, err != nil && !errors.Is(err, undo.ErrRefused) && !errors.Is(err, undo.ErrConflict), "%v", err)
		}
		if len(commits) == 0 {
			return
		}
		before, err := readAll(r.Path())
		envtest.NoError(t, err)
		id := rapid.SampledFrom(commits).Draw(t, "undo")
		for _, again := range []bool{false, true} {
			f, err := takeBack(r, id)
			if err == nil {
				n := len(commits)
				err = settle(f)
				envtest.StopIf(t, err == nil && len(commits) == n, "nothing was committed")
				id = commits[len(commits)-1]
			}
			if !again && (errors.Is(err, undo.ErrRefused) || errors.Is(err, undo.ErrConflict)) {
				return
			}
			envtest.NoError(t, err)
		}
		after, err := readAll(r.Path())
		envtest.NoError(t, err)
		envtest.Same(t, before, after)
	})
}

// checkRevert takes a commit back by mem and, in a copy, by git, which comes to the same.
func checkRevert(t *testing.T, r *repo.Root, id string) {
	t.Helper()
	var got [2]map[string]string
	for i := range got {
		dir := filepath.Join(t.TempDir(), "m")
		err := os.CopyFS(dir, os.DirFS(r.Path()))
		if err == nil && i == 0 {
			err = undoIn(t.Context(), dir, id, quick())
		} else if err == nil {
			_, conflict := envtest.TryGit(dir, "revert", "--no-edit", id)
			if err = settleIn(t.Context(), dir); err == nil && conflict != nil {
				_, err = envtest.TryGit(dir, "-c", "core.editor=true", "revert", "--continue")
				err = errors.Join(err, settleIn(t.Context(), dir))
			}
		}
		if err == nil {
			got[i], err = readAll(dir)
		}
		envtest.NoError(t, err)
	}
	for _, files := range got { // what git took out was read last
		lines := strings.FieldsFunc(files[repo.TracesPath], func(r rune) bool { return r == ',' || r == '\n' })
		files[repo.TracesPath] = strings.Join(slices.Sorted(slices.Values(lines)), "\n")
	}
	envtest.Same(t, got[0], got[1], id)
}

// TestUndoGoesBack: as many undos as there were steps go back through all states, also
// where steps set one field to and fro. git takes the same back.
func TestUndoGoesBack(t *testing.T) {
	ctx, read := t.Context(), func(r *repo.Root) map[string]string {
		files, err := readAll(r.Path())
		envtest.NoError(t, err)
		files[repo.IndexPath] = undone.ReplaceAllString(files[repo.IndexPath], "")
		maps.DeleteFunc(files, func(path, text string) bool { // the views say when the last change was
			return path != repo.IndexPath && !strings.Contains(text, "mem:")
		})
		return files
	}
	for seed := range uint64(6) {
		r, draw := makeRoot(t, ctx), rand.New(rand.NewPCG(seed, 24))
		states, commits := []map[string]string{}, []string{}
		for i := range 12 {
			id := index.BaseID([]string{"use pnpm", "read the log"}[draw.IntN(2)])
			f := []callback{
				change(id, func(it *index.Item) { it.Status = index.Retired }),
				change(id, func(it *index.Item) { it.Status = index.Active }),
				change(id, func(it *index.Item) { it.Pinned = !it.Pinned }),
				reflect(fmt.Sprintf("r-%012d", i), "use pnpm"), reflect(fmt.Sprintf("r-%012d", i), "read the log"),
			}[draw.IntN(5)]
			if i == 2 {
				f = reflect("r-000000000002", "said once")
			} else if i < 2 {
				f = reflect(fmt.Sprintf("r-%012d", i), "use pnpm", "read the log")
			}
			var before map[string]string
			if i > 0 {
				before = read(r)
			}
			c, err := r.Settle(ctx, t0.Add(time.Duration(i)*time.Hour), f)
			envtest.NoError(t, err)
			if c.ID != "" {
				states, commits = append(states, before), append(commits, c.ID)
			}
		}
		for _, i := range []int{1, 2, 3 + draw.IntN(len(commits)-3)} {
			checkRevert(t, r, commits[i])
		}
		for n, want := range slices.Backward(states[1:]) {
			f, err := takeBack(r, "")
			if err == nil {
				_, err = r.Settle(ctx, t0.Add(20*time.Hour), f)
			}
			diff := cmp.Diff(want, read(r))
			envtest.StopIf(t, err != nil || diff != "", "seed %d, before step %d: %v (-want +got)\n%s", seed, n, err, diff)
		}
	}
}

func undoIn(ctx context.Context, dir, id string, opts repo.Options) (err error) {
	r, err := repo.Open(dir, opts)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	f, err := takeBack(r, id)
	if err == nil {
		_, err = r.Settle(ctx, t0.Add(9*time.Hour), f)
	}
	return err
}

// settleIn lets a command run that changes nothing.
func settleIn(ctx context.Context, dir string) error {
	r, err := repo.Open(dir, quick())
	if err != nil {
		return err
	}
	_, err = r.Settle(ctx, t0.Add(9*time.Hour), func(*repo.Memory) (repo.Message, error) { return repo.Message{}, nil })
	return errors.Join(err, r.Close())
}
