package mem_test

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestInstall installs everything below a folder, as 'make install' does: and the program runs.
func TestInstall(t *testing.T) {
	if _, err := exec.LookPath("make"); err != nil || testing.Short() {
		t.Skip("it needs make, and builds the program")
	}
	dir := t.TempDir()
	run := func(name string, args ...string) string {
		out, err := exec.Command(name, args...).CombinedOutput()
		if err != nil {
			t.Fatalf("%s %v: %v\n%s", name, args, err, out)
		}
		return string(out)
	}
	stage := filepath.Join(dir, "stage")
	run("make", "install", "DESTDIR="+stage, "PREFIX=/opt/mem", "BIN="+filepath.Join(dir, "mem"))
	for file, text := range map[string]string{
		"bin/mem":                                  "",
		"share/bash-completion/completions/mem":    "__start_mem",
		"share/zsh/site-functions/_mem":            "#compdef mem",
		"share/fish/vendor_completions.d/mem.fish": "complete -c mem",
	} {
		data, err := os.ReadFile(filepath.Join(stage, "opt/mem", file))
		if err != nil || !strings.Contains(string(data), text) {
			t.Errorf("%s has no %q: %v", file, text, err)
		}
	}
	if out := run(filepath.Join(stage, "opt/mem/bin/mem"), "version"); !strings.Contains(out, "reads 1 to") {
		t.Errorf("the installed program says %q", out)
	}
	var outside []string
	_ = filepath.WalkDir(stage, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && !strings.HasPrefix(path, filepath.Join(stage, "opt/mem")) {
			outside = append(outside, path)
		}
		return err
	})
	if len(outside) > 0 {
		t.Errorf("installed elsewhere: %v", slices.Sorted(slices.Values(outside)))
	}
}
