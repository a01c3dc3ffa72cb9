package imported

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"mem/frontmatter"
	"mem/guard"
	"mem/render"
	"mem/repo"
	"mem/words"
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

// The types of memories that the code tells apart.
const (
	feedbackType = "feedback"
	userType     = "user"
)

// Types are the types of memories, in the order in which people see them. Each
// type has a folder of its own.
var Types = []string{feedbackType, userType, "project", "reference"}

// MaxNote is how large a file may be, in bytes.
const MaxNote = 256 << 10

// A Note is one memory as Claude Code wrote it.
type Note struct {
	Name        string `json:"name,omitzero"`
	Description string `json:"description,omitzero"`
	Type        string `json:"type,omitzero"`

	Session  string    `json:"-"` // that wrote it; "" if the file does not say
	Modified time.Time `json:"-"` // zero if the file does not say
	Sum      string    `json:"-"` // SHA-256 of the file, in hexadecimal digits

	data []byte
	body string
}

// ParseNote reads one of Claude Code's files, of at most MaxNote bytes. The error says why the file is
// not a memory.
func ParseNote(data []byte) (*Note, error) {
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
	n := &Note{data: data, body: f.Body(), Name: nameOf(f), Description: descriptionOf(f), Session: fieldOf(f, "originSessionId"), Sum: SumOf(data)}
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
	n.Modified = timeOf(fieldOf(f, "modified"))
	return n, nil
}

// SumOf returns the SHA-256 of a file in hexadecimal digits.
func SumOf(data []byte) string { return fmt.Sprintf("%x", sha256.Sum256(data)) }

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

// timeOf reads a time of a field; the zero time if it is not one.
func timeOf(value string) time.Time {
	at, _ := time.Parse(time.RFC3339Nano, value)
	return at.UTC()
}

func typeOf(f *frontmatter.File) (string, error) {
	flat := f.Value("type")
	below, _ := f.Under("metadata", "type")
	if flat != "" && below != "" && flat != below {
		return "", fmt.Errorf("two types, %q and %q", words.FoldSpace(flat), words.FoldSpace(below))
	}
	switch t := fieldOf(f, "type"); {
	case t == "":
		return "", errors.New("no type")
	case !slices.Contains(Types, t):
		return "", fmt.Errorf("its type %q is none of %s", words.FoldSpace(t), strings.Join(Types, ", "))
	default:
		return t, nil
	}
}

// nameKey is the same for names that differ only in case, or in which of space,
// underscore and hyphen stands between their words.
func nameKey(name string) string {
	parts := strings.FieldsFunc(strings.ToLower(words.FoldSpace(name)), func(r rune) bool { return r == ' ' || r == '_' || r == '-' })
	return strings.Join(parts, "-")
}

// textKey is the same for texts that differ only in line ends and in white space
// at the ends.
func textKey(description, body string) string {
	return words.FoldSpace(description) + "\x00" + strings.TrimSpace(strings.ReplaceAll(body, "\r\n", "\n"))
}

// A Source is a note and where it was found.
type Source struct {
	*Note             // nil if the file was not recognised
	Path    string    `json:"path"`      // of the file
	Slug    string    `json:"silo"`      // what Claude Code calls the project
	Cwd     string    `json:"sourceCwd"` // the folder that the session ran in; Slug if that is unknown
	Written time.Time `json:"-"`         // as the disk says
}

// LastChange returns when the text was written: as the file says, else as the
// disk says.
func (s *Source) LastChange() time.Time {
	if !s.Modified.IsZero() {
		return s.Modified
	}
	return s.Written
}

// IsPersonal reports whether a source is about the person, wherever it comes from.
func (s *Source) IsPersonal() bool { return s.Type == userType || s.Type == feedbackType }

// listWarnings says why no session should read a source before a person has looked
// at it. Of what is about a project only the name and the description are ever
// shown.
func (s *Source) listWarnings() []string {
	text := s.Name + "\n" + s.Description
	if s.IsPersonal() {
		text += "\n" + s.body
	}
	return warningsIn(text)
}

func warningsIn(text string) (list []string) {
	for _, p := range guard.Lint(text) {
		list = append(list, fmt.Sprintf("it reads like an order or an attack (%s): %s", p.Rule, render.Shorten(words.FoldSpace(p.Text), 60)))
	}
	return list
}

// KeepsPath reports whether the fields of an entry can hold the path of a file, by
// which the next run knows it again: not without UTF-8 or with control characters.
func KeepsPath(path string) bool {
	f := frontmatter.New("")
	f.Set(pathField, path)
	f.SetList(sourcesField, []string{path})
	return f.Value(pathField) == path && slices.Equal(f.List(sourcesField), []string{path})
}
