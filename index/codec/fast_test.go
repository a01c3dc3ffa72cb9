package codec_test

import (
	"bytes"
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"pgregory.net/rapid"

	"mem/index"
	"mem/index/codec"
)

// anyNumber draws numbers with few decimals, what sums of them come to, and any other.
var anyNumber = rapid.OneOf(
	rapid.Float64(),
	rapid.Custom(func(t *rapid.T) float64 {
		return float64(rapid.Int64Range(-1<<53, 1<<53).Draw(t, "digits")) / math.Pow10(rapid.IntRange(0, 22).Draw(t, "decimals"))
	}),
	rapid.Custom(func(t *rapid.T) float64 { // of more digits than are exact
		return float64(rapid.Int64Range(1e12, 1e17).Draw(t, "large")) + float64(rapid.IntRange(0, 15).Draw(t, "sixteenths"))/16
	}),
	rapid.Custom(func(t *rapid.T) (sum float64) {
		for _, n := range rapid.SliceOf(rapid.IntRange(1, 300)).Draw(t, "cents") {
			sum += float64(n) / 100
		}
		return sum
	}),
)

// A number is written as strconv writes it, and a score is read as strconv reads it.
func TestNumbers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := anyNumber.Draw(t, "number")
		if abs := math.Abs(f); abs >= 1e-6 && abs < 1e21 {
			if got, want := string(codec.AppendNumber(nil, f)), strconv.FormatFloat(f, 'f', -1, 64); got != want {
				t.Errorf("AppendNumber(%v) = %s, want %s", f, got, want)
			}
		}
		text := rapid.OneOf(
			rapid.Just(strconv.FormatFloat(f, 'f', -1, 64)), rapid.Just(strconv.FormatFloat(f, 'e', -1, 64)), rapid.StringMatching(`-?[0-9]{0,12}\.?[0-9]{0,12}(e[0-9])?`),
		).Draw(t, "text")
		data, err := codec.Encode(&index.Index{UpdatedAt: t0, Items: []index.Item{record("k", "T")}})
		if err != nil {
			t.Fatal(err)
		}
		data = bytes.Replace(data, []byte(`"score": 1`), []byte(`"score": `+text), 1)
		checkReaders(t, data)
		if ix, _, err := codec.Load(data, t0); err == nil {
			if want, err := strconv.ParseFloat(text, 64); err == nil && ix.Items[0].Score != want {
				t.Errorf("score %s is read as %v, want %v", text, ix.Items[0].Score, want)
			}
		}
	})
}

// What no program writes so, in the place of a member of a record or with it.
func TestOddMembers(t *testing.T) {
	const at = `"2026-02-03T04:05:06.007Z"`
	whole := record("k", "T")
	whole.ID, whole.Place, whole.Tags, whole.Cue = "m-1", 5, []string{"a"}, &index.Literals{Tool: "Bash", Command: "go"}
	whole.Sources = []index.Source{{ID: "r-1", N: 3, Session: "s", At: t0}}
	data := encode(t, &index.Index{UpdatedAt: t0, Items: []index.Item{whole, record("l", "L")}})
	if codec.ReadOwn([]byte(data), t0) == nil {
		t.Fatalf("it is read generally:\n%s", data)
	}
	numbers := []string{"0", "00", "01", "007.5", "-0", "-1", "1.", "1.0", ".5", "1.5.5", "1e2", "1E+2", "+1", "", "1.x", "1 ", " 1", "123456789012", "0.5", "3.4000000000000004", "1.1234567", "null", `"2"`}
	texts := []string{`""`, `"\n"`, "\"\t\"", `"\ud800"`, `"é"`, "\"\xff\"", `"a" `, `"a`, "7", "null", "[]", "{}", `"2026-02-31T04:05:06.007Z"`, `"2026-02-03"`, at + "," + at}
	for _, c := range []struct {
		was  string
		odds []string
	}{
		{`"hits": 1`, numbers}, {`"score": 1`, numbers}, {`"n": 5`, numbers}, {`"n": 3`, numbers}, {`"key": "k"`, texts}, {`"text": "T"`, texts}, {`"kind": "learning"`, texts},
		{`"id": "m-1"`, texts}, {`"id": "r-1"`, texts}, {`"session": "s"`, texts}, {`"command": "go"`, texts}, {`"firstSeen": ` + at, texts}, {`"lastSeen": ` + at, texts}, {`"at": ` + at, texts},
		{`"tags": [` + "\n        \"a\"\n      ]", append(texts, "[\n        \"a\",\n      ]", "[\n        \"a\" \n      ]", "[null]")},
	} {
		name, _, _ := strings.Cut(c.was, ":")
		if !strings.Contains(data, c.was) {
			t.Fatalf("no %s in %s", c.was, data)
		}
		for _, odd := range c.odds {
			checkReaders(t, []byte(strings.Replace(data, c.was, name+": "+odd, 1)))
		}
		for _, with := range []string{c.was + ",\n      " + c.was, c.was + ",", c.was + ",\n      \"x\": 1", "\"x\": 1,\n      " + c.was, "\"x\": 1", "\"id\": \"z\"", "\"by\": {},\n      " + c.was} {
			checkReaders(t, []byte(strings.Replace(data, c.was, with, 1)))
		}
	}
}

// anyText draws strings that need escapes at any place, and others.
var anyText = rapid.OneOf(rapid.String(), rapid.StringMatching(`[ -~]{0,24}`), rapid.StringMatching(`[a-zé]{6,18}["\\\n\x{7f}ü]?[a-z]{0,9}`))

// richIndex draws an index whose records have anything.
var richIndex = rapid.Custom(func(t *rapid.T) *index.Index {
	ix := anyIndex.Draw(t, "index")
	literals := func() *index.Literals {
		text := func() string { return anyText.Draw(t, "literal") }
		l := &index.Literals{Tool: text(), Command: text(), Error: text(), Path: text()}
		if rapid.IntRange(0, 3).Draw(t, "unknown") == 0 {
			l.Unknown = jsontext.Value(`{"x":1.0}`)
		}
		return l
	}
	for i := range ix.Items {
		it := &ix.Items[i]
		it.Text, it.Why, it.Score = "x"+anyText.Draw(t, "text"), anyText.Draw(t, "why"), anyNumber.Draw(t, "score")
		if rapid.IntRange(0, 2).Draw(t, "cue") == 0 {
			it.Cue, it.Remedy = literals(), literals()
		}
		for j := range it.Sources {
			s := &it.Sources[j]
			s.N, s.Home, s.Trace, s.Span = rapid.IntRange(0, 2).Draw(t, "n"), anyText.Draw(t, "home"), anyText.Draw(t, "trace"), anyText.Draw(t, "span")
		}
		if rapid.IntRange(0, 3).Draw(t, "set") == 0 {
			it.Set, it.Seen = []index.Stamp{{Field: anyText.Draw(t, "field"), At: t0}}, []index.Sighting{{ID: "r-1", At: t0}}
		}
	}
	return ix
})

// Encode writes what indenting the members one by one comes to, and what it writes reads alike.
func TestEncodeAsPlain(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ix := richIndex.Draw(t, "index")
		got, err := codec.Encode(ix)
		if err != nil {
			t.Fatal(err)
		}
		var records []string
		for i := range ix.Items {
			records = append(records, plainRecord(t, &ix.Items[i]))
		}
		want := jsontext.Value(fmt.Sprintf(`{"version":3,"updatedAt":%s,"items":[%s]}`, plain(t, ix.UpdatedAt), strings.Join(records, ",")))
		if err := want.Indent(jsontext.WithIndent("  "), jsontext.AllowDuplicateNames(true)); err != nil {
			t.Fatal(err)
		}
		diff(t, "bytes", string(want)+"\n", string(got))
		checkReaders(t, got)
	})
}

// plain is a value as JSON in a line.
func plain(t *rapid.T, v any) string {
	switch x := v.(type) {
	case time.Time:
		v = x.UTC().Format("2006-01-02T15:04:05.000Z")
	case float64:
		return string(codec.AppendNumber(nil, x))
	}
	b, err := json.Marshal(v, json.Deterministic(true))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// plainRecord is the JSON of a record of richIndex.
func plainRecord(t *rapid.T, it *index.Item) string {
	var sources, seen, set []string
	for _, s := range it.Sources {
		sources = append(sources, object(t, "id", s.ID, "n", s.N, "home", s.Home, "trace", s.Trace, "session", s.Session, "span", s.Span, "model", s.Model, "at", s.At))
	}
	for _, s := range it.Seen {
		seen = append(seen, plain(t, strings.Trim(s.At.Format("2006-01-02T15:04:05.000Z")+" "+s.ID+" "+s.Home, " ")))
	}
	for _, s := range it.Set {
		set = append(set, plain(t, s.Field)+":"+plain(t, s.At))
	}
	head := fmt.Sprintf(`{"key":%s,"text":%s,"kind":%s,"hits":%d,"score":%s,"firstSeen":%s,"lastSeen":%s,`, plain(t, it.Key), plain(t, it.Text),
		plain(t, it.Kind), it.Hits, plain(t, it.Score), plain(t, it.FirstSeen), plain(t, it.LastSeen))
	list := []any{
		"id", it.ID, "status", it.Status, "pinned", it.Pinned, "severity", it.Severity, "domain", it.Domain, "tags", it.Tags,
		"confidence", it.Confidence, "origin", it.Origin, "sources", joined("[", sources, "]"), "seen", joined("[", seen, "]"), "set", joined("{", set, "}"),
		"cue", it.Cue, "remedy", it.Remedy, "why", it.Why, "recurred", it.Recurred,
	}
	if it.Before.Hits > 0 && it.IsCounted() {
		list = append(list, "before", share(t, it.Before))
	}
	list = append(list, "n", it.Place)
	for name, s := range it.By { // one at most
		list = append(list, "by", jsontext.Value("{"+plain(t, name)+":"+string(share(t, s))+"}"))
	}
	return head + object(t, list...)[1:]
}

func share(t *rapid.T, s index.Share) jsontext.Value {
	return jsontext.Value(fmt.Sprintf(`{"hits":%d,"score":%s,"firstSeen":%s,"lastSeen":%s}`, s.Hits, plain(t, s.Score), plain(t, s.FirstSeen), plain(t, s.LastSeen)))
}

func joined(open string, list []string, end string) jsontext.Value {
	if len(list) == 0 {
		return nil
	}
	return jsontext.Value(open + strings.Join(list, ",") + end)
}

// object is an object of names and values, without those that say nothing.
func object(t *rapid.T, members ...any) string {
	var list []string
	for i := 0; i < len(members); i += 2 {
		text := plain(t, members[i+1])
		switch text {
		case `""`, "0", "null", "false", "[]", `"0001-01-01T00:00:00.000Z"`:
			continue
		}
		list = append(list, plain(t, members[i])+":"+text)
	}
	return "{" + strings.Join(list, ",") + "}"
}
