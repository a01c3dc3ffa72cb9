package hint_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mem/index/cue"
	"mem/recall/hint"
)

func TestListKeys(t *testing.T) {
	const noModule = "error: Cannot find module 'zod' from 'src/a.ts'"
	sign := cue.ForError("error: cannot find module '…'")
	for _, tt := range []struct {
		name string
		call hint.Call
		want []cue.Key
	}{
		{"a command to come", hint.Call{Tool: "Bash", Input: `{"command":"cd api && CI=1 go test -race ./..."}`},
			[]cue.Key{cue.ForCommand("go test -race"), cue.ForCommand("go test")}},
		{"one with flags", hint.Call{Tool: "Bash", Input: `{"command":"fly deploy --remote-only --app=shop"}`}, []cue.Key{
			cue.ForCommand("fly deploy --remote-only --app"), cue.ForCommand("fly deploy --remote-only"), cue.ForCommand("fly deploy --app"), cue.ForCommand("fly deploy"),
		}},
		{"one in a group", hint.Call{Tool: "Bash", Input: `{"command":"(cd web && npm i)"}`}, []cue.Key{cue.ForCommand("npm install"), cue.ForCommand("npm i")}},
		{"one behind options", hint.Call{Tool: "Bash", Input: `{"command":"sudo -u bob timeout -k 5 60s nice -n 5 npm -C web install"}`}, []cue.Key{cue.ForCommand("npm install")}},
		{"one that another runs", hint.Call{Tool: "Bash", Input: `{"command":"npx npm install"}`}, []cue.Key{cue.ForCommand("npx npm install"), cue.ForCommand("npm install")}},
		{"one behind a wrapper", hint.Call{Tool: "Bash", Input: `{"command":"rtk git add a && rtk git commit -q"}`},
			[]cue.Key{cue.ForCommand("rtk git add"), cue.ForCommand("rtk git"), cue.ForCommand("git add"), cue.ForCommand("rtk git commit"), cue.ForCommand("git commit")}},
		{"one in another shell", hint.Call{Tool: "Bash", Input: `{"command":"bash -lc 'time rtk bun test; if x; then (make it); fi'"}`},
			[]cue.Key{cue.ForCommand("rtk bun test"), cue.ForCommand("rtk bun"), cue.ForCommand("bun test"), cue.ForCommand("x"), cue.ForCommand("make it")}},
		{"one that is only asked", hint.Call{Tool: "Bash", Input: `{"command":"npm install --help; bun -v; npm install -h; terraform apply -help; npm --version"}`}, nil},
		{"a program without its command", hint.Call{Tool: "Bash", Input: `{"command":"bun --smol"}`}, []cue.Key{cue.ForCommand("bun --smol")}},
		{"a program alone", hint.Call{Tool: "Bash", Input: `{"command":"make"}`}, []cue.Key{cue.ForCommand("make")}},
		{"one that failed", hint.Call{Tool: "Bash", Input: `{"command":"bun test"}`, Output: "Exit code 1\n" + noModule, Over: true, Failed: true},
			[]cue.Key{sign, cue.ForFailure("bun test")}},
		{"one that failed in another folder", hint.Call{Tool: "Bash", Input: `{"command":"make"}`, Output: "ok\n(/p/tmp/clones/a/x.test.ts:3)\n1 fail in src/x.ts", Over: true, Failed: true},
			[]cue.Key{cue.ForError("# fail in src/x.ts"), cue.ForError("tmp/clones/a"), cue.ForError("tmp/clones"), cue.ForFailure("make")}},
		{"one whose end was hidden", hint.Call{Tool: "exec_command", Input: `{"cmd":"bun test 2>&1 | tail -5"}`, Output: noModule, Over: true}, []cue.Key{sign}},
		{"one that worked", hint.Call{Tool: "Bash", Input: `{"command":"grep -r module ."}`, Output: noModule, Over: true}, nil},
		{"one that does not tell", hint.Call{Tool: "Bash", Input: `{"command":"bun test"}`, Output: noModule, Over: true, Unsure: true}, []cue.Key{sign}},
		{"one that looked for it", hint.Call{Tool: "Bash", Input: `{"command":"grep -r module ."}`, Output: noModule, Over: true, Unsure: true}, nil},
		{"another tool that failed", hint.Call{Tool: "mcp__x__y", Output: noModule, Over: true, Failed: true}, []cue.Key{sign}},
		{"a file", hint.Call{Tool: "Edit", Input: `{"file_path":"/p/src/gen/a.go"}`}, []cue.Key{cue.ForPath("src/gen/a.go"), cue.ForPath("src/gen"), cue.ForPath("src")}},
		{"a file elsewhere", hint.Call{Tool: "Write", Input: `{"file_path":"/q"}`}, []cue.Key{cue.ForPath("/q")}},
		{"a patch", hint.Call{Tool: "apply_patch", Input: `{"command":"*** Begin Patch\n*** Update File: a.go\n*** End Patch"}`}, []cue.Key{cue.ForPath("a.go")}},
		{"a patch of two files", hint.Call{Tool: "apply_patch", Input: `{"command":"*** Begin Patch\n*** Update File: a.go\n*** Update File: b.go\n*** End Patch"}`}, []cue.Key{cue.ForPath("a.go"), cue.ForPath("b.go")}},
		{"a file that was changed", hint.Call{Tool: "Edit", Input: `{"file_path":"/p/a.go"}`, Over: true}, nil},
		{"not JSON", hint.Call{Tool: "Bash", Input: `{"command":`}, nil},
	} {
		if diff := cmp.Diff(tt.want, hint.ListKeys(tt.call, "/p", "")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

// TestLongOutput: the end of a long output counts, where most programs say what went wrong.
func TestLongOutput(t *testing.T) {
	c := hint.Call{Tool: "Bash", Input: `{"command":"bun test"}`, Output: strings.Repeat("all is well\n", 100_000) + "error: Cannot find module 'zod'", Over: true, Failed: true}
	if keys := hint.ListKeys(c, "", ""); len(keys) == 0 || keys[0] != cue.ForError("error: cannot find module '…'") {
		t.Errorf("ListKeys = %q", keys)
	}
}

// TestFilesOfAProject: a file is named as seen from the project, wherever the agent stands in it,
// and over whichever link.
func TestFilesOfAProject(t *testing.T) {
	tmp := t.TempDir()
	root, link := filepath.Join(tmp, "project"), filepath.Join(tmp, "link")
	if err := os.MkdirAll(filepath.Join(root, "src", "gen"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(root, link); err != nil {
		t.Skip(err)
	}
	want := []cue.Key{cue.ForPath("src/gen/a.go"), cue.ForPath("src/gen"), cue.ForPath("src")}
	for _, tt := range []struct{ dir, project, file string }{
		{root, root, filepath.Join(root, "src/gen/a.go")},
		{filepath.Join(root, "src"), root, filepath.Join(root, "src/gen/a.go")},
		{filepath.Join(root, "src"), root, "gen/a.go"},
		{filepath.Join(root, "src", "gen"), root, "../gen/a.go"},
		{link, link, filepath.Join(root, "src/gen/a.go")},
		{root, root, filepath.Join(link, "src/gen/a.go")},
		{link, root, "src/gen/a.go"},
	} {
		input, _ := json.Marshal(map[string]string{"file_path": tt.file})
		if diff := cmp.Diff(want, hint.ListKeys(hint.Call{Tool: "Edit", Input: string(input)}, tt.dir, tt.project)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", tt, diff)
		}
	}
}

// TestHolds: a command line that has what a lesson tells to run needs no word about it. Where that
// is the lesson's own command in another form, the form counts.
func TestHolds(t *testing.T) {
	for _, tt := range []struct{ about, remedy, has, lacks string }{
		{"make test", "make migrate", "cd db && make migrate", "make migrate --twice && make test"},
		{"make test", "make migrate", "CI=1 make migrate; make test", "make test"},
		{"terraform plan", "terraform init && terraform plan", "terraform init; terraform plan -out p", "terraform plan"},
		{"npm run build", "NODE_OPTIONS=--max-old-space-size=4096 npm run build", "NODE_OPTIONS='--max-old-space-size=4096' npm run build -- -v", "npm run build"},
		{"npm run build", "export CI=1", "export CI=1 && npm run build", "export A=1; npm run build"},
		{"npm run build", "CI=1", "CI=1 npm run build", "npm run build"},
		{"go test", "cd web && go test ./...", "cd web; go test ./...", "go test ./..."},
		{"go test", "cd /p && go test", "go test -v", "cd /q && go test"},
		{"pytest", "pytest tests/unit", "pytest -x tests/unit", "pytest"},
		{"npm ci", "sudo npm ci", "sudo npm ci", "npm ci"},
		{"pytest", "source .venv/bin/activate && pytest", "source .venv/bin/activate && pytest -x", "pytest"},
		{"npm install", "npm install a --legacy-peer-deps", "npm install b --legacy-peer-deps", "npm install a"},
		{"rtk bun", "bun run test", "bun run test -x", "rtk bun run test"},
		{"pytest", "uv run pytest", "uv run pytest --durations 5", "pytest -x"},
		{"make e2e", "sleep 5 && docker compose up -d db && make e2e", "docker compose up -d db && make e2e", "sleep 5 && make e2e"},
	} {
		for line, want := range map[string]bool{tt.has: true, tt.lacks: false, "": false} {
			input, _ := json.Marshal(map[string]string{"command": line})
			c := hint.Call{Tool: "Bash", Input: string(input)}
			if got := c.Holds(tt.remedy, cue.ForCommand(tt.about), "/p"); got != want {
				t.Errorf("%q holds %q: %t", line, tt.remedy, got)
			}
			if c.Over = true; c.Holds(tt.remedy, cue.ForCommand(tt.about), "/p") || c.Holds("", "", "/p") {
				t.Errorf("%q holds it although it is over, or holds nothing", line)
			}
		}
	}
}

// TestIsAbout: what is known of a file that a program runs is not told for another file.
func TestIsAbout(t *testing.T) {
	for _, tt := range []struct {
		text, line string
		key        cue.Key
		want       bool
	}{
		{"Run `python scripts/gen.py` with `-u` (2026-02-03)", "cd scripts && python gen.py", cue.ForCommand("python"), true},
		{"Run `python scripts/gen.py` with `-u` (2026-02-03)", "python other.py", cue.ForCommand("python"), false},
		{"Run `python scripts/gen.py` with `-u` (2026-02-03)", "python -c 'print(1)'", cue.ForFailure("python"), false},
		{"Run `python scripts/gen.py` with `-u` (2026-02-03)", "python other.py; python gen.py", cue.ForCommand("python"), true},
		{"Run the python scripts with `PYTHONPATH=src` (2026-02-03)", "python other.py", cue.ForCommand("python"), true},
		{"Never run python. (2026-02-03)", "python other.py", cue.ForCommand("python"), true},
		{"Run `make` behind `./configure`, e.g. `make ./x` (2026-02-03)", "make", cue.ForCommand("make"), true},
		{"Run `go mod tidy` before `go build ./...` (2026-02-03)", "go build ./a", cue.ForCommand("go build"), true},
		{"Run `python scripts/gen.py` (2026-02-03)", "python other.py", cue.ForError("no module"), true},
		{"Use `pytest tests/unit`, not all", "pytest -x tests", cue.ForCommand("pytest"), true},
		{"Use python 3.12 and node 20.x", "python other.py", cue.ForCommand("python"), true},
		{"Run `pytest a_test.py` alone", "pytest -x", cue.ForCommand("pytest"), true},
		{"Run `pytest a_test.py` alone", "pytest b_test.py", cue.ForCommand("pytest"), false},
		{"`curl http://localhost:3000/health` needs the server", "curl https://example.com", cue.ForCommand("curl"), false},
		{"", "", cue.ForCommand(""), true},
	} {
		if got := hint.IsAbout(tt.text, tt.line, tt.key); got != tt.want {
			t.Errorf("%q is about %q: %t", tt.text, tt.line, got)
		}
	}
}

// TestIsFailure: an error is that of a lesson if the same program shows it, of the same names.
func TestIsFailure(t *testing.T) {
	const text = "Run `npm ci` before `npm test`: otherwise it fails with `Error: Cannot find module 'zod'` (2026-02-03)"
	key := cue.ForError("error: cannot find module '…'")
	for _, tt := range []struct {
		line    cue.Line
		command string
		output  string
		want    bool
	}{
		{cue.Line{Program: "npm", Text: text, Key: key}, "npm test", "Error: Cannot find module 'zod'", true},
		{cue.Line{Program: "npm", Text: text, Key: key}, "wrap npm test", "Error: Cannot find module 'zod'", true},
		{cue.Line{Program: "npm", Text: text, Key: key}, "npm test", "Error: Cannot find module './routes'", false},
		{cue.Line{Program: "npm", Text: text, Key: key}, "node server.js", "Error: Cannot find module 'zod'", true},
		{cue.Line{Program: "npm", Text: text, Key: key}, "make", "Error: Cannot find module 'zod'", false},
		{cue.Line{Program: "npm", Text: "Install the packages first (2026-02-03)", Key: key}, "npm test", "Error: Cannot find module './routes'", true},
		{cue.Line{Text: text, Key: key}, "node server.js", "Error: Cannot find module './routes'", true},
	} {
		input, _ := json.Marshal(map[string]string{"command": tt.command})
		c := hint.Call{Tool: "Bash", Input: string(input), Output: tt.output, Over: true, Failed: true}
		if got := c.IsFailure(tt.line, "/p"); got != tt.want {
			t.Errorf("%s: %s: %t", tt.command, tt.output, got)
		}
	}
}
