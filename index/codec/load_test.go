package codec_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"mem/index"
	"mem/index/codec"
)

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
		{"the third kind of pi-self-learning", `"key":"k","text":"T","kind":"strategy"`, with(func(it *index.Item) {
			it.Unknown = []index.Member{{Name: "kind", Value: []byte(`"strategy"`)}}
		}), 0},
		{"kind in another case", `"key":"k","text":"T","kind":"antipattern"`, record("k", "T"), 0},
		{"kind of another type", `"key":"k","text":"T","kind":7`, record("k", "T"), 0},
		{"dates that are none", `"key":"k","text":"T","firstSeen":"yesterday","lastSeen":17`, record("k", "T"), 2},
		{"a day that is none", `"key":"k","text":"T","firstSeen":"2025-02-30T03:04:05.006Z"`, record("k", "T"), 1},
		{"an hour that is none", `"key":"k","text":"T","firstSeen":"2025-02-20T24:04:05.006Z"`, record("k", "T"), 1},
		{"a date of letters", `"key":"k","text":"T","firstSeen":"2025-0a-20T03:04:05.006Z"`, record("k", "T"), 1},
		{"a date with a zone", `"key":"k","text":"T","firstSeen":"2025-01-02T05:04:05.0069+02:00"`, with(func(it *index.Item) { it.FirstSeen = date }), 0},
		{"a date alone", `"key":"k","text":"T","firstSeen":"2025-01-02"`, with(func(it *index.Item) { it.FirstSeen = time.Date(2025, 1, 2, 0, 0, 0, 0, time.UTC) }), 0},
		{"a year with five digits", `"key":"k","text":"T","firstSeen":"9999-12-31T23:59:59-02:00"`, record("k", "T"), 1},
		{"a leap day", `"key":"k","text":"T","lastSeen":"2024-02-29T00:00:00.000Z"`, with(func(it *index.Item) { it.LastSeen = time.Date(2024, 2, 29, 0, 0, 0, 0, time.UTC) }), 0},
		{"decomposed letters", `"key":"cafe\u0301","text":"Cafe\u0301"`, record("caf\u00e9", "Cafe\u0301"), 0},
		{"a key that is not the text's", `"key":"Whatever  it was","text":"T"`, record("Whatever  it was", "T"), 0},
		{"escapes", `"key":"\u006b","text":"\ud83d\ude00 \"\u2028\\"`, record("k", "😀 \"\u2028\\"), 0},
		{"unpaired surrogates", `"key":"k","text":"a\ud800b\udc00"`, record("k", "a\ufffdb\ufffd"), 0},
		{"evidence of a year before any", `"key":"k","text":"T","evidence":{"files":1,"at":"0000-01-01T00:00:00+01:00"}`,
			with(func(it *index.Item) { it.Evidence = &index.Evidence{Files: 1, At: t0.Truncate(time.Millisecond)} }), 1},
		{"an escaped name", `"k\u0065y":"k","text":"T"`, record("k", "T"), 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			ix, report := load(t, `{"version":1,"updatedAt":"2025-01-02T03:04:05.006Z","items":[{`+tt.item+`}]}`)
			if len(ix.Items) != 1 {
				t.Fatalf("%d records", len(ix.Items))
			}
			if !strings.HasPrefix(ix.Items[0].ID, "m-") {
				t.Errorf("id %q", ix.Items[0].ID)
			}
			tt.want.ID = ix.Items[0].ID
			tt.want.FillBefore(true, 0)
			diff(t, "record", tt.want, ix.Items[0])
			diff(t, "report", codec.Report{BadDates: tt.badDates}, report)
			if ix.Version != 1 || !ix.UpdatedAt.Equal(date) {
				t.Errorf("version %d, updated %v", ix.Version, ix.UpdatedAt)
			}
		})
	}
}

func TestLoadDrops(t *testing.T) {
	ix, report := load(t, `{"items":[{"key":"","text":"x"},{"key":"x"},{"text":"x"},{"key":7,"text":"x"},{"key":"x","text":null},
		null,"x",7,[{"key":"x","text":"x"}],{},{"key":"kept","text":"Kept"}],"more":1}`)
	diff(t, "report", codec.Report{Dropped: 10}, report)
	if len(ix.Items) != 1 || ix.Items[0].Key != "kept" || ix.Version != 1 || !ix.UpdatedAt.Equal(t0) {
		t.Errorf("loaded %+v", ix)
	}
}

func TestLoadIDs(t *testing.T) {
	data := `{"items":[{"key":"a","text":"a"},{"key":"b","text":"b","id":"m-11111111"},{"key":"c","text":"c","id":"m-11111111"},{"key":"a","text":"a again"}]}`
	ix, _ := load(t, data)
	seen := map[string]bool{}
	for _, it := range ix.Items {
		if it.ID == "" || seen[it.ID] {
			t.Errorf("id %q of %s", it.ID, it.Key)
		}
		seen[it.ID] = true
	}
	if ix.Items[1].ID != "m-11111111" {
		t.Errorf("the first record lost its id, it is %q", ix.Items[1].ID)
	}
	again, _ := load(t, data)
	diff(t, "loaded again", ix, again)
	fresh := &index.Index{}
	fresh.Apply(index.Reflection{Fixes: []index.Lesson{{Text: "A"}}}, t0)
	if fresh.Items[0].ID != ix.Items[0].ID {
		t.Errorf("one key has the ids %s and %s", fresh.Items[0].ID, ix.Items[0].ID)
	}
	for i := range ix.Items {
		if ix.ByID(ix.Items[i].ID) != i {
			t.Errorf("ByID(%s) = %d, want %d", ix.Items[i].ID, ix.ByID(ix.Items[i].ID), i)
		}
	}
	if ix.ByID("") != -1 {
		t.Error("a record has no id")
	}
}

func TestLoadRefuses(t *testing.T) {
	item := func(members string) string {
		return `{"version":2,"items":[{"key":"k","text":"T",` + members + `}]}`
	}
	for _, tt := range []struct{ name, data, says string }{
		{"nothing", ``, "EOF"},
		{"white space", " \n", "EOF"},
		{"another type", `[]`, "the index is a ["},
		{"null", `null`, "the index is a null"},
		{"no items", `{"version":2}`, "no items"},
		{"items of another type", `{"items":{}}`, "items is a {"},
		{"items that are null", `{"items":null}`, "items is a null"},
		{"cut off", `{"items":[{"key":"k","text":"T"`, "EOF"},
		{"cut off in a list", `{"items":[`, "EOF"},
		{"trailing data", `{"items":[]} {}`, "more data"},
		{"a trailing comma", `{"items":[],}`, "line 1, column 1"},
		{"a syntax error", "{\n  \"items\": [\n    {]\n", "line 3, column "},
		{"conflict markers", "{\n<<<<<<< ours\n", "line 2, column 1"},
		{"a name twice", `{"items":[],"items":[]}`, "duplicate"},
		{"a name twice, once escaped", `{"items":[],"it\u0065ms":[]}`, "duplicate"},
		{"a record's name twice", item(`"text":"U"`), "duplicate"},
		{"a name twice in what is unknown", item(`"x":{"y":[{"z":1,"z":1}]}`), "duplicate"},
		{"invalid UTF-8", "{\"items\":[{\"key\":\"k\",\"text\":\"\xff\"}]}", "UTF-8"},
		{"invalid UTF-8 in a name", "{\"items\":[],\"\xc3\":1}", "UTF-8"},
		{"UTF-16", "\xff\xfe{\x00}\x00", "save it as UTF-8"},
		{"UTF-16 without a mark", "\x00{\x00}", "save it as UTF-8"},
		{"version 0", `{"version":0,"items":[]}`, "version 0"},
		{"a version of another type", `{"version":"2","items":[]}`, "version"},
		{"a broken version", `{"version":1.5,"items":[]}`, "version"},
		{"status of another type", item(`"status":7`), "status"},
		{"id of another type", item(`"id":null`), "id"},
		{"pinned of another type", item(`"pinned":"yes"`), "pinned"},
		{"tags of another type", item(`"tags":["a",1]`), "tags"},
		{"sources of another type", item(`"sources":{}`), "sources"},
		{"a source of another type", item(`"sources":["s"]`), "object"},
		{"evidence of another type", item(`"evidence":{"files":"3"}`), "evidence"},
		{"counts of another type", item(`"by":{"d4e5f6":7}`), "by"},
		{"nested too deep", `{"items":[],"x":` + strings.Repeat("[", 20000) + strings.Repeat("]", 20000) + `}`, "depth"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			ix, _, err := codec.Load([]byte(tt.data), t0)
			if !errors.Is(err, codec.ErrUnreadable) || !strings.Contains(fmt.Sprint(err), tt.says) {
				t.Errorf("Load = %v, want an error that says %q", err, tt.says)
			}
			if ix != nil {
				t.Error("an index comes with the error")
			}
		})
	}
}

func TestLoadNewer(t *testing.T) {
	ix, _ := load(t, `{"version":4,"items":[{"key":"k","text":"T","status":"dormant","shape":{"new":true}}],"more":[]}`)
	if !ix.ReadOnly() || ix.Version != 4 || len(ix.Items) != 1 {
		t.Fatalf("loaded %+v", ix)
	}
	if len(ix.Rank(t0)) != 0 {
		t.Error("a record of an unknown status is ranked")
	}
	if _, err := codec.Encode(ix); !errors.Is(err, index.ErrNewerVersion) {
		t.Errorf("Encode = %v, want %v", err, index.ErrNewerVersion)
	}
	for _, version := range []int{0, 1, 2, 3} {
		if (&index.Index{Version: version}).ReadOnly() {
			t.Errorf("version %d is read-only", version)
		}
	}
}

func TestLoadBounds(t *testing.T) {
	deep := strings.Repeat("[", 70) + strings.Repeat("]", 70)
	for _, tt := range []struct {
		name, data string
		want       error
	}{
		{"nested too deeply", `{"version": 2, "items": [], "x": ` + deep + `}`, codec.ErrUnreadable},
		{"a newer version with other types", `{"version": 4, "items": {"a": 1}}`, index.ErrNewerVersion},
	} {
		if _, _, err := codec.Load([]byte(tt.data), t0); !errors.Is(err, tt.want) {
			t.Errorf("%s: %v, want %v", tt.name, err, tt.want)
		}
	}
}

// Half of a merged text may say another number than the sightings beside it: those count.
func TestSightingsSayHowOften(t *testing.T) {
	const at = `"2026-02-03T04:05:06.000Z"`
	ix, _, err := codec.Load([]byte(`{"version": 3, "items": [{"key": "k", "text": "K", "hits": 7, "score": 9, "firstSeen": `+at+`, "lastSeen": `+at+`,
		"id": "m-00000001", "sources": [{"id": "r-000000000001", "at": `+at+`}]}]}`), time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	if it := ix.Items[0]; it.Hits != 1 || it.Score != 1 || it.Before.Hits != 0 {
		t.Errorf("%d hits, score %v, %d before; want 1, 1, 0", it.Hits, it.Score, it.Before.Hits)
	}
}

// Another program may write the whole file in one line, however many records it has.
func TestLoadOfOneLine(t *testing.T) {
	line := strings.Repeat(`,{"key":"k","text":"T","by":{"a":{"hits":1,"score":1}}}`, 1100)
	ix, report := load(t, `{"version":3,"items":[`+line[1:]+`]}`)
	diff(t, "report", codec.Report{}, report)
	again, _ := load(t, encode(t, ix))
	again.Bytes = ix.Bytes
	diff(t, "Load(Encode(x))", ix, again)
	if len(ix.Items) != 1100 || ix.Items[1099].Text != "T" {
		t.Errorf("%d records, the last is %+v", len(ix.Items), ix.Items[len(ix.Items)-1])
	}
}
