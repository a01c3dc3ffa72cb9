package workspace

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mem/envtest"
)

func sign(t *testing.T, k keyring, id string) []byte {
	t.Helper()
	mark, err := k.sign(id)
	envtest.FailIf(t, err != nil, "%v", err)
	return mark
}

// isSigned is hasSigned where an error is none that a mark can cause.
func isSigned(t *testing.T, k keyring, mark []byte) bool {
	t.Helper()
	ok, err := k.hasSigned(mark)
	envtest.FailIf(t, err != nil, "%v", err)
	return ok
}

// TestMarks is trust.md B1: only the key of this account makes a mark.
func TestMarks(t *testing.T) {
	mine := keyring{Folder: filepath.Join(t.TempDir(), "state", "mem")}
	theirs := keyring{Folder: t.TempDir()}
	mark := sign(t, mine, "abc")
	envtest.FailIf(t, !isSigned(t, mine, mark) || isSigned(t, theirs, mark) || isSigned(t, mine, sign(t, theirs, "abc")),
		"a mark counts for another key, or not for its own")
	info, err := os.Stat(filepath.Join(mine.Folder, "key"))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the key has the mode %v, %v", info.Mode(), err)
	}
	_, sum, _ := strings.Cut(string(mark), " ")
	for _, bad := range []string{"", "\n", " ", "abc", "abc ", " " + sum, "abd " + sum, "abc " + sum[:20], string(mark) + string(mark)} {
		envtest.FailIf(t, isSigned(t, mine, []byte(bad)), "%q counts as a mark", bad)
	}
	a, b := newID(), newID()
	envtest.FailIf(t, a == b || len(a) < 20, "ids %q and %q", a, b)
}

// A key that is damaged, as by a full disk, signs nothing: an empty one is known to everybody.
func TestBadKey(t *testing.T) {
	for name, text := range map[string]string{"empty": "", "short": "ABC\n", "long": strings.Repeat("A", 2000)} {
		k := keyring{Folder: t.TempDir()}
		envtest.NoError(t, os.WriteFile(filepath.Join(k.Folder, "key"), []byte(text), 0o600))
		_, err := k.sign("abc")
		envtest.Wraps(t, ErrKey, err, name)
		ok, err := k.hasSigned([]byte("abc def"))
		envtest.FailIf(t, ok || !errors.Is(err, ErrKey), "%s: signed %t, %v", name, ok, err)
	}
	_, err := (keyring{}).sign("abc")
	envtest.Wraps(t, ErrKey, err, "no folder")
	ok, err := (keyring{}).hasSigned(nil)
	envtest.FailIf(t, ok || !errors.Is(err, ErrKey), "no folder: signed %t, %v", ok, err)
}

// Processes that need the key at once make one.
func TestKeyIsMadeOnce(t *testing.T) {
	k := keyring{Folder: filepath.Join(t.TempDir(), "mem")}
	marks := make(chan []byte)
	for range 8 {
		go func() { marks <- sign(t, k, "abc") }()
	}
	for range 8 {
		envtest.FailIf(t, !isSigned(t, k, <-marks), "two keys were made")
	}
}
