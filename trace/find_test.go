package trace

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"mem/envtest"
)

func TestFind(t *testing.T) {
	home := t.TempDir()
	places := DefaultPlaces(home, func(string) string { return "" })
	put := func(age time.Duration, parts ...string) string {
		path := filepath.Join(append([]string{home}, parts...)...)
		envtest.Write(t, "{}\n", path)
		at := time.Date(2026, 2, 3, 4, 5, 6, 0, time.UTC).Add(-age)
		envtest.NoError(t, os.Chtimes(path, at, at))
		return path
	}
	claude := put(0, ".claude", "projects", "-p", "a-1.jsonl")
	put(time.Hour, ".claude", "projects", "-q", "a-1.jsonl")
	codex := put(0, ".codex", "sessions", "2026", "02", "03", "rollout-2026-02-03T04-05-06-b-2.jsonl")
	archived := put(0, ".codex", "archived_sessions", "rollout-2026-02-03T04-05-06-c-3.jsonl")
	pi := put(0, ".pi", "agent", "sessions", "--p--", "2026_d-4.jsonl")
	put(0, ".pi", "agent", "sessions", "--p--", "2026_x.jsonl")
	for _, c := range []struct{ agent, id, want string }{
		{"claude", "a-1", claude},
		{"codex", "b-2", codex},
		{"codex", "c-3", archived},
		{"pi", "d-4", pi},
		{"pi", "a-1", ""},
		{"emacs", "a-1", ""},
		{"claude", "", ""},
		{"pi", "*", ""},
		{"claude", "../-p/a-1", ""},
	} {
		got, err := FindByID(places, c.agent, c.id)
		envtest.FailIf(t, got != c.want || (err == nil) != (c.want != "") || err != nil && !errors.Is(err, ErrNoSession),
			"FindByID(%s, %q) = %q, %v, want %q", c.agent, c.id, got, err, c.want)
	}
}
