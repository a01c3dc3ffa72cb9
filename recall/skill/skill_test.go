package skill

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mem/envtest"
)

// place is one with files by name, in a folder called skills.
func place(t *testing.T, files map[string]string) Place {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "skills")
	for name, text := range files {
		envtest.Write(t, text, filepath.Join(dir, filepath.FromSlash(name)))
	}
	return Place{Name: "project", Path: dir}
}

// short is a text with the paths in a place as if that were at the root.
func short(text string, p Place) string {
	return filepath.ToSlash(strings.ReplaceAll(text, filepath.Dir(p.Path), ""))
}

// of is the file of a good skill.
func of(name string) string { return "---\nname: " + name + "\ndescription: D\n---\nBody\n" }

func names(f Found) (list []string) {
	for _, s := range f.Skills {
		list = append(list, s.Name)
	}
	return list
}

func TestFind(t *testing.T) {
	for _, tt := range []struct {
		name  string
		files map[string]string
		want  []string
		said  []string
	}{
		{"nothing", nil, nil, nil},
		{"one", map[string]string{"a/SKILL.md": of("a")}, []string{"a"}, nil},
		{"deep, in order", map[string]string{"z/SKILL.md": of("z"), "g/x/y/SKILL.md": of("y"), "g/b/SKILL.md": of("b")}, []string{"b", "y", "z"}, nil},
		{"a skill is not descended into", map[string]string{"a/SKILL.md": of("a"), "a/sub/SKILL.md": of("sub")}, []string{"a"}, nil},
		{"the place itself is one", map[string]string{"SKILL.md": of("skills"), "b/SKILL.md": of("b")}, []string{"skills"}, nil},
		{"loose files at the top only", map[string]string{"skills.md": of("skills"), "a/loose.md": of("a"), "note.txt": of("x")}, []string{"skills"}, nil},
		{"other spellings", map[string]string{"a/skill.md": of("a"), "b/SKILL.MD": of("b")}, nil, nil},
		{"hidden folders", map[string]string{".git/a/SKILL.md": of("a"), "node_modules/b/SKILL.md": of("b"), ".x.md": of("skills")}, nil, nil},
		{"gitignore", map[string]string{".gitignore": "# all of\n\n/a\r\n", "a/SKILL.md": of("a"), "g/a/SKILL.md": of("a")}, []string{"a"}, nil},
		{"ignore", map[string]string{".ignore": "a/\n", "a/SKILL.md": of("a"), "b/SKILL.md": of("b")}, []string{"b"}, nil},
		{"fdignore", map[string]string{".fdignore": "x*\n!xb\n", "xa/SKILL.md": of("xa"), "xb/SKILL.md": of("xb")}, []string{"xb"}, nil},
		{"ignored further down", map[string]string{"g/.gitignore": "/a", "a/SKILL.md": of("a"), "g/a/SKILL.md": of("a"), "g/b/SKILL.md": of("b")}, []string{"a", "b"}, nil},
		{"an ignored SKILL.md makes no skill", map[string]string{"a/.gitignore": "SKILL.md", "a/SKILL.md": of("a"), "a/b/SKILL.md": of("b")}, nil, nil},
		{"no description", map[string]string{"a/SKILL.md": "---\nname: a\n---\n"}, nil, []string{"rejected /skills/a/SKILL.md: there is no description"}},
		{"no frontmatter", map[string]string{"README.md": "# Skills\n"}, nil, []string{"rejected /skills/README.md: there is no description: the file does not start with fields between two lines of ---"}},
		{"another name", map[string]string{"a/SKILL.md": of("b")}, []string{"b"}, []string{`warning /skills/a/SKILL.md: the name "b" is not that of the folder, "a"`}},
		{"the first wins", map[string]string{"a/x/SKILL.md": of("x"), "b/x/SKILL.md": of("x")}, []string{"x"}, []string{`collision /skills/b/x/SKILL.md: the name "x" is taken by /skills/a/x/SKILL.md`}},
		{"too large", map[string]string{"a/SKILL.md": of("a") + strings.Repeat("x", maxFile)}, nil, []string{"rejected /skills/a/SKILL.md: the file cannot be read: not a regular file of at most 1024 KiB"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := place(t, tt.files)
			if _, err := os.Stat(filepath.Join(p.Path, "a", fileName)); err == nil && tt.name == "other spellings" {
				t.Skip("this disk takes them for the same")
			}
			f := Find(p)
			envtest.Same(t, tt.want, names(f), "skills")
			var said []string
			for _, d := range f.Diagnostics {
				said = append(said, short(d.Kind+" "+d.Path+": "+d.Message, p))
			}
			envtest.Same(t, tt.said, said, "diagnostics")
		})
	}
}

// TestPlacesInOrder has the first place win, and says where the winner is.
func TestPlacesInOrder(t *testing.T) {
	first, second := place(t, map[string]string{"x/SKILL.md": of("x")}), place(t, map[string]string{"x/SKILL.md": of("x"), "y/SKILL.md": of("y")})
	second.Name = "user"
	f := Find(first, second)
	if diff := cmp.Diff([]string{"x", "y"}, names(f)); diff != "" || f.Skills[0].Place != "project" || f.Skills[1].Place != "user" {
		t.Errorf("skills %+v (-want +got):\n%s", f.Skills, diff)
	}
	if len(f.Diagnostics) != 1 || !strings.HasSuffix(short(f.Diagnostics[0].Message, first), " /skills/x/SKILL.md") {
		t.Errorf("diagnostics %+v", f.Diagnostics)
	}
}

// TestLinks has one file count once, broken links and loops left alone, and what is not a file is skipped.
func TestLinks(t *testing.T) {
	dir := t.TempDir()
	envtest.Write(t, of("a"), filepath.Join(dir, "top", "a", fileName))
	envtest.Write(t, of("b"), filepath.Join(dir, "elsewhere", "b", fileName))
	envtest.Write(t, of("c"), filepath.Join(dir, "other", "c", fileName))
	top := filepath.Join(dir, "top")
	for link, target := range map[string]string{
		"1st": "a", "again": "a", "b": "../elsewhere/b", "broken": "nowhere", "loop": ".", "self": "self", "up": "..",
	} {
		if err := os.Symlink(target, filepath.Join(top, link)); err != nil {
			t.Skip(err)
		}
	}
	envtest.NoError(t, os.Mkdir(filepath.Join(top, "folder.md"), 0o700))
	f := Find(Place{Name: "project", Path: top}, Place{Name: "user", Path: filepath.Join(dir, "elsewhere")}, Place{Name: "path", Path: filepath.Join(top, "a"), File: fileName})
	envtest.Same(t, []string{"a", "b", "c"}, names(f))
	envtest.Same(t, 0, len(f.Diagnostics), f.Diagnostics)
}

// TestTooManyFolders ends a walk that a link led out of hand.
func TestTooManyFolders(t *testing.T) {
	files := map[string]string{}
	for i := range maxFolders + 5 {
		files[fmt.Sprintf("f%d/note", i)] = ""
	}
	f := Find(place(t, files))
	envtest.FailIf(t, len(f.Diagnostics) != 1 || !strings.Contains(f.Diagnostics[0].Message, "more than 2000 folders"),
		"diagnostics %+v", f.Diagnostics)
}

func TestPlaces(t *testing.T) {
	dir := t.TempDir()
	project := filepath.Join(dir, "home", "project")
	envtest.NoError(t, os.MkdirAll(filepath.Join(project, ".git"), 0o700))
	codex := filepath.Join(dir, "codex")
	getenv := func(key string) string {
		return map[string]string{"CODEX_HOME": codex, "CLAUDE_CONFIG_DIR": "relative"}[key]
	}
	var got []string
	for _, p := range Places(filepath.Join(project, "sub"), filepath.Join(dir, "home"), getenv) {
		rel, err := filepath.Rel(dir, p.Path)
		envtest.NoError(t, err)
		got = append(got, p.Name+" "+filepath.ToSlash(rel))
	}
	want := []string{
		"project home/project/sub/.pi/skills",
		"project home/project/sub/.agents/skills", "project home/project/.agents/skills",
		"project home/project/sub/.claude/skills", "project home/project/.claude/skills",
		"user home/.pi/agent/skills", "user home/.agents/skills", "user home/.claude/skills", "user codex/skills",
	}
	envtest.Same(t, want, got, "Places")
}

func TestParse(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		want       Skill
		warnings   []string
		err        string
	}{
		{"all fields", "---\nname: x\ndescription: >-\n  Two\n  lines\nlicense: MIT\ncompatibility: any\nallowed-tools: Read Bash\nmetadata: {v: \"1\"}\ndisable-model-invocation: true\nfuture: [1]\n---\n",
			Skill{Name: "x", Description: "Two lines", License: "MIT", Compatibility: "any", AllowedTools: "Read Bash", Metadata: map[string]string{"v": "1"}, Hidden: true}, nil, ""},
		{"no name", "---\ndescription: D\n---", Skill{Name: "x", Description: "D"}, nil, ""},
		{"CRLF", "---\r\nname: x\r\ndescription: D\r\n---\r\n", Skill{Name: "x", Description: "D"}, nil, ""},
		{"bad name", "---\nname: -X--y\ndescription: D\n---", Skill{Name: "-X--y", Description: "D"}, []string{
			`the name "-X--y" is not that of the folder, "x"`, `the name "-X--y" has other characters than a-z, 0-9 and hyphens`,
			`the name "-X--y" starts or ends with a hyphen`, `the name "-X--y" has two hyphens in a row`}, ""},
		{"long description", "---\ndescription: " + strings.Repeat("ü", 1025) + "\n---", Skill{Name: "x", Description: strings.Repeat("ü", 1025)}, []string{"the description has 1025 characters, more than 1024"}, ""},
		{"odd fields", "---\nname: [a]\ndescription: D\nmetadata: 7\ndisable-model-invocation: \"true\"\n---", Skill{Name: "x", Description: "D"}, []string{
			"name is not a text", "metadata is not a list of names and texts", "disable-model-invocation is neither true nor false"}, ""},
		{"blank description", "---\ndescription: '  '\n---", Skill{}, nil, "there is no description"},
		{"null description", "---\ndescription:\n---", Skill{}, nil, "there is no description"},
		{"description is a list", "---\ndescription: [a]\n---", Skill{}, []string{"description is not a text"}, "there is no description"},
		{"no end", "---\ndescription: D\n", Skill{}, nil, "there is no description: the file does not start"},
		{"empty", "", Skill{}, nil, "there is no description: the file does not start"},
		{"empty frontmatter", "---\n---\n", Skill{}, nil, "there is no description: the frontmatter has no fields"},
		{"no YAML", "---\ndescription: a: b\n---", Skill{}, nil, "the frontmatter is no YAML"},
		{"twice", "---\ndescription: a\ndescription: b\n---", Skill{}, nil, "the frontmatter is no YAML"},
		{"huge", "---\ndescription: " + strings.Repeat("a", maxFrontmatter) + "\n---", Skill{}, nil, "the frontmatter is longer than 64 KiB"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, warnings, err := parse([]byte(tt.text), "x")
			envtest.Same(t, tt.warnings, warnings, "warnings")
			if tt.err != "" {
				envtest.FailIf(t, err == nil || !strings.HasPrefix(err.Error(), tt.err), "err = %v, want %s", err, tt.err)
				return
			}
			envtest.Same(t, tt.want, got)
			envtest.Wraps(t, nil, err)
		})
	}
}

// FuzzParse holds the decoder to its promises whatever a file says.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{of("x"), "---\na: &a [*a]\ndescription: *a\n---", "---\n? [\n---", "---\ndescription: !!binary x\n---", "---\n<<: {description: D}\n---"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		s, _, err := parse(data, "x")
		switch {
		case err == nil && (s.Name == "" || strings.TrimSpace(s.Description) == ""):
			t.Errorf("Parse(%q) = %+v", data, s)
		case err != nil && err.Error() == "":
			t.Errorf("Parse(%q): no reason", data)
		}
	})
}
