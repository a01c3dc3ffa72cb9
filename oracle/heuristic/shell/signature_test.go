package shell

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"mem/envtest"
)

func TestSignature(t *testing.T) {
	p := Project{Root: "/srv/shop"}
	tests := []struct{ line, want string }{
		{"", ""},
		{"bash: line 12: foo: command not found", "foo: command not found"},
		{"Error: Cannot find module './dist/index.js'", "error: cannot find module '…'"},
		{`relation "users" does not exist`, "relation '…' does not exist"},
		{"task `lint` not found", "task '…' not found"},
		{"open /srv/shop/src/a.go: permission denied", "open src/a.go: permission denied"},
		{"open /tmp/run-81723/x.sock: permission denied", "open /tmp/…: permission denied"},
		{"/home/robin/other/x: failed", "~/other/x: failed"},
		{"2026-03-09 10:11:12 listen EADDRINUSE :::3000 (pid 4242)", "listen eaddrinuse :::#"},
		{"object 4d2a74d41644aa10 is missing after 3 tries", "object … is missing after # tries"},
		{"src/a.ts:10:4 - error TS2304: Cannot find name 'x'.", "error ts#: cannot find name '…'"},
		{"10:11:12 timeout after 30s", "timeout after #s"},
		{"Cannot find module 'b/c' (7 ms)", "cannot find module '…' (# ms)"},
		{"can't open the file of 'it'", "can't open the file of '…'"},
	}
	for _, test := range tests {
		envtest.Same(t, test.want, p.Signature(test.line), test.line)
	}
}

// checkSignature: the signature of a signature is itself, and one line.
func checkSignature(t rapid.TB, p Project, line string) {
	t.Helper()
	once := p.Signature(line)
	envtest.Same(t, once, p.Signature(once), line)
	envtest.FailIf(t, strings.ContainsAny(once, "\n0123456789"), "Signature(%q) = %q", line, once)
}

func TestSignatureOfSignature(t *testing.T) {
	part := rapid.SampledFrom([]string{"/srv/", "shop", "/", "a.go", ":3:2: ", "'", `"`, "`", "x", "Y", "42", "deadbeef1234", "10:11:12", " ", "…", "#",
		"/tmp/", "/home/", "jo", "(pid 7)", " line 3", ".", "bash: ", "’", "‘", "0xff00", "[7]", " in 3ms", "İ", "\xff"})
	rapid.Check(t, func(t *rapid.T) {
		line := strings.Join(rapid.SliceOfN(part, 0, 12).Draw(t, "line"), "")
		root := rapid.SampledFrom([]string{"", "/srv/shop", "/srv", "/home/jo/x"}).Draw(t, "root")
		checkSignature(t, Project{Root: root}, line)
	})
}

func FuzzSignature(f *testing.F) {
	f.Add("/srv/shop", "/srv/shop/a.go:3:2: undefined: 'x' at 10:11:12 (pid 7) 0xdeadbeef")
	f.Add("", "“a” ‘b’ `c` \"d\"")
	f.Fuzz(func(t *testing.T, root, line string) { checkSignature(t, Project{Root: root}, line) })
}
