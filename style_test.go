// Package mem_test holds the rules of the house as tests.
package mem_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"mem/envtest"
)

func TestMain(m *testing.M) { envtest.M{M: m}.Run() }

// arrows lists what each room may import of the others, apart from words, lazy
// and fault, which every room may import. Imports point down, and rooms on one floor
// do not know each other; what is not listed here is not allowed.
var arrows = map[string][]string{
	"cmd/mem":          {"agent", "agent/install", "cmd/mem/console", "config", "curate", "curate/evidence", "curate/ingest", "guard", "index", "mcp", "oracle", "oracle/heuristic", "project", "purge", "recall", "recall/skill", "redistill", "reflect", "reflect/queue", "render", "repo", "session", "stats", "topic", "trace", "workspace", "workspace/inspect", "workspace/remote"},
	"cmd/mem/console":  {"agent", "guard", "render", "repo/disk", "workspace"},
	"workspace":        {"agent", "config", "curate", "curate/evidence", "curate/ingest", "guard", "index", "oracle", "project", "recall", "reflect", "reflect/queue", "render", "repo", "repo/disk", "topic", "trace"},
	"purge":            {"facts", "guard", "index", "render", "repo", "repo/disk", "repo/gitstore", "topic", "workspace"},
	"reflect":          {"facts", "guard", "index", "oracle", "oracle/heuristic", "oracle/heuristic/shell", "oracle/heuristic/speech", "render", "repo", "session", "topic", "trace"},
	"redistill":        {"facts", "guard", "index", "oracle", "render", "repo"},
	"curate/evidence":  {"facts", "guard", "index", "project", "render", "repo", "repo/disk", "repo/gitstore", "topic"},
	"stats":            {"guard", "index", "recall", "render", "session"},
	"stats/page":       {"guard", "index", "render", "stats"},
	"recall":           {"frontmatter", "guard", "index", "oracle/heuristic/shell", "oracle/heuristic/speech", "render", "repo", "topic"},
	"recall/skill":     {"repo/disk"},
	"repo":             {"facts", "guard", "index", "project", "render", "repo/disk", "repo/gitstore", "topic"},
	"repo/gitstore":    {"repo/disk"},
	"repo/disk":        {},
	"oracle":           {"config", "guard", "render", "session"},
	"oracle/heuristic": {"index", "oracle", "oracle/heuristic/shell", "oracle/heuristic/speech", "session"},
	"trace":            {"index", "project", "session", "trace/claude", "trace/codex", "trace/gemini", "trace/jsonl", "trace/neutral", "trace/opencode", "trace/pi"},
	"trace/claude":     {"session", "trace/jsonl"},
	"trace/codex":      {"session", "trace/jsonl"},
	"trace/gemini":     {"session", "trace/jsonl"},
	"trace/neutral":    {"session", "trace/jsonl"},
	"trace/opencode":   {"session", "trace/jsonl"},
	"trace/pi":         {"session", "trace/jsonl"},
	"trace/jsonl":      {"session"},
	"render":           {"guard", "index"},
	"facts":            {"frontmatter", "index", "render"},
	"session":          {},
	"index":            {"oracle/heuristic/shell"},
	"guard":            {},
	"config":           {},
	"mcp":              {"guard", "render", "topic"},
	"agent":            {"render", "trace/gemini", "trace/jsonl"},
	"agent/install":    {"agent", "config", "repo/disk", "topic"},
	"curate":           {"facts", "frontmatter", "guard", "index", "oracle/heuristic/speech", "recall", "render", "repo", "topic"},
	"curate/ingest":    {"curate", "curate/evidence", "facts", "frontmatter", "guard", "index", "oracle/heuristic/speech", "recall", "render", "repo", "repo/disk", "topic", "trace", "trace/jsonl"},
	"frontmatter":      {},
	"project":          {"repo/disk", "repo/gitstore"},
	"topic":            {},
	"words":            {},
	"lazy":             {},
	"fault":            {},

	"workspace/inspect": {"agent", "agent/install", "curate", "curate/ingest", "curate/undo", "facts", "fault", "guard", "index", "oracle", "oracle/heuristic/shell", "recall", "reflect", "reflect/queue", "render", "repo", "repo/disk", "repo/gitstore", "session", "stats", "stats/page", "topic", "trace", "workspace", "workspace/remote"},
	"workspace/remote":  {"guard", "index", "project", "purge", "render", "repo", "repo/disk", "repo/gitstore", "workspace"},

	"oracle/heuristic/shell":  {},
	"oracle/heuristic/speech": {"oracle/heuristic/shell"},

	"reflect/queue": {"oracle", "project", "reflect", "repo", "session", "trace"},
	"curate/undo":   {"curate", "facts", "fault", "index", "render", "repo", "repo/gitstore"},
}

// only lists imports that belong to one room.
var only = map[string]string{
	"github.com/go-git/":               "repo/gitstore",
	"github.com/spf13/cobra":           "cmd/mem",
	"github.com/BurntSushi/":           "config",
	"github.com/klauspost/":            "trace/jsonl",
	"github.com/modelcontextprotocol/": "mcp",
	"golang.org/x/term":                "cmd/mem/console",
	"encoding/json":                    "mcp", // whose library has its types
	"golang.org/x/sys/windows":         "repo/disk",
}

// shared lists parts of what belongs to one room that another may use as well.
var shared = map[string]string{
	"github.com/go-git/go-git/v5/plumbing/format/gitignore": "recall/skill", // patterns alone, no repository
	"github.com/klauspost/compress/zlib":                    "repo/gitstore",
}

// Limits of size. What does not fit holds more than one thought.
const (
	maxFile = 400
	maxFunc = 60
)

// A source is one file of the product, tests left out.
type source struct {
	path string // relative, with slashes
	room string
	set  *token.FileSet
	file *ast.File
}

func sources(t *testing.T) []source {
	t.Helper()
	var list []source
	err := filepath.WalkDir(".", func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := d.Name()
		if d.IsDir() && p != "." && (strings.HasPrefix(name, ".") || name == "testdata" || name == "fixtures") {
			return filepath.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		set := token.NewFileSet()
		f, err := parser.ParseFile(set, p, nil, parser.ParseComments)
		if err != nil {
			return err
		}
		slash := filepath.ToSlash(p)
		list = append(list, source{slash, path.Dir(slash), set, f})
		return nil
	})
	envtest.NoError(t, err)
	return list
}

// testRooms lists the rooms that are there for tests alone.
var testRooms = map[string]bool{"envtest": true, "index/indextest": true, "repo/disk/disktest": true}

// modulePath is the module's path, which "make home" changes.
var modulePath = sync.OnceValue(func() string {
	data, _ := os.ReadFile("go.mod")
	line, _, _ := strings.Cut(string(data), "\n")
	return strings.TrimPrefix(line, "module ")
})

func TestArrows(t *testing.T) {
	for _, s := range sources(t) {
		if testRooms[s.room] {
			continue
		}
		allowed, known := arrows[s.room]
		if !known {
			t.Errorf("%s: room %s is not on the map", s.path, s.room)
			continue
		}
		for _, spec := range s.file.Imports {
			target, err := strconv.Unquote(spec.Path.Value)
			envtest.NoError(t, err)
			if room, ours := strings.CutPrefix(target, modulePath()+"/"); ours && !slices.Contains([]string{"words", "lazy", "fault"}, room) && !slices.Contains(allowed, room) {
				t.Errorf("%s imports %s, which %s may not know", s.path, room, s.room)
			}
			for prefix, room := range only {
				envtest.FailIf(t, strings.HasPrefix(target, prefix) && room != s.room && shared[target] != s.room,
					"%s imports %s, which is the business of %s alone", s.path, target, room)
			}
		}
	}
}

// TestEffects keeps the clock, the process and the terminal in cmd/mem, and
// writing to disk in repo/disk and cmd/mem, which replaces a person's own files
// through repo/disk as well. The presets of oracles and the list of a code base
// have a temporary folder of their own, and what opencode exports a file. Git is called
// in one place, which lets it flush what it writes; what signs commits writes nothing. Expressions are compiled when they are used.
func TestEffects(t *testing.T) {
	starts := func(s source) bool {
		return slices.Contains([]string{"repo/gitstore/command.go", "repo/gitstore/identity.go", "trace/export.go"}, s.path) || slices.Contains([]string{"oracle", "cmd/mem/console"}, s.room)
	}
	banned := map[string]func(source) bool{
		"exec.Command":        starts,
		"exec.CommandContext": starts,

		"os.Exit":      func(s source) bool { return s.path == "cmd/mem/main.go" },
		"time.Now":     func(s source) bool { return s.room == "cmd/mem/console" },
		"fmt.Print":    func(source) bool { return false },
		"fmt.Printf":   func(source) bool { return false },
		"fmt.Println":  func(source) bool { return false },
		"os.WriteFile": func(s source) bool { return s.room == "cmd/mem" || s.room == "oracle" },
		"os.Create":    func(s source) bool { return s.room == "repo/disk" },
		"os.Remove": func(s source) bool {
			return s.room == "repo/disk" || s.path == "workspace/decide.go" || s.path == "trace/export.go"
		},
		"os.RemoveAll": func(s source) bool { return s.room == "oracle" || s.path == "curate/evidence/code.go" },
		"os.Rename":    func(source) bool { return false },

		"regexp.MustCompile": func(s source) bool { return s.room == "lazy" }, // for each start of mem
	}
	for _, s := range sources(t) {
		if testRooms[s.room] {
			continue
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			sel, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			if x, ok := sel.X.(*ast.Ident); ok && x.Obj == nil {
				if allowed, isBanned := banned[x.Name+"."+sel.Sel.Name]; isBanned && !allowed(s) {
					t.Errorf("%s uses %s.%s", s.set.Position(sel.Pos()), x.Name, sel.Sel.Name)
				}
			}
			return true
		})
	}
}

// cleans lists who may call guard.Clean alone, and why it is not guard.Scrub.
var cleans = map[string]string{
	"reflect/record.go":            "takes out mem's own fences before it looks for secrets",
	"curate/ingest/read.go":        "refuses a text with a secret instead of redacting it",
	"curate/evidence/learnings.go": "folds before it looks for secrets",
	"cmd/mem/console/print.go":     "is the last gate before a terminal, behind the others",
}

// TestGate keeps one gate for text: guard.Scrub, which cleans and then redacts,
// and guard.Line. The arrows keep redacting to guard; here nothing cleans without
// redacting, and nothing hides the gate behind another name.
func TestGate(t *testing.T) {
	for _, s := range sources(t) {
		if s.room == "guard" || strings.HasPrefix(s.room, "guard/") || testRooms[s.room] {
			continue
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.SelectorExpr:
				if guardName(n) == "Clean" && cleans[s.path] == "" {
					t.Errorf("%s uses guard.Clean, not guard.Scrub", s.set.Position(n.Pos()))
				}
			case *ast.BlockStmt:
				if name := wrapped(n); name == "Scrub" || name == "Line" {
					t.Errorf("%s: a function that only calls guard.%s", s.set.Position(n.Pos()), name)
				}
			}
			return true
		})
	}
}

// wrapped returns the name of the function of guard that a body calls with
// nothing but a variable, and does nothing else; or "".
func wrapped(body *ast.BlockStmt) string {
	if len(body.List) != 1 {
		return ""
	}
	ret, ok := body.List[0].(*ast.ReturnStmt)
	if !ok || len(ret.Results) != 1 {
		return ""
	}
	call, ok := ret.Results[0].(*ast.CallExpr)
	if !ok || len(call.Args) != 1 {
		return ""
	}
	if _, ok := call.Args[0].(*ast.Ident); !ok {
		return ""
	}
	return guardName(call.Fun)
}

// guardName returns the name that an expression takes from guard, or "".
func guardName(e ast.Expr) string {
	sel, ok := e.(*ast.SelectorExpr)
	if !ok {
		return ""
	}
	if x, ok := sel.X.(*ast.Ident); !ok || x.Name != "guard" {
		return ""
	}
	return sel.Sel.Name
}

func TestSize(t *testing.T) {
	for _, s := range sources(t) {
		n := s.set.File(s.file.Pos()).LineCount()
		envtest.FailIf(t, n > maxFile, "%s has %d lines, more than %d", s.path, n, maxFile)
		for _, d := range s.file.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			n := s.set.Position(fn.End()).Line - s.set.Position(fn.Pos()).Line + 1
			envtest.FailIf(t, n > maxFunc, "%s: %s has %d lines, more than %d", s.path, fn.Name.Name, n, maxFunc)
			envtest.FailIf(t, fn.Name.Name == "init" && fn.Recv == nil, "%s has an init function", s.path)
		}
	}
}

// TestComments wants a comment on every package and every exported name.
func TestComments(t *testing.T) {
	documented := map[string]bool{}
	for _, s := range sources(t) {
		documented[s.room] = documented[s.room] || s.file.Doc != nil
		for _, d := range s.file.Decls {
			for _, name := range undocumented(d) {
				t.Errorf("%s: %s has no comment", s.path, name)
			}
		}
	}
	for _, room := range slices.Sorted(maps.Keys(documented)) {
		envtest.FailIf(t, !documented[room], "package %s has no comment", room)
	}
}

func undocumented(d ast.Decl) (names []string) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Name.IsExported() && d.Doc == nil && exportedReceiver(d) {
			names = append(names, d.Name.Name)
		}
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch spec := spec.(type) {
			case *ast.TypeSpec:
				if spec.Name.IsExported() && d.Doc == nil && spec.Doc == nil {
					names = append(names, spec.Name.Name)
				}
			case *ast.ValueSpec:
				for _, name := range spec.Names {
					if name.IsExported() && d.Doc == nil && spec.Doc == nil && spec.Comment == nil {
						names = append(names, name.Name)
					}
				}
			}
		}
	}
	return names
}

// exportedReceiver reports whether a function, or the type that it is a
// method of, can be seen from outside.
func exportedReceiver(d *ast.FuncDecl) bool {
	if d.Recv == nil {
		return true
	}
	expr := d.Recv.List[0].Type
	if star, ok := expr.(*ast.StarExpr); ok {
		expr = star.X
	}
	id, ok := expr.(*ast.Ident)
	return ok && id.IsExported()
}

// TestReadme keeps the README short and its test command the one of CI.
func TestReadme(t *testing.T) {
	readme := envtest.Read(t, "README.md")
	n := strings.Count(readme, "\n")
	envtest.FailIf(t, n > 110, "README.md has %d lines, more than 110", n)
	sentences, words := countSentences(readme)
	envtest.FailIf(t, words > 18*sentences, "README.md has %d words in %d sentences, more than 18 in one", words, sentences)
	for _, file := range []struct{ name, text string }{{"README.md", readme}, {".ci/run", envtest.Read(t, ".ci/run")}} {
		envtest.FailIf(t, !strings.Contains(file.text, "go test ./..."), "%s does not say %q", file.name, "go test ./...")
	}
}

// countSentences counts the sentences of a Markdown text and their words, without
// headings, tables and code.
func countSentences(text string) (sentences, words int) {
	for _, paragraph := range strings.Split(text, "\n\n") {
		if strings.HasPrefix(paragraph, "#") || strings.HasPrefix(paragraph, "|") || strings.HasPrefix(paragraph, "    ") {
			continue
		}
		var sentence int
		for _, word := range strings.Fields(paragraph) {
			sentence++
			if last := strings.TrimRight(word, "*)`"); strings.HasSuffix(last, ".") || strings.HasSuffix(last, ":") {
				sentences, words, sentence = sentences+1, words+sentence, 0
			}
		}
		if sentence > 0 {
			sentences, words = sentences+1, words+sentence
		}
	}
	return sentences, words
}

// TestWords keeps odd words out of what people read.
func TestWords(t *testing.T) {
	pages, err := filepath.Glob("docs/*.md")
	envtest.NoError(t, err)
	// They read as translated, or are words of this house alone; TestPlainWords knows more. Code is left as it is.
	odd := regexp.MustCompile(`(?i)\b(passed over|a plain file|(?:took|takes?) over|goes? on to|with your yes|(?:it|they) stays?|` +
		`silos?|desk|shelf|sittings?|alike|told|what waits|mend(?:s|ed)?|anew|agreed|insights?|anti-patterns?|(?:is|are) no)\b`)
	code := regexp.MustCompile("(?m)^    .*$|`[^`]*`|\\bthere (?:is|are) no\\b")
	newlines := func(s string) string { return strings.Repeat("\n", strings.Count(s, "\n")) }
	for _, page := range append(pages, "README.md") {
		for i, line := range strings.Split(code.ReplaceAllStringFunc(envtest.Read(t, page), newlines), "\n") {
			for _, word := range odd.FindAllString(line, -1) {
				t.Errorf("%s:%d says %q", page, i+1, word)
			}
		}
	}
}

// TestHouseIsShown keeps the rooms of the map in CONTRIBUTING.md.
func TestHouseIsShown(t *testing.T) {
	shown := envtest.Read(t, "CONTRIBUTING.md")
	for room := range arrows {
		envtest.FailIf(t, !strings.Contains(shown, "`"+room+"`") && !strings.Contains(shown, "`"+path.Base(room)+"`"),
			"CONTRIBUTING.md does not show %s", room)
	}
}

// TestNoMachinePaths keeps the paths of any one machine out of the tree.
func TestNoMachinePaths(t *testing.T) {
	marks := []string{"/" + "work/"}
	err := filepath.WalkDir(".", func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		switch {
		case d.IsDir() && (d.Name() == ".git" || d.Name() == "vectors"):
			return filepath.SkipDir
		case d.IsDir() || d.Name() == ".git": // a file, in a linked work tree
			return nil
		}
		data, err := os.ReadFile(p)
		if err != nil {
			return err
		}
		for _, m := range marks {
			if strings.Contains(string(data), m) {
				return fmt.Errorf("%s holds %s", p, m)
			}
		}
		return nil
	})
	envtest.FailIf(t, err != nil, "%v", err)
}

// TestOwnEnvironment wants tests that start programs or make memories to leave the environment of the machine.
func TestOwnEnvironment(t *testing.T) {
	starts, leaves := map[string]bool{}, map[string]bool{}
	for _, depth := range []string{"", "*/", "*/*/", "*/*/*/", "*/*/*/*/"} {
		files, err := filepath.Glob(depth + "*_test.go")
		envtest.NoError(t, err)
		for _, name := range files {
			text, room := envtest.Read(t, name), path.Dir(filepath.ToSlash(name))
			starts[room] = starts[room] || strings.Contains(text, "exec."+"Command") || strings.Contains(text, "os.Environ()") || strings.Contains(text, "\t\""+modulePath()+"/repo\"\n")
			leaves[room] = leaves[room] || strings.Contains(text, "envtest."+"M{M: m}")
		}
	}
	for room := range starts {
		envtest.FailIf(t, starts[room] && !leaves[room],
			"the tests of %s start programs or make memories: give them a TestMain that runs envtest.M", room)
	}
}
