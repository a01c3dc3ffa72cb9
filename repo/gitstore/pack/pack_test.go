package pack

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/go-git/go-git/v5/plumbing/format/packfile"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"mem/envtest"
	"mem/repo/gitstore/object"
)

func TestMain(m *testing.M) { envtest.M{M: m}.Run() }

// blob returns an entry for a file with this content.
func blob(content []byte) Entry {
	h := object.HashOf(object.KindBlob, content)
	return NewEntry(h, object.KindBlob, content)
}

// roll packs the versions of a file one after the other, as commits do, and returns the entries.
// The newest one is whole if it is put in front.
func roll(t *testing.T, versions [][]byte, inFront bool) (entries []Entry) {
	t.Helper()
	var was []byte
	for _, is := range versions {
		u := Update{Old: object.HashOf(object.KindBlob, was), New: object.HashOf(object.KindBlob, is), Was: func() []byte { return was }}
		front, behind := []Entry{blob(is)}, []Entry(nil)
		if !inFront {
			front, behind = behind, front
		}
		data, index, _, err := Encode(Roll(entries, front, behind, []Update{u}))
		if err != nil {
			t.Fatal(err)
		}
		if entries, err = Parse(data, index); err != nil {
			t.Fatal(err)
		}
		was = is
	}
	return entries
}

// versions returns an index of lessons as it grows and is counted.
func versions(n int) (list [][]byte) {
	var records []string
	for i := range n {
		for j := range 4 {
			name := object.HashOf(object.KindBlob, []byte{byte(i), byte(i >> 8), byte(j)})
			records = append(records, fmt.Sprintf("  {\n    \"text\": \"Run %s before the push\",\n    \"hits\": 1\n  }", name))
		}
		records[i*7%len(records)] = strings.Replace(records[i*7%len(records)], "hits\": 1", "hits\": 2", 1)
		list = append(list, fmt.Appendf(nil, "{\n  \"updatedAt\": %d,\n%s\n}\n", i, strings.Join(records, ",\n")))
	}
	return list
}

// Git reads every version that was packed, and finds nothing wrong.
func TestGitReadsIt(t *testing.T) {
	list := versions(20)
	list = append(list, list[3], list[18], list[3]) // what was taken back
	for _, inFront := range []bool{false, true} {
		data, index, name, err := Encode(roll(t, list, inFront))
		if err != nil {
			t.Fatal(err)
		}
		dir := t.TempDir()
		git := func(args ...string) string {
			out, err := exec.Command("git", append([]string{"-C", dir}, args...)...).CombinedOutput()
			if err != nil {
				t.Fatalf("git %v: %v: %s", args, err, out)
			}
			return string(out)
		}
		git("init", "-q")
		base := filepath.Join(dir, ".git/objects/pack/pack-"+name)
		if err := errors.Join(os.WriteFile(base+".pack", data, 0o600), os.WriteFile(base+".idx", index, 0o600)); err != nil {
			t.Fatal(err)
		}
		git("fsck", "--strict", "--full")
		for i, want := range list {
			if got := git("cat-file", "blob", object.HashOf(object.KindBlob, want).String()); got != string(want) {
				t.Errorf("version %d reads back as %d bytes, want %d", i, len(got), len(want))
			}
		}
		if len(data) > 3*len(object.Deflate(list[19])) {
			t.Errorf("20 versions take %d bytes, the last alone %d", len(data), len(object.Deflate(list[19])))
		}
	}
}

// A pack is full when its history is deep or large, not before.
func TestIsFull(t *testing.T) {
	for _, tt := range []struct {
		name     string
		versions [][]byte
		want     bool
	}{
		{"new", versions(1), false},
		{"some", versions(60)[60-maxDepth:], false},
		{"deep", versions(60)[60-maxDepth-1:], true},
	} {
		if got := IsFull(roll(t, tt.versions, false)); got != tt.want {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
	large := []Entry{{data: make([]byte, minHistory)}, {Base: object.Hash{1}, data: make([]byte, minHistory+1)}}
	if !IsFull(large) {
		t.Error("a history that is larger than what is whole does not fill the pack")
	}
}

// Whatever two texts are, the delta makes the one of the other.
func TestDeltaLaw(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lines := rapid.SliceOfN(rapid.StringMatching(`[ab\n]{0,60}`), 0, 200)
		base := lines.Draw(t, "base")
		target := slices.Clone(base)
		for range rapid.IntRange(0, 8).Draw(t, "edits") {
			i := rapid.IntRange(0, len(target)).Draw(t, "at")
			n := rapid.IntRange(0, len(target)-i).Draw(t, "removed")
			target = slices.Replace(target, i, i+n, rapid.SliceOfN(rapid.SampledFrom(append(base, "new", "x\n")), 0, 9).Draw(t, "added")...)
		}
		from, to := []byte(strings.Join(base, "\n")), []byte(strings.Join(target, "\n"))
		got, err := packfile.PatchDelta(from, Delta(from, to))
		if len(from) == 0 { // go-git applies nothing to an empty base
			return
		}
		if err != nil || !bytes.Equal(got, to) {
			t.Errorf("%q became %q, want %q: %v", from, got, to, err)
		}
	})
}

// What differs little takes little, wherever it is.
func TestDeltaIsSmall(t *testing.T) {
	list := versions(500)
	base := list[len(list)-1]
	lines := strings.SplitAfter(string(base), "\n")
	moved := slices.Concat(lines[:2], lines[4000:6000], lines[2:4000], lines[6000:])
	for name, tt := range map[string]struct {
		target string
		most   int
	}{
		"same":    {string(base), 40},
		"before":  {string(list[len(list)-2]), 1000},
		"moved":   {strings.Join(moved, ""), 3000},
		"removed": {strings.Join(slices.Concat(lines[:100], lines[7000:]), ""), 3000},
		"added":   {strings.Join(slices.Concat(lines[:100], []string{"  one\n", "  two\n"}, lines[100:]), ""), 60},
	} {
		if n := len(Delta(base, []byte(tt.target))); n > tt.most {
			t.Errorf("%s: %d bytes, want at most %d", name, n, tt.most)
		}
	}
}

// Each single byte that differs in a pack, or in its index, is noticed.
func TestDamage(t *testing.T) {
	data, index, _, err := Encode(roll(t, versions(4), false))
	if err != nil {
		t.Fatal(err)
	}
	for i := range len(data) - 20 { // but for the sum at the end, which is made anew
		bad := slices.Clone(data)
		bad[i] ^= 4
		if _, err := Parse(bad, index); !errors.Is(err, object.ErrDamaged) {
			t.Fatalf("byte %d of the pack: %v", i, err)
		}
	}
	for i := range index {
		bad := slices.Clone(index)
		bad[i] ^= 4
		if _, err := Parse(data, bad); !errors.Is(err, object.ErrDamaged) {
			t.Fatalf("byte %d of the index: %v", i, err)
		}
	}
}

// FuzzParse checks that no two files make Parse panic, and that what it reads is written
// back the same.
func FuzzParse(f *testing.F) {
	a, b := []byte(strings.Repeat("one line of a file\n", 40)), []byte(strings.Repeat("one line of a file\n", 41))
	for _, entries := range [][]Entry{nil, {blob(a)}, {blob(b), blob(a)}} {
		rolled := Roll(entries, nil, []Entry{blob(b)}, []Update{{Old: entryHash(entries), New: blob(b).Hash, Was: func() []byte { return a }}})
		data, index, _, err := Encode(rolled)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data, index)
	}
	f.Fuzz(func(t *testing.T, data, index []byte) {
		entries, err := Parse(data, index)
		if err != nil {
			return
		}
		again, index2, _, err := Encode(entries)
		if err != nil {
			t.Skip(err)
		}
		back, err := Parse(again, index2)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(entries, back, cmp.AllowUnexported(Entry{})); diff != "" {
			t.Error(diff)
		}
	})
}

func entryHash(entries []Entry) (h object.Hash) {
	if len(entries) > 0 {
		h = entries[len(entries)-1].Hash
	}
	return h
}
