package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/testscript"
)

// madeIn is the folder that fixtures/versions/make.sh works in. Its name stands
// in the settings and queues of a fixture.
const madeIn = "/tmp/mem-fixture"

// unpackVersion runs "unpack NAME" and lays out what that version of mem left,
// in the script's work folder.
func unpackVersion(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: unpack version")
	}
	packed, err := os.Open(filepath.Join(ts.Getenv("FIXTURES"), "versions", args[0]+".tar.gz"))
	ts.Check(err)
	defer packed.Close()
	plain, err := gzip.NewReader(packed)
	ts.Check(err)
	work := ts.Getenv("WORK")
	for list := tar.NewReader(plain); ; {
		h, err := list.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		ts.Check(err)
		path := filepath.Join(work, filepath.FromSlash(h.Name))
		if h.Typeflag == tar.TypeDir {
			ts.Check(os.MkdirAll(path, 0o700))
			continue
		}
		data, err := io.ReadAll(list)
		ts.Check(err)
		if !strings.Contains(h.Name, "/objects/") {
			data = bytes.ReplaceAll(data, []byte(madeIn), []byte(filepath.ToSlash(work)))
		}
		ts.Check(os.MkdirAll(filepath.Dir(path), 0o700))
		ts.Check(os.WriteFile(path, data, h.FileInfo().Mode().Perm()))
	}
}

// A listedLesson is what must be the same of a lesson in whatever version lists it.
type listedLesson struct {
	ID, Text, Kind, Status string
	Hits                   int
	Score                  float64
	Pinned                 bool
	Origin, Domain         string
	Tags                   []string
}

// sameLessons runs "lessons FILE NAME" and compares a list of lessons as JSON
// with the one that the version NAME printed of its own fixture.
func sameLessons(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: lessons file version")
	}
	want, err := os.ReadFile(filepath.Join(ts.Getenv("FIXTURES"), "versions", args[1]+".json"))
	ts.Check(err)
	var lists [2][]listedLesson
	ts.Check(json.Unmarshal(want, &lists[0]))
	ts.Check(json.Unmarshal([]byte(ts.ReadFile(args[0])), &lists[1]))
	if len(lists[0]) == 0 {
		ts.Fatalf("the fixture lists no lessons")
	}
	if diff := cmp.Diff(lists[0], lists[1]); diff != "" {
		ts.Fatalf("lessons differ (-%s +this build):\n%s", args[1], diff)
	}
}
