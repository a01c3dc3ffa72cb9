package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"cmp"
	"compress/gzip"
	"io/fs"
	"maps"
	"slices"
	"time"
)

// A file is one of an archive.
type file struct {
	name string
	mode fs.FileMode
	data []byte
}

func sortedNames(made map[string][]byte) []string { return slices.Sorted(maps.Keys(made)) }

// sorted returns the files in the order of their names.
func sorted(files []file) []file {
	return slices.SortedFunc(slices.Values(files), func(a, b file) int { return cmp.Compare(a.name, b.name) })
}

// tarball packs files. Nothing of the machine, the person or the hour is in it.
func tarball(files []file, at time.Time) ([]byte, error) {
	var b bytes.Buffer
	packed, _ := gzip.NewWriterLevel(&b, gzip.BestCompression)
	w := tar.NewWriter(packed)
	for _, f := range sorted(files) {
		err := w.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: f.name, Mode: int64(f.mode), Size: int64(len(f.data)), ModTime: at, Format: tar.FormatPAX})
		if err == nil {
			_, err = w.Write(f.data)
		}
		if err != nil {
			return nil, err
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	err := packed.Close()
	return b.Bytes(), err
}

// zipped is tarball for a system that has no tar.
func zipped(files []file, at time.Time) ([]byte, error) {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, f := range sorted(files) {
		h := &zip.FileHeader{Name: f.name, Method: zip.Deflate, Modified: at.UTC()} // else the zone of this machine is in it
		h.SetMode(f.mode)
		out, err := w.CreateHeader(h)
		if err == nil {
			_, err = out.Write(f.data)
		}
		if err != nil {
			return nil, err
		}
	}
	err := w.Close()
	return b.Bytes(), err
}
