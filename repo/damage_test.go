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

	"mem/index/codec"
	"mem/repo"
)

// refuses settles on a root whose index was damaged, and checks that the error
// names the last good commit and that nothing was written.
func refuses(t *testing.T, dir, tip string, damaged []byte) {
	t.Helper()
	path := filepath.Join(dir, filepath.FromSlash(repo.IndexPath))
	if err := os.WriteFile(path, damaged, 0o600); err != nil {
		t.Fatal(err)
	}
	r, err := repo.Open(dir, repo.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	_, err = r.Settle(t.Context(), t0, learn("Never counted"))
	var unreadable *repo.UnreadableError
	switch {
	case err == nil:
		t.Fatalf("Settle took over %.40q…, which is %d bytes of damage", damaged, len(damaged))
	case !errors.As(err, &unreadable), !errors.Is(err, codec.ErrUnreadable):
		t.Fatalf("Settle = %v, want an UnreadableError", err)
	case unreadable.LastGood != tip:
		t.Fatalf("last good commit = %q, want %q", unreadable.LastGood, tip)
	}
	if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, damaged) {
		t.Fatalf("the damaged index was changed: %v", err)
	}
	if head, err := os.ReadFile(filepath.Join(dir, ".git", "refs", "heads", "main")); err != nil || strings.TrimSpace(string(head)) != tip {
		t.Fatalf("the branch moved to %s: %v", head, err)
	}
}

// TestDamagedIndex cuts core/index.json short at every byte, and damages it in
// other ways that programs and disks have.
func TestDamagedIndex(t *testing.T) {
	dir := scratch(t)
	if err := count(t.Context(), dir, repo.Options{}, "a"); err != nil {
		t.Fatal(err)
	}
	good := []byte(read(t, filepath.Join(dir, filepath.FromSlash(repo.IndexPath))))
	tip := strings.TrimSpace(git(t, dir, "rev-parse", "HEAD"))
	whole := len(bytes.TrimRight(good, "\n"))
	for n := range whole {
		refuses(t, dir, tip, good[:n])
	}
	for name, damaged := range map[string][]byte{
		"zeros":            make([]byte, len(good)),
		"zeros at the end": append(bytes.Clone(good[:whole/2]), make([]byte, whole/2)...),
		"conflict":         bytes.Replace(good, []byte("\"items\""), []byte("<<<<<<< HEAD\n  \"items\""), 1),
		"twice":            append(bytes.Clone(good), good...),
		"name twice":       bytes.Replace(good, []byte("{"), []byte("{\n  \"version\": 2,"), 1),
		"array":            []byte("[]\n"),
		"null":             []byte("null\n"),
		"no JSON":          []byte("lessons\n"),
		"bad UTF-8":        bytes.Replace(good, []byte("Lesson"), []byte("Less\xffn"), 1),
	} {
		t.Run(name, func(t *testing.T) { refuses(t, dir, tip, damaged) })
	}
	if err := os.WriteFile(filepath.Join(dir, filepath.FromSlash(repo.IndexPath)), good, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := check(dir, []string{"a"}, nil); err != nil {
		t.Errorf("after the file was mended: %v", err)
	}
}

// TestFlippedIndex flips single bits. What still reads as an index is an edit
// by hand and gets a commit of its own; all else is refused untouched.
func TestFlippedIndex(t *testing.T) {
	base := scratch(t)
	template := filepath.Join(base, "template")
	if err := os.Mkdir(template, 0o700); err != nil {
		t.Fatal(err)
	}
	prepared(t, template)
	good := []byte(read(t, filepath.Join(template, filepath.FromSlash(repo.IndexPath))))
	tip := strings.TrimSpace(git(t, template, "rev-parse", "HEAD"))
	random := rand.New(rand.NewPCG(1, 2))
	taken := 0
	for range 300 {
		flipped := bytes.Clone(good)
		flipped[random.IntN(len(flipped))] ^= 1 << random.IntN(8)
		if _, _, err := codec.Load(flipped, t0); err != nil {
			refuses(t, template, tip, flipped)
			continue
		}
		taken++
		if taken > 20 {
			continue
		}
		dir := filepath.Join(base, fmt.Sprint(taken))
		if err := clone(template, dir); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, filepath.FromSlash(repo.IndexPath))
		if err := errors.Join(os.Remove(path), os.WriteFile(path, flipped, 0o600)); err != nil {
			t.Fatal(err)
		}
		settleIn(t, dir, learn("Another one"))
		if got := git(t, dir, "show", "HEAD~:"+repo.IndexPath) + git(t, dir, "show", "HEAD~2:"+repo.IndexPath); !strings.Contains(got, string(flipped)) {
			t.Errorf("the edit was not committed as it was")
		}
	}
}
