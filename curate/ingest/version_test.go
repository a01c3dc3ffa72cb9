package ingest_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"mem/curate/ingest"
	"mem/repo"

	"mem/envtest"
)

// writeAt is write at another time.
func (w *world) writeAt(t *testing.T, name, text string, at time.Time) {
	t.Helper()
	w.write(t, name, text)
	envtest.NoError(t, os.Chtimes(filepath.Join(w.dir, name), at, at))
}

// applyAt is apply at another time. It returns what the active entry of a name says afterwards.
func (w *world) applyAt(t *testing.T, now time.Time, name string) (body string) {
	t.Helper()
	opts := w.options()
	opts.Moment = now
	_, err := ingest.Run(t.Context(), w.root, now, opts)
	envtest.NoError(t, err)
	files, _ := head(t, w.root)
	for path, text := range files {
		fields, rest, _ := strings.Cut(text, "\n---\n")
		if strings.HasPrefix(path, "user/"+name) && strings.Contains(fields, "\nstatus: active\n") {
			body += strings.TrimSpace(rest)
		}
	}
	return body
}

// S3: the version that was written later counts, in whatever order they are taken over.
func TestS3LaterVersionOfAnotherDay(t *testing.T) {
	const day = 24 * time.Hour
	for name, other := range map[string]struct {
		at   time.Time
		want string
	}{
		"later":   {written.Add(time.Hour), "kite"}, // and long before the other one was taken over
		"earlier": {written.Add(-time.Hour), "tideline"},
	} {
		w := emptyWorld(t)
		w.write(t, tideline+"taste.md", entry("taste", "user", "tideline"))
		w.applyAt(t, t0, "taste")
		w.writeAt(t, kite+"taste.md", entry("taste", "user", "kite"), other.at)
		envtest.Same(t, other.want, w.applyAt(t, t0.Add(day), "taste"), name)
		envtest.FailIf(t, w.exists(kite+"taste.md"), "%s: the file is still there", name)
		// What was there first comes back as the latest word.
		w.writeAt(t, kite+"again.md", entry("Taste", "user", "tideline"), t0.Add(day))
		envtest.Same(t, "tideline", w.applyAt(t, t0.Add(2*day), "taste"), name)
	}
}

// S3: a text that another place says too, and later, is the later one.
func TestS3RepeatedLater(t *testing.T) {
	w := emptyWorld(t)
	hour := func(n int) time.Time { return written.Add(time.Duration(n) * time.Hour) }
	for i, text := range []string{"tabs", "spaces"} {
		w.writeAt(t, tideline+"indent.md", entry("indent", "user", text), hour(i))
		w.applyAt(t, t0.Add(time.Duration(i)*time.Hour), "indent")
	}
	w.writeAt(t, tideline+"indent.md", entry("indent", "user", "tabs"), hour(3))
	w.writeAt(t, kite+"indent.md", entry("indent", "user", "spaces"), hour(4))
	envtest.Same(t, "spaces", w.applyAt(t, t0.Add(2*time.Hour), "indent"))
	// As if the run had been stopped before it removed what is earlier.
	w.writeAt(t, tideline+"indent.md", entry("indent", "user", "tabs"), hour(3))
	files, _ := head(t, w.root)
	w.applyAt(t, t0.Add(3*time.Hour), "indent")
	again, _ := head(t, w.root)
	envtest.Same(t, files, again, "what was taken over already")
	envtest.Same(t, 2, len(files))
}

// S3: an earlier text that is written into the same file again counts again.
func TestS3TextThatComesBack(t *testing.T) {
	w := emptyWorld(t)
	var got []string
	want := []string{"tabs", "spaces", "tabs", "spaces", "spaces", "tabs"}
	for i, text := range want {
		at := t0.Add(time.Duration(i) * time.Hour)
		w.writeAt(t, tideline+"indent.md", entry("indent", "user", text), at.Add(-30*time.Minute))
		got = append(got, w.applyAt(t, at, "indent"))
		envtest.FailIf(t, w.exists(tideline+"indent.md"), "%d: the file is still there", i)
	}
	envtest.Same(t, want, got)
}

// S8: a file whose name no field can hold would never be known again; it is
// left alone, and not taken over anew by every run.
func TestS8NamesThatCannotBeWrittenDown(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("other systems have no such names")
	}
	w := emptyWorld(t)
	names := []string{"\xff.md", "bell\a.md", "next\u0085line.md", "two\nlines.md", "tab\t.md"}
	for _, name := range names {
		w.write(t, tideline+name, entry("odd", "user", "Odd "+name))
	}
	for _, name := range []string{" blanks  in it .md", "quote\"s', [a] # b: c.md", "\u2028.md", "日本.md"} {
		w.write(t, tideline+name, entry("fine"+name, "user", "Fine."))
	}
	w.apply(t)
	res := w.apply(t)
	envtest.FailIf(t, res.Commit != "", "a second run took over %v", res.Files)
	left, err := os.ReadDir(filepath.Join(w.dir, tideline))
	envtest.FailIf(t, err != nil || len(left) != len(names), "%v, %v", left, err)
}

// S3: a person's own file keeps its name also where case makes no difference.
func TestS3NameOfAPersonsFile(t *testing.T) {
	w := emptyWorld(t)
	w.decide(t, func(m *repo.Memory) (repo.Message, error) {
		return repo.Message{Subject: "edit: mine"}, m.WriteFile("memories/user/Taste.md", []byte("By hand.\n"))
	})
	w.write(t, tideline+"taste.md", entry("taste", "user", "Tea."))
	w.apply(t)
	files, _ := head(t, w.root)
	envtest.FailIf(t, len(files) != 2 || files["user/Taste.md"] != "By hand.\n" || files["user/taste.md"] != "",
		"%q", files)
}
