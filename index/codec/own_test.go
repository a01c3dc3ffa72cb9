package codec_test

import (
	"bytes"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"mem/index/codec"
)

// What Encode writes is read without the general reader.
func TestReadOwn(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ix := anyIndex.Draw(t, "index")
		data, err := codec.Encode(ix)
		if err != nil {
			t.Fatal(err)
		}
		if len(ix.Items) > 0 && codec.ReadOwn(data, t0) == nil {
			t.Errorf("it is read by the general reader:\n%s", data)
		}
	})
}

// pieces are what an index is made of, and what could be taken for it.
var pieces = []string{
	"\n    {", "\n    }", "\n  ]", "\n  \"items\": [", "\n      \"", "\n      ]", "\n      }", ",", "\": ", "\"", "\\", "\\u0000", "\\ud800", "{", "}", "[", "]", "[]",
	" ", "\n", "\t", "\x00", "\xff", "0", "01", "-1", "1.5", "1e3", "null", "true", "\"key\": \"k\"", "\"x\": 1", "\"text\": \"T\",\n      ", "é", "2026-02-31T00:00:00.000Z",
}

// Whatever becomes of an index that Encode wrote, it is read as the general reader does.
func TestOwnAndGeneralReader(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		data, err := codec.Encode(anyIndex.Draw(t, "index"))
		if err != nil {
			t.Fatal(err)
		}
		for range rapid.IntRange(1, 3).Draw(t, "changes") {
			i := rapid.IntRange(0, len(data)).Draw(t, "at")
			n := rapid.IntRange(0, min(8, len(data)-i)).Draw(t, "removed")
			data = slices.Replace(data, i, i+n, []byte(rapid.SampledFrom(append(pieces, "")).Draw(t, "added"))...)
		}
		checkReaders(t, data)
	})
}

// FuzzReadOwn checks the same of anything.
func FuzzReadOwn(f *testing.F) {
	whole, _, err := codec.Load([]byte(full), t0)
	if err != nil {
		f.Fatal(err)
	}
	data, err := codec.Encode(whole)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Add(bytes.ReplaceAll(data, []byte(`\n`), nil))
	f.Fuzz(func(t *testing.T, data []byte) { checkReaders(t, data) })
}

// checkReaders compares Load with the general reader alone.
func checkReaders(t interface {
	Helper()
	Errorf(string, ...any)
	Fatalf(string, ...any)
}, data []byte) {
	t.Helper()
	got, report, err := codec.Load(slices.Clone(data), t0)
	want, wantReport, wantErr := codec.LoadGenerally(data, t0)
	if (err == nil) != (wantErr == nil) {
		t.Fatalf("error %v, the general reader says %v:\n%q", err, wantErr, data)
	}
	if err != nil {
		return
	}
	got.Bytes, want.Bytes = 0, 0
	diff(t, "report", wantReport, report)
	diff(t, "index", want, got)
}
