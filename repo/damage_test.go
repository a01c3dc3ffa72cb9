package repo_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mem/facts"
	"mem/fault"
	"mem/index"
	"mem/repo"

	"mem/envtest"
)

// TestDamagedIndex damages core/index.json as programs and disks do. What cannot be read is made anew of the facts,
// and said; what still reads as an index is an edit by hand. What was there has a commit of its own.
func TestDamagedIndex(t *testing.T) {
	base := t.TempDir()
	template := filepath.Join(base, "template")
	prepared(t, template)
	good := []byte(read(t, filepath.Join(template, filepath.FromSlash(repo.IndexPath))))
	damages := map[string][]byte{
		"zeros":            make([]byte, len(good)),
		"zeros at the end": append(bytes.Clone(good[:len(good)/2]), make([]byte, len(good)/2)...),
		"conflict":         bytes.Replace(good, []byte("\"items\""), []byte("<<<<<<< HEAD\n  \"items\""), 1),
		"twice":            append(bytes.Clone(good), good...),
		"name twice":       bytes.Replace(good, []byte("{"), []byte("{\n  \"version\": 4,"), 1),
		"array":            []byte("[]\n"),
		"null":             []byte("null\n"),
		"empty":            {},
		"bad UTF-8":        bytes.Replace(good, []byte("Lesson"), []byte("Less\xffn"), 1),
	}
	random := rand.New(rand.NewPCG(1, 2))
	for i := range 40 {
		damages[fmt.Sprint("cut ", i)] = good[:random.IntN(len(good)-2)]
		flipped := bytes.Clone(good)
		flipped[random.IntN(len(flipped))] ^= 1 << random.IntN(8)
		damages[fmt.Sprint("flipped ", i)] = flipped
	}
	for name, damaged := range damages {
		dir := filepath.Join(base, name)
		envtest.NoError(t, clone(template, dir))
		path := filepath.Join(dir, filepath.FromSlash(repo.IndexPath))
		envtest.NoError(t, errors.Join(os.Remove(path), os.WriteFile(path, damaged, 0o600)))
		_, _, unreadable := index.Load(damaged, t0)
		var said []string
		err := within(dir, repo.Options{Warn: func(s string) { said = append(said, s) }}, func(r *repo.Root) error {
			_, err := r.Settle(t.Context(), t0, counted("x"))
			return err
		})
		if errors.Is(err, index.ErrNewerVersion) {
			continue // a flip of the version
		}
		if err != nil || (unreadable != nil) != strings.Contains(fmt.Sprint(said), "could not be read and is made anew") {
			t.Errorf("%s (%v): %v, %q", name, unreadable, err, said)
			continue
		}
		if unreadable != nil {
			_, err = check(dir, []string{"a", "b", "x"}, nil)
		} else {
			err = isFold(dir, []byte(read(t, path)))
		}
		envtest.FailIf(t, err != nil, "%s: %v", name, err)
	}
}

// TestDamagedFact: a fact that cannot be read stops every command, with its name and the last good commit.
func TestDamagedFact(t *testing.T) {
	dir := t.TempDir()
	prepared(t, dir)
	tip := strings.TrimSpace(git(t, dir, "rev-parse", "HEAD"))
	name := strings.Fields(git(t, dir, "ls-files", facts.Folder))[0]
	envtest.Write(t, read(t, filepath.Join(dir, name))+"{}\n", dir, name)
	git(t, dir, "commit", "-qam", "damage")
	err := count(t.Context(), dir, repo.Options{}, "x")
	if code, hint := fault.Explain(err); code != fault.Unreadable || !errors.Is(err, facts.ErrUnreadable) || !strings.Contains(hint, tip[:12]) || !strings.Contains(err.Error(), name) {
		t.Errorf("Settle = %v", err)
	}
	envtest.Same(t, tip, strings.TrimSpace(git(t, dir, "rev-parse", "HEAD~")), "the branch moved to")
	git(t, dir, "revert", "--no-edit", "HEAD")
	_, err = check(dir, []string{"a", "b"}, nil)
	envtest.FailIf(t, err != nil, "%v", err)
}
