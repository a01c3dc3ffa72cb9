package repo_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mem/index"
	"mem/index/codec"
	"mem/repo"
)

// long is a lesson that makes a large index.
func long(name string) func(*repo.Memory) (repo.Message, error) {
	return learn(name + strings.Repeat(" and so on and on", 70_000))
}

// opened opens a root once more, as another command would.
func opened(t *testing.T, r *repo.Root, opts repo.Options) *repo.Root {
	t.Helper()
	again, err := repo.Open(r.Path(), opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { again.Close() })
	return again
}

func beginnings(ix *index.Index) (list []string) {
	for _, it := range ix.Items {
		begin, _, _ := strings.Cut(it.Text, " ")
		list = append(list, fmt.Sprintf("%s %d", begin, it.Hits))
	}
	return list
}

// Skim shows the lessons that View shows, those of the branch with what a person changed in them, and
// trouble with the index in the same words. Other files it looks at when they are read.
func TestSkim(t *testing.T) {
	r := create(t, repo.Options{})
	settle(t, r, long("First"))
	settle(t, r, learn("Second"))
	at := filepath.Join(r.Path(), filepath.FromSlash(repo.IndexPath))
	edited := strings.Replace(read(t, at), `"text": "First`, `"text": "FIRST`, 1)
	for _, step := range []struct {
		name string
		do   func() error
		want []string // nil for trouble
	}{
		{"as committed", func() error { return nil }, []string{"First 1", "Second 1"}},
		{"another commit is checked out", func() error { git(t, r.Path(), "checkout", "-q", "HEAD~1"); return nil }, []string{"First 1", "Second 1"}},
		{"and the branch again", func() error { git(t, r.Path(), "checkout", "-q", "main"); return nil }, []string{"First 1", "Second 1"}},
		{"edited", func() error { return os.WriteFile(at, []byte(edited), 0o600) }, []string{"FIRST 1", "Second 1"}},
		{"unreadable", func() error { return os.WriteFile(at, []byte("{"), 0o600) }, nil},
		{"gone", func() error { return os.Remove(at) }, nil},
	} {
		if err := step.do(); err != nil {
			t.Fatal(err)
		}
		var said []string
		for name, look := range map[string]func(time.Time) (*repo.Memory, error){"View": opened(t, r, repo.Options{}).View, "Skim": opened(t, r, repo.Options{}).Skim} {
			m, err := look(t0)
			if said = append(said, fmt.Sprint(err)); (err != nil) != (step.want == nil) {
				t.Errorf("%s, %s: %v", step.name, name, err)
			}
			if err == nil {
				if diff := cmp.Diff(step.want, beginnings(m.Index)); diff != "" {
					t.Errorf("%s, %s (-want +got):\n%s", step.name, name, diff)
				}
			}
		}
		if said[0] != said[1] {
			t.Errorf("%s: %q", step.name, said)
		}
	}
}

// TestSkimLooksAtLittle: a file that was edited and is not read is none of its business.
func TestSkimLooksAtLittle(t *testing.T) {
	r := create(t, repo.Options{})
	settle(t, r, learn("First"))
	write(t, r.Path(), repo.ReadmePath, "Mine.\n")
	for look, want := range map[string]int{"View": 1, "Skim": 0} {
		again := opened(t, r, repo.Options{})
		m, err := map[string]func(time.Time) (*repo.Memory, error){"View": again.View, "Skim": again.Skim}[look](t0)
		if err != nil {
			t.Fatal(err)
		}
		if edits := m.EditedFiles(); len(edits) != want {
			t.Errorf("%s notices %v", look, edits)
		}
	}
}

// While others commit, a reader finds what one commit holds.
func TestSkimWhileOthersWrite(t *testing.T) {
	r := create(t, repo.Options{})
	settle(t, r, long("First"))
	done := make(chan struct{})
	var all sync.WaitGroup
	all.Go(func() {
		defer close(done)
		for i := range 8 {
			if _, err := r.Settle(t.Context(), t0, learn(fmt.Sprintf("Lesson%d", i))); err != nil {
				t.Error(err)
			}
		}
	})
	own := opened(t, r, repo.Options{})
	for over := false; !over; {
		select {
		case <-done:
			over = true
		default:
		}
		m, err := own.Skim(t0)
		if err != nil {
			t.Fatal(err)
		}
		want, _, err := codec.Load([]byte(git(t, r.Path(), "show", m.Tip()+":"+repo.IndexPath)), t0)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(beginnings(want), beginnings(m.Index)); diff != "" {
			t.Fatalf("not what the commit holds (-want +got):\n%s", diff)
		}
	}
	all.Wait()
}
