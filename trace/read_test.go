package trace

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"mem/session"
	"mem/trace/jsonl"

	"mem/envtest"
)

func TestReadErrors(t *testing.T) {
	broken := errors.New("broken")
	tests := []struct {
		name string
		in   io.Reader
		want error
	}{
		{"nothing", strings.NewReader(""), errEmpty},
		{"white space", strings.NewReader(jsonl.BOM + " \r\n\x00\n"), errEmpty},
		{"prose", strings.NewReader("dear diary"), ErrUnknownFormat},
		{"another agent", strings.NewReader(`{"sessionId":"x","messages":[]}`), ErrUnknownFormat},
		{"one unfinished line", strings.NewReader(`{"type":"user","message":{"conte`), ErrUnknownFormat},
		{"an object", strings.NewReader(`{"a":1}`), ErrUnknownFormat},
		{"an unfinished reflection", strings.NewReader(`{"mistakes":["x"]`), ErrUnknownFormat},
		{"no lessons", strings.NewReader(`{"mistakes":[],"fixes":[]}`), ErrNoLessons},
		{"a reader that fails", iotest.ErrReader(broken), broken},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			doc, err := Read(tt.in)
			envtest.FailIf(t, !errors.Is(err, tt.want) || doc != (Document{}),
				"Read = %+v, %v, want %v", doc, err, tt.want)
		})
	}
	_, err := Open(filepath.Join(t.TempDir(), "none"))
	envtest.Wraps(t, os.ErrNotExist, err, "Open of no file")
}

func TestDetection(t *testing.T) {
	head := []string{
		`{"type":"summary","summary":"x"}`, `{"type":"file-history-snapshot"}`, `{"type":"queue-operation","operation":"dequeue"}`,
		`not json`, `{"type":"us`, `[1]`, `{}`, ``,
	}
	for _, first := range append(head, strings.Join(head, "\n")) {
		s := readSession(t, lines(first, user("u1", "", "x"), says("a1", "u1", "y")))
		envtest.FailIf(t, s.Agent != "claude" || len(s.Events) != 2,
			"after %q: agent %q with %d events, want claude with 2", first, s.Agent, len(s.Events))
	}
}

func TestDamage(t *testing.T) {
	x, y := user("u1", "", "x"), says("a1", "u1", "y")
	over := strings.NewReplacer("{", "{\n ", `,"`, ",\n \"").Replace(x + y)
	tests := []struct {
		name, in string
		events   int
		skipped  int
		size     int // of the complete entries
	}{
		{"whole", x + "\n" + y + "\n", 2, 0, len(x) + len(y) + 1},
		{"no last line break", x + "\n" + y, 2, 0, len(x) + len(y) + 1},
		{"half-written", x + "\n" + y[:len(y)-9], 1, 0, len(x)},
		{"half-written, with a line break", x + "\n" + y[:len(y)-9] + "\n", 1, 0, len(x)},
		{"half-written literal", x + "\n" + `{"type":tr`, 1, 0, len(x)},
		{"half-written, glued", x + y[:30], 1, 0, len(x)},
		{"half a line that is over", y[:30] + "\n" + x, 1, 1, len(x) + 31},
		{"last line is no JSON", x + "\n" + "oops", 1, 1, len(x)},
		{"damaged in the middle", x + "\n" + `{"type":}` + "\n" + y + "\n", 2, 1, len(x) + len(y) + 11},
		{"glued", x + y + "\n", 2, 0, len(x) + len(y)},
		{"glued with a gap", x + " \x00" + y + "\n", 2, 0, len(x) + len(y) + 2},
		{"glued to damage", x + "}" + y + "\n" + says("a2", "u1", "z"), 3, 1, 2*len(y) + len(x) + 2},
		{"byte order mark", jsonl.BOM + x + "\n" + y, 2, 0, len(jsonl.BOM) + len(x) + len(y) + 1},
		{"CRLF", x + "\r\n" + y + "\r\n", 2, 0, len(x) + len(y) + 2},
		{"an array", "[" + x + ", " + y + "]", 2, 0, len(x) + len(y) + 3},
		{"an array over lines", jsonl.BOM + "[\n\t" + x + ",\n7,\n" + y + "\n]\n", 2, 1, len(jsonl.BOM) + len(x) + len(y) + 8},
		{"objects over lines", over + "\n", 2, 0, len(over)},
		{"an array of objects over lines", "[\n " + strings.Replace(over, "}{", "}, {", 1) + "\n]\n", 2, 0, len(over) + 5},
		{"torn off on the first line", "{\n" + x + "\n" + y + "\n", 2, 1, len(x) + len(y) + 3},
		{"zeros after a crash", x + "\n\x00\x00\x00\n" + y + "\n", 2, 0, len(x) + len(y) + 5},
		{"too deep", x + "\n" + `{"type":"user","x":` + strings.Repeat("[", 1000) + strings.Repeat("]", 1000) + "}\n", 1, 1, len(x)},
		{"deep enough", `{"x":` + strings.Repeat("[", 100) + strings.Repeat("]", 100) + "," + x[1:], 1, 0, len(x) + 205},
		{"brackets in a string", strings.Replace(x, `"x"`, `"`+strings.Repeat("[", 1000)+`"`, 1), 1, 0, len(x) + 999},
		{"names twice", strings.Replace(x, `"uuid"`, `"uuid":"u0","uuid"`, 1), 1, 0, len(x) + 12},
		{"not UTF-8", strings.Replace(x, `"x"`, "\"\xff\xc3\"", 1), 1, 0, len(x) + 1},
		{"half a surrogate", strings.Replace(x, `"x"`, `"\ud800"`, 1), 1, 0, len(x) + 5},
		{"too long", `{"pad":"` + strings.Repeat("a", jsonl.MaxLine) + `"}` + "\n" + x, 1, 1, jsonl.MaxLine + 11 + len(x)},
		{"members of other types", strings.NewReplacer(`"/w"`, `7`, `"2026-03-01T10:00:00Z"`, `{}`, `"s1"`, `[[]]`).Replace(x), 1, 0, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := readSession(t, tt.in)
			envtest.FailIf(t, len(s.Events) != tt.events || s.Skipped != tt.skipped,
				"%d events, %d skipped, want %d, %d", len(s.Events), s.Skipped, tt.events, tt.skipped)
			envtest.FailIf(t, tt.size > 0 && s.Size != int64(tt.size), "size %d, want %d", s.Size, tt.size)
			check(t, s, int64(len(tt.in)))
		})
	}
}

func TestOffsetsPointAtEntries(t *testing.T) {
	x, y, z := user("u1", "", "x"), says("a1", "u1", "y"), says("a2", "a1", "z")
	in := jsonl.BOM + x + "\r\n" + y + z
	for i, e := range readSession(t, in).Events {
		envtest.Same(t, []string{x, y, z}[i], in[e.Offset:e.Offset+e.Length], "event", i, "is at")
	}
}

// A rope is a stream of the same bytes again and again, up to a size.
type rope struct {
	turn []byte
	left int64
	at   int
	most int // largest buffer that was offered
}

func (r *rope) Read(p []byte) (int, error) {
	if r.left == 0 {
		return 0, io.EOF
	}
	r.most = max(r.most, len(p))
	n := 0
	for n < len(p) && r.left > 0 {
		c := copy(p[n:], r.turn[r.at:])
		c = int(min(int64(c), r.left))
		r.at = (r.at + c) % len(r.turn)
		r.left -= int64(c)
		n += c
	}
	return n, nil
}

// ReadAt makes a rope a file. It is as long as anybody asks.
func (r *rope) ReadAt(p []byte, off int64) (int, error) {
	return (&rope{turn: r.turn, left: int64(len(p)), at: int(off % int64(len(r.turn)))}).Read(p)
}

func TestHugeSourcesAreReadFromTheTail(t *testing.T) {
	huge := int64(1 << 30)
	if testing.Short() {
		huge = 32 << 20
	}
	head := user("u0", "", "the start") + "\n"
	turn := says("", "", strings.Repeat("pad ", 200)) + "\n"
	end := "\n" + user("u9", "", "the end") + "\n"
	tests := []struct {
		name   string
		turn   string
		size   int64
		events int // at least
	}{
		{"one line", "aaaaaaaaaaaaaaa", huge, 2},
		{"many lines", turn, 64 << 20, 8000},
		{"empty lines", "\n", 64 << 20, 2},
		{"short lines", "{}\n", 64 << 20, 2},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			body := &rope{turn: bytes.Repeat([]byte(tt.turn), 1+(1<<16)/len(tt.turn)), left: tt.size}
			s := read(t, io.MultiReader(strings.NewReader(head), body, strings.NewReader(end)))
			envtest.FailIf(t, body.left != 0 || body.most > jsonl.HeadBytes+jsonl.TailBytes,
				"%d bytes left, buffers of up to %d", body.left, body.most)
			envtest.FailIf(t, !s.Truncated || len(s.Events) < tt.events || len(s.Events) > jsonl.MaxEvents,
				"truncated %v with %d events, want at least %d", s.Truncated, len(s.Events), tt.events)
			first, last := s.Events[0].Text, s.Events[len(s.Events)-1].Text
			envtest.FailIf(t, first != "the start" || last != "the end", "from %q to %q", first, last)
			total := int64(len(head)) + tt.size + int64(len(end))
			envtest.Same(t, total-1, s.Size, "size")
			check(t, s, total)
		})
	}
}

// A file is never read as a whole: only its ends are asked for.
func TestHugeFilesAreReadAtTheirEnds(t *testing.T) {
	turn := user("", "", strings.Repeat("pad ", 200)) + "\n"
	src, err := jsonl.FromFile(&rope{turn: []byte(turn)}, 1<<50, jsonl.HeadBytes, jsonl.TailBytes)
	envtest.NoError(t, err)
	doc, err := readSource(src)
	envtest.NoError(t, err)
	if s := doc.Session; !s.Truncated || s.Skipped != 0 || len(s.Events) < 8000 || s.Size < 1<<50-int64(len(turn)) {
		t.Errorf("%d events, %d skipped, truncated %v, size %d", len(s.Events), s.Skipped, s.Truncated, s.Size)
	}
	check(t, doc.Session, 1<<50)
}

func read(t *testing.T, r io.Reader) *session.Session {
	t.Helper()
	doc, err := Read(r)
	envtest.StopIf(t, err != nil || doc.Session == nil, "Read = %+v, %v, want a session", doc, err)
	return doc.Session
}

func TestFileAndStreamAgree(t *testing.T) {
	var in bytes.Buffer
	in.WriteString(user("u0", "", "start") + "\n")
	for i := 0; in.Len() < jsonl.HeadBytes+jsonl.TailBytes-2000; i++ {
		in.WriteString(says("", "", strings.Repeat("x", 900)) + "\n")
	}
	for range 3 { // around the limit at which the middle is left out
		path := filepath.Join(t.TempDir(), "s.jsonl")
		envtest.NoError(t, os.WriteFile(path, in.Bytes(), 0o600))
		doc, err := Open(path)
		envtest.NoError(t, err)
		file, stream := doc.Session, read(t, iotest.HalfReader(bytes.NewReader(in.Bytes())))
		envtest.Same(t, path, file.Path, "path")
		if file.Path = ""; !reflect.DeepEqual(stream, file) {
			t.Fatalf("at %d bytes file and stream differ:\n%.2000s", in.Len(), cmp.Diff(stream, file))
		}
		check(t, file, int64(in.Len()))
		in.WriteString(says("", "", strings.Repeat("y", 900)) + "\n")
	}
}

func TestEventsAreCapped(t *testing.T) {
	block := `{"type":"text","text":"a"},`
	many := line("assistant", "", "", `,"message":{"content":[`+strings.Repeat(block, jsonl.MaxBlocks+9)+`{"type":"text","text":"a"}]}`)
	s := readSession(t, many)
	envtest.Same(t, jsonl.MaxBlocks, len(s.Events))
	s = readSession(t, strings.Repeat(many+"\n", 12)+lines(says("z", "", "last")))
	envtest.FailIf(t, len(s.Events) != jsonl.MaxEvents || !s.Truncated || s.Events[jsonl.MaxEvents-1].Text != "last",
		"%d events, truncated %v, want the last %d", len(s.Events), s.Truncated, jsonl.MaxEvents)
	check(t, s, 1<<40)
	queued := `{"type":"queue-operation","operation":"enqueue","content":"more"}`
	s = readSession(t, queued+"\n"+strings.Repeat(many+"\n", 9)+lines(user("z", "", "more")))
	got := s.Events[len(s.Events)-1]
	envtest.FailIf(t, got.ID != "z", "last event is %q, want z: what was queued is no longer there", got.ID)
	glued := strings.Repeat(`{"type":"user","message":{}}`, jsonl.MaxValues+1)
	s = readSession(t, glued)
	envtest.FailIf(t, !s.Truncated, "a line of too many values is not marked as truncated")
}

// check holds what is true of every session.
func check(t *testing.T, s *session.Session, total int64) {
	t.Helper()
	envtest.FailIf(t, s.Size < 0 || s.Size > total || s.Skipped < 0 || s.Ignored < 0,
		"size %d of %d, skipped %d, ignored %d", s.Size, total, s.Skipped, s.Ignored)
	seen := make(map[string]bool)
	for _, e := range s.Events {
		envtest.FailIf(t, e.ID == "" || seen[e.ID], "event id %q is empty or not unique", e.ID)
		seen[e.ID] = true
	}
	for _, e := range s.Events {
		envtest.FailIf(t, len(e.Text) > session.MaxText || len(e.Input) > session.MaxText || len(e.Reason) > session.MaxText,
			"event %q holds %d, %d and %d bytes", e.ID, len(e.Text), len(e.Input), len(e.Reason))
		envtest.FailIf(t, e.Offset < 0 || e.Length <= 0 || e.Offset+e.Length > s.Size,
			"event %q is at %d+%d of %d", e.ID, e.Offset, e.Length, s.Size)
		envtest.FailIf(t, e.Kind == "" || e.Origin == "", "event %q has kind %q and origin %q", e.ID, e.Kind, e.Origin)
		envtest.FailIf(t, e.Reason != "" && e.Cause != session.DeniedByUser,
			"event %q has a reason but cause %q", e.ID, e.Cause)
	}
}

func FuzzRead(f *testing.F) {
	for _, name := range []string{"pi-branch", "pi-v1", "claude-correction", "claude-rewind"} {
		data := []byte(envtest.Read(f, "../fixtures/traces/"+name+".jsonl"))
		f.Add(data)
	}
	for _, s := range []string{
		"", jsonl.BOM, "{", `{"mistakes":["a"]}`, piHead, `{"type":"user","message":{"content":[[[`,
		lines(user("u1", "", "<bash-input>x"), user("u2", "u1", "<bash-stdout>y"), user("u3", "u1", "[Request interrupted by user]")),
		lines(piUser("a", "a", "x"), piUser("a", "b", "x"), piUser("a#1", "c", "x")),
		lines(fails("r1", "r1", "t", rejected, ""), line("attachment", "x", "r1", `,"attachment":{"type":"queued_command","prompt":"p"}`)),
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		doc, err := Read(bytes.NewReader(data))
		envtest.StopIf(t, (err == nil) == (doc == Document{}) || doc.Session != nil && doc.Finished != nil,
			"Read = %+v, %v", doc, err)
		again, _ := Read(iotest.OneByteReader(bytes.NewReader(data)))
		envtest.Same(t, doc, again, "reading again differs")
		if doc.Session == nil {
			return
		}
		check(t, doc.Session, int64(len(data)))
		// What was complete stays when the agent goes on writing.
		more := append(bytes.Clone(data[:doc.Session.Size]), '\n')
		grown, err := Read(bytes.NewReader(more))
		envtest.StopIf(t, err != nil, "after the last complete entry: %v", err)
		envtest.Same(t, ids(doc.Session), ids(grown.Session), "ids of the complete entries")
	})
}

// A stream has no size to look at first: one that does not begin like a session is not
// read to its end, which it may not have.
func TestReadStopsEarly(t *testing.T) {
	for text, want := range map[string]error{"\x00": jsonl.ErrTooLarge, "y\n": ErrUnknownFormat, "\n": jsonl.ErrTooLarge} {
		read := 0
		_, err := Read(endless{text, &read})
		envtest.FailIf(t, !errors.Is(err, want) || read > 16<<20, "%q without an end: %v after %d bytes", text, err, read)
	}
}

// endless repeats a text.
type endless struct {
	text string
	read *int
}

func (e endless) Read(p []byte) (int, error) {
	if *e.read += len(p); *e.read > 1<<30 {
		return 0, io.EOF // for a reader that goes on
	}
	for i := range p {
		p[i] = e.text[i%len(e.text)]
	}
	return len(p), nil
}
