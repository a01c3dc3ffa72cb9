package silo

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestUnlist(t *testing.T) {
	gone := func(name string) bool { return name == "a.md" || name == "b c.md" || name == "d(1).md" }
	for _, c := range []struct {
		name, in, want string
		removed        int
		stays          []string
	}{
		{name: "nothing", in: "# Index\n\ntext\n", want: "# Index\n\ntext\n"},
		{name: "one of two", in: "- [A](a.md) — x\n- [Z](z.md)\n", want: "- [Z](z.md)\n", removed: 1},
		{name: "another dash", in: "- [A](a.md) -- x\n", want: "", removed: 1},
		{name: "a continuation", in: "1. [A](a.md) — x\n   more\n     still more\n2. [Z](z.md)\n", want: "2. [Z](z.md)\n", removed: 1},
		{name: "what links elsewhere", in: "- [A](a.md) and [Z](z.md)\n", want: "- [A](a.md) and [Z](z.md)\n", stays: []string{"a.md"}},
		{name: "what links to the web", in: "- [A](a.md), [web](https://x.example/a.md)\n", want: "- [A](a.md), [web](https://x.example/a.md)\n", stays: []string{"a.md"}},
		{name: "in a continuation", in: "- [A](a.md)\n  see [Z](z.md)\n", want: "- [A](a.md)\n  see [Z](z.md)\n", stays: []string{"a.md"}},
		{name: "prose", in: "See [A](a.md).\n", want: "See [A](a.md).\n", stays: []string{"a.md"}},
		{name: "two that are gone", in: "- [A](a.md) [B](b%20c.md)\n", want: "", removed: 1},
		{name: "names as they are written", in: "* [A](./a.md)\n+ [A](<a.md>)\n- [A](a.md \"title\")\n- [A](a.md#top)\n- [a [b]](a.md)\n- [D](d(1).md)\n", want: "", removed: 6},
		{name: "another folder", in: "- [A](../a.md)\n- [A](team/a.md)\n", want: "- [A](../a.md)\n- [A](team/a.md)\n"},
		{name: "a nested item", in: "- Group\n  - [A](a.md)\n  - [Z](z.md)\n", want: "- Group\n  - [Z](z.md)\n", removed: 1},
		{name: "a group of its own", in: "- Group\n  - [A](a.md)\n", want: "- Group\n", removed: 1},
		{name: "an item with a group", in: "- [A](a.md)\n  - [Z](z.md)\n", want: "- [A](a.md)\n  - [Z](z.md)\n", stays: []string{"a.md"}},
		{name: "CRLF", in: "# X\r\n- [A](a.md)\r\n- [Z](z.md)\r\n", want: "# X\r\n- [Z](z.md)\r\n", removed: 1},
		{name: "a mark at the start", in: "\ufeff- [A](a.md)\n- z\n", want: "\ufeff- z\n", removed: 1},
		{name: "no line end", in: "- [Z](z.md)\n- [A](a.md)", want: "- [Z](z.md)", removed: 1},
		{name: "no line end, CRLF", in: "- z\r\n- [A](a.md)", want: "- z", removed: 1},
		{name: "code", in: "```\n- [A](a.md)\n```\n- [A](a.md)\n", want: "```\n- [A](a.md)\n```\n", removed: 1},
		{name: "a note's name", in: "- [A](a.md), see [[z]]\n- [[a]]\n", want: "- [A](a.md), see [[z]]\n", removed: 1, stays: []string{"a.md"}},
		{name: "no list", in: "-[A](a.md)\n12 [A](a.md)\n", want: "-[A](a.md)\n12 [A](a.md)\n", stays: []string{"a.md"}},
		{name: "an open link", in: "- [A](a.md\n- [Z](z.md)\n", want: "- [Z](z.md)\n", removed: 1},
	} {
		e := unlist([]byte(c.in), gone)
		if diff := cmp.Diff(c.want, string(e.data)); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
		if diff := cmp.Diff(c.stays, e.stays); diff != "" || e.removed != c.removed {
			t.Errorf("%s: removed %d, want %d; %s", c.name, e.removed, c.removed, diff)
		}
	}
}

// Whatever the list, taking out nothing gives the same bytes, and taking
// something out leaves every other line, in order.
func FuzzUnlist(f *testing.F) {
	f.Add([]byte("# I\n\n- [A](a.md) — x\n  more\n1. [B](b.md) [C](c.md)\n- z"), "a.md")
	f.Add([]byte("\ufeff* [A](<a.md>)\r\n\t- [[a]]\r\n```\n- [A](a.md)\n"), "a.md")
	f.Fuzz(func(t *testing.T, data []byte, name string) {
		if e := unlist(data, func(string) bool { return false }); !bytes.Equal(e.data, data) || e.removed != 0 {
			t.Fatalf("%q became %q", data, e.data)
		}
		e := unlist(data, func(s string) bool { return s == name })
		trim := func(s string) string { return strings.TrimRight(s, "\r\n") }
		rest := splitLines(strings.TrimPrefix(string(data), "\ufeff"))
		for _, line := range splitLines(strings.TrimPrefix(string(e.data), "\ufeff")) {
			for len(rest) > 0 && trim(rest[0]) != trim(line) {
				rest = rest[1:]
			}
			if len(rest) == 0 {
				t.Fatalf("%q is not a line of %q", line, data)
			}
			rest = rest[1:]
		}
		if again := unlist(e.data, func(s string) bool { return s == name }); again.removed != 0 && e.removed == 0 {
			t.Fatalf("%q: %d items are gone the second time", data, again.removed)
		}
		if len(e.data) > len(data) {
			t.Fatalf("%q grew to %q", data, e.data)
		}
	})
}

func FuzzParse(f *testing.F) {
	f.Add([]byte("---\nname: a\ntype: user\n---\nb"))
	f.Add([]byte("\ufeff---\r\nname: Use foo: bar\r\nmetadata: \r\n  type: feedback\r\nstatus:\r\n  - x\r\n---\r\n\r\nb"))
	f.Fuzz(func(t *testing.T, data []byte) {
		e, err := Parse(data)
		if err != nil {
			return
		}
		if e.Name == "" || nameKey(e.Name) != nameKey(strings.ToUpper(nameKey(e.Name))) && strings.ToUpper(e.Name) == strings.ToLower(e.Name) {
			t.Fatalf("%q has the name %q", data, e.Name)
		}
		if slug := slugOf(e.Name); strings.Trim(slug, "abcdefghijklmnopqrstuvwxyz0123456789-") != "" || slug == "" || len(slug) > maxSlug+len("memory-") {
			t.Fatalf("%q has the slug %q", e.Name, slug)
		}
		if !strings.HasSuffix(string(data), e.body) {
			t.Fatalf("%q has the body %q", data, e.body)
		}
	})
}

func TestNameKey(t *testing.T) {
	for name, want := range map[string]string{
		"Use  zod/mini": "use-zod/mini", "use_zod-/mini": "use-zod-/mini", " User_Role ": "user-role", "--a--b__c": "a-b-c", "기억 API": "기억-api",
	} {
		if got := nameKey(name); got != want {
			t.Errorf("nameKey(%q) = %q, want %q", name, got, want)
		}
	}
}

func TestSlugOf(t *testing.T) {
	for name, want := range map[string]string{
		"Use zod/mini": "use-zod-mini", "기억": "memory", "기억 API": "api", "../../etc": "etc", "con": "memory-con", "COM1": "memory-com1",
		strings.Repeat("long ", 30): "long-long-long-long-long-long-long-long-long-long-long-long",
	} {
		if got := slugOf(name); got != want {
			t.Errorf("slugOf(%q) = %q, want %q", name, got, want)
		}
	}
}

func TestOpening(t *testing.T) {
	for text, want := range map[string]struct {
		text string
		no   bool
	}{
		"# Head\n\n**Never** use `a.b()` here. More.": {"use `a.b()` here", true},
		"Use v1.2 of it, e.g. for tests. Then more.":  {"Use v1.2 of it, e.g. for tests", false},
		"Don't: shout\nat people":                     {"shout at people", true},
		"Notable things.":                             {"Notable things", false},
		"\n\n- Stop guessing!":                        {"guessing", true},
		"항상 4-part 로 적는다。그리고":                         {"항상 4-part 로 적는다", false},
		"":                   {"", false},
		"Nevermind the rest": {"Nevermind the rest", false},
		"Avoid" + " tabs. Use `. ` as a sign between it": {"tabs", true},
	} {
		got, no := opening(text)
		if got != want.text || no != want.no {
			t.Errorf("opening(%q) = %q, %v, want %q, %v", text, got, no, want.text, want.no)
		}
	}
}
