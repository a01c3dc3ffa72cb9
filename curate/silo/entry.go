package silo

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"mem/frontmatter"
	"mem/guard"
	"mem/words"
)

// Types returns the types of memories, each of which has a home of its own, in
// the order in which people are shown them.
func Types() []string { return []string{"feedback", "user", "project", "reference"} }

// maxEntry is how large a file may be.
const maxEntry = 256 << 10

// An Entry is what a file of a silo says.
type Entry struct {
	Name, Description, Type string

	Session  string    // that wrote it; "" if the file does not say
	Modified time.Time // zero if the file does not say
	Sum      string    // SHA-256 of the file

	data []byte
	body string
}

// Fields that a memory adds to those of the file.
const (
	fieldStatus  = "status"
	fieldCwd     = "source_cwd"
	fieldSlug    = "source_slug"
	fieldAt      = "ingested_at"
	fieldWritten = "source_modified"
	fieldPath    = "original_path"
	fieldSum     = "source_sha256"
	fieldSources = "sources"
	fieldRevises = "revises"
	fieldEdited  = "edited_at"
	fieldReason  = "rejection_reason"
)

func ownFields() []string {
	return []string{fieldStatus, fieldCwd, fieldSlug, fieldAt, fieldWritten, fieldPath, fieldSum, fieldSources, fieldRevises, fieldEdited, fieldReason}
}

// Parse reads a file of a silo. The error says why it is none.
func Parse(data []byte) (*Entry, error) {
	switch {
	case len(data) > maxEntry:
		return nil, errors.New("larger than 256 KiB")
	case !utf8.Valid(data) || bytes.IndexByte(data, 0) >= 0:
		return nil, errors.New("not UTF-8 text")
	}
	f, err := frontmatter.Parse(data)
	switch {
	case errors.Is(err, frontmatter.ErrNone):
		return nil, errors.New("no fields between lines of ---")
	case err != nil:
		return nil, errors.New("the line of --- that ends the fields is missing")
	}
	e := &Entry{data: data, body: f.Body()}
	e.Name, e.Description = line(f, "name"), line(f, "description")
	if e.Name == "" {
		return nil, errors.New("no name")
	}
	if e.Type, err = typeOf(f); err != nil {
		return nil, err
	}
	for _, name := range ownFields() {
		if nested(f, name) {
			return nil, fmt.Errorf("its field %s is one that a memory keeps itself", name)
		}
	}
	if guard.CountSecrets(string(data)) > 0 {
		return nil, errors.New("it holds what looks like a secret, which would stay in the history for ever")
	}
	e.Session = either(f, "originSessionId")
	if at, err := time.Parse(time.RFC3339Nano, either(f, "modified")); err == nil {
		e.Modified = at.UTC()
	}
	sum := sha256.Sum256(data)
	e.Sum = hex.EncodeToString(sum[:])
	return e, nil
}

// line is a field on one line.
func line(f *frontmatter.File, name string) string {
	v, _ := f.Get(name)
	return words.FoldSpace(v)
}

// either is a field at the top, as older versions have it, or below metadata.
func either(f *frontmatter.File, name string) string {
	v, _ := f.Get(name)
	if v == "" {
		v, _ = f.Under("metadata", name)
	}
	return strings.TrimSpace(v)
}

func typeOf(f *frontmatter.File) (string, error) {
	flat, _ := f.Get("type")
	below, _ := f.Under("metadata", "type")
	t := strings.TrimSpace(flat)
	switch {
	case flat != "" && below != "" && flat != below:
		return "", fmt.Errorf("two types, %q and %q", words.FoldSpace(flat), words.FoldSpace(below))
	case t == "":
		t = strings.TrimSpace(below)
	}
	switch {
	case t == "":
		return "", errors.New("no type")
	case !slices.Contains(Types(), t):
		return "", fmt.Errorf("its type %q is none of %s", words.FoldSpace(t), strings.Join(Types(), ", "))
	}
	return t, nil
}

// nested reports whether a field has lines below it, so that it cannot be kept
// under another name.
func nested(f *frontmatter.File, name string) bool {
	if _, ok := f.Get(name); !ok {
		return false
	}
	g, err := frontmatter.Parse(f.Bytes())
	if err != nil {
		return true
	}
	before := bytes.Count(g.Bytes(), []byte("\n"))
	g.Delete(name)
	return before-bytes.Count(g.Bytes(), []byte("\n")) > 1
}

// nameKey is what makes two names the same: case does not matter, nor which of
// space, underscore and hyphen stands between the words.
func nameKey(name string) string {
	words := strings.FieldsFunc(strings.ToLower(words.FoldSpace(name)), func(r rune) bool { return r == ' ' || r == '_' || r == '-' })
	return strings.Join(words, "-")
}

// says is what an entry says, in a form in which line ends and space at the end
// make no difference.
func says(description, body string) string {
	return words.FoldSpace(description) + "\x00" + strings.TrimSpace(strings.ReplaceAll(body, "\r\n", "\n"))
}

// maxSlug is how long the name of a file may be, without its ending.
const maxSlug = 60

// slugOf is a name as that of a file: lower-case letters, digits and hyphens.
// Names in scripts that have none of those come out as "memory".
func slugOf(name string) string {
	parts := strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') })
	slug := strings.Join(parts, "-")
	if len(slug) > maxSlug {
		slug = strings.Trim(slug[:maxSlug], "-")
	}
	if slug == "" || device(slug) {
		slug = strings.Trim("memory-"+slug, "-")
	}
	return slug
}

// device reports whether Windows takes a name for a device.
func device(name string) bool {
	switch {
	case slices.Contains([]string{"con", "prn", "aux", "nul"}, name):
		return true
	case len(name) == 4 && name[3] >= '0' && name[3] <= '9':
		return name[:3] == "com" || name[:3] == "lpt"
	}
	return false
}
