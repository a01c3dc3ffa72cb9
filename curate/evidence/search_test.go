package evidence_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"mem/curate/evidence"
	"mem/index"
	"mem/render"

	"mem/envtest"
)

// tree writes files, by path; a content that starts with "-> " makes a link.
func tree(t testing.TB, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		envtest.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
		var err error
		if to, link := strings.CutPrefix(text, "-> "); link {
			err = os.Symlink(to, path)
		} else {
			err = os.WriteFile(path, []byte(text), 0o600)
		}
		envtest.NoError(t, err)
	}
}

// codeOf is the code of a folder with these files.
func codeOf(t testing.TB, files map[string]string) evidence.Code {
	t.Helper()
	dir := t.TempDir()
	tree(t, dir, files)
	list, err := evidence.ListFiles(t.Context(), dir)
	envtest.NoError(t, err)
	return evidence.Code{Dir: dir, Files: list}
}

// lesson is one to look for, of the kind that its text says.
func lesson(text string) index.Item {
	l := index.Item{Key: index.KeyOf(text), Text: text, Kind: index.Learning}
	if index.SaysAvoid(text) {
		l.Kind = index.AntiPattern
	}
	return l
}

func look(t testing.TB, code evidence.Code, texts ...string) *evidence.Survey {
	t.Helper()
	var list []index.Item
	for _, text := range texts {
		list = append(list, lesson(text))
	}
	s, err := evidence.Search(t.Context(), code, list)
	envtest.NoError(t, err)
	return s
}

func TestE4WhatCounts(t *testing.T) {
	const text = "x := fooBar()\n"
	big := strings.Repeat("y", 1<<20-len(text)) + text
	files := map[string]string{
		"a.go": text, "sub/dir/b.go": text, "twice.go": text + text, "upper.JSON": text, "noending": text, ".github/x.sh": text,
		"large.txt": big + "z", "just.txt": big, "binary": "\x00" + text, "late": strings.Repeat(" ", 8000) + "\x00" + text,
		"a.yaml": text, "b.yml": text, "c.YML": text, "d.md": text, "node_modules/m/i.js": text, "sub/node_modules/i.js": text,
		".psi/a.go": text, ".pi/a.go": text, ".mem/a.go": text, "memory/a.go": text, "memory2.go": text, "LEARNINGS.txt": text,
		"Cargo.lock": text, "package-lock.json": text, "pnpm-lock.yaml": text, "go.sum": text,
		"link.go": "-> a.go", "folder": "-> sub", "ignored.log": text, ".gitignore": "*.log\n",
	}
	code := codeOf(t, files)
	code.Skip = []string{"memory", "LEARNINGS.txt"}
	terms := "Call `fooBar`"
	for _, tt := range []struct {
		name    string
		include []string
		more    []string
	}{
		{"E4 YAML, Markdown, node_modules, .git, .psi and the like do not count", nil, nil},
		{"--include by name", []string{"*.yml"}, []string{"b.yml"}},
		{"--include by path", []string{"sub/*.yml", "d.m?", "node_modules/*", "*.lock"}, nil},
		{"--include does not open everything", []string{"*", "*/*/*"}, []string{"a.yaml", "b.yml", "c.YML", "d.md"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			want := append([]string{"a.go", "sub/dir/b.go", "twice.go", "upper.JSON", "noending", ".github/x.sh", "just.txt", "late", "memory2.go"}, tt.more...)
			if tt.include != nil && tt.include[0] == "sub/*.yml" {
				want = append(want, "d.md") // a pattern without a slash is about the name
			}
			code.Include = tt.include
			got := look(t, code, terms).Findings[index.KeyOf(terms)]
			envtest.Same(t, len(want), got.Files)
			for _, name := range want { // one at a time, to see all of them
				one := code
				one.Files = []string{name}
				envtest.Same(t, 1, look(t, one, terms).Findings[index.KeyOf(terms)].Files, name)
			}
		})
	}
}

func TestCounting(t *testing.T) {
	files := many(4, "both%d.go", "alpha.One bravo.Two gamma delta")
	files["one.go"] = "alpha.One Gamma"
	files["other.go"] = "bravo.Two, Delta"
	code := codeOf(t, files)
	for _, tt := range []struct {
		text  string
		files int
	}{
		{"Use `alpha.One`", 5},
		{"Use `alpha.One` and `bravo.Two`", 5}, // rarest, not together
		{"Use `alpha.One` and `charlie.Three`", 0},
		{"Use `alpha.One` for gamma rays and zebras", 5}, // words do not matter then
		{"gamma delta", 4},                               // together
		{"Gamma, gammas!", 0},                            // "gammas" is not there
		{"gamma", 0},                                     // one word says too little
		{"Never use `alpha.One`", 0},
		{"Use `alpha.One`, not `charlie.Three`", 5},
		{"Avoid: `alpha.One` or `charlie.Three`", 0},
		{"Avoid: using `bravo.Two`", 5}, // which says that it is still there
		{"Avoid: gamma delta", 0},       // words do not say what is there
		{"", 0},
	} {
		f := look(t, code, tt.text).Findings[index.KeyOf(tt.text)]
		envtest.FailIf(t, f.Files != tt.files, "%q: %d files, want %d", tt.text, f.Files, tt.files)
	}
}

func TestPaths(t *testing.T) {
	for _, tt := range []struct {
		name  string
		files []string
		want  []string
	}{
		{"three, sorted", []string{"d.go", "b.go", "c.go", "a.go"}, []string{"a.go", "b.go", "c.go"}},
		{"E6 alike ones are one", []string{"tsconfig.json", "packages/a/tsconfig.json", "packages/b/tsconfig.json", "packages/c/tsconfig.json"}, []string{"packages/*/tsconfig.json", "tsconfig.json"}},
		{"two are not yet alike", []string{"p/a/x.go", "p/b/x.go", "q/c/x.go"}, []string{"p/a/x.go", "p/b/x.go", "q/c/x.go"}},
		{"at the top", []string{"a/x.go", "b/x.go", "c/x.go", "c/y.go"}, []string{"*/x.go", "c/y.go"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			files := map[string]string{}
			for _, name := range tt.files {
				files[name] = "fooBar"
			}
			code := codeOf(t, files)
			for _, name := range []string{"", "lib:"} {
				code.Name = name
				got := look(t, code, "fooBar").Findings["foobar"].Paths
				for i := range got {
					got[i] = strings.TrimPrefix(got[i], name)
				}
				envtest.Same(t, tt.want, got, name)
			}
		})
	}
}

// TestLookIsDeterministic looks with one processor and with many at more files than one of them takes at a time.
func TestLookIsDeterministic(t *testing.T) {
	files := many(500, "d%[1]d/f%[1]d.go", "alpha.One")
	for i := range 500 {
		if i%7 == 0 {
			files[fmt.Sprintf("d%[1]d/f%[1]d.go", i)] += " bravo.Two gamma delta"
		}
	}
	code := codeOf(t, files)
	texts := []string{"Use `alpha.One`", "Use `bravo.Two`", "gamma delta", "Use `alpha.One` and `bravo.Two`", "zebras graze"}
	want := look(t, code, texts...)
	for _, n := range []int{1, 3, 16} {
		before := runtime.GOMAXPROCS(n)
		slices.Reverse(texts)
		got := look(t, code, texts...)
		runtime.GOMAXPROCS(before)
		envtest.Same(t, want, got, n)
	}
	envtest.Same(t, 72, want.Findings["use `bravo.two`"].Files)
}

func TestLookFails(t *testing.T) {
	code := codeOf(t, map[string]string{"a.md": "x"})
	_, err := evidence.Search(t.Context(), code, nil)
	envtest.Wraps(t, evidence.ErrNoCode, err, "without code")
	code = codeOf(t, many(200, "f%d.go", "x"))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = evidence.Search(ctx, code, nil)
	envtest.Wraps(t, context.Canceled, err, "cancelled")
	code.Dir += "/gone"
	_, err = evidence.Search(t.Context(), code, nil)
	envtest.FailIf(t, err == nil, "a folder that is gone is no error")
}

// TestOwnWordsAreNoEvidence: what mem put into a file for an agent to read does not prove what it says.
func TestOwnWordsAreNoEvidence(t *testing.T) {
	code := codeOf(t, many(5, "d%d/notes.txt", render.Fence("- Call `fooBar`\n", "seed")))
	f := look(t, code, "Call `fooBar`").Findings["call `foobar`"]
	envtest.FailIf(t, f.Files != 0, "it is found in %d files", f.Files)
}
