package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestRelease makes a release for this machine twice, and wants the same bytes. 'make
// release-twice' does it for all systems, from a clone elsewhere, with everything compiled anew.
func TestRelease(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds the program")
	}
	var made []map[string]string
	for range 2 {
		r := release{source: "../..", out: filepath.Join(t.TempDir(), "dist"), targets: []target{{runtime.GOOS, runtime.GOARCH}}}
		if err := r.build(t.Context()); err != nil {
			t.Fatal(err)
		}
		all := map[string]string{}
		list, err := readTree(r.out, ".")
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range list {
			all[f.name] = fmt.Sprintf("%x", sha256.Sum256(f.data))
		}
		for line := range strings.Lines(string(readFile(t, filepath.Join(r.out, "SHA256SUMS")))) {
			if want, name, _ := strings.Cut(strings.TrimSpace(line), "  "); all[name] != want {
				t.Errorf("SHA256SUMS says %s of %s, which has %s", want, name, all[name])
			}
		}
		made = append(made, all)
	}
	if diff := cmp.Diff(made[0], made[1]); diff != "" || len(made[0]) != 3 {
		t.Errorf("the second release has other bytes, or there are not three files (-first +second):\n%s\n%v", diff, made[0])
	}
}

func readFile(t *testing.T, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

var at = time.Date(2026, 2, 3, 4, 5, 6, 0, time.UTC)

// TestArchives holds what is in an archive, and that the order in which files are given does not matter.
func TestArchives(t *testing.T) {
	files := []file{{"m/mem", 0o755, []byte("program")}, {"m/README.md", 0o644, []byte("text")}}
	turned := []file{files[1], files[0]}
	want := []string{"m/README.md -rw-r--r-- 2026-02-03T04:05:06Z text", "m/mem -rwxr-xr-x 2026-02-03T04:05:06Z program"}
	packed := func(pack func([]file, time.Time) ([]byte, error)) []byte {
		a, err := pack(files, at)
		b, errB := pack(turned, at.In(time.FixedZone("", 3600)))
		if err := errors.Join(err, errB); err != nil || !bytes.Equal(a, b) {
			t.Errorf("the order of files changes the archive, or %v", err)
		}
		return a
	}
	unpacked, err := gzip.NewReader(bytes.NewReader(packed(tarball)))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for r := tar.NewReader(unpacked); ; {
		h, err := r.Next()
		if err != nil {
			break
		}
		data, _ := io.ReadAll(r)
		got = append(got, fmt.Sprintf("%s %s %s %s", h.Name, h.FileInfo().Mode(), h.ModTime.UTC().Format(time.RFC3339), data))
		if h.Uid != 0 || h.Uname != "" {
			t.Errorf("%s has an owner", h.Name)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("tar (-want +got):\n%s", diff)
	}
	data := packed(zipped)
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	got = nil
	for _, f := range z.File {
		in, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		data, _ := io.ReadAll(in)
		got = append(got, fmt.Sprintf("%s %s %s %s", f.Name, f.Mode(), f.Modified.UTC().Format(time.RFC3339), data))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("zip (-want +got):\n%s", diff)
	}
}

// TestParts holds the list of what is linked: the modules of all programs, once each, by name.
func TestParts(t *testing.T) {
	main := debug.Module{Path: "mem", Version: "v1.2.3"}
	one := &debug.BuildInfo{GoVersion: "go1.26.8", Main: main, Deps: []*debug.Module{{Path: "b.org/b", Version: "v1.0.0", Sum: "h1:b="}, {Path: "old", Version: "v0", Replace: &debug.Module{Path: "a.org/a", Version: "v2.0.0+incompatible"}}}}
	two := &debug.BuildInfo{GoVersion: "go1.26.8", Main: main, Deps: []*debug.Module{{Path: "b.org/b", Version: "v1.0.0", Sum: "h1:b="}, {Path: "c.org/c", Version: "v3.0.0"}}}
	data, err := listParts([]*debug.BuildInfo{one, two}, at)
	if err != nil {
		t.Fatal(err)
	}
	var b bom
	if err := json.Unmarshal(data, &b); err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, c := range b.Components {
		names = append(names, c.Purl)
	}
	want := []string{"pkg:golang/a.org/a@v2.0.0%2Bincompatible", "pkg:golang/b.org/b@v1.0.0", "pkg:golang/c.org/c@v3.0.0", "pkg:golang/std@1.26.8"}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if b.Metadata.Component.Purl != "pkg:golang/mem@v1.2.3" || b.Metadata.Timestamp != "2026-02-03T04:05:06Z" || len(b.Serial) != len("urn:uuid:")+36 || !cmp.Equal(b.Dependencies[0].On, want) {
		t.Errorf("%s", data)
	}
	if again, _ := listParts([]*debug.BuildInfo{two, one}, at); !bytes.Equal(data, again) {
		t.Error("the order of programs changes the list")
	}
	if got := commitTime(&debug.BuildInfo{Settings: []debug.BuildSetting{{Key: "vcs.time", Value: "2026-02-03T04:05:06Z"}}}); !got.Equal(at) {
		t.Error(got)
	}
}
