package evidence_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"mem/curate/evidence"
	"mem/envtest"
	"mem/index"
)

// goSource is the source of Go, the largest code base that is surely there.
func goSource(t testing.TB) evidence.Code {
	t.Helper()
	out, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Skip("there is no go command")
	}
	dir := filepath.Join(strings.TrimSpace(string(out)), "src")
	if _, err := os.Stat(filepath.Join(dir, "fmt")); err != nil {
		t.Skip("the source of Go is not there")
	}
	files, err := evidence.ListFiles(t.Context(), dir)
	envtest.NoError(t, err)
	if len(files) == 0 {
		t.Skip("the source of Go is ignored by the repository that it is in")
	}
	return evidence.Code{Dir: dir, Files: files}
}

// noted are the lessons about the source of Go, and which of them are true.
func noted(t testing.TB) (lessons []index.Item, truth map[string]bool) {
	t.Helper()
	data := envtest.Read(t, "../../fixtures/prove/lessons.txt")
	truth = map[string]bool{}
	for line := range strings.Lines(data) {
		text := strings.TrimSpace(line)
		if strings.HasPrefix(text, "#") {
			continue
		}
		l := index.Item{Text: text[2:], Key: index.KeyOf(text[2:]), Kind: index.Learning}
		lessons = append(lessons, l)
		truth[l.Key] = text[0] == '+'
	}
	return lessons, truth
}

// TestGoSource wants most of what is true of a large code base proven, and
// nothing else. The lessons were written before they were ever looked for.
func TestGoSource(t *testing.T) {
	code := goSource(t)
	lessons, truth := noted(t)
	s, err := evidence.Search(t.Context(), code, lessons)
	envtest.NoError(t, err)
	proven := map[bool]int{}
	for _, l := range lessons {
		f := s.Findings[l.Key]
		t.Logf("%-5v %5d files: %s (%s)", truth[l.Key], f.Files, l.Text, strings.Join(f.Terms, ", "))
		if f.Files >= 3 {
			proven[truth[l.Key]]++
		}
	}
	t.Logf("%d of %d files looked at", s.Files, len(code.Files))
	envtest.FailIf(t, len(lessons) != 20 || s.Files < 5000 || proven[true] < 7 || proven[false] > 0,
		"%d files, %d lessons: %d true ones and %d false ones proven, want at least 7 and none", s.Files, len(lessons), proven[true], proven[false])
}

// BenchmarkLook says what a look at the source of Go costs, for each file, and what more lessons add.
func BenchmarkLook(b *testing.B) {
	code := goSource(b)
	few, _ := noted(b)
	var many []index.Item
	for i, word := range strings.Fields(strings.Repeat("alpha bravo charlie delta echo ", 200)) {
		text := "Mind `" + word + strings.Repeat("x", i%7) + string(rune('a'+i%26)) + string(rune('a'+i/26%26)) + "`"
		many = append(many, index.Item{Text: text, Key: text, Kind: index.Learning})
	}
	for _, bb := range []struct {
		name    string
		lessons []index.Item
	}{{"20 lessons", few}, {"1020 lessons", append(few, many...)}} {
		b.Run(bb.name, func(b *testing.B) {
			var files int
			for b.Loop() {
				s, err := evidence.Search(b.Context(), code, bb.lessons)
				envtest.NoError(b, err)
				files = s.Files
			}
			each := float64(b.Elapsed().Nanoseconds()) / float64(b.N)
			b.ReportMetric(each/float64(files), "ns/file")
			b.ReportMetric(float64(files), "files")
		})
	}
}
