package frontmatter_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"go.yaml.in/yaml/v4"

	"mem/envtest"
	"mem/frontmatter"
)

const memory = "---\r\nname: Use foo: bar\r\ndescription: see #12, @scope/pkg\r\nmetadata: \r\n  node_type: memory\r\n" +
	"  type: feedback\r\ntags: [go, \"a, b\"]\r\nlong: |\r\n  one\r\n  two\r\nmore: >-\r\n  a\r\n  b\r\nlist:\r\n- x\r\n- 'y'\r\nquoted: \"a \\\"b\\\"\"\r\n---\r\n\r\nBody.\r\n"

func parse(t *testing.T, text string) *frontmatter.File {
	t.Helper()
	f, err := frontmatter.Parse([]byte(text))
	envtest.NoError(t, err)
	return f
}

func TestReadsWhatPeopleWrite(t *testing.T) {
	f := parse(t, memory)
	for name, want := range map[string]string{
		"name": "Use foo: bar", "description": "see #12, @scope/pkg", "long": "one\ntwo\n", "more": "a b",
		"quoted": `a "b"`, "metadata": "",
	} {
		got, ok := f.Get(name)
		envtest.FailIf(t, !ok || got != want, "Get(%s) = %q, %v, want %q", name, got, ok, want)
	}
	got, _ := f.Under("metadata", "type")
	envtest.FailIf(t, got != "feedback", "type = %q, want feedback", got)
	_, ok := f.Get("type")
	envtest.FailIf(t, ok, "a field below another counts as one at the top")
	for name, want := range map[string][]string{"tags": {"go", "a, b"}, "list": {"x", "y"}, "none": nil} {
		envtest.Same(t, want, f.List(name), "List", name)
	}
	envtest.Same(t, "\r\nBody.\r\n", f.Body(), "Body")
	want := []string{"name", "description", "metadata", "tags", "long", "more", "list", "quoted"}
	envtest.Same(t, want, f.Names())
}

func TestEditsOneFieldAlone(t *testing.T) {
	f := parse(t, memory)
	f.Set("archived_to", "rules/coding.md#null")
	f.Set("long", "short")
	f.Delete("list")
	f.Delete("none")
	want := strings.ReplaceAll(memory, "long: |\r\n  one\r\n  two\r\n", "long: short\r\n")
	want = strings.ReplaceAll(want, "list:\r\n- x\r\n- 'y'\r\n", "")
	want = strings.ReplaceAll(want, "---\r\n\r\nBody", "archived_to: rules/coding.md#null\r\n---\r\n\r\nBody")
	envtest.Same(t, want, string(f.Bytes()))
}

func TestWhatHasNoFields(t *testing.T) {
	for text, want := range map[string]error{
		"": frontmatter.ErrNone, "# Title\n": frontmatter.ErrNone, "---": frontmatter.ErrOpen, "---\na: b\n": frontmatter.ErrOpen,
		"----\na: b\n---\n": frontmatter.ErrNone, "\ufeff---\n---": nil,
	} {
		_, err := frontmatter.Parse([]byte(text))
		envtest.Wraps(t, want, err, "Parse", text)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(memory), "name")
	f.Add([]byte("---\na: [x\n---"), "a")
	f.Fuzz(func(t *testing.T, data []byte, value string) {
		file, err := frontmatter.Parse(data)
		if err != nil {
			return
		}
		envtest.StopIf(t, string(file.Bytes()) != string(data), "reading changed the file")
		for _, name := range file.Names() {
			file.Get(name)
			file.List(name)
		}
		body := file.Body()
		file.Set("mem-value", value)
		again, err := frontmatter.Parse(file.Bytes())
		if err != nil || again.Body() != body {
			t.Fatalf("after Set(%q): %v, body %q, want %q", value, err, again.Body(), body)
		}
	})
}

func FuzzQuote(f *testing.F) {
	for _, s := range []string{"", "a: b", "yes", "1.10", "2026-01-31", "see #12", " x ", "a\nb", "- x", "~", "null", "@a", "a,b", "truest", "m-1f9c2a7e", "No or yes"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if strings.ContainsFunc(s, func(r rune) bool {
			return r < ' ' && r != '\n' && r != '\r' && r != '\t' || r >= 0x7f && r <= 0xa0 || r == '\ufffd' || r >= 0xfff0 && r <= 0xffff || r == '\u2028' || r == '\u2029' || r == '\ufeff'
		}) {
			return // nothing that mem writes has these
		}
		var v struct {
			V any `yaml:"v"`
		}
		if err := yaml.Unmarshal([]byte("v: "+frontmatter.Quote(s)+"\n"), &v); err != nil || v.V != any(s) {
			t.Fatalf("Quote(%q) = %s, which YAML reads as %v (%v)", s, frontmatter.Quote(s), v.V, err)
		}
		file := frontmatter.New("body")
		file.Set("v", s)
		got, _ := parse(t, string(file.Bytes())).Get("v")
		envtest.StopIf(t, got != s, "Set(%q), then Get = %q\n%s", s, got, file.Bytes())
		file.SetList("l", []string{s, "x"})
		if s != "" {
			diff := cmp.Diff([]string{s, "x"}, parse(t, string(file.Bytes())).List("l"))
			envtest.StopIf(t, diff != "", "SetList(%q): %s", s, diff)
		}
	})
}

// A list in brackets reads as YAML says, also where no reader of YAML is asked.
func FuzzList(f *testing.F) {
	for _, list := range []string{"m-1, m-2", "go", "", "a,,b", "a, ", "true, null, Yes", "a b, c", `"a, b", c`, "1, x", "[a], b", "a: b", "é, ü", "x#y", "a # b", "0x1, e1, .inf"} {
		f.Add(list)
	}
	f.Fuzz(func(t *testing.T, list string) {
		if strings.ContainsAny(list, "\r\n") {
			t.Skip("a field is a line")
		}
		value := strings.TrimSpace("[" + list + "]")
		var want []string
		if yaml.Unmarshal([]byte(value), &want) != nil {
			t.Skip("no YAML")
		}
		want = slices.DeleteFunc(want, func(v string) bool { return v == "" })
		got := parse(t, "---\ntags: "+value+"\n---\n").List("tags")
		diff := cmp.Diff(want, got, cmpopts.EquateEmpty())
		envtest.FailIf(t, diff != "", "List of %q (-want +got):\n%s", value, diff)
	})
}

func TestHasLinesBelow(t *testing.T) {
	f, err := frontmatter.Parse([]byte("---\na: x\nb: |\n  x\n\n  y\nc:\n  d: x\n\ne: x\n  and on\nf:\n---\nb: x\n"))
	envtest.NoError(t, err)
	for name, want := range map[string]bool{"a": false, "b": true, "c": true, "d": false, "e": true, "f": false, "missing": false} {
		envtest.Same(t, want, f.HasLinesBelow(name), "HasLinesBelow", name)
	}
}
