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
func skim(t *testing.T, r *repo.Root) (begin []string, digested, wants bool) {
	t.Helper()
	again := opened(t, r, repo.Options{Version: "1"})
	m, err := again.Skim(t0)
	if err != nil {
		t.Fatal(err)
	}
	_, err = codec.Encode(m.Index)
	return beginnings(m.Index), err != nil, again.WantsWorker()
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
func skims(t *testing.T, r *repo.Root, digested, wants bool, begin ...string) {
	t.Helper()
	got, d, w := skim(t, r)
	slices.Sort(got) // records of one moment stand in the order of their reflections' ids
	if diff := cmp.Diff(begin, got); diff != "" || d != digested || w != wants {
		t.Errorf("out of a digest: %v, one is wanted: %v; want %v, %v (-want +got):\n%s", d, w, digested, wants, diff)
	}
}

func digest(t *testing.T, r *repo.Root) {
	t.Helper()
	if err := r.MakeDigest(t.Context(), t0); err != nil {
		t.Fatal(err)
	}
}

func digestFile(r *repo.Root) string { return filepath.Join(r.Path(), ".git", "mem", "digest") }

// A digest is used as long as it is the one of the index that a full look would
// find, however that came about, and never after that.
func TestSkim(t *testing.T) {
	r := large(t)
	if !r.WantsWorker() {
		t.Error("no digest was asked for of what was just committed")
	}
	skims(t, r, false, true, "First 1")
	digest(t, r)
	skims(t, r, true, false, "First 1")
	sound(t, r.Path())

	settle(t, r, long("Second"))
	skims(t, r, false, true, "First 1", "Second 1")
	digest(t, r)
	skims(t, r, true, false, "First 1", "Second 1")

	at := filepath.Join(r.Path(), filepath.FromSlash(repo.IndexPath))
	good := read(t, at)
	edited := strings.Replace(good, `"text": "First`, `"text": "FIRST`, 1)
	info, err := os.Stat(at)
	if err != nil {
		t.Fatal(err)
	}
	write(t, r.Path(), repo.IndexPath, edited)
	skims(t, r, false, false, "FIRST 1", "Second 1")
	if err := os.Chtimes(at, info.ModTime(), info.ModTime()); err != nil { // of the same size and, it says, age
		t.Fatal(err)
	}
	skims(t, r, false, false, "FIRST 1", "Second 1")
	if err := os.Remove(digestFile(r)); err != nil {
		t.Fatal(err)
	}
	digest(t, r) // of what is committed, and this is not
	skims(t, r, false, false, "FIRST 1", "Second 1")
	write(t, r.Path(), repo.IndexPath, good)
	skims(t, r, false, true, "First 1", "Second 1")
	digest(t, r)
	skims(t, r, true, false, "First 1", "Second 1")
	was, err := os.Stat(digestFile(r))
	if err != nil {
		t.Fatal(err)
	}
	digest(t, r)
	if is, err := os.Stat(digestFile(r)); err != nil || !os.SameFile(was, is) {
		t.Errorf("a digest that is good was made anew: %v", err)
	}

	git(t, r.Path(), "checkout", "-q", "HEAD~1") // what is read is the branch
	skims(t, r, true, false, "First 1", "Second 1")
	git(t, r.Path(), "checkout", "-q", "main")
	skims(t, r, true, false, "First 1", "Second 1")
	settle(t, r, learn("Third"))
	skims(t, r, false, true, "First 1", "Second 1", "Third 1")
}

// Switched off, no digest is made or read, and Skim is View; from the first byte
// on, the smallest memory has one. Either way the same lessons come out.
func TestSkimSwitch(t *testing.T) {
	small, big := create(t, repo.Options{Version: "1"}), large(t)
	settle(t, small, learn("First"))
	settle(t, small, learn("Second"))
	digest(t, big)
	for name, root := range map[string]*repo.Root{"small": small, "large": big} {
		want, err := root.View(t0)
		if err != nil {
			t.Fatal(err)
		}
		for _, from := range []int{-1, 1} {
			r := opened(t, root, repo.Options{Version: "1", DigestFrom: from})
			if from > 0 {
				digest(t, r)
			} else if err := os.RemoveAll(digestFile(r)); name == "small" && err != nil {
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
			if r.WantsWorker() {
				t.Errorf("%s, from %d: a digest is wanted", name, from)
			}
		}
	}
}

// What another version of mem made, or another program, or a disk that failed, is
// as if it were not there, and is made anew.
func TestDigestIsNotBelieved(t *testing.T) {
	r := large(t)
	digest(t, r)
	good := []byte(read(t, digestFile(r)))
	other := large(t)
	settle(t, other, learn("Other"))
	digest(t, other)
	flipped := bytes.Clone(good)
	flipped[len(good)/2] ^= 0x10
	for name, data := range map[string][]byte{
		"empty": {}, "half": good[:len(good)/2], "flipped": flipped, "no digest": []byte("lessons\n"),
		"foreign":         []byte(read(t, digestFile(other))),
		"another version": bytes.Replace(good, []byte("1 "), []byte("2 "), 1),
	} {
		if bytes.Equal(data, good) {
			t.Fatalf("%s: nothing was changed", name)
		}
		write(t, r.Path(), ".git/mem/digest", string(data))
		skims(t, r, false, true, "First 1")
		digest(t, r)
		if got := read(t, digestFile(r)); got != string(good) {
			t.Errorf("%s: the digest was not made anew", name)
		}
	}
	if err := errors.Join(os.Remove(digestFile(r)), os.Mkdir(digestFile(r), 0o700)); err != nil {
		t.Fatal(err)
	}
	skims(t, r, false, true, "First 1")
	newer := opened(t, r, repo.Options{Version: "2"})
	if err := os.Remove(digestFile(r)); err != nil {
		t.Fatal(err)
	}
	digest(t, newer)
	skims(t, r, false, true, "First 1")
}

// A small memory has no digest, and trouble with the index is what View says.
func TestSkimWithoutDigest(t *testing.T) {
	r := create(t, repo.Options{Version: "1"})
	digest(t, r)
	skims(t, r, false, false)
	settle(t, r, learn("Small"))
	digest(t, r)
	skims(t, r, false, false, "Small 1")
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
			plan := &disktest.Plan{At: n, Err: failure, Forever: n%2 == 0}
			faulty := opened(t, r, repo.Options{Version: "1", Fault: plan.Fault})
			err := faulty.MakeDigest(t.Context(), t0)
			begin, digested, wants := skim(t, r)
			if diff := cmp.Diff([]string{"First 1"}, begin); diff != "" || wants == digested {
				t.Errorf("change %d: out of a digest: %v, one is wanted: %v (-want +got):\n%s", n, digested, wants, diff)
			}
			if plan.Seen() < n {
				if err != nil || !digested {
					t.Errorf("without a fault: %v", err)
				}
				break
			}
			if err == nil && !digested {
				t.Errorf("change %d: nothing was said", n)
			}
			_ = os.Remove(digestFile(r))
		}
		_ = os.Remove(digestFile(r))
	}
	settle(t, r, learn("Next")) // which cleans up
	left, err := filepath.Glob(filepath.Join(r.Path(), ".git", "mem", "spool", ".mem-*"))
	if err != nil || len(left) > 0 {
		t.Errorf("%v, %v are left", left, err)
	}
	sound(t, r.Path())
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
			if err := r.MakeDigest(t.Context(), t0); err != nil {
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
	skims(t, r, true, false, append([]string{"First 1"}, "Lesson0 1", "Lesson1 1", "Lesson2 1", "Lesson3 1", "Lesson4 1", "Lesson5 1", "Lesson6 1", "Lesson7 1")...)
}
