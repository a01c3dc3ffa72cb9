package codec_test

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"mem/index"
	"mem/index/codec"
)

func TestEncodeKeepsEverything(t *testing.T) {
	ix, report := load(t, full)
	diff(t, "report", codec.Report{}, report)
	if d := cmp.Diff(full, encode(t, ix)); d != "" {
		t.Errorf("Encode(Load(x)) (-x +got):\n%s", d)
	}
	// The order of the known members is ours, whatever it was.
	compact := strings.NewReplacer("\n", "", "  ", "").Replace(full)
	ix, _ = load(t, strings.Replace(compact, `"version": 3,`, ``, 1)[:len(strings.Replace(compact, `"version": 3,`, ``, 1))-1]+`,"version":3}`)
	if d := cmp.Diff(full, encode(t, ix)); d != "" {
		t.Errorf("Encode(Load(compact x)) (-x +got):\n%s", d)
	}
}

// What version 2 counted is what version 3 counts, and the same file gives the same
// bytes on every clone.
func TestConvertVersion2(t *testing.T) {
	data, err := os.ReadFile("testdata/version-2.json")
	if err != nil {
		t.Fatal(err)
	}
	ix, report := load(t, string(data))
	diff(t, "report", codec.Report{}, report)
	out := encode(t, ix)
	again, _ := load(t, out)
	ix.Version = index.Version
	diff(t, "Load(Encode(x))", ix, again)
	if it := again.Items[0]; it.Hits != 12 || it.Score != 3.4 || it.Before.Hits != 9 || len(it.Sources) != 2 {
		t.Errorf("converted to %+v", it)
	}
	if strings.Contains(out, "replica") {
		t.Error("the name of the replica is kept")
	}
}

func TestEncodeEmpty(t *testing.T) {
	const want = "{\n  \"version\": 3,\n  \"updatedAt\": \"2026-02-03T04:05:06.007Z\",\n  \"items\": []\n}\n"
	if got := encode(t, &index.Index{UpdatedAt: t0}); got != want {
		t.Errorf("Encode = %q, want %q", got, want)
	}
	ix, _ := load(t, want)
	if got := encode(t, ix); got != want {
		t.Errorf("Encode(Load(x)) = %q, want %q", got, want)
	}
}

// testdata/stringify-v1.json is what JSON.stringify(index, null, 2) of
// JavaScript makes of the worst strings and numbers.
func TestEncodeLikeJavaScript(t *testing.T) {
	data, err := os.ReadFile("testdata/stringify-v1.json")
	if err != nil {
		t.Fatal(err)
	}
	ix, report := load(t, string(data))
	diff(t, "report", codec.Report{}, report)
	got := encode(t, ix)
	got = strings.Replace(got, `"version": 3`, `"version": 1`, 1)
	got = regexp.MustCompile(`,\n +"(id": "m-[0-9a-f]{8}"|n": [0-9]+)`).ReplaceAllString(got, "")
	if d := cmp.Diff(string(data), got); d != "" {
		t.Errorf("Encode, without what later versions add (-JavaScript +got):\n%s", d)
	}
}

func TestEncodeNumbers(t *testing.T) {
	for _, tt := range []struct {
		in   float64
		want string
	}{
		{math.NaN(), "0"}, {math.Inf(1), "0"}, {math.Inf(-1), "0"}, {math.Copysign(0, -1), "0"},
		{5182372727129091.2, "5182372727129091"}, {98107486751353.05, "98107486751353.05"}, {0.05, "0.05"}, {10.5, "10.5"}, {100, "100"},
		{1e20, "100000000000000000000"}, {1e21, "1e+21"}, {-1.5e300, "-1.5e+300"},
		{1e-6, "0.000001"}, {1e-7, "1e-7"}, {1.25e-9, "1.25e-9"}, {1e-10, "1e-10"}, {-1e-100, "-1e-100"},
	} {
		out := encode(t, &index.Index{Items: []index.Item{{Key: "k", Text: "T", Score: tt.in}}})
		if !strings.Contains(out, "\"score\": "+tt.want+",\n") {
			t.Errorf("score %v is written otherwise than %s:\n%s", tt.in, tt.want, out)
		}
	}
}

func TestEncodeTimes(t *testing.T) {
	zone := time.FixedZone("", -3600)
	ix := &index.Index{UpdatedAt: time.Date(2025, 12, 31, 23, 0, 0, 1_999_999, zone)}
	if out := encode(t, ix); !strings.Contains(out, `"updatedAt": "2026-01-01T00:00:00.001Z"`) {
		t.Errorf("Encode = %s", out)
	}
}

func TestEncodeInvalidText(t *testing.T) {
	for _, it := range []index.Item{{Key: "k", Text: "\xff"}, {Key: "k", Text: "T", Tags: []string{"\xff"}}, {Key: "k", Text: "T", Sources: []index.Source{{Session: "\xff"}}}} {
		if out, err := codec.Encode(&index.Index{Items: []index.Item{it}}); err == nil {
			t.Errorf("invalid UTF-8 is written: %q", out)
		}
	}
}

// Unpaired surrogates, wherever they stand, are read as U+FFFD and never
// written.
func TestSurrogatesAreNeverWritten(t *testing.T) {
	for _, members := range []string{
		`"x":"\ud800"`, `"\udfff":1`, `"x":{"a":["\ud800\u0041"]}`, `"id":"\ud800"`, `"tags":["\ud800"]`,
		`"sources":[{"session":"\ud800","x":"\ud800"}]`, `"evidence":{"commit":"\ud800","x":"\ud800"}`,
		`"by":{"d4e5f6":{"hits":1,"score":1,"x":"\ud800"}}`, `"by":{"\ud800":{"hits":1,"score":1}}`,
	} {
		ix, _ := load(t, `{"version":2,"items":[{"key":"k","text":"T",`+members+`}]}`)
		out, err := codec.Encode(ix)
		if err != nil {
			t.Errorf("%s: %v", members, err)
			continue
		}
		if !bytes.Contains(out, []byte("\ufffd")) || bytes.Contains(out, []byte(`\ud`)) {
			t.Errorf("%s becomes %s", members, out)
		}
	}
}

func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ix := anyIndex.Draw(t, "index")
		for i := range ix.Items {
			ix.Items[i].Text = rapid.StringN(1, -1, -1).Draw(t, "text")
			ix.Items[i].Score, ix.Items[i].Before = rapid.Float64().Draw(t, "score"), index.Share{}
			ix.Items[i].FillBefore(false, 0)
			ix.Items[i].Pinned = rapid.Bool().Draw(t, "pinned")
			if rapid.Bool().Draw(t, "evidence") {
				ix.Items[i].Evidence = &index.Evidence{Files: 3, Terms: []string{"t"}, At: t0}
			}
		}
		ix.Version = index.Version
		data, err := codec.Encode(ix)
		if err != nil {
			t.Fatal(err)
		}
		again, report, err := codec.Load(data, day(9))
		if err != nil {
			t.Fatal(err)
		}
		diff(t, "report", codec.Report{}, report)
		diff(t, "Load(Encode(x))", ix, again)
	})
}

// Whatever loads can be written, and is the same when it is loaded again.
func FuzzLoad(f *testing.F) {
	stringify, err := os.ReadFile("testdata/stringify-v1.json")
	if err != nil {
		f.Fatal(err)
	}
	f.Add([]byte(full))
	f.Add(stringify)
	for _, seed := range []string{
		`{"items":[]}`, `{"version":3,"items":[]}`, `{"version":3`,
		`{"items":[{"key":"k","text":"T","hits":"7","score":"1e3","firstSeen":"2025-01-02","x":"\ud800"}]}`,
		`{"items":[{"key":"k","text":"T","evidence":{"at":"2025-01-02T03:04:05.0069+02:00","x":"\ud800","terms":[]}}]}`,
		`{"items":[{"key":"k","text":"T","by":{"a":{"hits":1,"score":1e-7,"x":{"\ud800":1}}}}],"\udc00":[1.0]}`,
		`{"items":[{"key":"k","text":"T","sources":[{"at":"0001-01-01T00:00:00.000Z"},{"at":"0001-01-01T00:00:00.0001Z"}]}]}`,
		`{"items":[{"key":"k","text":"T","id":"a"},{"key":"k","text":"T","id":"a"},{"text":1}],"a":{"b":{"c":[[[{}]]]}}}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		ix, _, err := codec.Load(data, t0)
		if err != nil {
			// This build does not know the form of a newer version, a part of it included.
			if !errors.Is(err, codec.ErrUnreadable) && !errors.Is(err, index.ErrNewerVersion) {
				t.Errorf("Load = %v, which is neither %v nor %v", err, codec.ErrUnreadable, index.ErrNewerVersion)
			}
			return
		}
		out, err := codec.Encode(ix)
		if ix.ReadOnly() {
			if !errors.Is(err, index.ErrNewerVersion) {
				t.Errorf("Encode = %v", err)
			}
			return
		}
		if err != nil {
			t.Fatalf("it loads and cannot be encoded: %v", err)
		}
		again, report, err := codec.Load(out, day(1))
		if err != nil {
			t.Fatalf("Load(Encode(x)): %v\n%s", err, out)
		}
		diff(t, "report", codec.Report{}, report)
		// What is not known is compared by its bytes, below, and so is the time
		// of evidence, which is read to the nanosecond.
		ix.Version = index.Version
		diff(t, "Load(Encode(x))", ix, again, cmp.FilterPath(func(p cmp.Path) bool {
			return slices.Contains([]string{".unknown", ".Unknown"}, p.Last().String()) || strings.HasSuffix(p.String(), "Evidence.At")
		}, cmp.Ignore()))
		twice, err := codec.Encode(again)
		if err != nil || !bytes.Equal(twice, out) {
			t.Errorf("encoded again (%v):\n%s", err, cmp.Diff(string(out), string(twice)))
		}
	})
}

// Each character is written so that it reads back, wherever in a text it stands and
// whatever surrounds it.
func TestEncodeEscapes(t *testing.T) {
	var ix index.Index
	for c := range rune(0x100) {
		for at := range 17 {
			text := strings.Repeat(string(" ~![]"[at%5]), at) + string(c) + strings.Repeat("#", 16-at)
			ix.Items = append(ix.Items, index.Item{Key: "key", ID: fmt.Sprintf("m-%d-%d", c, at), Text: text})
		}
	}
	got, _ := load(t, encode(t, &ix))
	for i, it := range got.Items {
		if it.Text != ix.Items[i].Text {
			t.Errorf("%q was read back as %q", ix.Items[i].Text, it.Text)
		}
	}
}

// TestSightingSize: a lesson that is seen again and again costs a line of at most 60
// bytes each time, whatever its sources say.
func TestSightingSize(t *testing.T) {
	size := func(sightings int) int {
		ix := &index.Index{}
		for i := range sightings {
			src := index.Source{Trace: "claude:3f3af1ec-ebbd-4410-ab41-7ec0d27bbfcb", Session: "3f3af1ec-ebbd-4410-ab41-7ec0d27bbfcb", Span: "1d1400e7..2e2500f8", Model: "heuristic"}
			ix.Apply(index.Reflection{ID: fmt.Sprintf("r-%012x", i), Fixes: []index.Lesson{{Text: "one", Source: src}}}, t0.Add(time.Duration(i)*time.Minute))
		}
		if got := ix.Items[0].Hits; got != sightings {
			t.Fatalf("%d hits of %d", got, sightings)
		}
		return len(encode(t, ix))
	}
	if each := float64(size(1100)-size(100)) / 1000; each > 60 {
		t.Errorf("a sighting costs %.1f bytes", each)
	} else {
		t.Logf("%.1f bytes a sighting", each)
	}
}
