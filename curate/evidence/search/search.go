// Package search looks in the files of a code base for what lessons name.
//
// TermsOf takes the names and the words out of the text of a lesson, InCode
// counts the files that hold them, all lessons in one pass. What the counts
// prove is for package evidence to say.
package search

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"mem/guard"
	"mem/index"
	"mem/lazy"
	"mem/render"
	"mem/repo/code"
)

// Limits of the files that are looked at.
const (
	maxFile    = 1 << 20 // bytes
	binaryHead = 8000    // bytes; a NUL among them makes a file binary, as for git
)

const mostPaths = 3

// ErrNoCode is wrapped when a code base has no file: counting nothing would take back
// all that is proven.
var ErrNoCode = errors.New("there is no code to look at")

// A Code is the code base to look at.
type Code struct {
	Dir     string
	Files   []string // relative to Dir, sorted
	Commit  string   // that is checked out; "" for none
	Name    string   // put before the paths of findings: where Dir is in the project
	Skip    []string // folders and files that are not code: the memory, LEARNINGS.md
	Include []string // patterns of YAML and Markdown files that count after all
	NoTests bool     // the files of tests do not count
}

// A Finding is what the code says about one lesson. The zero value is nothing.
type Finding struct {
	Presence          // of what the lesson names
	Avoided  Presence // of what it says to avoid
}

// A Presence is where something stands.
type Presence struct {
	Files int      `json:"files"` // that hold it
	Terms []string `json:"terms"` // that were looked for; empty if there is nothing to look for
	Paths []string `json:"paths"` // of some of the files, at most three; like ones as "parent/*/name"
}

// A Survey is what a look at a code base found.
type Survey struct {
	Files    int    // that were looked at
	Commit   string // of the code, "" for none
	Findings map[string]Finding
}

// InCode looks for all lessons, by text and kind, in one pass over the files of a
// code base. Of a lesson that names something, the name found in the fewest files
// counts: everything that it names has to be there. Of one that names nothing,
// the files count that hold all of its words, if it has two.
//
// The same code and lessons give the same findings. Without any file to look at
// the error wraps ErrNoCode.
func InCode(ctx context.Context, code Code, lessons []index.Item) (*Survey, error) {
	files := slices.DeleteFunc(slices.Clone(code.Files), func(p string) bool { return !code.wants(p) })
	p := &pass{code: code, files: files, places: map[term]int{}}
	asked := map[string]Terms{}
	for i := range lessons {
		lesson := &lessons[i]
		if _, again := asked[lesson.Key]; !again {
			asked[lesson.Key] = p.addTerms(lesson)
		}
	}
	if err := p.scan(ctx); err != nil {
		return nil, err
	}
	if p.read.Load() == 0 {
		return nil, fmt.Errorf("%s: %w", code.Dir, ErrNoCode)
	}
	s := &Survey{Files: int(p.read.Load()), Commit: code.Commit, Findings: map[string]Finding{}}
	for key, t := range asked {
		s.Findings[key] = p.findingOf(t)
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

// reTests matches the paths of files that test others.
var reTests = lazy.New(`(?:^|/)(?:tests?|specs?|__tests__|testdata)/|(?:^|/)test_[^/]*$|[._-](?:test|spec)\.[^/.]+$|Tests?\.(?:java|kt|cs|swift|scala)$`)

func (c *Code) wants(p string) bool {
	if c.NoTests && reTests.Get().MatchString(p) {
		return false
	}
	if slices.ContainsFunc(c.Skip, func(skip string) bool { return p == skip || strings.HasPrefix(p, skip+"/") }) {
		return false
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
		return slices.ContainsFunc(c.Include, func(pattern string) bool { return matchesPath(pattern, p) })
	}
	return true
}

// matchesPath matches a pattern without a slash with the last element alone.
func matchesPath(pattern, p string) bool {
	if !strings.Contains(pattern, "/") {
		p = path.Base(p)
	}
	ok, err := path.Match(pattern, p)
	return ok && err == nil
}

type pass struct {
	code   Code
	files  []string
	terms  []term
	places map[term]int // in terms

	next    atomic.Int64 // the file to look at next
	read    atomic.Int64 // files looked at
	found   [][]int32    // of each file: the terms that it holds
	holders [][]int32    // of each term: the files that hold it, ascending
}

func (p *pass) addTerms(lesson *index.Item) Terms {
	t := TermsOf(lesson)
	if len(t.Strong) > 0 {
		t.Weak = nil
	}
	for i, s := range slices.Concat(t.Weak, t.Strong, t.Avoided) {
		key := term{s, i < len(t.Weak)}
		if _, known := p.places[key]; !known {
			p.places[key] = len(p.terms)
			p.terms = append(p.terms, key)
		}
	}
	return t
}

// scan looks at all files, on as many processors as there are.
func (p *pass) scan(ctx context.Context) error {
	p.found = make([][]int32, len(p.files))
	m := newMatcher(p.terms)
	errs := make([]error, min(runtime.GOMAXPROCS(0), max(1, len(p.files))))
	var workers sync.WaitGroup
	for i := range errs {
		workers.Go(func() { errs[i] = p.work(ctx, m) })
	}
	workers.Wait()
	if err := errors.Join(errs...); err != nil {
		return err
	}
	p.holders = make([][]int32, len(p.terms))
	for file, terms := range p.found {
		for _, t := range terms {
			p.holders[t] = append(p.holders[t], int32(file))
		}
	}
	return nil
}

// work looks at one file after the other, until none is left.
func (p *pass) work(ctx context.Context, m *matcher) (err error) {
	r, err := code.NewReader(p.code.Dir, maxFile)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	in := make([]int, len(p.terms)) // the last file that held each term, from 1
	for {
		file := int(p.next.Add(1)) - 1
		if file >= len(p.files) {
			return nil
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		data, err := r.Read(p.files[file])
		if err != nil {
			return fmt.Errorf("look at the code: %w", err)
		}
		if data == nil || bytes.IndexByte(data[:min(len(data), binaryHead)], 0) >= 0 {
			continue
		}
		p.read.Add(1)
		if bytes.Contains(data, []byte("<mem-notes ")) { // what mem said is not evidence for it
			data = []byte(render.StripFenced(string(data)))
		}
		m.findTerms(data, func(t int) {
			if in[t] != file+1 {
				in[t] = file + 1
				p.found[file] = append(p.found[file], int32(t))
			}
		})
	}
}

func (p *pass) findingOf(t Terms) (f Finding) {
	switch {
	case len(t.Strong) > 0:
		f.Presence = p.presenceIn(p.rarest(t.Strong), t.Strong)
	case len(t.Weak) > 1:
		f.Presence = p.presenceIn(p.together(t.Weak), t.Weak)
	}
	if len(t.Avoided) > 0 {
		f.Avoided = p.presenceIn(p.rarest(t.Avoided), t.Avoided)
	}
	return f
}

// rarest returns the files of the name that the fewest files hold.
func (p *pass) rarest(names []string) []int32 {
	best := p.holders[p.places[term{names[0], false}]]
	for _, s := range names[1:] {
		if files := p.holders[p.places[term{s, false}]]; len(files) < len(best) {
			best = files
		}
	}
	return best
}

func (p *pass) together(words []string) []int32 {
	all := slices.Clone(p.holders[p.places[term{words[0], true}]])
	for _, s := range words[1:] {
		files := p.holders[p.places[term{s, true}]]
		all = slices.DeleteFunc(all, func(file int32) bool {
			_, holds := slices.BinarySearch(files, file)
			return !holds
		})
	}
	return all
}

func (p *pass) presenceIn(files []int32, terms []string) Presence {
	var paths []string
	for _, file := range files {
		paths = append(paths, p.files[file])
	}
	paths = samplePaths(paths)
	for i, name := range paths { // names of files are text like any other
		paths[i] = p.code.Name + guard.Line(name)
	}
	return Presence{Files: len(files), Terms: terms, Paths: paths}
}

// samplePaths names files in three paths at most, in order; it reuses paths. Three or more of one
// name, each in a folder of its own below the same one, become "parent/*/name".
func samplePaths(paths []string) []string {
	groups := map[string]int{}
	for _, p := range paths {
		groups[withStar(p)]++
	}
	for i, p := range paths {
		if g := withStar(p); groups[g] >= 3 {
			paths[i] = g
		}
	}
	slices.Sort(paths)
	paths = slices.Compact(paths)
	return paths[:min(len(paths), mostPaths)]
}

// withStar returns a path with a star for its innermost folder, if it has one.
func withStar(p string) string {
	folder, name := path.Split(p)
	if folder == "" {
		return p
	}
	return path.Join(path.Dir(path.Clean(folder)), "*", name)
}
