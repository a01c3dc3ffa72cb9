package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"mem/repo/disk"
	"mem/repo/disk/disktest"
)

// TestMergeDriverFaults: whatever the disk does, the driver writes all of the merged
// file or none of it, and says so.
func TestMergeDriverFaults(t *testing.T) {
	const ours = "# 2026-02-03\n\n## 10:00 UTC — Task\n<!-- mem:r-1 -->\n"
	const theirs = "# 2026-02-03\n\n## 09:00 UTC — Task\n<!-- mem:r-2 -->\n"
	const want = "# 2026-02-03\n\n## 09:00 UTC — Task\n<!-- mem:r-2 -->\n\n## 10:00 UTC — Task\n<!-- mem:r-1 -->\n"
	for name, plan := range map[string]disktest.Plan{
		"ENOSPC": {Err: syscall.ENOSPC}, "ENOSPC from there on": {Err: syscall.ENOSPC, Forever: true}, "EIO": {Err: syscall.EIO}, "kill": {},
	} {
		t.Run(name, func(t *testing.T) { testMergeDriverFaults(t, plan, ours, theirs, want) })
	}
}

func testMergeDriverFaults(t *testing.T, mode disktest.Plan, ours, theirs, want string) {
	for at := 1; ; at++ {
		dir := t.TempDir()
		for name, data := range map[string]string{"O": "", "A": ours, "B": theirs} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(data), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		plan := &disktest.Plan{At: at, Err: mode.Err, Forever: mode.Forever}
		var out, said bytes.Buffer
		env := Env{Out: &out, Err: &said, Files: disk.Files{Fault: plan.Fault}}
		path := func(name string) string { return filepath.Join(dir, name) }
		code := run(t.Context(), env, []string{"merge-driver", path("O"), path("A"), path("B"), "daily/2026-02-03.md"})
		got, err := os.ReadFile(path("A"))
		if err != nil {
			t.Fatal(err)
		}
		whole := string(got) == want
		if !whole && string(got) != ours || code != 0 && code != 1 || code == 0 && !whole {
			t.Errorf("fault %d: code %d, %q", at, code, got)
		}
		if code == 1 && !strings.Contains(said.String(), "left to git") {
			t.Errorf("fault %d: %s", at, &said)
		}
		left, err := os.ReadDir(dir)
		if err != nil || len(left) > 3 && mode.Err != nil && !mode.Forever {
			t.Errorf("fault %d: %v, %v", at, left, err)
		}
		if plan.Seen() < at {
			if code != 0 || at < 3 {
				t.Errorf("code %d after %d faults: %s", code, at, &said)
			}
			return
		}
	}
}

// TestMergeDriverDoubts: what is not the file of a memory, or too large, is left to git.
func TestMergeDriverDoubts(t *testing.T) {
	dir := t.TempDir()
	for name, data := range map[string]string{"O": "a\n", "A": "b\n", "B": "c\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(data), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	large := filepath.Join(dir, "large")
	if err := os.WriteFile(large, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(large, 1<<40); err != nil {
		t.Skip(err)
	}
	for _, args := range [][]string{{"O", "A", "B", "notes.md"}, {"O", "A", "B", "core/index.json"}, {"none", "A", "B", "core/CORE.md"}, {"O", "A", ".", "core/CORE.md"}, {"large", "A", "B", "core/CORE.md"}} {
		var out, said bytes.Buffer
		line := []string{"merge-driver"}
		for _, name := range args[:3] {
			line = append(line, filepath.Join(dir, name))
		}
		code := run(t.Context(), Env{Out: &out, Err: &said}, append(line, args[3]))
		if got, _ := os.ReadFile(filepath.Join(dir, "A")); code != 1 || string(got) != "b\n" || strings.Count(said.String(), "\n") > 2 {
			t.Errorf("%v: code %d, %q, %s", args, code, got, &said)
		}
	}
}
