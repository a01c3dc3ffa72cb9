package ingest

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
	"time"

	"mem/curate"
	"mem/frontmatter"
	"mem/guard"
	"mem/repo"
	"mem/topic"
)

// A store is all entries in memories/, as they are and as they will be. Each says in its fields where it came from.
type store struct {
	problems []curate.Problem // files that cannot be read as entries

	m        *repo.Memory
	entries  []*entry            // by type and path, then those that were made
	byOrigin map[origin]*entry   // by each origin
	lastAt   map[string]string   // by path of a source: when it was imported last
	versions map[string][]*entry // by groupKey, in the order of paths
}

// loadStore reads the entries of a memory root: with m.ReadFile as they are, with m.ReadCommitted those of the
// last commit.
func loadStore(m *repo.Memory, read func(path string) ([]byte, error)) (*store, error) {
	s := &store{m: m, byOrigin: map[origin]*entry{}, lastAt: map[string]string{}, versions: map[string][]*entry{}}
	for _, kind := range types {
		names, err := m.ListTexts("memories/" + kind)
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			path, why := "memories/"+kind+"/"+name, ""
			data, err := read(path)
			f, errParse := frontmatter.Parse(data)
			switch {
			case err != nil:
				why = "it cannot be read"
			case errParse != nil:
				why = errParse.Error()
			case nameOf(f) == "":
				why = "it has no name"
			default:
				s.add(newEntry(path, kind, f))
				continue
			}
			s.problems = append(s.problems, curate.Problem{Path: path, Why: why})
			s.entries = append(s.entries, &entry{path: path}) // its name is taken
		}
	}
	return s, nil
}

func (s *store) add(e *entry) {
	e.s, s.entries = s, append(s.entries, e)
	s.versions[e.group] = append(s.versions[e.group], e)
	for _, o := range e.origins {
		s.byOrigin[o] = e
		s.lastAt[o.path] = max(s.lastAt[o.path], o.at)
	}
}

// A Change is the effect of importing a file on the memory root.
type Change string

// The changes. The zero value is none.
const (
	Added    Change = "added"    // a new entry
	Replaced Change = "replaced" // a later version of an entry
	Older    Change = "older"    // an earlier version of an entry, kept beside it
	Repeated Change = "repeated" // an entry with the same text, from another place
)

// place finds the entry of a file, or makes it.
func (s *store) place(src *Item) (*entry, Change) {
	// A file is unchanged if it holds what was imported from it last, whatever
	// its name is by now. An earlier text that it holds again was written again.
	if e := s.byOrigin[origin{src.sum, s.lastAt[src.Path], src.Path}]; e != nil {
		return e, ""
	}
	group := groupKey(src.Type, src.Name, src.Slug)
	current := s.findActive(group)
	isLatest := current == nil
	if current != nil { // of two that lay in the same file and give the same time, the second is later
		is, was := src.lastChange().Truncate(time.Millisecond), current.lastChange().Truncate(time.Millisecond)
		isLatest = is.After(was) || is.Equal(was) && current.isFrom(src)
	}
	for _, e := range s.versions[group] {
		switch {
		case textKey(e.file) != textKey(src.file):
		case e.status == superseded && current != nil && isLatest: // the earlier text counts again
		case e.status == Rejected:
			return e, ""
		default:
			if src.lastChange().After(e.lastChange()) { // the text was written again
				e.file.Set(writtenField, timestamp(src.lastChange()))
			}
			e.addOrigins(origin{src.sum, timestamp(s.m.Now()), src.Path})
			e.changed = true
			return e, Repeated
		}
	}
	switch {
	case src.needsApproval():
		return s.propose(src, group, current)
	case current == nil:
		return s.create(src, active), Added
	case isLatest:
		return s.replaceText(current, src), Replaced
	}
	return s.create(src, superseded), Older
}

// findActive returns the entry of a group that sessions read; nil if there is none.
func (s *store) findActive(group string) (found *entry) {
	for _, e := range s.versions[group] {
		if e.status == active {
			found = e
		}
	}
	return found
}

// propose makes a file wait for approval: in place of a version from the same
// file that is still pending, else as one more entry.
func (s *store) propose(src *Item, group string, current *entry) (*entry, Change) {
	for _, e := range s.versions[group] {
		if _, edited := e.file.Get(editedField); e.status == Pending && !edited && e.isFrom(src) {
			return s.replaceText(e, src), Replaced
		}
	}
	if current != nil {
		return s.create(src, Pending), Replaced
	}
	return s.create(src, Pending), Added
}

func (s *store) create(src *Item, status State) *entry {
	e := newEntry(s.freePath(src), src.Type, s.newFile(src, status))
	e.changed = true
	s.add(e)
	return e
}

// replaceText gives an entry the text of a file. It keeps its origins.
func (s *store) replaceText(e *entry, src *Item) *entry {
	was := e.origins
	e.file, e.changed = s.newFile(src, e.status), true
	e.origins = originsOf(e.file)
	e.addOrigins(was...)
	return e
}

// newFile copies a file and adds the fields that say where it came from. A
// field of the file with the name of one of them gets another name.
func (s *store) newFile(src *Item, status State) *frontmatter.File {
	f := src.file.Clone()
	for _, name := range ownFields {
		if v, ok := f.Get(name); ok {
			f.Delete(name)
			if v != "" {
				f.Set("original_"+name, v)
			}
		}
	}
	f.Set(statusField, string(status))
	f.Set(cwdField, src.Cwd)
	f.Set(slugField, src.Slug)
	f.Set(atField, timestamp(s.m.Now()))
	if modifiedOf(src.file).IsZero() {
		f.Set(writtenField, timestamp(src.lastChange()))
	}
	f.Set(pathField, src.Path)
	f.Set(sumField, src.sum)
	return f
}

// freePath returns a path that is not in use: the name of the note alone, or
// with some digits. To some disks Goal.md, which a person wrote, is goal.md.
func (s *store) freePath(src *Item) string {
	base := "memories/" + src.Type + "/" + topic.Slug(guard.Scrub(src.Name), "memory")
	path := base + ".md"
	for n := 0; slices.ContainsFunc(s.entries, func(e *entry) bool { return strings.EqualFold(e.path, path) }); n++ {
		sum := sha256.Sum256(fmt.Appendf(nil, "%s\x00%s\x00%s\x00%d", src.Slug, nameKey(src.Name), src.sum, n))
		path = fmt.Sprintf("%s-%x.md", base, sum[:3])
	}
	return path
}

// readCommitted reads which versions of which files the last commit holds for good, as active entries and superseded
// ones, with all their origins: by the path of the file, the sums of its versions.
func readCommitted(root *repo.Root, now time.Time) (map[string][]string, error) {
	m, err := root.View(now)
	if err != nil {
		return nil, err
	}
	s, err := loadStore(m, m.ReadCommitted)
	if err != nil {
		return nil, err
	}
	c := map[string][]string{}
	for _, e := range s.entries {
		if (e.status == active || e.status == superseded) && e.file.Value(statusField) != "" { // else it is a person's own file
			for _, o := range e.origins {
				c[o.path] = append(c[o.path], o.sum)
			}
		}
	}
	return c, nil
}

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

// groupKey is the same for all versions of one memory. Memories about the person are grouped across
// projects. Memories about a project are not, or the goals of two projects would replace each other.
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
