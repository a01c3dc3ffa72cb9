package ingest

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"mem/frontmatter"
)

// The fields that mem adds to those of a note. An entry without a status is active: a person wrote it.
const (
	statusField  = "status"
	cwdField     = "source_cwd"
	slugField    = "source_slug"
	atField      = "ingested_at"
	writtenField = "source_modified"
	pathField    = "original_path"
	sumField     = "source_sha256"
	sourcesField = "sources"
	editedField  = "edited_at"
	reasonField  = "rejection_reason"
)

var ownFields = []string{
	statusField, cwdField, slugField, atField, writtenField, pathField, sumField, sourcesField, editedField, reasonField,
}

// An entry is one file in memories/, imported or written by a person.
type entry struct {
	path    string
	kind    string // the type; "" for a file that cannot be read as an entry
	status  State  // active, superseded, Pending, Rejected, or what a person wrote
	group   string // groupKey of the entry
	file    *frontmatter.File
	origins []origin // the one of its text first
	changed bool
	s       *store // that it is in
}

// An origin says that a file with this sum was imported from a path at a time.
type origin struct{ sum, at, path string }

// originsOf returns where an entry came from, the origin of its text first.
func originsOf(f *frontmatter.File) (list []origin) {
	if sum := f.Value(sumField); sum != "" {
		list = append(list, origin{sum, f.Value(atField), f.Value(pathField)})
	}
	for _, line := range f.List(sourcesField) {
		if parts := strings.SplitN(line, " ", 3); len(parts) == 3 {
			list = append(list, origin{parts[0], parts[1], parts[2]})
		}
	}
	return list
}

// groupKey is the same for the versions of one memory. What is about the person
// is one memory wherever it came from. What is about a project is not, or the
// goals of two projects would replace each other.
func groupKey(kind, name, slug string) string {
	if kind == feedbackType || kind == userType {
		slug = ""
	}
	return kind + "\x00" + nameKey(name) + "\x00" + slug
}

func newEntry(path, kind string, f *frontmatter.File) *entry {
	return &entry{
		path: path, kind: kind, status: cmp.Or(State(strings.TrimSpace(f.Value(statusField))), active),
		group: groupKey(kind, nameOf(f), f.Value(slugField)), file: f, origins: originsOf(f),
	}
}

// lastChange returns when the text of an entry was last written, as the text or the
// disk said. Older entries only know when they were imported.
func (e *entry) lastChange() time.Time {
	said, written := modifiedOf(e.file), timeOf(e.file.Value(writtenField))
	if written.After(said) {
		said = written
	}
	if said.IsZero() {
		return timeOf(e.file.Value(atField))
	}
	return said
}

// isFrom reports whether the text of an entry came from a file.
func (e *entry) isFrom(src *Item) bool { return len(e.origins) > 0 && e.origins[0].path == src.Path }

// addOrigins writes all origins but the one of the text into their field.
func (e *entry) addOrigins(more ...origin) {
	e.origins = append(e.origins, more...)
	var lines []string
	for i, o := range e.origins {
		if line := o.sum + " " + o.at + " " + o.path; !slices.Contains(lines, line) && (i > 0 || e.file.Value(sumField) == "") {
			lines = append(lines, line)
		}
	}
	if len(lines) > 0 {
		e.file.SetList(sourcesField, lines)
	}
}

func timestamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }
