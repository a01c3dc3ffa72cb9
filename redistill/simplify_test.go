package redistill_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"mem/index"
	"mem/redistill"
	"mem/words"
)

func TestSimplify(t *testing.T) {
	for _, tt := range []struct{ in, want, why string }{
		{"Run the tests", "Run the tests", ""},
		{"Run\n  the\ttests ", "Run the tests", "white space"},

		{"Fix PROJ-123 first", "Fix PROJ-123 first", ""},
		{"Put it in src/a.go:12 for TICKET-9 always", "Put it in src/a.go for TICKET-9 always", "line numbers"},
		{"PROJ-123: close the file", "close the file", "ticket numbers"},
		{"[AB-1] Close the file", "Close the file", "ticket numbers"},
		{"Close the file (AB2-77).", "Close the file.", "ticket numbers"},
		{"Close the file. AB-77: not twice", "Close the file. not twice", "ticket numbers"},
		{"Close the file (see AB-77)", "Close the file (see AB-77)", ""},
		{"Seen in AB-1, CD-2 and EF-3", "Seen in AB-1, CD-2 and EF-3", ""},
		{"Close it like AB-1: twice", "Close it like AB-1: twice", ""},
		{"lower-12 A-1 TOOLONGNAME-1 AB-1234567 XAB-1Y", "lower-12 A-1 TOOLONGNAME-1 AB-1234567 XAB-1Y", ""},

		{"Close the file (#12)", "Close the file", "issue numbers"},
		{"Close the file, see issue #12", "Close the file, see issue #12", ""},
		{"PR #1234: close the file", "close the file", "issue numbers"},
		{"Close it (like #12 did)", "Close it (like #12 did)", ""},
		{"Write C#7, F#5 and a#1", "Write C#7, F#5 and a#1", ""},
		{"Paint it #000000 or #012", "Paint it #000000 or #012", ""},
		{"# 12 and #tag", "# 12 and #tag", ""},

		{"main.go:12 leaks", "main.go leaks", "line numbers"},
		{"main.go:12:3: leaks", "main.go: leaks", "line numbers"},
		{"see api.ts, line 40", "see api.ts", "line numbers"},
		{"a.py:1:2:3", "a.py", "line numbers"},
		{"Listen on api.local:8080, not on example.com:443", "Listen on api.local:8080, not on example.com:443", ""},
		{"Listen on 127.0.0.1:8080 and localhost:80", "Listen on 127.0.0.1:8080 and localhost:80", ""},

		{"Edit /home/robin/app/main.go", "Edit main.go", "absolute paths"},
		{"Edit `/Users/x/a b`", "Edit `a b`", "absolute paths"},
		{`Edit C:\Users\robin\main.go`, "Edit main.go", "absolute paths"},
		{"Open (/tmp/x/y.txt)", "Open (y.txt)", "absolute paths"},
		{"Read docs at https://example.com/home/docs/page", "Read docs at https://example.com/home/docs/page", ""},
		{"Keep internal/tmp/cache/x.go and ./var/lib/x", "Keep internal/tmp/cache/x.go and ./var/lib/x", ""},
		{"Open /home/robin/AB-12", "Open /home/robin/AB-12", ""},
		{"Keep /etc/passwd and /tmp", "Keep /etc/passwd and /tmp", ""},

		{"Run docker build . first, then go vet ./... again", "Run docker build . first, then go vet ./... again", ""},
		{"Run find -exec rm {} ; now", "Run find -exec rm {} ; now", ""},
		{"Fold , , twice", "Fold,, twice", "spaces before commas"},
		{"Fold , like this", "Fold, like this", "spaces before commas"},

		{"AB-12", "AB-12", ""},
		{"Avoid: AB-12", "Avoid: AB-12", ""},
		{"Use `AB-12` as the prefix", "Use `AB-12` as the prefix", ""},
	} {
		got, why := redistill.SimplifyText(tt.in, true)
		if got != tt.want || why != tt.why {
			t.Errorf("Simplify(%q, global) = %q (%s), want %q (%s)", tt.in, got, why, tt.want, tt.why)
		}
		// For the project itself all of this may matter.
		got, why = redistill.SimplifyText(tt.in, false)
		if want := words.FoldSpace(tt.in); got != want || (why == "white space") != (want != tt.in) {
			t.Errorf("Simplify(%q, project) = %q (%s), want %q", tt.in, got, why, want)
		}
	}
}

// What looks like a ticket and carries meaning stays.
func TestSimplifyKeepsNames(t *testing.T) {
	for _, name := range strings.Fields(`UTF-8 UTF-16 SHA-1 SHA-256 SHA3-256 RFC-2119 ISO-8601 ES-2015 AES-128 RSA-2048 CVE-2024-1234
		HTTP-2 MD-5 TLS-1 CP-1252 PEP-8 GB-18030 IEEE-754 X86-64 UTC-5 GMT-3 GPT-4 ECMA-262 GPL-3 LGPL-2 BSD-3 MIT-0 SQL-92 POSIX-2008
		ASCII-7 LATIN-1 WINDOWS-1252 BLAKE2-256 HMAC-256 PKCS-12 COVID-19 ARM-64 IPV-6 BASE-64 RISC-5 FIPS-140 EAN-13`) {
		in := "Use " + name + " here (" + name + "): " + name
		if got, why := redistill.SimplifyText(in, true); got != in {
			t.Errorf("Simplify(%q) = %q (%s)", in, got, why)
		}
	}
}

func TestSimplifyLaws(t *testing.T) {
	part := rapid.SampledFrom([]string{
		"AB-12", "UTF-8", "#12", "issue ", "PR ", "(", ")", "[", "]", ":", ",", ".", " ", "  ", "\n", "main.go", ":12", ":3", ", line 7",
		"/home/", "robin/", "C:\\", "a\\b", "`", "x", "the tests", "Avoid: ", "é", "日本", "\"", "'", ";",
	})
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(part, 0, 12).Draw(t, "parts"), "")
		global := rapid.Bool().Draw(t, "global")
		once, why := redistill.SimplifyText(text, global)
		if twice, again := redistill.SimplifyText(once, global); twice != once || again != "" {
			t.Errorf("Simplify(Simplify(%q)) = %q (%s), want %q", text, twice, again, once)
		}
		if (why == "") != (once == text) {
			t.Errorf("Simplify(%q) = %q with the reason %q", text, once, why)
		}
		if len(once) > len(text) || (index.StripAvoid(once) == "") != (index.StripAvoid(text) == "") {
			t.Errorf("Simplify(%q) = %q", text, once)
		}
		if strings.Count(once, "`")%2 != strings.Count(text, "`")%2 {
			t.Errorf("Simplify(%q) = %q breaks a pair of backticks", text, once)
		}
	})
}
