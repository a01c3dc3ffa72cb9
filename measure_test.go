package mem_test

import (
	"bytes"
	"go/ast"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
)

// Limits that keep the whole small and easy to search. Lines are counted with
// comments and blank lines, tests left out.
const (
	maxTotal    = 78_861 // raised with what a change adds and says; it must come down to 54,000
	maxCommands = 6_500  // cmd/mem
	maxRoom     = 1_500  // every other package
	maxBranches = 25     // cyclomatic complexity of a function
	manyBranch  = 10     // above it a function is branchy
	maxBranchy  = 0.06   // share of branchy functions, outside oracle/heuristic
	maxOneWord  = 0.40   // share of one-word names among functions that other files use
)

// TestRoomSize keeps a package small enough to be explained in one sentence.
func TestRoomSize(t *testing.T) {
	lines, total := map[string]int{}, 0
	for _, s := range sources(t) {
		if testOnly(s.room) {
			continue
		}
		n := s.set.File(s.file.Pos()).LineCount()
		lines[s.room] += n
		total += n
	}
	for room, n := range lines {
		limit := maxRoom
		if room == "cmd/mem" {
			limit = maxCommands
		}
		if n > limit {
			t.Errorf("%s has %d lines, more than %d: give it a sub-room", room, n, limit)
		}
	}
	if total > maxTotal {
		t.Errorf("%d lines in all, more than %d", total, maxTotal)
	}
}

// TestBranches keeps functions easy to follow. Complexity is counted as by
// gocyclo: 1, and 1 for each if, loop, case, && and ||.
func TestBranches(t *testing.T) {
	all, branchy := 0, 0
	for _, s := range sources(t) {
		for _, d := range s.file.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || testOnly(s.room) {
				continue
			}
			n := countBranches(fn)
			if n > maxBranches {
				t.Errorf("%s: %s has a complexity of %d, more than %d", s.path, fn.Name.Name, n, maxBranches)
			}
			if strings.HasPrefix(s.room, "oracle/heuristic") {
				continue
			}
			all++
			if n > manyBranch {
				branchy++
			}
		}
	}
	if share := float64(branchy) / float64(all); share > maxBranchy {
		t.Errorf("%d of %d functions have a complexity over %d: %.1f %%, more than %.0f %%", branchy, all, manyBranch, 100*share, 100*maxBranchy)
	}
}

func countBranches(fn *ast.FuncDecl) int {
	n := 1
	ast.Inspect(fn, func(node ast.Node) bool {
		switch node := node.(type) {
		case *ast.IfStmt, *ast.ForStmt, *ast.RangeStmt:
			n++
		case *ast.CaseClause:
			if node.List != nil {
				n++
			}
		case *ast.CommClause:
			if node.Comm != nil {
				n++
			}
		case *ast.BinaryExpr:
			if node.Op == token.LAND || node.Op == token.LOR {
				n++
			}
		}
		return true
	})
	return n
}

// TestNames keeps most functions that other files call easy to search for: a
// name of two words, such as readSession, is found by grep; read is not.
func TestNames(t *testing.T) {
	files := map[string]map[string]bool{} // room and name -> files that hold the name
	list := slices.DeleteFunc(sources(t), func(s source) bool { return testOnly(s.room) })
	for _, s := range list {
		ast.Inspect(s.file, func(node ast.Node) bool {
			if id, ok := node.(*ast.Ident); ok {
				key := s.room + " " + id.Name
				if files[key] == nil {
					files[key] = map[string]bool{}
				}
				files[key][s.path] = true
			}
			return true
		})
	}
	shared, oneWord := 0, 0
	for _, s := range list {
		for _, d := range s.file.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || !fn.Name.IsExported() && len(files[s.room+" "+fn.Name.Name]) < 2 {
				continue
			}
			shared++
			if isOneWord(fn.Name.Name) {
				oneWord++
			}
		}
	}
	if share := float64(oneWord) / float64(shared); share > maxOneWord {
		t.Errorf("%d of %d shared functions have a one-word name: %.1f %%, more than %.0f %%", oneWord, shared, 100*share, 100*maxOneWord)
	}
}

// isOneWord reports whether only the first letters of a name are capitals.
func isOneWord(name string) bool {
	rest := strings.TrimLeftFunc(name, unicode.IsUpper)
	return strings.IndexFunc(rest, unicode.IsUpper) < 0
}

// TestWalk wants every file that CONTRIBUTING.md names to be there.
func TestWalk(t *testing.T) {
	text, err := os.ReadFile("CONTRIBUTING.md")
	if err != nil {
		t.Fatal(err)
	}
	named := regexp.MustCompile("`([a-z/_]+\\.go)`").FindAllStringSubmatch(string(text), -1)
	if len(named) < 8 {
		t.Errorf("CONTRIBUTING.md names %d files; the walk has eight stops at least", len(named))
	}
	for _, name := range named {
		if _, err := os.Stat(name[1]); err != nil {
			t.Errorf("CONTRIBUTING.md names a file that is not there: %v", err)
		}
	}
}

// isWordList names the files whose data are words that others write.
var isWordList = map[string]bool{"curate/lesson/similarity/read.go": true, "topic/vocabulary.go": true, "style_test.go": true}

// TestPlainWords keeps words of a private dialect out of all that people read.
func TestPlainWords(t *testing.T) {
	dialect := regexp.MustCompile(`(?i)\b(no` + `body|some` + `body|who` + `ever)\b`)
	err := filepath.WalkDir(".", func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if name := d.Name(); p != "." && strings.HasPrefix(name, ".") || name == "fixtures" {
				return filepath.SkipDir
			}
			return nil
		}
		if ext := filepath.Ext(p); ext != ".go" && ext != ".md" && ext != ".ts" && ext != ".txtar" {
			return nil
		}
		data, err := os.ReadFile(p)
		if err != nil {
			return err
		}
		for i, line := range bytes.Split(data, []byte("\n")) {
			if word := dialect.Find(line); word != nil && !isWordList[filepath.ToSlash(p)] {
				t.Errorf("%s:%d says %q", p, i+1, word)
			}
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}
