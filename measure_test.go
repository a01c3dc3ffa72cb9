package mem_test

import (
	"bytes"
	"go/ast"
	"go/token"
	"io/fs"
	"maps"
	"math"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"mem/envtest"
)

// The ratchet: what the whole may hold. Each figure may only fall.
var ratchet = []struct {
	what  string
	limit int
	slack int // what falls further below the limit lowers it
	count func(*testing.T) int
}{
	{"product lines", 67_088, 50, func(t *testing.T) int { product, _ := countLines(t); return product }},
	{"test lines", 55_999, 50, func(t *testing.T) int { _, tests := countLines(t); return tests }},
	{"packages", 47, 0, countRooms},
	{"exported names", 1_655, 10, countExported},
	{"linked modules", 30, 0, countModules},
}

// Limits that keep functions easy to follow and to find.
const (
	maxBranches = 25   // cyclomatic complexity of a function
	manyBranch  = 10   // above it a function is branchy
	maxBranchy  = 0.06 // share of branchy functions, outside oracle/heuristic
	maxOneWord  = 0.40 // share of one-word names among functions that other files use
	longLine    = 160  // a longer line of the product counts twice
)

// TestRatchet keeps the whole from growing, and the limits as low as what they hold.
func TestRatchet(t *testing.T) {
	for _, r := range ratchet {
		switch n := r.count(t); {
		case n > r.limit:
			t.Errorf("%s: %d, %d more than the limit of %d: take out as much as comes in", r.what, n, n-r.limit, r.limit)
		case n < r.limit-r.slack:
			t.Errorf("%s: %d, %d fewer than the limit of %d: set the limit in measure_test.go to %[2]d", r.what, n, r.limit-n, r.limit)
		}
	}
}

// countLines counts the lines of Go, and of code that is embedded, with comments and blank
// lines; and those of tests, test rooms and scripts.
func countLines(t *testing.T) (product, tests int) {
	code := []string{".go", ".js", ".mjs", ".ts", ".css", ".html", ".tmpl", ".sh", ".py"}
	const help = "cmd/mem/commands.md" // is embedded: it counts as it did between the lines of Go
	err := filepath.WalkDir(".", func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if p != "." && strings.HasPrefix(d.Name(), ".") {
				return filepath.SkipDir
			}
			return nil
		}
		ext, slash := filepath.Ext(p), filepath.ToSlash(p)
		data := strings.HasPrefix(slash, "fixtures/") || strings.HasPrefix(slash, "docs/") || strings.Contains(slash, "/testdata/")
		switch {
		case ext == ".txtar", ext == ".go" && (data || strings.HasSuffix(p, "_test.go") || testRooms[path.Dir(slash)]):
			tests += countFile(t, p, math.MaxInt)
		case slash == help, slices.Contains(code, ext) && !data:
			product += countFile(t, p, longLine)
		}
		return nil
	})
	envtest.NoError(t, err)
	return product, tests
}

// countFile counts the lines of a file, and those of more than long characters twice.
func countFile(t *testing.T, name string, long int) (n int) {
	for line := range strings.Lines(envtest.Read(t, name)) {
		n++
		if utf8.RuneCountInString(strings.TrimRight(line, "\r\n")) > long {
			n++
		}
	}
	return n
}

// countRooms counts the packages of the product.
func countRooms(t *testing.T) int {
	rooms := map[string]bool{}
	for _, s := range sources(t) {
		rooms[s.room] = !testRooms[s.room]
	}
	maps.DeleteFunc(rooms, func(_ string, product bool) bool { return !product })
	return len(rooms)
}

// countExported counts what other packages can name: functions, methods, types, constants and variables.
func countExported(t *testing.T) (n int) {
	for _, s := range sources(t) {
		if testRooms[s.room] {
			continue
		}
		for _, d := range s.file.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Name.IsExported() && exportedReceiver(d) {
					n++
				}
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					switch spec := spec.(type) {
					case *ast.TypeSpec:
						n += countNames(spec.Name)
					case *ast.ValueSpec:
						n += countNames(spec.Names...)
					}
				}
			}
		}
	}
	return n
}

func countNames(names ...*ast.Ident) (n int) {
	for _, name := range names {
		if name.IsExported() {
			n++
		}
	}
	return n
}

// countModules counts the modules of others that the program is linked from, on one system for all.
func countModules(t *testing.T) int {
	list := exec.Command("go", "list", "-deps", "-f", "{{with .Module}}{{if not .Main}}{{.Path}}{{end}}{{end}}", "./cmd/mem")
	list.Env = append(os.Environ(), "GOOS=linux", "GOARCH=amd64", "CGO_ENABLED=0", "GOFLAGS=-mod=readonly", "GOPROXY=off")
	var stderr bytes.Buffer
	list.Stderr = &stderr
	out, err := list.Output()
	if err != nil {
		t.Fatalf("%v: %v\n%s", list, err, stderr.Bytes())
	}
	lines := strings.Fields(string(out))
	slices.Sort(lines)
	return len(slices.Compact(lines))
}

// TestBranches keeps functions easy to follow. Complexity is counted as by
// gocyclo: 1, and 1 for each if, loop, case, && and ||.
func TestBranches(t *testing.T) {
	all, branchy := 0, 0
	for _, s := range sources(t) {
		for _, d := range s.file.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || testRooms[s.room] {
				continue
			}
			n := countBranches(fn)
			envtest.FailIf(t, n > maxBranches,
				"%s: %s has a complexity of %d, more than %d", s.path, fn.Name.Name, n, maxBranches)
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
	list := slices.DeleteFunc(sources(t), func(s source) bool { return testRooms[s.room] })
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
	named := regexp.MustCompile("`([a-z/_]+\\.go)`").FindAllStringSubmatch(envtest.Read(t, "CONTRIBUTING.md"), -1)
	envtest.FailIf(t, len(named) < 8, "CONTRIBUTING.md names %d files; the walk has eight stops at least", len(named))
	for _, name := range named {
		_, err := os.Stat(name[1])
		envtest.FailIf(t, err != nil, "CONTRIBUTING.md names a file that is not there: %v", err)
	}
}

// isWordList names the files whose data are words that others write.
var isWordList = map[string]bool{"topic/vocabulary.go": true, "style_test.go": true}

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
			word := dialect.Find(line)
			envtest.FailIf(t, word != nil && !isWordList[filepath.ToSlash(p)], "%s:%d says %q", p, i+1, word)
		}
		return nil
	})
	envtest.FailIf(t, err != nil, "%v", err)
}
