package reflect_test

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mem/envtest"
	"mem/oracle"
	"mem/reflect"
	"mem/repo"
	"mem/trace"
)

// The whole way, from the file that an agent wrote to the root: what the
// built-in heuristics learn from the demo sessions.
func TestDemo(t *testing.T) {
	root := newRoot(t)
	r := reflect.Reflector{Oracles: []oracle.Oracle{oracle.Rules}, Warn: func(s string) { t.Errorf("warning: %s", s) }}
	var got strings.Builder
	for i, name := range []string{"demo-claude", "demo-pi"} {
		doc, err := trace.Open("../fixtures/traces/" + name + ".jsonl")
		envtest.NoError(t, err)
		at := time.Date(2026, 3, 9, 12+i, 0, 0, 0, time.UTC)
		m, err := root.View(at)
		envtest.NoError(t, err)
		p, reason, err := r.ReflectOn(t.Context(), m, doc.Session, reflect.Options{Now: at})
		envtest.StopIf(t, err != nil || reason != "", "%v %v %v", name, reason, err)
		out, err := reflect.CommitPending(t.Context(), root, p)
		envtest.NoError(t, err)
		fmt.Fprintf(&got, "== %s: %s\n", name, p.ID)
		for _, l := range out.Lessons {
			it := look(t, root).Index.Items
			for _, it := range it {
				if it.ID == l.ID {
					fmt.Fprintf(&got, "%s ×%d %s %q [%s] %s\n", it.Kind, it.Hits, it.Origin, it.Status, it.Sources[len(it.Sources)-1].Span, it.Text)
				}
			}
		}
		_, reason, err = r.ReflectOn(t.Context(), look(t, root), doc.Session, reflect.Options{Now: at})
		envtest.FailIf(t, reason != reflect.NothingNew || err != nil, "%s again: %q, %v", name, reason, err)
	}
	const path = "testdata/demo.txt"
	envtest.Golden(t, path, got.String())

	secret := "AKIA" + strings.Repeat("FAKE", 4)
	source, err := os.ReadFile("../fixtures/traces/demo-claude.jsonl")
	envtest.StopIf(t, err != nil || !bytes.Contains(source, []byte(secret)), "the demo session holds no secret, %v", err)
	found := 0
	everyFile(t, root, func(name string, data []byte) {
		found++
		envtest.FailIf(t, bytes.Contains(data, []byte(secret)), "%s holds the secret", name)
	})
	if found < 10 { // those of git apart
		t.Errorf("looked at %d files only", found)
	}
}

// everyFile calls f for every file of a root, and for all of git's objects.
func everyFile(t *testing.T, root *repo.Root, f func(name string, data []byte)) {
	t.Helper()
	err := filepath.WalkDir(root.Path(), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		if err == nil {
			f(path, data)
		}
		return err
	})
	envtest.FailIf(t, err != nil, "%v", err)
	objects, err := exec.Command("git", "-C", root.Path(), "cat-file", "--batch-all-objects", "--batch").Output()
	n := bytes.Count(objects, []byte(" blob "))
	envtest.FailIf(t, err != nil || n < 5, "%d blobs, %v", n, err)
	f("git's objects", objects)
}
