package gitread

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"mem/envtest"
	"mem/repo/gitstore/object"
)

func TestMain(m *testing.M) { envtest.M{M: m}.Run() }

// TestReadPacked reads each object that git packed, in one pack with deltas upon deltas and in many
// packs, without go-git, to which what is damaged is left.
func TestReadPacked(t *testing.T) {
	dir := t.TempDir()
	git := func(args ...string) string {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-C", dir, "-c", "user.name=a", "-c", "user.email=a@x", "-c", "gc.auto=0"}, args...)...)
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("git %v: %v", args, err)
		}
		return string(out)
	}
	git("init", "-q")
	var text []byte
	for i := range 30 {
		text = fmt.Appendf(text, "%d is the %x\n", i, object.HashOf(object.KindBlob, fmt.Append(nil, i)))
		for _, name := range []string{"a", "b/c", fmt.Sprint("b/d", i)} {
			at := filepath.Join(dir, filepath.FromSlash(name))
			if err := os.MkdirAll(filepath.Dir(at), 0o777); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(at, append(text, name...), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		git("add", "-A")
		git("commit", "-qm", fmt.Sprint("commit ", i))
		if i%10 == 9 {
			git("repack", "-dq")
		}
	}
	check := func() {
		t.Helper()
		r := Open(filepath.Join(dir, ".git"))
		n := 0
		for line := range strings.Lines(git("cat-file", "--batch-all-objects", "--batch-check")) {
			name, kind, _ := strings.Cut(line, " ")
			kind, _, _ = strings.Cut(kind, " ")
			h, _ := object.ParseHash(name)
			r.few = 0
			got, ok := r.readPacked(object.Kind(kind), h)
			if want := git("cat-file", kind, name); !ok || string(got) != want {
				t.Fatalf("%s %s: read %t, %d bytes, want %d", kind, name, ok, len(got), len(want))
			}
			if _, ok := r.readPacked(object.Kind(kind), object.HashOf(object.KindBlob, h[:])); ok {
				t.Errorf("read what is not there")
			}
			n++
		}
		if n < 150 {
			t.Errorf("%d objects", n)
		}
	}
	check()
	git("repack", "-adfq", "--depth=50")
	check()

	packs, err := filepath.Glob(filepath.Join(dir, ".git/objects/pack/*.pack"))
	if err != nil || len(packs) != 1 {
		t.Fatalf("packs %v, %v", packs, err)
	}
	data, err := os.ReadFile(packs[0])
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(packs[0], 0o666); err != nil {
		t.Fatal(err)
	}
	tip, _ := object.ParseHash(strings.TrimSpace(git("rev-parse", "HEAD")))
	for name, damage := range map[string]func([]byte) []byte{
		"cut": func(b []byte) []byte { return b[:20] }, "zeroed": func(b []byte) []byte { clear(b[12:]); return b },
	} {
		if err := os.WriteFile(packs[0], damage(bytes.Clone(data)), 0o666); err != nil {
			t.Fatal(err)
		}
		r := Open(filepath.Join(dir, ".git"))
		if _, ok := r.readPacked(object.KindCommit, tip); ok {
			t.Errorf("%s: read a commit", name)
		}
	}
}
