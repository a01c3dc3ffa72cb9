package index_test

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"mem/envtest"
	"mem/index"
	"mem/index/indextest"
)

var (
	t0       = indextest.T0
	day      = indextest.Day
	load     = indextest.Load
	encode   = indextest.Encode
	record   = indextest.Record
	anyIndex = indextest.AnyIndex
	diff     = indextest.Diff
)

func read(t testing.TB, name string) string {
	t.Helper()
	return envtest.Read(t, "testdata/"+name)
}

func TestLoadVersion1(t *testing.T) {
	date := time.Date(2025, 1, 2, 3, 4, 5, 6e6, time.UTC)
	with := func(change func(*index.Item)) index.Item {
		it := record("k", "T")
		change(&it)
		return it
	}
	for _, tt := range []struct {
		name, item string
		want       index.Item
		badDates   int
	}{
		{"all of it", `"key":"k","text":"T","kind":"antiPattern","hits":3,"score":3.4,"firstSeen":"2025-01-02T03:04:05.006Z","lastSeen":"2025-01-02T03:04:05.006Z"`,
			index.Item{Key: "k", Text: "T", Kind: index.AntiPattern, Hits: 3, Score: 3.4, FirstSeen: date, LastSeen: date}, 0},
		{"missing members", `"key":"k","text":"T"`, record("k", "T"), 0},
		{"numeric strings", `"key":"k","text":"T","hits":" 7 ","score":"2.5e0"`, with(func(it *index.Item) { it.Hits, it.Score = 7, 2.5 }), 0},
		{"numbers that are none", `"key":"k","text":"T","hits":"many","score":[]`, record("k", "T"), 0},
		{"null numbers", `"key":"k","text":"T","hits":null,"score":null`, record("k", "T"), 0},
		{"numbers beyond all bounds", `"key":"k","text":"T","hits":1e300,"score":1e400`, with(func(it *index.Item) { it.Hits = 1<<31 - 1 }), 0},
		{"numbers that say what they are not", `"key":"k","text":"T","hits":"Infinity","score":"NaN"`, record("k", "T"), 0},
		{"fewer hits than one", `"key":"k","text":"T","hits":-4,"score":-4.5`, with(func(it *index.Item) { it.Score = -4.5 }), 0},
		{"a part of a hit", `"key":"k","text":"T","hits":2.9`, with(func(it *index.Item) { it.Hits = 2 }), 0},
		{"unknown kind", `"key":"k","text":"T","kind":"rule"`, record("k", "T"), 0},
		{"the third kind of pi-self-learning", `"key":"k","text":"T","kind":"strategy"`, with(func(it *index.Item) { it.Kind = index.Strategy }), 0},
		{"kind of another type", `"key":"k","text":"T","kind":7`, record("k", "T"), 0},
		{"dates that are none", `"key":"k","text":"T","firstSeen":"yesterday","lastSeen":17`, record("k", "T"), 2},
		{"a day that is none", `"key":"k","text":"T","firstSeen":"2025-02-30T03:04:05.006Z"`, record("k", "T"), 1},
		{"a date with a zone", `"key":"k","text":"T","firstSeen":"2025-01-02T05:04:05.0069+02:00"`, with(func(it *index.Item) { it.FirstSeen = date }), 0},
		{"a date alone", `"key":"k","text":"T","firstSeen":"2025-01-02"`, with(func(it *index.Item) { it.FirstSeen = date.Truncate(24 * time.Hour) }), 0},
		{"a year with five digits", `"key":"k","text":"T","firstSeen":"9999-12-31T23:59:59-02:00"`, record("k", "T"), 1},
		{"decomposed letters", `"key":"cafe\u0301","text":"Cafe\u0301"`, record("caf\u00e9", "Cafe\u0301"), 0},
		{"a key that is not the text's", `"key":"Whatever  it was","text":"T"`, record("Whatever  it was", "T"), 0},
		{"escapes", `"k\u0065y":"\u006b","text":"\ud83d\ude00 \"\u2028\\"`, record("k", "😀 \"\u2028\\"), 0},
		{"unpaired surrogates", `"key":"k","text":"a\ud800b\udc00"`, record("k", "a\ufffdb\ufffd"), 0},
	} {
		ix, report := load(t, `{"version":1,"updatedAt":"2025-01-02T03:04:05.006Z","items":[{`+tt.item+`}]}`)
		if len(ix.Items) != 1 || ix.Version != 1 || !ix.UpdatedAt.Equal(date) {
			t.Errorf("%s: %+v", tt.name, ix)
			continue
		}
		tt.want.ID, tt.want.Sessions = index.BaseID(tt.want.Key), 1
		diff(t, tt.name, tt.want, ix.Items[0])
		tt.want.Sessions = 0
		diff(t, tt.name+", taken over", []index.Old{{Item: tt.want}}, ix.Old)
		diff(t, tt.name, index.Report{BadDates: tt.badDates}, report)
	}
}

func TestLoadDrops(t *testing.T) {
	ix, report := load(t, `{"items":[{"key":"","text":"x"},{"key":"x"},{"text":"x"},{"key":7,"text":"x"},{"key":"x","text":null},
		null,"x",7,[{"key":"x","text":"x"}],{},{"key":"kept","text":"Kept"}],"more":1}`)
	diff(t, "report", index.Report{Dropped: 10}, report)
	if len(ix.Items) != 1 || len(ix.Old) != 1 || ix.Items[0].Key != "kept" || ix.Version != 1 || !ix.UpdatedAt.Equal(t0) {
		t.Errorf("loaded %+v", ix)
	}
	ix, _ = load(t, `{"items":[{"key":"a","text":"a"},{"key":"b","text":"b","id":"m-11111111"},{"key":"c","text":"c","id":"m-11111111"},{"key":"a","text":"a again"}]}`)
	for i, it := range ix.Items {
		if ix.ByID(it.ID) != i || ix.Old[i].Item.ID != it.ID || i < 2 && it.ID != []string{index.BaseID("a"), "m-11111111"}[i] {
			t.Errorf("%q is called %s", it.Text, it.ID)
		}
	}
}

func TestLoadRefuses(t *testing.T) {
	item := func(members string) string {
		return `{"version":2,"items":[{"key":"k","text":"T",` + members + `}]}`
	}
	deep := strings.Repeat("[", 70) + strings.Repeat("]", 70)
	for _, tt := range []struct{ name, data, says string }{
		{"nothing", ``, "EOF"}, {"another type", `[]`, "array"}, {"null", `null`, "no items"}, {"no items", `{"version":2}`, "no items"},
		{"items of another type", `{"items":{}}`, "items"}, {"items that are null", `{"items":null}`, "no items"},
		{"cut off", `{"items":[{"key":"k","text":"T"`, "EOF"}, {"trailing data", `{"items":[]} {}`, "line 1, column 1"}, {"a trailing comma", `{"items":[],}`, "line 1, column 1"},
		{"a syntax error", "{\n  \"items\": [\n    {]\n", "line 3, column "}, {"conflict markers", "{\n<<<<<<< ours\n", "line 2, column 1"},
		{"a name twice, once escaped", `{"items":[],"it\u0065ms":[]}`, "duplicate"}, {"a record's name twice", item(`"text":"U"`), "duplicate"},
		{"a name twice in what is unknown", item(`"x":{"y":[{"z":1,"z":1}]}`), "duplicate"}, {"invalid UTF-8", "{\"items\":[{\"key\":\"k\",\"text\":\"\xff\"}]}", "UTF-8"},
		{"UTF-16", "\xff\xfe{\x00}\x00", "save it as UTF-8"},
		{"version 0", `{"version":0,"items":[]}`, "version 0"}, {"a version of another type", `{"version":"2","items":[]}`, "version"}, {"a broken version", `{"version":1.5,"items":[]}`, "version"},
		{"status of another type", item(`"status":7`), "status"}, {"tags of another type", item(`"tags":["a",1]`), "tags"}, {"sources of another type", item(`"sources":{}`), "sources"},
		{"evidence of another type", item(`"evidence":{"files":"3"}`), "evidence"}, {"counts of another type", item(`"by":{"d4e5f6":7}`), "by"},
		{"a sighting of no reflection", item(`"seen":["2026-01-01T00:00:00.000Z"]`), "seen"}, {"too deep", `{"version":4,"items":[],"x":` + deep + `}`, "deep"},
	} {
		ix, _, err := index.Load([]byte(tt.data), t0)
		envtest.FailIf(t, !errors.Is(err, index.ErrUnreadable) || !strings.Contains(fmt.Sprint(err), tt.says) || ix != nil,
			"%s: Load = %v, want an error that says %q", tt.name, err, tt.says)
	}
}

// What a newer version wrote is shown as far as it can be read, and never written.
func TestLoadNewer(t *testing.T) {
	for _, data := range []string{
		`{"version":5,"items":[{"key":"k","text":"T","status":"dormant","shape":{"new":true}}],"more":[]}`,
		`{"version":4,"fold":2,"updatedAt":"2025-01-02T03:04:05.006Z","items":[{"key":"k","text":"T","status":"dormant"}]}`,
	} {
		ix, _ := load(t, data)
		if _, err := ix.Encode(); !ix.ReadOnly() || len(ix.Items) != 1 || len(ix.Rank(t0)) != 0 || !errors.Is(err, index.ErrNewerVersion) {
			t.Errorf("%s: %+v, %v", data, ix, err)
		}
	}
	_, _, err := index.Load([]byte(`{"version": 5, "items": {"a": 1}}`), t0)
	envtest.Wraps(t, index.ErrNewerVersion, err, "of another form")
}

// TestLoadOlder: what versions 2 and 3 say is there, and the sightings are known by their ids.
func TestLoadOlder(t *testing.T) {
	for name, seen := range map[string]int{"version-2": 0, "version-3": 3} {
		ix, report := load(t, read(t, name+".json"))
		diff(t, "report", index.Report{}, report)
		it, old := ix.Items[0], ix.Old[0]
		if it.Hits != 12 || it.Score != 3.4 || len(it.Sources) != 2+seen || it.Sessions != 2+seen || len(old.Seen) != seen || len(old.Item.Sources) != 2 {
			t.Errorf("%s: %+v, %+v", name, it, old)
		}
		if out := encode(t, ix); strings.Contains(out, "replica") || !strings.Contains(out, `"x": 1E+5`) || !strings.Contains(out, "future") {
			t.Errorf("%s is written as %s", name, out)
		}
	}
}

// testdata/stringify-v1.json is what JSON.stringify(index, null, 2) of JavaScript makes of the worst strings and
// numbers: pi-self-learning's members come first, as it writes them.
func TestEncodeLikeJavaScript(t *testing.T) {
	data := read(t, "stringify-v1.json")
	ix, report := load(t, data)
	diff(t, "report", index.Report{}, report)
	got := strings.Replace(encode(t, ix), `"version": 4`, `"version": 1`, 1)
	got = regexp.MustCompile(`,\n +"(id": "m-[0-9a-f]{8}"|(sessions|fold)": 1)`).ReplaceAllString(got, "")
	envtest.Same(t, data, got, "Encode, without what later versions add (-JavaScript +got)")
	const empty = "{\n  \"version\": 4,\n  \"updatedAt\": \"2026-01-01T00:00:00.001Z\",\n  \"items\": [],\n  \"fold\": 1\n}\n"
	envtest.Same(t, empty, encode(t, &index.Index{UpdatedAt: time.Date(2025, 12, 31, 23, 0, 0, 1_999_999, time.FixedZone("", -3600))}), "Encode")
	for _, tt := range []struct {
		in   float64
		want string
	}{
		{math.NaN(), "0"}, {math.Inf(-1), "0"}, {math.Copysign(0, -1), "0"}, {5182372727129091.2, "5182372727129091"}, {0.05, "0.05"}, {100, "100"},
		{1e20, "100000000000000000000"}, {1e21, "1e+21"}, {-1.5e300, "-1.5e+300"}, {1e-6, "0.000001"}, {1e-7, "1e-7"}, {1e-10, "1e-10"}, {-1e-100, "-1e-100"},
	} {
		if out := encode(t, &index.Index{Items: []index.Item{{Key: "k", Text: "T", Score: tt.in}}}); !strings.Contains(out, "\"score\": "+tt.want+",\n") {
			t.Errorf("score %v is written otherwise than %s:\n%s", tt.in, tt.want, out)
		}
	}
}

// Unpaired surrogates, wherever they stand, are read as U+FFFD and never written.
func TestSurrogatesAreNeverWritten(t *testing.T) {
	for _, members := range []string{`"x":"\ud800"`, `"\udfff":1`, `"x":{"a":["\ud800\u0041"]}`, `"tags":["\ud800"]`, `"facts":[{"session":"\ud800","x":"\ud800"}]`, `"by":{"\ud800":{"hits":1}}`} {
		ix, _ := load(t, `{"version":4,"items":[{"key":"k","text":"T",`+members+`}]}`)
		out := encode(t, ix)
		envtest.FailIf(t, !strings.Contains(out, "\ufffd") || strings.Contains(out, `\ud`), "%s becomes %s", members, out)
	}
}

func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ix := anyIndex.Draw(t, "index")
		for i := range ix.Items {
			it := &ix.Items[i]
			it.Text, it.Score, it.Why = rapid.StringN(1, -1, -1).Draw(t, "text"), rapid.Float64().Draw(t, "score"), rapid.String().Draw(t, "why")
			if rapid.Bool().Draw(t, "more") {
				it.Evidence, it.Set, it.Cue = &index.Evidence{Files: 3, Terms: []string{"t"}, At: t0}, map[string]time.Time{"status": t0}, &index.Literals{Command: "make"}
			}
		}
		ix.Version, ix.Fold, ix.Log, ix.Purged, ix.Waiting = index.Version, index.FoldRules, "4b825dc", []string{"m-1"}, []index.Decision{{Of: "m-2", Gone: true}}
		if len(ix.Items) == 0 {
			ix.UpdatedAt = time.Time{}
		}
		data, err := ix.Encode()
		envtest.NoError(t, err)
		again, report, err := index.Load(data, day(9))
		envtest.NoError(t, err)
		diff(t, "report", index.Report{}, report)
		diff(t, "Load(Encode(x))", ix, again)
	})
}

// A record that is copied is what it would be if it were written.
func TestEncodeAfter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		was := anyIndex.Draw(t, "was")
		encoding, err := was.Encode()
		envtest.NoError(t, err)
		is := was.Clone()
		for i := range is.Items {
			if rapid.Bool().Draw(t, "change") {
				is.Items[i].Tags = append(slices.Clone(is.Items[i].Tags), "new")
			}
		}
		from := rapid.IntRange(0, len(is.Items)).Draw(t, "from")
		is.Items = slices.Delete(is.Items, from, rapid.IntRange(from, len(is.Items)).Draw(t, "to"))
		is.Items = append(is.Items, record("fresh", "Fresh"))
		want, err := is.Encode()
		got, err2 := is.EncodeAfter(encoding, was)
		envtest.StopIf(t, err != nil || err2 != nil, "%v %v", err, err2)
		diff(t, "EncodeAfter", string(want), string(got))
	})
}

func TestEqualSeesAllFields(t *testing.T) {
	whole := index.Item{
		"key", "Text", index.Learning, 1, 1, t0, t0, "m-1", index.Retired, true, "high", "d", []string{"t"}, "low", index.OriginUser,
		&index.Literals{Tool: "t"}, &index.Literals{Tool: "t"}, "why", 1, []index.Source{{ID: "r-1"}}, map[string]time.Time{"text": t0},
		[]string{"m-2"}, []string{"m-3"}, "m-4", 1, &index.Evidence{Files: 1}, 1, map[string]index.Share{"a": {}}, []byte(`{"x":1}`),
	}
	for i := range reflect.TypeFor[index.Item]().NumField() {
		other := whole
		if reflect.ValueOf(&other).Elem().Field(i).SetZero(); whole.Equal(&other) || !other.Equal(&other) {
			t.Errorf("Equal does not see %s", reflect.TypeFor[index.Item]().Field(i).Name)
		}
	}
}

// Whatever loads can be written, and is the same when it is loaded again.
func FuzzLoad(f *testing.F) {
	for _, name := range []string{"stringify-v1", "version-2", "version-3"} {
		data := read(f, name+".json")
		f.Add([]byte(data))
		ix, _ := load(f, data)
		f.Add([]byte(encode(f, ix)))
	}
	for _, seed := range []string{
		`{"items":[]}`, `{"version":4,"items":[]}`, `{"version":4`, `{"version":3,"items":[{"key":"k","text":"T","seen":["2026-01-01T00:00:00.000Z r-1 m-1"]}],"undone":{"r-1 m-1":1,"m-2.status":["2026-01-01T00:00:00.000Z","retired"]}}`,
		`{"items":[{"key":"k","text":"T","hits":"7","score":"1e3","firstSeen":"2025-01-02","x":"\ud800"}]}`,
		`{"items":[{"key":"k","text":"T","evidence":{"at":"2025-01-02T03:04:05.0069+02:00","x":"\ud800","terms":[]}}]}`,
		`{"version":4,"items":[{"key":"k","text":"T","id":"a"},{"key":"k","text":"T","id":"a"},{"text":1}],"a":{"b":{"c":[[[{}]]]}}}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		ix, _, err := index.Load(data, t0)
		if err != nil {
			if errors.Is(err, index.ErrUnreadable) == errors.Is(err, index.ErrNewerVersion) { // which it does not know the form of
				t.Errorf("Load = %v", err)
			}
			return
		}
		out, err := ix.Encode()
		if ix.ReadOnly() {
			return
		}
		envtest.StopIf(t, err != nil, "it loads and cannot be encoded: %v", err)
		again, report, err := index.Load(out, day(1))
		envtest.StopIf(t, err != nil, "Load(Encode(x)): %v\n%s", err, out)
		diff(t, "report", index.Report{}, report)
		if twice, err := again.Encode(); err != nil || !bytes.Equal(twice, out) {
			t.Errorf("encoded again (%v):\n%s", err, cmp.Diff(string(out), string(twice)))
		}
	})
}
