package envtest

import (
	"flag"
	"os"
	"path/filepath"
)

// Read returns what a file holds.
func Read(t TB, path ...string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(path...))
	NoError(t, err)
	return string(data)
}

// Write writes a file, in folders that need not be there.
func Write(t TB, text string, path ...string) {
	t.Helper()
	name := filepath.Join(path...)
	NoError(t, os.MkdirAll(filepath.Dir(name), 0o700))
	NoError(t, os.WriteFile(name, []byte(text), 0o600))
}

// Update is set where golden files are to be written anew.
var Update = flag.Bool("update", false, "write the golden files anew")

// Golden compares what a test got with what a file holds.
func Golden(t TB, path, got string) {
	t.Helper()
	if *Update {
		Write(t, got, path)
	}
	Same(t, Read(t, path), got, path)
}
