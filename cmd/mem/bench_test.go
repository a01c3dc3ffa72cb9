package main

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"mem/envtest"
	"mem/index"
	"mem/repo"
)

// These benchmarks time whole processes, as people run them: mem with every
// flush, and the git command line without any, committing the same files in
// turn. What counts is the ratio; "make bench" prints it.

var benchTime = time.Date(2026, 2, 3, 4, 5, 6, 0, time.UTC)

// before is a build to compare with, side by side; "" for none.
var before = os.Getenv("MEM_BEFORE")

// buildMem builds the binary once per benchmark.
func buildMem(b *testing.B) string {
	b.Helper()
	return build(b, "mem", ".")
}

func build(b testing.TB, name, dir string) string {
	b.Helper()
	bin := filepath.Join(b.TempDir(), name)
	cmd := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-o", bin, dir)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0") // as the Makefile does
	out, err := cmd.CombinedOutput()
	envtest.StopIf(b, err != nil, "build: %v\n%s", err, out)
	return bin
}

// A timer runs programs through a small one that measures them.
type timer struct{ bin, file string }

func newTimer(b *testing.B) timer {
	b.Helper()
	return timer{build(b, "peak", "./testdata/peak"), filepath.Join(b.TempDir(), "peak")}
}

// run runs a program and returns how long it took and what it held at its
// peak, in bytes.
func (t timer) run(b *testing.B, cmd *exec.Cmd) (time.Duration, int64) {
	b.Helper()
	measured := exec.Command(t.bin, cmd.Args...)
	measured.Stdin, measured.Env = cmd.Stdin, append(cmd.Environ(), "PEAK="+t.file)
	if out, err := measured.CombinedOutput(); err != nil {
		b.Fatalf("%v: %v\n%s", cmd.Args, err, out)
	}
	data, err := os.ReadFile(t.file)
	var took, peak int64
	_, scanned := fmt.Sscan(string(data), &took, &peak)
	envtest.StopIf(b, err != nil || scanned != nil, "%v %v", err, scanned)
	return time.Duration(took), peak * peakUnit
}

// A shape is the size of a root.
type shape struct {
	records int
	days    int  // of the journal
	sources bool // a source for each record, as reflections leave one
}

// benchRoot makes a root. The records are written one by one and taken in by
// mem itself: a child's peak memory is never less than what its parent had
// when it began.
func benchRoot(b *testing.B, bin string, sh shape) string {
	b.Helper()
	root := filepath.Join(b.TempDir(), "root")
	for _, dir := range []string{"core", "daily"} {
		envtest.NoError(b, os.MkdirAll(filepath.Join(root, dir), 0o700))
	}
	f, err := os.Create(filepath.Join(root, repo.IndexPath))
	envtest.NoError(b, err)
	defer f.Close()
	out := bufio.NewWriter(f)
	fmt.Fprint(out, `{"version":2,"items":[`)
	words := rand.New(rand.NewPCG(1, 2))
	for i := range sh.records {
		if i > 0 {
			fmt.Fprint(out, ",")
		}
		fmt.Fprint(out, benchItem(words, i, sh.sources))
	}
	fmt.Fprint(out, "]}")
	envtest.NoError(b, out.Flush())
	for i := range sh.days {
		day := benchTime.AddDate(0, 0, -1-i).Format(time.DateOnly)
		text := fmt.Sprintf("# %s\n\n## 10:00 UTC — Task\n\n### How it was fixed\n\n- Run `make target-%d` first\n", day, i)
		envtest.NoError(b, os.WriteFile(filepath.Join(root, "daily", day+".md"), []byte(text), 0o600))
	}
	if home := b.TempDir(); filepath.Dir(os.Getenv("HOME")) != filepath.Dir(home) {
		b.Setenv("HOME", home) // whose key the roots are marked with
	}
	if out, err := exec.Command(bin, "init", "--yes", "--root", root, "--now", benchTime.Format(time.RFC3339)).CombinedOutput(); err != nil {
		b.Fatalf("init: %v\n%s", err, out)
	}
	return root
}

// benchItem makes a record of ordinary length whose words do not repeat more
// than those of people do, so that it compresses like the real thing.
func benchItem(words *rand.Rand, i int, source bool) string {
	text, kind := benchLesson(words), index.Learning
	if i%3 == 0 {
		text, kind = index.AddAvoid(text), index.AntiPattern
	}
	seen := benchTime.Add(-time.Duration(i) * time.Minute).Format(time.RFC3339)
	item := fmt.Sprintf(`{"key":%q,"text":%q,"kind":%q,"hits":%d,"score":%.2f,"firstSeen":%q,"lastSeen":%q,"id":"m-%08x"`,
		index.KeyOf(text), text, kind, 1+i%5, 1+float64(i%50)/7, seen, seen, words.Uint32())
	if source {
		item += fmt.Sprintf(`,"origin":"agent","sources":[{"session":"s-%08x","model":"heuristic","at":%q}]`, words.Uint32(), seen)
	}
	return item + "}"
}

// benchLesson is a lesson of ordinary length.
func benchLesson(words *rand.Rand) string {
	text := fmt.Sprintf("Run `make %s`", benchWord(words))
	for range 9 + words.IntN(6) {
		text += " " + benchWord(words)
	}
	return text
}

// benchWord is one of 4,000 words, the first ones more often.
func benchWord(words *rand.Rand) string {
	n := words.IntN(4000) * words.IntN(4000) / 4000
	var b strings.Builder
	for syllable := range 2 + n%3 {
		n := (n*31 + syllable*17) % 1000
		b.WriteByte("bcdfghjklmnprstvwz"[n%18])
		b.WriteByte("aeiou"[n/18%5])
	}
	return b.String()
}

// gitTwin makes a repository with the same files for the git command line.
func gitTwin(b *testing.B, root string) string {
	b.Helper()
	twin := filepath.Join(b.TempDir(), "twin")
	envtest.NoError(b, os.CopyFS(twin, skipGit{os.DirFS(root)}))
	benchGit(b, twin, "init", "-q")
	benchGit(b, twin, "add", "-A")
	benchGit(b, twin, "commit", "-q", "-m", "start")
	return twin
}

type skipGit struct{ fs.FS }

func (s skipGit) ReadDir(name string) ([]fs.DirEntry, error) {
	entries, err := fs.ReadDir(s.FS, name)
	return slices.DeleteFunc(entries, func(e fs.DirEntry) bool { return e.Name() == ".git" }), err
}

// benchGit runs git without flushing and without looking after itself.
func benchGit(b *testing.B, dir string, args ...string) {
	b.Helper()
	out, err := gitCommand(dir, args...).CombinedOutput()
	envtest.StopIf(b, err != nil, "git %s: %v\n%s", strings.Join(args, " "), err, out)
}

func gitCommand(dir string, args ...string) *exec.Cmd {
	base := []string{"-C", dir, "-c", "core.fsync=none", "-c", "gc.auto=0", "-c", "user.name=b", "-c", "user.email=b@x", "-c", "commit.gpgsign=false"}
	cmd := exec.Command("git", append(base, args...)...)
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1")
	return cmd
}

// copyChanged copies the files of the last commit, and returns their names.
func copyChanged(b *testing.B, from, to string) (names []string) {
	b.Helper()
	out, err := gitCommand(from, "show", "--format=", "--name-only", "HEAD").Output()
	envtest.NoError(b, err)
	names = strings.Fields(string(out))
	for _, name := range names {
		envtest.NoError(b, copyFile(filepath.Join(from, name), filepath.Join(to, name)))
	}
	return names
}

func copyFile(from, to string) error {
	data, err := os.ReadFile(from)
	return errors.Join(err, os.MkdirAll(filepath.Dir(to), 0o700), os.WriteFile(to, data, 0o600))
}

// reflectOnce is one reflection as a program. Its lessons are not alike, or proposals would be part of the
// commit, which few reflections touch.
func reflectOnce(bin, root string, i int) *exec.Cmd {
	cmd := exec.Command(bin, "reflect", "-", "--root", root, "--now", benchTime.Add(time.Duration(i)*time.Second).Format(time.RFC3339))
	words := rand.New(rand.NewPCG(3, uint64(i)))
	cmd.Stdin = strings.NewReader(fmt.Sprintf(`{"mistakes":[%q],"fixes":[%q]}`, benchLesson(words), benchLesson(words)))
	return cmd
}

func median[T int64 | time.Duration | float64](list []T) T {
	list = slices.Sorted(slices.Values(list))
	return list[len(list)/2]
}

func BenchmarkReflect(b *testing.B) {
	for _, n := range []int{100, 1_000, 10_000, 100_000} {
		b.Run(fmt.Sprintf("records=%d", n), func(b *testing.B) { compare(b, shape{records: n}) })
	}
	b.Run("records=10000/sources", func(b *testing.B) { compare(b, shape{records: 10_000, sources: true}) })
	b.Run("records=1000/days=10000", func(b *testing.B) { compare(b, shape{records: 1_000, days: 10_000}) })
}

func compare(b *testing.B, sh shape) {
	bin, timed := buildMem(b), newTimer(b)
	root := benchRoot(b, bin, sh)
	twin := gitTwin(b, root)
	var ours, git []time.Duration
	var ratios, grown []float64
	var peak []int64
	reflect := func(bin, root string, i int) (time.Duration, int64) {
		syncDisks() // what others left to be written is not ours to wait for
		took, memory := timed.run(b, reflectOnce(bin, root, i))
		if out, err := exec.Command(bin, "worker", "--root", root).CombinedOutput(); err != nil { // waits for the one in the background
			b.Fatalf("mem worker: %v\n%s", err, out)
		}
		return took, memory
	}
	old := ""
	if before != "" {
		old = benchRoot(b, before, sh)
	}
	for i := 0; b.Loop(); i++ {
		took, memory := reflect(bin, root, i)
		if old != "" {
			was, _ := reflect(before, old, i)
			grown = append(grown, float64(took)/float64(was))
		}
		changed := copyChanged(b, root, twin)
		syncDisks()
		theirs, _ := timed.run(b, gitCommand(twin, append([]string{"add", "--"}, changed...)...))
		commit, _ := timed.run(b, gitCommand(twin, "commit", "-q", "-m", "chore(memory): task"))
		theirs += commit
		ours, git, peak = append(ours, took), append(git, theirs), append(peak, memory)
		ratios = append(ratios, float64(took)/float64(theirs))
	}
	info, err := os.Stat(filepath.Join(root, repo.IndexPath))
	envtest.NoError(b, err)
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(float64(median(ours).Microseconds())/1000, "mem-ms")
	b.ReportMetric(float64(median(git).Microseconds())/1000, "git-ms")
	b.ReportMetric(median(ratios), "mem/git")
	if old != "" {
		b.ReportMetric(median(grown), "mem/before")
	}
	b.ReportMetric(float64(info.Size())/1e6, "index-MB")
	b.ReportMetric(float64(median(peak))/float64(info.Size()), "peak/index")
}
