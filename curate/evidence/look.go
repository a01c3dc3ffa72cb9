package evidence

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/bits"
	"path"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"mem/guard"
	"mem/render"
	"mem/repo"
)

// Limits of the files that are looked at.
const (
	maxFile    = 1 << 20 // bytes
	binaryHead = 8000    // bytes; a NUL among them makes a file binary, as for git
)

// mostPaths is how many paths a finding names.
const mostPaths = 3

// A Code is the code base to look at.
type Code struct {
	Dir     string
	Files   []string // relative to Dir, sorted
	Commit  string   // that is checked out; "" for none
	Name    string   // put before the paths of findings: where Dir is in the project
	Skip    []string // folders and files that are no code: the memory, LEARNINGS.md
	Include []string // patterns of YAML and Markdown files that count after all
}

// A Finding is what the code says about one lesson. The zero value is nothing.
type Finding struct {
	Files   int      // that hold what the lesson names
	Terms   []string // that were looked for; empty if there is nothing to look for
	Paths   []string // of some of the files, at most three; like ones as "parent/*/name"
	Avoided Presence // what the lesson says to avoid
}

// A Presence is where something still stands that is to be avoided.
type Presence struct {
	Files int
	Terms []string
	Paths []string
}

// A Survey is what a look at a code base found.
type Survey struct {
	Files    int    // that were looked at
	Commit   string // of the code, "" for none
	Findings map[string]Finding
}

// SearchCode looks for all lessons in one pass over the files of a code base. Of
// a lesson that names something, the name found in the fewest files counts:
// everything that it names has to be there. Of one that names nothing, the
// files that hold all of its words, if it has two.
//
// The same code and lessons give the same findings. Without any file to look at
// the error wraps ErrNoCode.
func SearchCode(ctx context.Context, code Code, lessons []Lesson) (*Survey, error) {
	files := slices.DeleteFunc(slices.Clone(code.Files), func(p string) bool { return !code.wants(p) })
	l := &look{code: code, files: files, places: map[term]int{}}
	asked := map[string]Terms{}
	for _, lesson := range lessons {
		if _, again := asked[lesson.Key]; !again {
			asked[lesson.Key] = l.ask(lesson)
		}
	}
	if err := l.scan(ctx); err != nil {
		return nil, err
	}
	if l.seen.Load() == 0 {
		return nil, fmt.Errorf("%s: %w", code.Dir, ErrNoCode)
	}
	s := &Survey{Files: int(l.seen.Load()), Commit: code.Commit, Findings: map[string]Finding{}}
	for key, t := range asked {
		var f Finding
		switch {
		case len(t.Strong) > 0:
			f.Terms = t.Strong
			f.Files, f.Paths = l.count(l.rarest(t.Strong))
		case len(t.Weak) > 1:
			f.Terms = t.Weak
			f.Files, f.Paths = l.count(l.together(t.Weak))
		}
		if len(t.Avoided) > 0 {
			f.Avoided.Terms = t.Avoided
			f.Avoided.Files, f.Avoided.Paths = l.count(l.rarest(t.Avoided))
		}
		s.Findings[key] = f
	}
	return s, nil
}

// Folders and files that are never code, whatever git thinks of them.
var (
	noFolders = []string{".git", ".mem", ".pi", ".psi", "node_modules"}
	noFiles   = []string{"package-lock.json", "npm-shrinkwrap.json", "pnpm-lock.yaml", "pnpm-lock.yml", "go.sum", "go.work.sum"}
	noEndings = []string{".lock", ".lockb"}
	texts     = []string{".yaml", ".yml", ".md"} // that say how things should be rather than how they are
)

// wants reports whether a file counts as code.
func (c *Code) wants(p string) bool {
	for _, skip := range c.Skip {
		if p == skip || strings.HasPrefix(p, skip+"/") {
			return false
		}
	}
	for part := range strings.SplitSeq(path.Dir(p), "/") {
		if slices.Contains(noFolders, part) {
			return false
		}
	}
	base := path.Base(p)
	end := strings.ToLower(path.Ext(base))
	switch {
	case slices.Contains(noFiles, base) || slices.Contains(noEndings, end):
		return false
	case slices.Contains(texts, end):
		return slices.ContainsFunc(c.Include, func(pattern string) bool { return matches(pattern, p) })
	}
	return true
}

// matches reports whether a pattern, which is a good one, matches a path: one
// without a slash its last element.
func matches(pattern, p string) bool {
	if !strings.Contains(pattern, "/") {
		p = path.Base(p)
	}
	ok, err := path.Match(pattern, p)
	return ok && err == nil
}

// chunk is how many files are one piece of work: as many as a word has bits.
const chunk = 64

// A look is a pass under way.
type look struct {
	code   Code
	files  []string
	terms  []term
	places map[term]int // in terms

	next atomic.Int64 // chunk that nobody works on yet
	seen atomic.Int64 // files looked at

	hits [][]hit // of each chunk
	rows [][]row // of each term
}

// A hit says which files of a chunk hold a term.
type hit struct {
	term int
	row
}

// A row is 64 files and which of them hold a term.
type row struct {
	chunk int
	bits  uint64
}

// ask adds the terms of a lesson.
func (l *look) ask(lesson Lesson) Terms {
	t := TermsOf(lesson)
	if len(t.Strong) > 0 {
		t.Weak = nil
	}
	add := func(list []string, weak bool) {
		for _, s := range list {
			key := term{s, weak}
			if _, known := l.places[key]; !known {
				l.places[key] = len(l.terms)
				l.terms = append(l.terms, key)
			}
		}
	}
	add(t.Strong, false)
	add(t.Avoided, false)
	add(t.Weak, true)
	return t
}

// scan looks at all files, on as many processors as there are.
func (l *look) scan(ctx context.Context) error {
	l.hits = make([][]hit, (len(l.files)+chunk-1)/chunk)
	m := newMatcher(l.terms)
	errs := make([]error, min(runtime.GOMAXPROCS(0), max(1, len(l.hits))))
	var workers sync.WaitGroup
	for i := range errs {
		workers.Go(func() { errs[i] = l.work(ctx, m) })
	}
	workers.Wait()
	if err := errors.Join(errs...); err != nil {
		return err
	}
	l.rows = make([][]row, len(l.terms))
	for _, hits := range l.hits {
		for _, h := range hits {
			l.rows[h.term] = append(l.rows[h.term], h.row)
		}
	}
	return nil
}

// work looks at one chunk after the other, until none is left.
func (l *look) work(ctx context.Context, m *matcher) (err error) {
	r, err := repo.NewCodeReader(l.code.Dir, maxFile)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	found := make([]uint64, len(l.terms))
	for {
		c := int(l.next.Add(1)) - 1
		if c >= len(l.hits) {
			return nil
		}
		var touched []int
		for i, name := range l.files[c*chunk : min(len(l.files), (c+1)*chunk)] {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			data, err := r.Read(name)
			if err != nil {
				return fmt.Errorf("look at the code: %w", err)
			}
			if data == nil || bytes.IndexByte(data[:min(len(data), binaryHead)], 0) >= 0 {
				continue
			}
			l.seen.Add(1)
			if bytes.Contains(data, []byte("<mem-notes ")) { // what mem said is no evidence of it
				data = []byte(render.StripFenced(string(data)))
			}
			m.findTerms(data, func(t int) {
				if found[t] == 0 {
					touched = append(touched, t)
				}
				found[t] |= 1 << i
			})
		}
		for _, t := range touched {
			l.hits[c] = append(l.hits[c], hit{t, row{c, found[t]}})
			found[t] = 0
		}
	}
}

// rarest returns the rows of the name that the fewest files hold, the first of
// equals.
func (l *look) rarest(names []string) (rows []row) {
	least := -1
	for _, s := range names {
		r := l.rows[l.places[term{s, false}]]
		if n := size(r); least < 0 || n < least {
			least, rows = n, r
		}
	}
	return rows
}

// together returns the rows of the files that hold all words.
func (l *look) together(words []string) []row {
	all := l.rows[l.places[term{words[0], true}]]
	for _, s := range words[1:] {
		all = both(all, l.rows[l.places[term{s, true}]])
	}
	return all
}

func both(a, b []row) (out []row) {
	for len(a) > 0 && len(b) > 0 {
		switch {
		case a[0].chunk < b[0].chunk:
			a = a[1:]
		case a[0].chunk > b[0].chunk:
			b = b[1:]
		default:
			if set := a[0].bits & b[0].bits; set != 0 {
				out = append(out, row{a[0].chunk, set})
			}
			a, b = a[1:], b[1:]
		}
	}
	return out
}

func size(rows []row) (n int) {
	for _, r := range rows {
		n += bits.OnesCount64(r.bits)
	}
	return n
}

// count returns how many files the rows are and names some of them.
func (l *look) count(rows []row) (n int, paths []string) {
	for _, r := range rows {
		for set := r.bits; set != 0; set &= set - 1 {
			paths = append(paths, l.files[r.chunk*chunk+bits.TrailingZeros64(set)])
		}
	}
	n = len(paths)
	paths = brief(paths)
	for i, p := range paths { // names of files are text like any other
		paths[i] = l.code.Name + guard.Line(p)
	}
	return n, paths
}

// brief names files in three paths at most, in order. Three or more of one name,
// each in a folder of its own below the same one, become "parent/*/name".
func brief(paths []string) []string {
	groups := map[string]int{}
	for _, p := range paths {
		groups[alike(p)]++
	}
	var list []string
	for _, p := range paths {
		if g := alike(p); groups[g] >= 3 {
			p = g
		}
		list = append(list, p)
	}
	slices.Sort(list)
	list = slices.Compact(list)
	return slices.Clone(list[:min(len(list), mostPaths)])
}

// alike is a path with a star for its innermost folder; a path without one is
// like no other.
func alike(p string) string {
	folder, name := path.Split(p)
	if folder == "" {
		return p
	}
	return path.Join(path.Dir(path.Clean(folder)), "*", name)
}
