package install

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"mem/repo/disk"
)

// What another program writes between the question and the answer is not lost.
func TestChangedMeanwhile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "settings.json")
	for _, tt := range []struct{ was, is, to []byte }{
		{nil, []byte("{}"), []byte("{\n}")},
		{[]byte("{}"), []byte("{ }"), []byte("{\n}")},
		{[]byte("{}"), []byte("{ }"), nil},
	} {
		noError(t, os.WriteFile(path, tt.is, 0o600))
		e := Edit{Path: path, Mode: 0o600, Before: tt.was, After: tt.to}
		if err := e.Write(disk.Files{}); !errors.Is(err, ErrChanged) {
			t.Errorf("%q for %q: %v, want %v", tt.to, tt.was, err, ErrChanged)
		}
		if data, err := os.ReadFile(path); err != nil || !bytes.Equal(data, tt.is) {
			t.Errorf("lost: %q, %v", data, err)
		}
	}
}
