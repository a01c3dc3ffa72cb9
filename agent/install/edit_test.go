package install

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"mem/envtest"
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
		envtest.NoError(t, os.WriteFile(path, tt.is, 0o600))
		e := Edit{Path: path, Mode: 0o600, Before: tt.was, After: tt.to}
		envtest.Wraps(t, ErrChanged, e.Write(disk.Files{}), tt.to, "for", tt.was)
		data, err := os.ReadFile(path)
		envtest.FailIf(t, err != nil || !bytes.Equal(data, tt.is), "lost: %q, %v", data, err)
	}
}
