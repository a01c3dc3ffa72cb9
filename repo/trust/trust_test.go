package trust_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mem/repo/trust"
)

func sign(t *testing.T, k trust.Keyring, id string) []byte {
	t.Helper()
	mark, err := k.Sign(id)
	if err != nil {
		t.Fatal(err)
	}
	return mark
}

// TestMarks is trust.md B1: only the key of this account makes a mark.
func TestMarks(t *testing.T) {
	mine := trust.Keyring{Folder: filepath.Join(t.TempDir(), "state", "mem")}
	theirs := trust.Keyring{Folder: t.TempDir()}
	mark := sign(t, mine, "abc")
	if !mine.HasSigned(mark) || theirs.HasSigned(mark) || mine.HasSigned(sign(t, theirs, "abc")) {
		t.Error("a mark counts for another key, or not for its own")
	}
	info, err := os.Stat(filepath.Join(mine.Folder, "key"))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the key has the mode %v, %v", info.Mode(), err)
	}
	_, sum, _ := strings.Cut(string(mark), " ")
	for _, bad := range []string{"", "\n", " ", "abc", "abc ", " " + sum, "abd " + sum, "abc " + sum[:20], string(mark) + string(mark)} {
		if mine.HasSigned([]byte(bad)) {
			t.Errorf("%q counts as a mark", bad)
		}
	}
	if a, b := trust.NewID(), trust.NewID(); a == b || len(a) < 20 {
		t.Errorf("ids %q and %q", a, b)
	}
}

// A key that is damaged, as by a full disk, signs nothing: an empty one is known to
// everybody.
func TestBadKey(t *testing.T) {
	for name, text := range map[string]string{"empty": "", "short": "ABC\n", "long": strings.Repeat("A", 2000)} {
		k := trust.Keyring{Folder: t.TempDir()}
		if err := os.WriteFile(filepath.Join(k.Folder, "key"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := k.Sign("abc"); !errors.Is(err, trust.ErrKey) {
			t.Errorf("%s: %v", name, err)
		}
		if k.HasSigned([]byte("abc def")) {
			t.Errorf("%s: it has signed", name)
		}
	}
	if _, err := (trust.Keyring{}).Sign("abc"); !errors.Is(err, trust.ErrKey) {
		t.Errorf("no folder: %v", err)
	}
}

// Processes that need the key at once make one.
func TestKeyIsMadeOnce(t *testing.T) {
	k := trust.Keyring{Folder: filepath.Join(t.TempDir(), "mem")}
	marks := make(chan []byte)
	for range 8 {
		go func() {
			mark, err := k.Sign("abc")
			if err != nil {
				t.Error(err)
			}
			marks <- mark
		}()
	}
	for range 8 {
		if !k.HasSigned(<-marks) {
			t.Error("two keys were made")
		}
	}
}
