package trace

import (
	"bytes"
	"slices"
	"testing"
	"testing/iotest"

	"mem/envtest"
	"mem/session"
	"mem/trace/claude"
	"mem/trace/codex"
	"mem/trace/gemini"
	"mem/trace/jsonl"
	"mem/trace/neutral"
	"mem/trace/opencode"
	"mem/trace/pi"
)

func FuzzClaude(f *testing.F) {
	fuzzReader(f, claude.Read, "claude-correction.jsonl", "claude-rewind.jsonl")
}

func FuzzPi(f *testing.F) { fuzzReader(f, pi.Read, "pi-v1.jsonl", "pi-branch.jsonl") }

func FuzzCodex(f *testing.F) { fuzzReader(f, codex.Read, "codex.jsonl", "codex-old.jsonl") }

func FuzzGemini(f *testing.F) { fuzzReader(f, gemini.Read, "gemini.jsonl", "gemini-old.json") }

func FuzzOpencode(f *testing.F) { fuzzReader(f, opencode.Read, "opencode.json") }

func FuzzCopilot(f *testing.F) { fuzzReader(f, readCopilot) }

func FuzzNeutral(f *testing.F) { fuzzReader(f, neutral.Read, "neutral.jsonl") }

// fuzzReader gives a reader whatever may be in a file that it takes for its
// own. Whole files and each of their lines are the seeds.
func fuzzReader(f *testing.F, read func(*jsonl.Source) *session.Session, fixtures ...string) {
	for _, name := range fixtures {
		data := []byte(envtest.Read(f, "../fixtures/traces/"+name))
		f.Add(data)
		for l := range bytes.Lines(data) {
			f.Add(l)
		}
	}
	f.Add([]byte("{\"id\":\"e1\",\"kind\":\"user\",\"text\":\"a\"}\n{\"x\":{\"id\":\"e2\",\"kind\":\"user\",\"text\":\"b\"}\nx"))
	f.Fuzz(func(t *testing.T, data []byte) {
		s := read(jsonl.FromBytes(bytes.Clone(data)))
		check(t, s, int64(len(data)))
		isEncoded := func(start string) bool { return bytes.HasPrefix(data, []byte(start)) }
		if bytes.IndexByte(data[:min(len(data), 8)], 0) >= 0 || slices.ContainsFunc([]string{"\xff\xfe", "\xfe\xff", "\x28\xb5\x2f\xfd"}, isEncoded) {
			return // a stream is decoded first
		}
		src, err := jsonl.FromStream(iotest.OneByteReader(bytes.NewReader(data)))
		envtest.NoError(t, err)
		envtest.Same(t, s, read(src), "reading it from a stream")
		// What was complete stays when the agent goes on writing. Where a line stood behind it, one does
		// then, too: a torn line at the end of a file may be one that is not finished.
		grown := append(bytes.Clone(data[:s.Size]), '\n')
		if len(bytes.TrimSpace(data[s.Size:])) > 0 {
			grown = append(grown, "{}\n"...)
		}
		envtest.Same(t, ids(s), ids(read(jsonl.FromBytes(grown))), "ids of the complete entries")
	})
}
