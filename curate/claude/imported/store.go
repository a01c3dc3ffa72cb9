// Package imported keeps what was imported from Claude Code's memories: the
// entries in memories/ of a memory root.
//
// A Store finds the place of each source among the entries: it is new, a later
// or an earlier version of an entry, or a repetition. Each entry says in its fields
// where it came from, so that an interrupted import is finished by the next one.
// Feedback, and what reads like an order, waits in the [Queue] for approval.
package imported

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"mem/curate/proposal"
	"mem/frontmatter"
	"mem/guard"
	"mem/repo"
	"mem/topic"
)

// A Store is all entries, as they are and as they will be once Write has
// returned.
type Store struct {
	Problems []proposal.Problem // files that cannot be read as entries

	m        *repo.Memory
	entries  map[string]*entry   // by path
	names    map[string]bool     // the paths in lower case
	byOrigin map[origin]*entry   // by each origin
	lastAt   map[string]string   // by path of a source: when it was imported last
	versions map[string][]*entry // by groupKey, in the order of paths
}

// LoadStore reads the entries of a memory root.
func LoadStore(m *repo.Memory) (*Store, error) {
	s := &Store{
		m: m, entries: map[string]*entry{}, names: map[string]bool{}, byOrigin: map[origin]*entry{}, lastAt: map[string]string{}, versions: map[string][]*entry{},
	}
	return s, eachFile(m, func(kind, path string) error {
		e, why := readEntry(m, kind, path)
		if why != "" {
			s.Problems = append(s.Problems, proposal.Problem{Path: path, Why: why})
			e = &entry{path: path} // its name is taken
		} else {
			s.versions[e.group] = append(s.versions[e.group], e)
		}
		for _, o := range e.origins {
			s.byOrigin[o] = e
			s.lastAt[o.path] = max(s.lastAt[o.path], o.at)
		}
		s.entries[path], s.names[strings.ToLower(path)] = e, true
		return nil
	})
}

// eachFile calls f for each file in memories/, by type and name.
func eachFile(m *repo.Memory, f func(kind, path string) error) error {
	for _, kind := range Types {
		names, err := m.ListTexts(folderOf(kind))
		if err != nil {
			return err
		}
		for _, name := range names {
			if err := f(kind, folderOf(kind)+"/"+name); err != nil {
				return err
			}
		}
	}
	return nil
}

// A Change says what importing a source does to the memory root.
type Change string

// The changes. The zero value is none.
const (
	Added    Change = "added"    // a new entry
	Replaced Change = "replaced" // a later version of an entry
	Older    Change = "older"    // an earlier version of an entry, kept beside it
	Repeated Change = "repeated" // an entry with the same text, from another place
)

// A Placement is where a source went.
type Placement struct {
	Path   string // of the entry
	Status string // of the entry: Active and so on, or what a person wrote there
	Change Change
}

func placed(e *entry, change Change) Placement { return Placement{e.path, e.status, change} }

// Import finds the place of a source among the entries. Write keeps it there.
func (s *Store) Import(src *Source) (Placement, error) {
	// A file is unchanged if it holds what was imported from it last, whatever
	// its name is by now. An earlier text that it holds again was written again.
	if e := s.byOrigin[origin{src.Sum, s.lastAt[src.Path], src.Path}]; e != nil {
		return placed(e, ""), nil
	}
	versions := s.versions[groupKey(src.Type, src.Name, src.Slug)]
	var current *entry
	for _, e := range versions {
		if e.status == Active {
			current = e
		}
	}
	isLatest := current == nil || current.isReplacedBy(src)
	for _, e := range versions {
		switch {
		case e.textKey() != textKey(src.Description, src.body):
		case e.status == Superseded && current != nil && isLatest: // the earlier text counts again
		case e.status == Rejected:
			return placed(e, ""), nil
		default:
			e.addOrigin(src, s.m.Now())
			return placed(e, Repeated), nil
		}
	}
	switch {
	case src.Type == feedbackType || len(src.listWarnings()) > 0:
		return s.propose(src, versions, current)
	case current == nil:
		return s.create(src, Active, Added)
	case isLatest:
		return placed(current, Replaced), s.replaceText(current, src)
	}
	return s.create(src, Superseded, Older)
}

// propose makes a source wait for approval: in place of a version from the same
// file that is still pending, else as one more entry.
func (s *Store) propose(src *Source, versions []*entry, current *entry) (Placement, error) {
	for _, e := range versions {
		if _, edited := e.file.Get(editedField); e.status == Pending && !edited && e.isFrom(src) {
			return placed(e, Replaced), s.replaceText(e, src)
		}
	}
	p, err := s.create(src, Pending, Added)
	if err == nil && current != nil {
		s.entries[p.Path].file.Set(revisesField, current.path)
		p.Change = Replaced
	}
	return p, err
}

func (s *Store) create(src *Source, status string, change Change) (Placement, error) {
	f, err := s.newFile(src, status)
	if err != nil {
		return Placement{}, err
	}
	e := &entry{
		path: s.freePath(src), kind: src.Type, status: status, group: groupKey(src.Type, src.Name, src.Slug), file: f, origins: originsOf(f), changed: true,
	}
	s.entries[e.path], s.names[e.path] = e, true
	s.versions[e.group] = append(s.versions[e.group], e)
	return placed(e, change), nil
}

// replaceText gives an entry the text of a source. It keeps its origins.
func (s *Store) replaceText(e *entry, src *Source) error {
	f, err := s.newFile(src, e.status)
	if err != nil {
		return err
	}
	if old, ok := e.file.Get(revisesField); ok {
		f.Set(revisesField, old)
	}
	e.file, e.origins, e.changed = f, append(originsOf(f), e.origins...), true
	e.listOrigins()
	return nil
}

// newFile copies a source and adds the fields that say where it came from. A
// field of the source with the name of one of them gets another name.
func (s *Store) newFile(src *Source, status string) (*frontmatter.File, error) {
	f, err := frontmatter.Parse(src.data)
	if err != nil {
		return nil, err
	}
	for _, name := range ownFields {
		if v, ok := f.Get(name); ok {
			f.Delete(name)
			if v != "" {
				f.Set("original_"+name, v)
			}
		}
	}
	f.Set(statusField, status)
	f.Set(cwdField, src.Cwd)
	f.Set(slugField, src.Slug)
	f.Set(atField, timestamp(s.m.Now()))
	if src.Modified.IsZero() {
		f.Set(writtenField, timestamp(src.LastChange()))
	}
	f.Set(pathField, src.Path)
	f.Set(sumField, src.Sum)
	return f, nil
}

// freePath returns a path that is not in use: the name of the note alone, or
// with some digits. To some disks Goal.md, which a person wrote, is goal.md.
func (s *Store) freePath(src *Source) string {
	base := folderOf(src.Type) + "/" + topic.Slug(guard.Scrub(src.Name), "memory")
	if path := base + ".md"; !s.names[path] {
		return path
	}
	for n := 0; ; n++ {
		sum := sha256.Sum256(fmt.Appendf(nil, "%s\x00%s\x00%s\x00%d", src.Slug, nameKey(src.Name), src.Sum, n))
		if path := fmt.Sprintf("%s-%x.md", base, sum[:3]); !s.names[path] {
			return path
		}
	}
}

// Write writes the entries that changed: the pending ones, and with all the
// others too. It returns their paths, in order.
func (s *Store) Write(all bool) (paths []string, err error) {
	for _, path := range slices.Sorted(maps.Keys(s.entries)) {
		e := s.entries[path]
		if !e.changed || e.status != Pending && !all {
			continue
		}
		if err := s.m.KeepFile(path, e.file.Bytes()); err != nil {
			return nil, err
		}
		paths = append(paths, path)
	}
	return paths, nil
}

// Committed says which versions of which files the last commit holds: by the
// path of the file, the sums of its versions.
type Committed map[string]map[string]bool

// ReadCommitted reads what the last commit holds for good: the active entries
// and the superseded ones, with all their origins.
func ReadCommitted(m *repo.Memory) (Committed, error) {
	c := Committed{}
	return c, eachFile(m, func(_, path string) error {
		data, err := m.ReadCommitted(path)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		f, err := frontmatter.Parse(data)
		if err != nil {
			return nil // a person's own file
		}
		if s := f.Value(statusField); s != Active && s != Superseded {
			return nil
		}
		for _, o := range originsOf(f) {
			if c[o.path] == nil {
				c[o.path] = map[string]bool{}
			}
			c[o.path][o.sum] = true
		}
		return nil
	})
}
