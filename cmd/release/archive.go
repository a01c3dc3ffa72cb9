package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"cmp"
	"compress/gzip"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"runtime/debug"
	"slices"
	"strings"
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

// A component is one of CycloneDX.
type component struct {
	Type       string     `json:"type"`
	Ref        string     `json:"bom-ref"`
	Name       string     `json:"name"`
	Version    string     `json:"version"`
	Purl       string     `json:"purl"`
	Properties []property `json:"properties,omitempty"`
}

type property struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

type dependency struct {
	Ref string   `json:"ref"`
	On  []string `json:"dependsOn"`
}

type bom struct {
	Format       string       `json:"bomFormat"`
	Spec         string       `json:"specVersion"`
	Serial       string       `json:"serialNumber"`
	Version      int          `json:"version"`
	Metadata     metadata     `json:"metadata"`
	Components   []component  `json:"components"`
	Dependencies []dependency `json:"dependencies"`
}

type metadata struct {
	Timestamp string    `json:"timestamp"`
	Component component `json:"component"`
}

// listParts lists what is linked into programs, as they say themselves: the modules and
// Go's library, in the format of CycloneDX.
func listParts(infos []*debug.BuildInfo, at time.Time) ([]byte, error) {
	parts, of := map[string]component{}, infos[0].Main
	for _, info := range infos {
		add(parts, &debug.Module{Path: "std", Version: strings.TrimPrefix(info.GoVersion, "go")})
		for _, m := range info.Deps {
			if m.Replace != nil {
				m = m.Replace
			}
			add(parts, m)
		}
	}
	program := newComponent(&of)
	program.Type = "application"
	b := bom{Format: "CycloneDX", Spec: "1.6", Version: 1, Metadata: metadata{at.Format(time.RFC3339), program}}
	on := slices.Sorted(maps.Keys(parts))
	for _, ref := range on {
		b.Components = append(b.Components, parts[ref])
	}
	b.Dependencies = []dependency{{program.Ref, on}}
	plain, err := json.Marshal(b)
	if err != nil {
		return nil, err
	}
	h := sha256.Sum256(plain) // a serial number that is the same for the same list
	h[6], h[8] = h[6]&0x0f|0x80, h[8]&0x3f|0x80
	b.Serial = fmt.Sprintf("urn:uuid:%x-%x-%x-%x-%x", h[:4], h[4:6], h[6:8], h[8:10], h[10:16])
	data, err := json.MarshalIndent(b, "", "  ")
	return append(data, '\n'), err
}

func add(parts map[string]component, m *debug.Module) {
	c := newComponent(m)
	parts[c.Ref] = c
}

func newComponent(m *debug.Module) component {
	purl := "pkg:golang/" + m.Path + "@" + strings.ReplaceAll(m.Version, "+", "%2B")
	c := component{Type: "library", Ref: purl, Name: m.Path, Version: m.Version, Purl: purl}
	if m.Sum != "" {
		c.Properties = []property{{"go:sum", m.Sum}}
	}
	return c
}
