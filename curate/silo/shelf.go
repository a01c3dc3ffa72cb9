package silo

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"mem/curate/proposal"
	"mem/frontmatter"
	"mem/repo"
)

// The values of the field status. An entry without one is active: a person
// wrote it.
const (
	active     = "active"
	pending    = "pending"    // nobody said yes yet
	rejected   = "rejected"   // somebody said no; the same text is not proposed again
	superseded = "superseded" // a later version was there first
)

// home is the folder of the entries of a type.
func home(kind string) string { return "memories/" + kind }

// A copied entry is one in memories/, made from a source or by a person.
type copied struct {
	path   string
	kind   string // the type
	status string
	key    string
	slug   string // of the silo; it counts for what is about a place
	file   *frontmatter.File
	seen   []sighting
	dirty  bool
}

// A sighting says that a file with this sum lay there.
type sighting struct{ sum, at, path string }

func (s sighting) String() string { return s.sum + " " + s.at + " " + s.path }

// sightings returns where an entry came from, the source of its text first.
func sightings(f *frontmatter.File) (list []sighting) {
	if sum, _ := f.Get(fieldSum); sum != "" {
		at, _ := f.Get(fieldAt)
		path, _ := f.Get(fieldPath)
		list = append(list, sighting{sum, at, path})
	}
	for _, line := range f.List(fieldSources) {
		if parts := strings.SplitN(line, " ", 3); len(parts) == 3 {
			list = append(list, sighting{parts[0], parts[1], parts[2]})
		}
	}
	return list
}

// says is what the entry says; see the function of that name.
func (c *copied) says() string { return says(line(c.file, "description"), c.file.Body()) }

// A shelf is all entries in memories/, as they are and as they will be.
type shelf struct {
	m        *repo.Memory
	all      map[string]*copied   // by path
	names    map[string]bool      // the paths in lower case
	seen     map[sighting]*copied // by each source
	last     map[string]string    // by path of a source, when it was seen last
	same     map[string][]*copied // by family, in the order of paths
	problems []proposal.Problem
}

// family is what versions of one memory have in common. What is about the
// person is one wherever it came from; what is about a place is not, or two
// projects' goals would replace each other.
func family(kind, key, slug string) string {
	if kind == "feedback" || kind == "user" {
		slug = ""
	}
	return kind + "\x00" + key + "\x00" + slug
}

func (c *copied) family() string { return family(c.kind, c.key, c.slug) }

// load reads the entries of a memory.
func load(m *repo.Memory) (*shelf, error) {
	s := &shelf{m: m, all: map[string]*copied{}, names: map[string]bool{}, seen: map[sighting]*copied{}, last: map[string]string{}, same: map[string][]*copied{}}
	for _, kind := range Types() {
		names, err := m.Texts(home(kind))
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			path := home(kind) + "/" + name
			c, why := s.read(kind, path)
			if why != "" {
				s.problems = append(s.problems, proposal.Problem{Path: path, Why: why})
				c = &copied{path: path} // its name is taken
			} else {
				s.same[c.family()] = append(s.same[c.family()], c)
				for _, from := range c.seen {
					s.seen[from] = c
					s.last[from.path] = max(s.last[from.path], from.at)
				}
			}
			s.all[path], s.names[strings.ToLower(path)] = c, true
		}
	}
	return s, nil
}

func (s *shelf) read(kind, path string) (c *copied, why string) {
	data, err := s.m.Read(path)
	if err != nil {
		return nil, "it cannot be read"
	}
	f, err := frontmatter.Parse(data)
	if err != nil {
		return nil, err.Error()
	}
	name := line(f, "name")
	if name == "" {
		return nil, "it has no name"
	}
	slug, _ := f.Get(fieldSlug)
	status, _ := f.Get(fieldStatus)
	return &copied{
		path: path, kind: kind, status: cmp.Or(strings.TrimSpace(status), active), key: nameKey(name), slug: slug, file: f, seen: sightings(f),
	}, ""
}

// put finds the place of a source and writes it there.
func (s *shelf) put(src *Source) (Item, error) {
	it := Item{Source: src}
	// What a file held before another text, somebody has written once more.
	if c := s.seen[sighting{src.Sum, s.last[src.Path], src.Path}]; c != nil { // whatever its name is by now
		return it.at(c), nil
	}
	versions := s.same[family(src.Type, nameKey(src.Name), src.Silo.Slug)]
	text := says(src.Description, src.body)
	for _, c := range versions {
		if c.says() == text && (c.status != superseded || !again(src, versions)) {
			if c.status != rejected {
				it.Change = Repeated
				s.add(c, src)
			}
			return it.at(c), nil
		}
	}
	var now *copied
	for _, c := range versions {
		if c.status == active {
			now = c
		}
	}
	switch doubts := doubt(src); {
	case src.Type == "feedback" || len(doubts) > 0:
		return s.propose(it, src, versions, now)
	case now == nil:
		it.Change = Added
		c, err := s.create(src, active)
		return it.at(c), err
	case supersedes(src, now):
		it.Change = Replaced
		err := s.replace(now, src)
		return it.at(now), err
	default:
		it.Change = Older
		c, err := s.create(src, superseded)
		return it.at(c), err
	}
}

// propose makes a source wait for a yes: in place of the version of the same
// file that waits already, else as one more entry.
func (s *shelf) propose(it Item, src *Source, versions []*copied, now *copied) (Item, error) {
	for _, c := range versions {
		_, edited := c.file.Get(fieldEdited)
		if c.status == pending && !edited && len(c.seen) > 0 && c.seen[0].path == src.Path {
			it.Change = Replaced
			err := s.replace(c, src)
			return it.at(c), err
		}
	}
	it.Change = Added
	c, err := s.create(src, pending)
	if err == nil && now != nil {
		c.file.Set(fieldRevises, now.path)
		it.Change = Replaced
	}
	return it.at(c), err
}

// again reports whether a source says later than the active version what an
// earlier one said, which makes that text the one that counts.
func again(src *Source, versions []*copied) bool {
	return slices.ContainsFunc(versions, func(c *copied) bool { return c.status == active && supersedes(src, c) })
}

// at says where an item stands.
func (it Item) at(c *copied) Item {
	if c == nil {
		return it
	}
	it.Home, it.State = c.path, Ready
	switch c.status {
	case pending:
		it.State = Pending
	case rejected:
		it.State = Rejected
	case active, superseded:
	default:
		it.State, it.Why = Left, fmt.Sprintf("%s has the status %q", c.path, c.status)
	}
	return it
}

// supersedes reports whether a source is a later version of an entry. Of two
// that lay in the same file, and say the same time, the second is.
func supersedes(src *Source, c *copied) bool {
	is, was := src.modified().Truncate(time.Millisecond), modified(c).Truncate(time.Millisecond)
	return is.After(was) || is.Equal(was) && len(c.seen) > 0 && c.seen[0].path == src.Path
}

// modified is when the text of an entry was last written: as it says itself, or
// as the disk said of the files that had it. Older entries only know when they
// were taken over.
func modified(c *copied) (last time.Time) {
	for _, s := range []string{either(c.file, "modified"), first(c.file, fieldWritten)} {
		if at, err := time.Parse(time.RFC3339Nano, s); err == nil && at.After(last) {
			last = at
		}
	}
	if last.IsZero() {
		last, _ = time.Parse(time.RFC3339Nano, first(c.file, fieldAt))
	}
	return last
}

func first(f *frontmatter.File, name string) string {
	v, _ := f.Get(name)
	return v
}

// create makes a new entry of a source.
func (s *shelf) create(src *Source, status string) (*copied, error) {
	f, err := s.make(src, status)
	if err != nil {
		return nil, err
	}
	c := &copied{
		path: s.free(src), kind: src.Type, status: status, key: nameKey(src.Name), slug: src.Silo.Slug, file: f, seen: sightings(f), dirty: true,
	}
	s.all[c.path], s.names[c.path] = c, true
	s.same[c.family()] = append(s.same[c.family()], c)
	return c, nil
}

// replace gives an entry the text of a source, with the sources that it had.
func (s *shelf) replace(c *copied, src *Source) error {
	f, err := s.make(src, c.status)
	if err != nil {
		return err
	}
	if old, ok := c.file.Get(fieldRevises); ok {
		f.Set(fieldRevises, old)
	}
	c.file, c.slug, c.dirty = f, src.Silo.Slug, true
	c.seen = append(sightings(f), c.seen...)
	c.list()
	return nil
}

// add notes one more source of an entry, and that its text was written again.
func (s *shelf) add(c *copied, src *Source) {
	if src.modified().After(modified(c)) {
		c.file.Set(fieldWritten, stamp(src.modified()))
	}
	c.seen = append(c.seen, sighting{src.Sum, stamp(s.m.Now()), src.Path})
	c.list()
	c.dirty = true
}

// list writes all sources of an entry but the one of its text into its field.
func (c *copied) list() {
	var lines []string
	from := 0
	if _, ok := c.file.Get(fieldSum); ok {
		from = 1
	}
	for _, s := range c.seen[min(from, len(c.seen)):] {
		if l := s.String(); !slices.Contains(lines, l) {
			lines = append(lines, l)
		}
	}
	if len(lines) > 0 {
		c.file.SetList(fieldSources, lines)
	}
}

func stamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }

// make copies a source and says in fields of its own where it came from. A
// field of the same name that the source has goes on under another one.
func (s *shelf) make(src *Source, status string) (*frontmatter.File, error) {
	f, err := frontmatter.Parse(src.data)
	if err != nil {
		return nil, err
	}
	for _, name := range ownFields() {
		if v, ok := f.Get(name); ok {
			f.Delete(name)
			if v != "" {
				f.Set("original_"+name, v)
			}
		}
	}
	f.Set(fieldStatus, status)
	f.Set(fieldCwd, src.Cwd)
	f.Set(fieldSlug, src.Silo.Slug)
	f.Set(fieldAt, stamp(s.m.Now()))
	if src.Modified.IsZero() {
		f.Set(fieldWritten, stamp(src.modified()))
	}
	f.Set(fieldPath, src.Path)
	f.Set(fieldSum, src.Sum)
	return f, nil
}

// free returns a path that nobody has: the name alone, or with some digits. To
// some disks a person's Goal.md is goal.md.
func (s *shelf) free(src *Source) string {
	base := home(src.Type) + "/" + slugOf(src.Name)
	if path := base + ".md"; !s.names[path] {
		return path
	}
	for n := 0; ; n++ {
		sum := sha256.Sum256(fmt.Appendf(nil, "%s\x00%s\x00%s\x00%d", src.Silo.Slug, nameKey(src.Name), src.Sum, n))
		if path := base + "-" + hex.EncodeToString(sum[:3]) + ".md"; !s.names[path] {
			return path
		}
	}
}

// flush writes what changed: what waits for a yes, and the rest only if the
// silos are to be emptied. It returns the paths, in order.
func (s *shelf) flush(apply bool) (paths []string, err error) {
	for _, path := range slices.Sorted(maps.Keys(s.all)) {
		c := s.all[path]
		if !c.dirty || c.status != pending && !apply {
			continue
		}
		if err := s.m.Keep(path, c.file.Bytes()); err != nil {
			return nil, err
		}
		paths = append(paths, path)
	}
	return paths, nil
}
