package imported

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"mem/frontmatter"
	"mem/repo"
)

// The values of the field status. An entry without one is active: a person
// wrote it.
const (
	Active     = "active"
	Pending    = "pending"    // waits for a person's approval
	Rejected   = "rejected"   // a person said no; the same text is not proposed again
	Superseded = "superseded" // a later version was imported first
)

// The fields that mem adds to those of a note.
const (
	statusField  = "status"
	cwdField     = "source_cwd"
	slugField    = "source_slug"
	atField      = "ingested_at"
	writtenField = "source_modified"
	pathField    = "original_path"
	sumField     = "source_sha256"
	sourcesField = "sources"
	revisesField = "revises"
	editedField  = "edited_at"
	reasonField  = "rejection_reason"
)

var ownFields = []string{
	statusField, cwdField, slugField, atField, writtenField, pathField, sumField, sourcesField, revisesField, editedField, reasonField,
}

func folderOf(kind string) string { return "memories/" + kind }

// An entry is one file in memories/, imported or written by a person.
type entry struct {
	path    string
	kind    string // the type; "" for a file that cannot be read as an entry
	status  string
	group   string // groupKey of the entry
	file    *frontmatter.File
	origins []origin // the one of its text first
	changed bool
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

// readEntry reads one file in memories/; why says what is wrong with it.
func readEntry(m *repo.Memory, kind, path string) (e *entry, why string) {
	data, err := m.ReadFile(path)
	if err != nil {
		return nil, "it cannot be read"
	}
	f, err := frontmatter.Parse(data)
	if err != nil {
		return nil, err.Error()
	}
	if nameOf(f) == "" {
		return nil, "it has no name"
	}
	return &entry{
		path: path, kind: kind, status: cmp.Or(strings.TrimSpace(f.Value(statusField)), Active),
		group: groupKey(kind, nameOf(f), f.Value(slugField)), file: f, origins: originsOf(f),
	}, ""
}

func (e *entry) name() string { return nameOf(e.file) }

// textKey is the same for entries and sources that say the same.
func (e *entry) textKey() string { return textKey(descriptionOf(e.file), e.file.Body()) }

// lastChange returns when the text of an entry was last written, as the text or the
// disk said. Older entries only know when they were imported.
func (e *entry) lastChange() time.Time {
	said, written := timeOf(fieldOf(e.file, "modified")), timeOf(e.file.Value(writtenField))
	if written.After(said) {
		said = written
	}
	if said.IsZero() {
		return timeOf(e.file.Value(atField))
	}
	return said
}

// isFrom reports whether the text of an entry came from the file of a source.
func (e *entry) isFrom(src *Source) bool { return len(e.origins) > 0 && e.origins[0].path == src.Path }

// isReplacedBy reports whether a source is a later version of an entry. Of two
// that lay in the same file and give the same time, the second is later.
func (e *entry) isReplacedBy(src *Source) bool {
	is, was := src.LastChange().Truncate(time.Millisecond), e.lastChange().Truncate(time.Millisecond)
	return is.After(was) || is.Equal(was) && e.isFrom(src)
}

// addOrigin notes one more source of the text of an entry, and that the text
// was written again.
func (e *entry) addOrigin(src *Source, now time.Time) {
	if src.LastChange().After(e.lastChange()) {
		e.file.Set(writtenField, timestamp(src.LastChange()))
	}
	e.origins = append(e.origins, origin{src.Sum, timestamp(now), src.Path})
	e.listOrigins()
	e.changed = true
}

// listOrigins writes all origins but the one of the text into their field.
func (e *entry) listOrigins() {
	rest := e.origins
	if _, ok := e.file.Get(sumField); ok && len(rest) > 0 {
		rest = rest[1:]
	}
	var lines []string
	for _, o := range rest {
		if line := o.sum + " " + o.at + " " + o.path; !slices.Contains(lines, line) {
			lines = append(lines, line)
		}
	}
	if len(lines) > 0 {
		e.file.SetList(sourcesField, lines)
	}
}

func timestamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }
