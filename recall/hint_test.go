package recall_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mem/index"
	"mem/recall"

	"mem/envtest"
)

func TestListKeys(t *testing.T) {
	const noModule = "error: Cannot find module 'zod' from 'src/a.ts'"
	sign := index.ErrorKey("error: cannot find module '…'")
	for _, tt := range []struct {
		name string
		call recall.Call
		want []index.CueKey
	}{
		{"a command to come", recall.Call{Tool: "Bash", Input: `{"command":"cd api && CI=1 go test -race ./..."}`},
			[]index.CueKey{index.CommandKey("go test -race"), index.CommandKey("go test")}},
		{"one with flags", recall.Call{Tool: "Bash", Input: `{"command":"fly deploy --remote-only --app=shop"}`}, []index.CueKey{
			index.CommandKey("fly deploy --remote-only --app"), index.CommandKey("fly deploy --remote-only"), index.CommandKey("fly deploy --app"), index.CommandKey("fly deploy"),
		}},
		{"one in a group", recall.Call{Tool: "Bash", Input: `{"command":"(cd web && npm i)"}`}, []index.CueKey{index.CommandKey("npm install"), index.CommandKey("npm i")}},
		{"one behind options", recall.Call{Tool: "Bash", Input: `{"command":"sudo -u bob timeout -k 5 60s nice -n 5 npm -C web install"}`}, []index.CueKey{index.CommandKey("npm install")}},
		{"one that another runs", recall.Call{Tool: "Bash", Input: `{"command":"npx npm install"}`}, []index.CueKey{index.CommandKey("npx npm install"), index.CommandKey("npm install")}},
		{"one behind a wrapper", recall.Call{Tool: "Bash", Input: `{"command":"rtk git add a && rtk git commit -q"}`},
			[]index.CueKey{index.CommandKey("rtk git add"), index.CommandKey("rtk git"), index.CommandKey("git add"), index.CommandKey("rtk git commit"), index.CommandKey("git commit")}},
		{"one in another shell", recall.Call{Tool: "Bash", Input: `{"command":"bash -lc 'time rtk bun test; if x; then (make it); fi'"}`},
			[]index.CueKey{index.CommandKey("rtk bun test"), index.CommandKey("rtk bun"), index.CommandKey("bun test"), index.CommandKey("x"), index.CommandKey("make it")}},
		{"one that is only asked", recall.Call{Tool: "Bash", Input: `{"command":"npm install --help; bun -v; npm install -h; terraform apply -help; npm --version"}`}, nil},
		{"a program without its command", recall.Call{Tool: "Bash", Input: `{"command":"bun --smol"}`}, []index.CueKey{index.CommandKey("bun --smol")}},
		{"a program alone", recall.Call{Tool: "Bash", Input: `{"command":"make"}`}, []index.CueKey{index.CommandKey("make")}},
		{"one that failed", recall.Call{Tool: "Bash", Input: `{"command":"bun test"}`, Output: "Exit code 1\n" + noModule, Over: true, Failed: true},
			[]index.CueKey{sign, index.FailureKey("bun test")}},
		{"one that failed in another folder", recall.Call{Tool: "Bash", Input: `{"command":"make"}`, Output: "ok\n(/p/tmp/clones/a/x.test.ts:3)\n1 fail in src/x.ts", Over: true, Failed: true},
			[]index.CueKey{index.ErrorKey("# fail in src/x.ts"), index.ErrorKey("tmp/clones/a"), index.ErrorKey("tmp/clones"), index.FailureKey("make")}},
		{"one whose end was hidden", recall.Call{Tool: "exec_command", Input: `{"cmd":"bun test 2>&1 | tail -5"}`, Output: noModule, Over: true}, []index.CueKey{sign}},
		{"one that worked", recall.Call{Tool: "Bash", Input: `{"command":"grep -r module ."}`, Output: noModule, Over: true}, nil},
		{"one that does not tell", recall.Call{Tool: "Bash", Input: `{"command":"bun test"}`, Output: noModule, Over: true, Unsure: true}, []index.CueKey{sign}},
		{"one that looked for it", recall.Call{Tool: "Bash", Input: `{"command":"grep -r module ."}`, Output: noModule, Over: true, Unsure: true}, nil},
		{"another tool that failed", recall.Call{Tool: "mcp__x__y", Output: noModule, Over: true, Failed: true}, []index.CueKey{sign}},
		{"a file", recall.Call{Tool: "Edit", Input: `{"file_path":"/p/src/gen/a.go"}`}, []index.CueKey{index.PathKey("src/gen/a.go"), index.PathKey("src/gen"), index.PathKey("src")}},
		{"a file elsewhere", recall.Call{Tool: "Write", Input: `{"file_path":"/q"}`}, []index.CueKey{index.PathKey("/q")}},
		{"a patch", recall.Call{Tool: "apply_patch", Input: `{"command":"*** Begin Patch\n*** Update File: a.go\n*** End Patch"}`}, []index.CueKey{index.PathKey("a.go")}},
		{"a patch of two files", recall.Call{Tool: "apply_patch", Input: `{"command":"*** Begin Patch\n*** Update File: a.go\n*** Update File: b.go\n*** End Patch"}`}, []index.CueKey{index.PathKey("a.go"), index.PathKey("b.go")}},
		{"a file that was changed", recall.Call{Tool: "Edit", Input: `{"file_path":"/p/a.go"}`, Over: true}, nil},
		{"not JSON", recall.Call{Tool: "Bash", Input: `{"command":`}, nil},
	} {
		envtest.Same(t, tt.want, recall.ListKeys(tt.call, "/p", ""), tt.name)
	}
}

// TestLongOutput: the end of a long output counts, where most programs say what went wrong.
func TestLongOutput(t *testing.T) {
	c := recall.Call{Tool: "Bash", Input: `{"command":"bun test"}`, Output: strings.Repeat("all is well\n", 100_000) + "error: Cannot find module 'zod'", Over: true, Failed: true}
	keys := recall.ListKeys(c, "", "")
	envtest.FailIf(t, len(keys) == 0 || keys[0] != index.ErrorKey("error: cannot find module '…'"), "ListKeys = %q", keys)
}

// TestFilesOfAProject: a file is named as seen from the project, wherever the agent stands in it,
// and over whichever link.
func TestFilesOfAProject(t *testing.T) {
	tmp := t.TempDir()
	root, link := filepath.Join(tmp, "project"), filepath.Join(tmp, "link")
	envtest.NoError(t, os.MkdirAll(filepath.Join(root, "src", "gen"), 0o700))
	if err := os.Symlink(root, link); err != nil {
		t.Skip(err)
	}
	want := []index.CueKey{index.PathKey("src/gen/a.go"), index.PathKey("src/gen"), index.PathKey("src")}
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
		envtest.Same(t, want, recall.ListKeys(recall.Call{Tool: "Edit", Input: string(input)}, tt.dir, tt.project), tt)
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
			c := recall.Call{Tool: "Bash", Input: string(input)}
			envtest.Same(t, want, c.Holds(tt.remedy, index.CommandKey(tt.about), "/p"), line, tt.remedy)
			if c.Over = true; c.Holds(tt.remedy, index.CommandKey(tt.about), "/p") || c.Holds("", "", "/p") {
				t.Errorf("%q holds it although it is over, or holds nothing", line)
			}
		}
	}
}

// TestIsAbout: what is known of a file that a program runs is not told for another file.
func TestIsAbout(t *testing.T) {
	for _, tt := range []struct {
		text, line string
		key        index.CueKey
		want       bool
	}{
		{"Run `python scripts/gen.py` with `-u` (2026-02-03)", "cd scripts && python gen.py", index.CommandKey("python"), true},
		{"Run `python scripts/gen.py` with `-u` (2026-02-03)", "python other.py", index.CommandKey("python"), false},
		{"Run `python scripts/gen.py` with `-u` (2026-02-03)", "python -c 'print(1)'", index.FailureKey("python"), false},
		{"Run `python scripts/gen.py` with `-u` (2026-02-03)", "python other.py; python gen.py", index.CommandKey("python"), true},
		{"Run the python scripts with `PYTHONPATH=src` (2026-02-03)", "python other.py", index.CommandKey("python"), true},
		{"Never run python. (2026-02-03)", "python other.py", index.CommandKey("python"), true},
		{"Run `make` behind `./configure`, e.g. `make ./x` (2026-02-03)", "make", index.CommandKey("make"), true},
		{"Run `go mod tidy` before `go build ./...` (2026-02-03)", "go build ./a", index.CommandKey("go build"), true},
		{"Run `python scripts/gen.py` (2026-02-03)", "python other.py", index.ErrorKey("no module"), true},
		{"Use `pytest tests/unit`, not all", "pytest -x tests", index.CommandKey("pytest"), true},
		{"Use python 3.12 and node 20.x", "python other.py", index.CommandKey("python"), true},
		{"Run `pytest a_test.py` alone", "pytest -x", index.CommandKey("pytest"), true},
		{"Run `pytest a_test.py` alone", "pytest b_test.py", index.CommandKey("pytest"), false},
		{"`curl http://localhost:3000/health` needs the server", "curl https://example.com", index.CommandKey("curl"), false},
		{"", "", index.CommandKey(""), true},
		{"Add `-x` to `uv run python a.py`", "uv run python b.py", index.CommandKey("uv run python"), false},
		{"Run `make gen` before `make part0`: otherwise", "make part5", index.ErrorKey("no part#"), false},
		{"Run `make gen` before `make part0`: otherwise", "make part0", index.CommandKey("make part0"), true},
		{"Run `make` before `./bin/serve`: otherwise", "serve -x", index.CommandKey("serve"), false},
		{"Run `make` before `./bin/serve`: otherwise", "./bin/serve -x", index.CommandKey("serve"), true},
	} {
		envtest.Same(t, tt.want, recall.IsAbout(tt.text, tt.line, tt.key), tt.text, tt.line)
	}
}

// TestIsFailure: an error is that of a lesson if the same program shows it, of the same names.
func TestIsFailure(t *testing.T) {
	const text = "Run `npm ci` before `npm test`: otherwise it fails with `Error: Cannot find module 'zod'` (2026-02-03)"
	key := index.ErrorKey("error: cannot find module '…'")
	for _, tt := range []struct {
		line    index.CueLine
		command string
		output  string
		want    bool
	}{
		{index.CueLine{Program: "npm", Text: text, Key: key}, "npm test", "Error: Cannot find module 'zod'", true},
		{index.CueLine{Program: "npm", Text: text, Key: key}, "wrap npm test", "Error: Cannot find module 'zod'", true},
		{index.CueLine{Program: "npm", Text: text, Key: key}, "npm test", "Error: Cannot find module './routes'", false},
		{index.CueLine{Program: "npm", Text: text, Key: key}, "node server.js", "Error: Cannot find module 'zod'", true},
		{index.CueLine{Program: "npm", Text: text, Key: key}, "make", "Error: Cannot find module 'zod'", false},
		{index.CueLine{Program: "npm", Text: "Install the packages first (2026-02-03)", Key: key}, "npm test", "Error: Cannot find module './routes'", true},
		{index.CueLine{Text: text, Key: key}, "node server.js", "Error: Cannot find module './routes'", true},
	} {
		input, _ := json.Marshal(map[string]string{"command": tt.command})
		c := recall.Call{Tool: "Bash", Input: string(input), Output: tt.output, Over: true, Failed: true}
		envtest.Same(t, tt.want, c.IsFailure(tt.line, "/p"), tt.command, tt.output)
	}
}
