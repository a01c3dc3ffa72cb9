package console

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestChoose(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"less", "most"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", dir)
	t.Setenv("PATHEXT", ".;.exe")
	at := func(name string, args ...string) []string { return append([]string{filepath.Join(dir, name)}, args...) }
	for _, test := range []struct {
		name string
		env  map[string]string
		want []string
	}{
		{"nothing said", nil, at("less")},
		{"PAGER", map[string]string{"PAGER": "most -s"}, at("most", "-s")},
		{"MEM_PAGER first", map[string]string{"PAGER": "most", "MEM_PAGER": "less -S"}, at("less", "-S")},
		{"cat is none", map[string]string{"PAGER": "most", "MEM_PAGER": "cat"}, nil},
		{"a dumb terminal", map[string]string{"TERM": "dumb"}, nil},
		{"not there", map[string]string{"PAGER": "more-or-less"}, nil},
	} {
		if diff := cmp.Diff(test.want, choosePager(func(key string) string { return test.env[key] })); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
}

func TestNeedsPager(t *testing.T) {
	for _, test := range []struct {
		text   string
		height int
		want   bool
	}{{"1\n2\n", 3, false}, {"1\n2\n", 2, true}, {"1\n2\n", 0, false}} {
		if got := needsPager(test.text, test.height); got != test.want {
			t.Errorf("needsPager(%q, %d) = %v", test.text, test.height, got)
		}
	}
}
