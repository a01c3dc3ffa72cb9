package ingest

import (
	"bytes"
	"crypto/sha256"
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

// The types of memories that the code tells apart.
const (
	feedbackType = "feedback"
	userType     = "user"
)

// types are the types of memories, in the order in which people see them. Each
// type has a folder of its own.
var types = []string{feedbackType, userType, "project", "reference"}

// maxNote is how large a file may be, in bytes.
const maxNote = 256 << 10

// A Note is one memory as Claude Code wrote it.
type Note struct {
	Name        string `json:"name,omitzero"`
	Description string `json:"description,omitzero"`
	Type        string `json:"type,omitzero"`

	sum  string // SHA-256 of the file, in hexadecimal digits
	file *frontmatter.File
}

// parseNote reads one of Claude Code's files, of at most maxNote bytes. The error says why the file is
// not a memory.
func parseNote(data []byte) (*Note, error) {
	if !utf8.Valid(data) || bytes.IndexByte(data, 0) >= 0 {
		return nil, errors.New("not UTF-8 text")
	}
	f, err := frontmatter.Parse(data)
	switch {
	case errors.Is(err, frontmatter.ErrNone):
		return nil, errors.New("no fields between lines of ---")
	case err != nil:
		return nil, errors.New("the line of --- that ends the fields is missing")
	}
	n := &Note{Name: nameOf(f), Description: descriptionOf(f), sum: sumOf(data), file: f}
	if n.Name == "" {
		return nil, errors.New("no name")
	}
	if n.Type, err = typeOf(f); err != nil {
		return nil, err
	}
	for _, name := range ownFields {
		if f.HasLinesBelow(name) { // it could not be kept under another name
			return nil, fmt.Errorf("its field %s is one that mem writes itself", name)
		}
	}
	if guard.CountSecrets(string(data)) > 0 {
		return nil, errors.New("it holds what looks like a secret, which would stay in the history for ever")
	}
	return n, nil
}

// sumOf returns the SHA-256 of a file in hexadecimal digits.
func sumOf(data []byte) string { return fmt.Sprintf("%x", sha256.Sum256(data)) }

func nameOf(f *frontmatter.File) string        { return words.FoldSpace(f.Value("name")) }
func descriptionOf(f *frontmatter.File) string { return words.FoldSpace(f.Value("description")) }

// fieldOf returns a field from the top level, where older versions of Claude
// Code put it, or from below metadata.
func fieldOf(f *frontmatter.File, name string) string {
	value := f.Value(name)
	if value == "" {
		value, _ = f.Under("metadata", name)
	}
	return strings.TrimSpace(value)
}

// sessionOf and modifiedOf return which session wrote a text, and when, as far as it says so.
func sessionOf(f *frontmatter.File) string     { return fieldOf(f, "originSessionId") }
func modifiedOf(f *frontmatter.File) time.Time { return timeOf(fieldOf(f, "modified")) }

// timeOf reads a time of a field; the zero time if it is not one.
func timeOf(value string) time.Time {
	at, _ := time.Parse(time.RFC3339Nano, value)
	return at.UTC()
}

func typeOf(f *frontmatter.File) (string, error) {
	flat := f.Value("type")
	below, _ := f.Under("metadata", "type")
	t := fieldOf(f, "type")
	switch {
	case flat != "" && below != "" && flat != below:
		return "", fmt.Errorf("two types, %q and %q", words.FoldSpace(flat), words.FoldSpace(below))
	case t == "":
		return "", errors.New("no type")
	case !slices.Contains(types, t):
		return "", fmt.Errorf("its type %q is none of %s", words.FoldSpace(t), strings.Join(types, ", "))
	}
	return t, nil
}

// nameKey is the same for names that differ only in case, or in which of space,
// underscore and hyphen stands between their words.
func nameKey(name string) string {
	parts := strings.FieldsFunc(strings.ToLower(words.FoldSpace(name)), func(r rune) bool { return r == ' ' || r == '_' || r == '-' })
	return strings.Join(parts, "-")
}

// textKey is the same for entries and notes whose texts differ only in line ends and in white
// space at the ends.
func textKey(f *frontmatter.File) string {
	return descriptionOf(f) + "\x00" + strings.TrimSpace(strings.ReplaceAll(f.Body(), "\r\n", "\n"))
}

// isPersonal reports whether a note is about the person, wherever it comes from.
func (n *Note) isPersonal() bool { return n.Type == userType || n.Type == feedbackType }

// needsApproval reports whether a person has to look at a note before a session reads it: all that
// says how they want things done, and what reads like an order. Of what is about a project only
// the name and the description are ever shown.
func (n *Note) needsApproval() bool {
	text := n.Name + "\n" + n.Description
	if n.isPersonal() {
		text += "\n" + n.file.Body()
	}
	return n.Type == feedbackType || len(guard.Lint(text)) > 0
}
