package workspace

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func sign(t *testing.T, k keyring, id string) []byte {
	t.Helper()
	mark, err := k.sign(id)
	if err != nil {
		t.Error(err)
	}
	return mark
}

// isSigned is hasSigned where an error is none that a mark can cause.
func isSigned(t *testing.T, k keyring, mark []byte) bool {
	t.Helper()
	ok, err := k.hasSigned(mark)
	if err != nil {
		t.Error(err)
	}
	return ok
}

// TestMarks is trust.md B1: only the key of this account makes a mark.
func TestMarks(t *testing.T) {
	mine := keyring{Folder: filepath.Join(t.TempDir(), "state", "mem")}
	theirs := keyring{Folder: t.TempDir()}
	mark := sign(t, mine, "abc")
	if !isSigned(t, mine, mark) || isSigned(t, theirs, mark) || isSigned(t, mine, sign(t, theirs, "abc")) {
		t.Error("a mark counts for another key, or not for its own")
	}
	info, err := os.Stat(filepath.Join(mine.Folder, "key"))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the key has the mode %v, %v", info.Mode(), err)
	}
	_, sum, _ := strings.Cut(string(mark), " ")
	for _, bad := range []string{"", "\n", " ", "abc", "abc ", " " + sum, "abd " + sum, "abc " + sum[:20], string(mark) + string(mark)} {
		if isSigned(t, mine, []byte(bad)) {
			t.Errorf("%q counts as a mark", bad)
		}
	}
	if a, b := newID(), newID(); a == b || len(a) < 20 {
		t.Errorf("ids %q and %q", a, b)
	}
}

// A key that is damaged, as by a full disk, signs nothing: an empty one is known to everybody.
func TestBadKey(t *testing.T) {
	for name, text := range map[string]string{"empty": "", "short": "ABC\n", "long": strings.Repeat("A", 2000)} {
		k := keyring{Folder: t.TempDir()}
		if err := os.WriteFile(filepath.Join(k.Folder, "key"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := k.sign("abc"); !errors.Is(err, ErrKey) {
			t.Errorf("%s: %v", name, err)
		}
		if ok, err := k.hasSigned([]byte("abc def")); ok || !errors.Is(err, ErrKey) {
			t.Errorf("%s: signed %t, %v", name, ok, err)
		}
	}
	if _, err := (keyring{}).sign("abc"); !errors.Is(err, ErrKey) {
		t.Errorf("no folder: %v", err)
	}
	if ok, err := (keyring{}).hasSigned(nil); ok || !errors.Is(err, ErrKey) {
		t.Errorf("no folder: signed %t, %v", ok, err)
	}
}

// Processes that need the key at once make one.
func TestKeyIsMadeOnce(t *testing.T) {
	k := keyring{Folder: filepath.Join(t.TempDir(), "mem")}
	marks := make(chan []byte)
	for range 8 {
		go func() { marks <- sign(t, k, "abc") }()
	}
	for range 8 {
		if !isSigned(t, k, <-marks) {
			t.Error("two keys were made")
		}
	}
}
