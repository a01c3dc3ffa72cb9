package shell

import (
	"strings"
	"testing"
	"unicode/utf8"

	"mem/envtest"
)

func TestParse(t *testing.T) {
	tests := []struct{ raw, family, runner, dir, shown string }{
		{"npm test", "npm test", "", "", "npm test"},
		{"cd web && npm run build 2>&1 | tail -3", "npm run build", "", "web", "npm run build"},
		{"cd /srv && cd app; FOO=1 go test ./... > out.txt", "go test", "", "/srv/app", "FOO=1 go test ./..."},
		{"sudo timeout 30 docker compose up -d", "docker compose up", "", "", "docker compose up -d"},
		{"uv run mypy src", "mypy", "uv run", "", "uv run mypy src"},
		{"python3 -m pytest -q", "pytest", "python3 -m", "", "python3 -m pytest -q"},
		{"git -C sub commit -m 'a && b; c'", "git commit", "", "", "git -C sub commit -m 'a && b; c'"},
		{"echo hi; make lint # not this: make test", "make lint", "", "", "make lint"},
		{`bash -lc "cd web && npm test"`, "npm test", "", "web", "npm test"},
		{`sh -c 'sh -c "sh -c x"'`, "x", "", "", "x"},
		{"for f in $(ls); do npm test -- $f; done", "npm test", "", "", "npm test -- $f"},
		{"if [ -f a ]; then (cd web && time make it) fi", "make it", "", "", "make it"},
		{"rtk git add a\\ b && rtk git commit -m \"$(cat <<'EOF'\nx && y\nEOF\n)\" || true", "rtk git", "", "", "rtk git commit -m"},
		{"env A=1 nice -n 5 make it; export B=2", "make it", "", "", "A=1 make it"},
		{"npm test && npm run 'lint", "npm run lint", "", "", "npm run 'lint"},
		{"pnpm --filter core build", "pnpm build", "", "", "pnpm --filter core build"},
		{"cat <<'EOF' | sqlite3 x.db\nselect 1;\nEOF\n", "cat", "", "", "cat"},
		{"API_KEY=hunter2 ./run", "run", "", "", "API_KEY=… ./run"},
		{"  ", "", "", "", ""},
		{"'unfinished", "unfinished", "", "", "'unfinished"},
		{"a $(b 'c' (d)) && e", "e", "", "", "e"},
	}
	var p Project
	for _, test := range tests {
		c := Parse(test.raw)
		m := c.MainPart()
		if m.Family() != test.family || m.Runner != test.runner || c.Dir != test.dir || p.ShowCommand(m) != test.shown {
			t.Errorf("Parse(%q) = family %q, runner %q, dir %q, shown %q; want %q, %q, %q, %q", test.raw,
				m.Family(), m.Runner, c.Dir, p.ShowCommand(m), test.family, test.runner, test.dir, test.shown)
		}
	}
}

// FuzzParse: no line makes the parser panic, or the parts of a line endless.
func FuzzParse(f *testing.F) {
	for _, line := range []string{"a && (b | c) > d 2>&1 &", "if x; then y; fi; bash -c 'z \\\n w'", "cat <<A <<'B'\n$(x)\nA\nB", "export A=(1 2) b[1]=2; a=$((1+2)) ${x:-`y`}", "[[ -f x ]] && f() { g; }; ((i++))"} {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line string) {
		c := Parse(line)
		envtest.FailIf(t, len(c.Parts) > maxParts, "%d parts of %q", len(c.Parts), line)
		for _, s := range c.Parts {
			_, _ = s.Inner()
		}
	})
}

func TestFindFaults(t *testing.T) {
	tests := []struct {
		out, line string
		kind      Kind
	}{
		{"Exit code 127\n/bin/bash: line 1: foo: command not found", "foo: command not found", Usage},
		{"zsh:1: command not found: foo", "command not found: foo", Usage},
		{"npm error Missing script: \"lint\"\nnpm error\nnpm error To see a list of scripts, run:", "Missing script: \"lint\"", Usage},
		{"Traceback (most recent call last):\n  File \"a.py\", line 3, in <module>\nModuleNotFoundError: No module named 'yaml'", "ModuleNotFoundError: No module named 'yaml'", Setup},
		{"\x1b[31merror[E0432]\x1b[0m: unresolved import `foo`\n --> src/a.rs:1:5", "error[E0432]: unresolved import `foo`", SourceCode},
		{"a/b.go:3:2: undefined: x\n", "undefined: x", SourceCode},
		{"--- FAIL: TestX (0.01s)\n    x_test.go:3: got 1", "--- FAIL: TestX (0.01s)", SourceCode},
		{"fatal: not a git repository (or any of the parent directories): .git", "fatal: not a git repository (or any of the parent directories): .git", Setup},
		{"panic: runtime error: index out of range", "panic: runtime error: index out of range", SourceCode},
		{"2026-03-09 10:11:12 ERROR listen EADDRINUSE: address already in use :::3000 (pid 4242)", "ERROR listen EADDRINUSE: address already in use :::3000", Routine},
		{"<tool_use_error>String to replace not found in file.\nString: x</tool_use_error>", "String to replace not found in file", Routine},
		{"open /tmp/run-81723/x.sock: permission denied", "open /tmp/…: permission denied", Setup},
		{"one\ntwo\nthree\nfour\nfive", "", Unknown},
		{"[1/3] a.o\n[2/3] b.o\n[3/3] app\nlink\ncollect2: error: ld returned 1 exit status", "collect2: error: ld returned 1 exit status", Unknown},
		{"! Package minted Error: You must invoke LaTeX with the -shell-escape flag.", "! Package minted Error: You must invoke LaTeX with the -shell-escape flag", Usage},
		{"Exit code 1\n[… 20097 bytes left out …]\n", "", Unknown},
		{"request to the server failed\n... [12 lines truncated] ...\n", "request to the server failed", Vague},
		{"no route to it\n…310 tokens truncated…\n", "no route to it", Vague},
		{"$ eslint src\nerror: script \"lint\" exited with code 1", "", Unknown},
		{"", "", Unknown},
	}
	var p Project
	for _, test := range tests {
		f := Fault{}
		if all := p.FindFaults(test.out, true); len(all) > 0 {
			f = all[0]
		}
		envtest.FailIf(t, f.Line != test.line || f.Kind != test.kind,
			"FindFaults(%q) = %q (kind %d), want %q (kind %d)", test.out, f.Line, f.Kind, test.line, test.kind)
	}
}

func TestProject(t *testing.T) {
	for dir, want := range map[string]string{"/home/robin/shop": "/home/robin/shop", "/srv/shop": "/srv/shop", "/home/robin": "", "/app": "", "/": "", "": "", ".": ""} {
		envtest.Same(t, want, ProjectIn(dir).Root, dir)
	}
	p := ProjectIn("/home/robin/shop")
	for in, want := range map[string]string{
		"/home/robin/shop/src/a.go":          "src/a.go",
		"open /home/robin/other/x: failed":   "open ~/other/x: failed",
		"in /home/robin/shop: failed":        "in .: failed",
		"/Users/jo/x and /private/tmp/ab12/": "~/x and /tmp/…",
		"/home/robin/shopping/list":          "~/shopping/list",
	} {
		envtest.Same(t, want, p.ShowText(in), in)
	}
}

func TestClip(t *testing.T) {
	long := strings.Repeat("wörter und `code` ", 40)
	for _, n := range []int{20, 70, 100, 240} {
		got := clip(long, n)
		if c := utf8.RuneCountInString(got); c > n || c < n/2 || strings.Count(got, "`")%2 != 0 || !utf8.ValidString(got) {
			t.Errorf("Clip(%d) = %q (%d characters)", n, got, c)
		}
	}
	envtest.Same(t, "short", clip("short", 20), "Clip")
}

func TestOneLine(t *testing.T) {
	long := strings.Repeat("wörter und `code` ", 40)
	got := utf8.RuneCountInString(OneLine(long, 240))
	envtest.FailIf(t, got > 240 || got < 240-20, "OneLine gives %d characters", got)
	envtest.Same(t, "a b[1m c", OneLine(" a\n\tb[1m c .", 240), "OneLine")
}
