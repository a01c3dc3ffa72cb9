package gitstore

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mem/envtest"
	"mem/repo/disk"
)

// treeOf is a tree object with one entry.
func treeOf(mode, name string) []byte {
	return encodeTree([]entry{{Mode: mode, Name: name, Hash: Hash{1}}})
}

// git refuses to check out trees with such names, and they lead out of the
// root, into git's own folder, or nowhere.
func TestTreeNames(t *testing.T) {
	for _, name := range []string{"", ".", "..", "/", "/x", "x/", "a/b", "../x", ".git", ".GIT"} {
		_, err := parseTree(treeOf(modeFile, name))
		envtest.Wraps(t, ErrDamaged, err, "a tree with", name)
	}
	for _, name := range []string{"...", ".gitignore", "a:b", `a\b`, "caf\xe9", "ü"} {
		entries, err := parseTree(treeOf(modeFile, name))
		envtest.FailIf(t, err != nil || entries[0].Name != name, "a tree with %q: %v, %v", name, entries, err)
	}
}

// A journal with a path or a branch that mem never writes is set aside, and
// nothing that it names is touched.
func TestJournalPaths(t *testing.T) {
	s, dir := fresh(t)
	envtest.NoError(t, commitFile(t, s, "a", "a\n", "a"))
	for _, bad := range []string{
		`{"ref":"refs/heads/main","puts":[{"path":"/etc/hostname"}]}`,
		`{"ref":"refs/heads/main","puts":[{"path":"a"},{"path":"../a"}]}`,
		`{"ref":"refs/heads/main","puts":[{"path":".git/config"}]}`,
		`{"ref":"refs/heads/main","puts":[{"path":"a//b"}]}`,
		`{"ref":"/","puts":[]}`,
		`{"ref":"refs/../../x","puts":[]}`,
		`{"ref":"","puts":[]}`,
	} {
		envtest.Write(t, bad, dir, journalPath)
		_, err := s.Peek()
		envtest.FailIf(t, err != nil, "%s: Peek = %v", bad, err)
		warned := ""
		s.Warn = func(msg string) { warned = msg }
		err = s.Recover(t.Context(), time.Second)
		envtest.FailIf(t, err != nil, "%s: Recover = %v", bad, err)
		envtest.FailIf(t, s.d.Exists(journalPath) || !strings.Contains(warned, rescueDir),
			"%s: not set aside, %q", bad, warned)
	}
	kept, err := os.ReadDir(filepath.Join(dir, filepath.FromSlash(rescueDir)))
	envtest.FailIf(t, err != nil || len(kept) != 7, "%d journals are kept, want 7: %v", len(kept), err)
}

// No path leaves a decoder that a Dir does not take.
func FuzzPaths(f *testing.F) {
	f.Add(treeOf(modeFile, "a"), []byte("{}"))
	f.Add(treeOf(modeTree, "a"), treeOf(modeFile, "b"))
	f.Add(treeOf(modeFile, "/x"), []byte(`{"ref":"refs/heads/main","puts":[{"path":"/etc/hostname"}]}`))
	f.Add(treeOf(modeTree, "caf\xe9"), []byte(`{"ref":"refs/heads/main","puts":[{"path":"a/b"}]}`))
	f.Add(bytes.Repeat(treeOf(modeTree, "a\\b"), 3), []byte(`{"ref":"refs/../x"}`))
	dir := f.TempDir()
	d, err := disk.Open(dir)
	envtest.NoError(f, err)
	f.Cleanup(func() { d.Close() })
	taken := func(t *testing.T, path string) {
		_, err := d.Lstat(path)
		envtest.FailIf(t, errors.Is(err, fs.ErrInvalid) || !disk.IsPath(path), "path %q: %v", path, err)
	}
	f.Fuzz(func(t *testing.T, top, below []byte) {
		entries, err := parseTree(top)
		if err == nil {
			s := &Store{d: d, trees: map[Hash][]entry{}}
			for _, e := range entries {
				s.trees[e.Hash], _ = parseTree(below)
				for i := range s.trees[e.Hash] { // or it might be its own
					s.trees[e.Hash][i].Mode = modeFile
				}
			}
			root := HashOf(KindTree, top)
			s.trees[root] = entries
			files, err := s.ListFiles(root, nil)
			envtest.NoError(t, err)
			for path := range files {
				taken(t, path)
			}
		}
		if j, err := parseJournal(below); err == nil {
			taken(t, gitDir+"/"+j.Ref)
			for _, p := range j.Puts {
				taken(t, p.Path)
			}
		}
	})
}
