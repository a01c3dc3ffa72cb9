package guard

import (
	"testing"

	"mem/envtest"
)

// TestNamesPerson tells what names a person from what only has the form of it.
func TestNamesPerson(t *testing.T) {
	for text, want := range map[string]bool{
		"look in /home/ada/x": true, `C:\Users\ada\x`: true, "(/Users/ada)": true, "ask ada@firm.test.": true, "mailto:ada@firm.test": true,
		"/home/runner/work": false, "app/home/page": false, "git@github.com:x/y": false, "a@example.com": false, "1+noreply@firm.test": false,
		"pkg@1.2.3": false, "actions/checkout@v4": false, "postgres://app:app@db.firm.test/x": false,
	} {
		envtest.Same(t, want, NamesPerson(text), text)
	}
}

func TestScrub(t *testing.T) {
	const token = "ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
	for _, tt := range []struct {
		in, scrubbed, line string
		secrets            int
	}{
		{"", "", "", 0},
		{" a\r\n b ", " a\n b ", "a b", 0},
		{"use " + token + " here", "use [redacted:github-token] here", "use [redacted:github-token] here", 1},
		{"use " + token[:9] + "\u200b" + token[9:] + "\nand " + token[:20] + "\ufeff" + token[20:], "use [redacted:github-token]\nand [redacted:github-token]", "use [redacted:github-token] and [redacted:github-token]", 2},
		{"\x1b[31mred\x1b[0m\u202e", "red", "red", 0},
	} {
		envtest.Same(t, tt.scrubbed, Scrub(tt.in), "Scrub", tt.in)
		envtest.Same(t, tt.line, Line(tt.in), "Line", tt.in)
		envtest.Same(t, tt.secrets, CountSecrets(tt.in), "CountSecrets", tt.in)
	}
}
