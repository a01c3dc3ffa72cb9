package evidence

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"mem/fault"
	"mem/guard"
	"mem/index"
	"mem/render"
	"mem/repo/disk"
	"mem/words"
)

// Limits of the files that are looked at.
const (
	maxFile    = 1 << 20 // bytes
	binaryHead = 8000    // bytes; a NUL among them makes a file binary, as for git
)

const mostPaths = 3

// ErrNoCode is wrapped when a code base has no file: counting nothing would take back all that is proven.
var ErrNoCode = fault.New(fault.Missing, "there is no code to look at", "name the code base with --codebase; what git ignores does not count")

// A Code is the code base to look at.
type Code struct {
	Dir     string
	Files   []string // relative to Dir, sorted
	Commit  string   // that is checked out; "" for none
	Name    string   // put before the paths of findings: where Dir is in the project
	Skip    []string // folders and files that are not code: the memory, LEARNINGS.md
	Include []string // patterns of YAML and Markdown files that count after all
}

// A Presence is where a lesson was found in the code. The zero value is nowhere.
type Presence struct {
	Files int      `json:"files"` // that hold what it names
	Terms []string `json:"terms"` // that were looked for; empty if there is nothing to look for
	Paths []string `json:"paths"` // of some of the files, at most three; like ones as "parent/*/name"
}

// A Survey is the result of a search in a code base.
type Survey struct {
	Files    int                 // that were looked at
	Findings map[string]Presence // by the key of the lesson
}

// Search looks for all lessons in one pass over the files of a code base. Of a lesson that names something, the name
// found in the fewest files counts: everything that it names has to be there. Of one that names nothing, the files
// count that hold all of its words.
//
// The same code and lessons give the same findings. Without any file to look at the error wraps ErrNoCode.
func Search(ctx context.Context, code Code, lessons []index.Item) (*Survey, error) {
	p := &pass{code: code, needles: map[string][]term{}, holders: map[term][]string{}}
	p.code.Files = slices.DeleteFunc(slices.Clone(code.Files), func(file string) bool { return !code.wants(file) })
	asked := map[string][]term{}
	for i := range lessons {
		terms := termsOf(&lessons[i])
		asked[lessons[i].Key] = terms
		for _, t := range terms {
			if word := longestWord(t.text); !slices.Contains(p.needles[word], t) {
				p.needles[word] = append(p.needles[word], t)
			}
		}
	}
	if err := p.scan(ctx); err != nil {
		return nil, err
	}
	if p.read == 0 {
		return nil, fmt.Errorf("%s: %w", code.Dir, ErrNoCode)
	}
	s := &Survey{Files: p.read, Findings: map[string]Presence{}}
	for key, terms := range asked {
		s.Findings[key] = p.find(terms)
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

func (c *Code) wants(p string) bool {
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
		return slices.ContainsFunc(c.Include, func(pattern string) bool {
			of := p
			if !strings.Contains(pattern, "/") {
				of = base
			}
			ok, _ := path.Match(pattern, of)
			return ok
		})
	}
	return true
}

type pass struct {
	code    Code
	needles map[string][]term // what to look for, by its longest word in lower case

	read    int               // files looked at
	holders map[term][]string // the files that hold each term, in order
}

func (p *pass) scan(ctx context.Context) (err error) {
	d, err := disk.Open(p.code.Dir)
	if err != nil {
		return fmt.Errorf("open code: %w", err)
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	for _, file := range p.code.Files {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		data, err := d.ReadFile(file, maxFile)
		isOut := func(why error) bool { return errors.Is(err, why) }
		switch {
		case slices.ContainsFunc([]error{fs.ErrNotExist, fs.ErrPermission, fs.ErrInvalid, disk.ErrLink, disk.ErrTooLarge}, isOut):
			continue
		case err != nil:
			return fmt.Errorf("look at the code: %w", err)
		}
		if bytes.IndexByte(data[:min(len(data), binaryHead)], 0) >= 0 {
			continue
		}
		if bytes.Contains(data, []byte("<mem-notes ")) { // what mem said is not evidence for it
			data = []byte(render.StripFenced(string(data)))
		}
		p.read++
		for _, t := range findTerms(data, p.needles) {
			p.holders[t] = append(p.holders[t], file)
		}
	}
	return nil
}

// findTerms returns the terms that stand in a text. A name stands where its letters do, unless a
// word goes on at one of its ends. So the longest word of a term is a word of the text, and only
// where that is found is the text searched for the name.
func findTerms(data []byte, needles map[string][]term) (found []term) {
	text, looked := string(data), map[string]bool{}
	look := func(word string) {
		for _, t := range needles[word] {
			if t.isWord || words.HoldsName(text, t.text) {
				found = append(found, t)
			}
		}
	}
	look("") // for terms that no word is part of, such as operators
	for w := range bytes.FieldsFuncSeq(bytes.ToLower(data), words.IsBetween) {
		if len(needles[string(w)]) > 0 && !looked[string(w)] {
			looked[string(w)] = true
			look(string(w))
		}
	}
	return found
}

func longestWord(text string) (longest string) {
	for w := range strings.FieldsFuncSeq(strings.ToLower(text), words.IsBetween) {
		if len(w) > len(longest) {
			longest = w
		}
	}
	return longest
}

func (p *pass) find(terms []term) (where Presence) {
	if len(terms) == 0 {
		return where
	}
	files := p.holders[terms[0]]
	for _, t := range terms {
		where.Terms = append(where.Terms, t.text)
		holders := p.holders[t]
		switch {
		case t.isWord: // all of them in one file
			files = slices.DeleteFunc(slices.Clone(files), func(file string) bool {
				_, holds := slices.BinarySearch(holders, file)
				return !holds
			})
		case len(holders) < len(files):
			files = holders
		}
	}
	where.Files, where.Paths = len(files), samplePaths(files)
	for i, name := range where.Paths { // names of files are text like any other
		where.Paths[i] = p.code.Name + guard.Line(name)
	}
	return where
}

// samplePaths names files in three paths at most, in order. Three or more of one
// name, each in a folder of its own below the same one, become "parent/*/name".
func samplePaths(files []string) (paths []string) {
	groups := map[string]int{}
	for _, file := range files {
		groups[withStar(file)]++
	}
	for _, file := range files {
		if g := withStar(file); groups[g] >= 3 {
			file = g
		}
		paths = append(paths, file)
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
