package repo_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mem/index"
	"mem/index/codec"
	"mem/repo"
	"mem/repo/disk/disktest"
)

// long is a lesson that makes an index large enough for a digest.
func long(name string) func(*repo.Memory) (repo.Message, error) {
	return learn(name + strings.Repeat(" and so on and on", 70_000))
}

// large makes a root with such a lesson.
func large(t *testing.T) *repo.Root {
	t.Helper()
	r := create(t, repo.Options{Version: "1"})
	settle(t, r, long("First"))
	return r
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

// skim reads a root as another command would, and says how its lessons begin
// and whether they came out of a digest.
func skim(t *testing.T, r *repo.Root) (begin []string, digested bool) {
	t.Helper()
	m, err := opened(t, r, repo.Options{Version: "1"}).Skim(t0)
	if err != nil {
		t.Fatal(err)
	}
	_, err = codec.Encode(m.Index)
	return beginnings(m.Index), err != nil
}

func beginnings(ix *index.Index) (list []string) {
	for _, it := range ix.Items {
		begin, _, _ := strings.Cut(it.Text, " ")
		list = append(list, fmt.Sprintf("%s %d", begin, it.Hits))
	}
	return list
}

// skims fails the test unless the lessons begin so, and come from where they
// should.
func skims(t *testing.T, r *repo.Root, digested bool, begin ...string) {
	t.Helper()
	got, d := skim(t, r)
	slices.Sort(got) // records of one moment stand in the order of their reflections' ids
	if diff := cmp.Diff(begin, got); diff != "" || d != digested {
		t.Errorf("out of a digest: %v; want %v (-want +got):\n%s", d, digested, diff)
	}
}

func digestFile(r *repo.Root) string { return filepath.Join(r.Path(), ".git", "mem", "digest") }

// A digest is made by each commit, and where it is missing by the first who reads. It is
// used as long as it is the one of the index that a full look would find, however that
// came about, and never after that.
func TestSkim(t *testing.T) {
	r := large(t)
	skims(t, r, true, "First 1")
	sound(t, r.Path())
	settle(t, r, long("Second"))
	skims(t, r, true, "First 1", "Second 1")

	at := filepath.Join(r.Path(), filepath.FromSlash(repo.IndexPath))
	good := read(t, at)
	edited := strings.Replace(good, `"text": "First`, `"text": "FIRST`, 1)
	info, err := os.Stat(at)
	if err != nil {
		t.Fatal(err)
	}
	write(t, r.Path(), repo.IndexPath, edited)
	skims(t, r, false, "FIRST 1", "Second 1")
	if err := os.Chtimes(at, info.ModTime(), info.ModTime()); err != nil { // of the same size and, it says, age
		t.Fatal(err)
	}
	skims(t, r, false, "FIRST 1", "Second 1")
	if err := os.Remove(digestFile(r)); err != nil {
		t.Fatal(err)
	}
	skims(t, r, false, "FIRST 1", "Second 1")
	skims(t, r, false, "FIRST 1", "Second 1") // there is one of what is committed only
	write(t, r.Path(), repo.IndexPath, good)
	skims(t, r, false, "First 1", "Second 1")
	skims(t, r, true, "First 1", "Second 1")
	was, err := os.Stat(digestFile(r))
	if err != nil {
		t.Fatal(err)
	}
	skims(t, r, true, "First 1", "Second 1")
	if is, err := os.Stat(digestFile(r)); err != nil || !is.ModTime().Equal(was.ModTime()) {
		t.Errorf("a digest that is good was made anew: %v", err)
	}

	git(t, r.Path(), "checkout", "-q", "HEAD~1") // what is read is the branch
	skims(t, r, true, "First 1", "Second 1")
	git(t, r.Path(), "checkout", "-q", "main")
	skims(t, r, true, "First 1", "Second 1")
	settle(t, r, learn("Third"))
	skims(t, r, true, "First 1", "Second 1", "Third 1")
	if _, err := r.Settle(t.Context(), t0, func(m *repo.Memory) (repo.Message, error) {
		m.Index.Items[0].Text = "Never"
		return repo.Message{}, nil // nothing is committed
	}); err != nil {
		t.Fatal(err)
	}
	skims(t, r, true, "First 1", "Second 1", "Third 1")
}

// Switched off, no digest is made or read, and Skim is View; from the first byte
// on, the smallest memory has one. Either way the same lessons come out.
func TestSkimSwitch(t *testing.T) {
	small, big := create(t, repo.Options{Version: "1"}), large(t)
	settle(t, small, learn("First"))
	settle(t, small, learn("Second"))
	for name, root := range map[string]*repo.Root{"small": small, "large": big} {
		want, err := root.View(t0)
		if err != nil {
			t.Fatal(err)
		}
		for _, from := range []int{-1, 1} {
			r := opened(t, root, repo.Options{Version: "1", DigestFrom: from})
			if err := os.RemoveAll(digestFile(r)); err != nil {
				t.Fatal(err)
			}
			if _, err := r.Skim(t0); err != nil { // which makes one if it may
				t.Fatal(err)
			}
			m, err := r.Skim(t0)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(beginnings(want.Index), beginnings(m.Index)); diff != "" {
				t.Errorf("%s, from %d (-want +got):\n%s", name, from, diff)
			}
			if diff := cmp.Diff(want.Index.Rank(t0), m.Index.Rank(t0)); diff != "" {
				t.Errorf("%s, from %d: the rank (-want +got):\n%s", name, from, diff)
			}
			if _, err := codec.Encode(m.Index); (err != nil) != (from > 0) {
				t.Errorf("%s, from %d: Encode = %v", name, from, err)
			}
		}
	}
}

// What another version of mem made, or another program, or a disk that failed, is
// as if it were not there, and is made anew.
func TestDigestIsNotBelieved(t *testing.T) {
	r := large(t)
	good, blob := []byte(read(t, digestFile(r))), strings.TrimSpace(git(t, r.Path(), "rev-parse", "HEAD:"+repo.IndexPath))
	other := large(t)
	settle(t, other, learn("Other"))
	flipped := bytes.Clone(good)
	flipped[len(good)/2] ^= 0x10
	for name, data := range map[string][]byte{
		"empty": {}, "half": good[:len(good)/2], "flipped": flipped, "no digest": []byte("lessons\n"),
		"foreign":         []byte(read(t, digestFile(other))),
		"another version": bytes.Replace(good, []byte("1 "+blob), []byte("2 "+blob), 1),
	} {
		if bytes.Equal(data, good) {
			t.Fatalf("%s: nothing was changed", name)
		}
		write(t, r.Path(), ".git/mem/digest", string(data))
		skims(t, r, false, "First 1")
		if got := read(t, digestFile(r)); got != string(good) {
			t.Errorf("%s: the digest was not made anew", name)
		}
	}
	if err := errors.Join(os.Remove(digestFile(r)), os.Mkdir(digestFile(r), 0o700)); err != nil {
		t.Fatal(err)
	}
	skims(t, r, false, "First 1")
	if err := os.Remove(digestFile(r)); err != nil {
		t.Fatal(err)
	}
	if _, err := opened(t, r, repo.Options{Version: "2"}).Skim(t0); err != nil {
		t.Fatal(err)
	}
	skims(t, r, false, "First 1")
}

// A small memory has no digest, and trouble with the index is what View says.
func TestSkimWithoutDigest(t *testing.T) {
	r := create(t, repo.Options{Version: "1"})
	skims(t, r, false)
	settle(t, r, learn("Small"))
	skims(t, r, false, "Small 1")
	skims(t, r, false, "Small 1")
	if _, err := os.Stat(digestFile(r)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a digest of a small index: %v", err)
	}
	for name, damage := range map[string]func(string) error{
		"unreadable": func(at string) error { return os.WriteFile(at, []byte("{"), 0o600) },
		"gone":       os.Remove,
	} {
		if err := damage(filepath.Join(r.Path(), filepath.FromSlash(repo.IndexPath))); err != nil {
			t.Fatal(err)
		}
		_, want := r.View(t0)
		m, err := r.Skim(t0)
		if err == nil || want == nil || err.Error() != want.Error() || m != nil {
			t.Errorf("%s: Skim = %v, want %v", name, err, want)
		}
	}
}

// Whatever keeps a digest from being made, nothing but time is lost.
func TestDigestFaults(t *testing.T) {
	r := large(t)
	for _, failure := range []error{syscall.ENOSPC, syscall.EIO} {
		for n := 1; ; n++ {
			if err := os.Remove(digestFile(r)); err != nil && !errors.Is(err, os.ErrNotExist) {
				t.Fatal(err)
			}
			plan := &disktest.Plan{At: n, Err: failure, Forever: n%2 == 0}
			m, err := opened(t, r, repo.Options{Version: "1", Fault: plan.Fault}).Skim(t0)
			if err != nil {
				t.Fatal(err)
			}
			begin, digested := skim(t, r)
			if diff := cmp.Diff([]string{"First 1"}, begin); diff != "" || !slices.Equal(begin, beginnings(m.Index)) {
				t.Errorf("change %d (-want +got):\n%s", n, diff)
			}
			if plan.Seen() < n {
				if !digested {
					t.Error("without a fault there is no digest")
				}
				break
			}
		}
	}
}

// While others commit and make digests, a reader finds what one commit holds.
func TestSkimWhileOthersWrite(t *testing.T) {
	r := large(t)
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
	own := opened(t, r, repo.Options{Version: "1"})
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
	skim(t, r) // the last digest may have been written over by a reader that was late
	skims(t, r, true, append([]string{"First 1"}, "Lesson0 1", "Lesson1 1", "Lesson2 1", "Lesson3 1", "Lesson4 1", "Lesson5 1", "Lesson6 1", "Lesson7 1")...)
}
