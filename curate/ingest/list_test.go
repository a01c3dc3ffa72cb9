package ingest

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"mem/envtest"
)

func TestRemoveItems(t *testing.T) {
	gone := func(name string) bool { return name == "a.md" || name == "b c.md" || name == "d(1).md" }
	for _, c := range []struct {
		name, in, want string
		stays          []string
	}{
		{name: "nothing", in: "# Index\n\ntext\n", want: "# Index\n\ntext\n"},
		{name: "one of two", in: "- [A](a.md) — x\n- [Z](z.md)\n", want: "- [Z](z.md)\n"},
		{name: "another dash", in: "- [A](a.md) -- x\n", want: ""},
		{name: "a continuation", in: "1. [A](a.md) — x\n   more\n     still more\n2. [Z](z.md)\n", want: "2. [Z](z.md)\n"},
		{name: "what links elsewhere", in: "- [A](a.md) and [Z](z.md)\n", want: "- [A](a.md) and [Z](z.md)\n", stays: []string{"a.md"}},
		{name: "what links to the web", in: "- [A](a.md), [web](https://x.example/a.md)\n", want: "- [A](a.md), [web](https://x.example/a.md)\n", stays: []string{"a.md"}},
		{name: "in a continuation", in: "- [A](a.md)\n  see [Z](z.md)\n", want: "- [A](a.md)\n  see [Z](z.md)\n", stays: []string{"a.md"}},
		{name: "prose", in: "See [A](a.md).\n", want: "See [A](a.md).\n", stays: []string{"a.md"}},
		{name: "two that are gone", in: "- [A](a.md) [B](b%20c.md)\n", want: ""},
		{name: "names as they are written", in: "* [A](./a.md)\n+ [A](<a.md>)\n- [A](a.md \"title\")\n- [A](a.md#top)\n- [a [b]](a.md)\n- [D](d(1).md)\n", want: ""},
		{name: "another folder", in: "- [A](../a.md)\n- [A](team/a.md)\n", want: "- [A](../a.md)\n- [A](team/a.md)\n"},
		{name: "a nested item", in: "- Group\n  - [A](a.md)\n  - [Z](z.md)\n", want: "- Group\n  - [Z](z.md)\n"},
		{name: "a group of its own", in: "- Group\n  - [A](a.md)\n", want: "- Group\n"},
		{name: "an item with a group", in: "- [A](a.md)\n  - [Z](z.md)\n", want: "- [A](a.md)\n  - [Z](z.md)\n", stays: []string{"a.md"}},
		{name: "CRLF", in: "# X\r\n- [A](a.md)\r\n- [Z](z.md)\r\n", want: "# X\r\n- [Z](z.md)\r\n"},
		{name: "a mark at the start", in: "\ufeff- [A](a.md)\n- z\n", want: "\ufeff- z\n"},
		{name: "no line end", in: "- [Z](z.md)\n- [A](a.md)", want: "- [Z](z.md)"},
		{name: "no line end, CRLF", in: "- z\r\n- [A](a.md)", want: "- z"},
		{name: "code", in: "```\n- [A](a.md)\n```\n- [A](a.md)\n", want: "```\n- [A](a.md)\n```\n"},
		{name: "a note's name", in: "- [A](a.md), see [[z]]\n- [[a]]\n", want: "- [A](a.md), see [[z]]\n", stays: []string{"a.md"}},
		{name: "no list", in: "-[A](a.md)\n12 [A](a.md)\n", want: "-[A](a.md)\n12 [A](a.md)\n", stays: []string{"a.md"}},
		{name: "an open link", in: "- [A](a.md\n- [Z](z.md)\n", want: "- [Z](z.md)\n"},
	} {
		kept, linked := removeItems([]byte(c.in), gone)
		envtest.Same(t, c.want, string(kept), c.name)
		envtest.Same(t, c.stays, linked, c.name)
	}
}

// Whatever the list, taking out nothing gives the same bytes, and taking
// something out leaves every other line, in order.
func FuzzRemoveItems(f *testing.F) {
	f.Add([]byte("# I\n\n- [A](a.md) — x\n  more\n1. [B](b.md) [C](c.md)\n- z"), "a.md")
	f.Add([]byte("\ufeff* [A](<a.md>)\r\n\t- [[a]]\r\n```\n- [A](a.md)\n"), "a.md")
	f.Fuzz(func(t *testing.T, data []byte, name string) {
		if kept, _ := removeItems(data, func(string) bool { return false }); !bytes.Equal(kept, data) {
			t.Fatalf("%q became %q", data, kept)
		}
		kept, _ := removeItems(data, func(s string) bool { return s == name })
		trim := func(s string) string { return strings.TrimRight(s, "\r\n") }
		rest := slices.Collect(strings.Lines(strings.TrimPrefix(string(data), "\ufeff")))
		for _, line := range slices.Collect(strings.Lines(strings.TrimPrefix(string(kept), "\ufeff"))) {
			for len(rest) > 0 && trim(rest[0]) != trim(line) {
				rest = rest[1:]
			}
			envtest.StopIf(t, len(rest) == 0, "%q is not a line of %q", line, data)
			rest = rest[1:]
		}
		again, _ := removeItems(kept, func(s string) bool { return s == name })
		envtest.StopIf(t, len(again) < len(kept) && len(kept) == len(data), "%q: items are gone the second time", data)
		envtest.StopIf(t, len(kept) > len(data), "%q grew to %q", data, kept)
	})
}
