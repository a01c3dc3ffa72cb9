package walk

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mem/envtest"
	"mem/index"
	"mem/repo/disk"
	"mem/repo/gitstore"
	"mem/repo/gitstore/object"
)

func TestMain(m *testing.M) { envtest.M{M: m}.Run() }

// A walk that takes minutes says how far it is.
func TestProgress(t *testing.T) {
	dir := t.TempDir()
	git := func(args ...string) string {
		out, err := exec.Command("git", append([]string{"-C", dir, "-c", "user.name=a", "-c", "user.email=a@example.com"}, args...)...).CombinedOutput()
		if err != nil {
			t.Fatalf("git %v: %v: %s", args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	git("init", "-q")
	if err := os.Mkdir(filepath.Join(dir, "core"), 0o700); err != nil {
		t.Fatal(err)
	}
	var ids []object.Hash
	for _, text := range []string{"one", "two", "three"} {
		if err := os.WriteFile(filepath.Join(dir, index.Path), []byte(`{"version":3,"items":[{"key":"`+text+`","text":"`+text+`"}]}`), 0o600); err != nil {
			t.Fatal(err)
		}
		git("add", "-A")
		git("commit", "-q", "-m", text)
		id, _ := object.ParseHash(git("rev-parse", "HEAD"))
		ids = append(ids, id)
	}
	git("revert", "--no-edit", "HEAD~1..HEAD")
	head, _ := object.ParseHash(git("rev-parse", "HEAD"))
	d, err := disk.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	var said []string
	store, err := gitstore.Open(d, true, func(s string) { said = append(said, s) })
	if err != nil {
		t.Fatal(err)
	}
	w := newWalker(store, time.Time{})
	w.records = manyRecords
	if _, _, err := w.liftIndex(t.Context(), ids[:1], head); err != nil {
		t.Fatal(err)
	}
	if len(said) != 1 || said[0] != "looked at 1 of 2" {
		t.Errorf("said %q", said)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := newWalker(store, time.Time{}).liftIndex(ctx, ids[:1], head); !errors.Is(err, context.Canceled) {
		t.Errorf("a walk continued after it was stopped: %v", err)
	}
	for h, ix := range w.lifted {
		if ix != nil && h != head {
			t.Errorf("what %.7s should have is kept, which nothing asks for any more", h)
		}
	}
}
