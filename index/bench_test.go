package index_test

import (
	"fmt"
	"testing"
	"time"

	"mem/index"
	"mem/index/codec"
)

var benchNow = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// large returns an encoded index of n records with one or two sources each.
func large(tb testing.TB, n int) []byte {
	tb.Helper()
	ix := &index.Index{}
	for i := range n {
		l := index.Lesson{
			Text:   fmt.Sprintf("Run `make target-%d` before the integration tests of module %d: the fixtures are stale otherwise", i, i%97),
			Origin: index.OriginAgent,
			Source: index.Source{Trace: fmt.Sprintf("claude:%08d", i%1000), Session: fmt.Sprintf("s-%08d", i%1000), Model: "heuristic"},
		}
		r := index.Reflection{Fixes: []index.Lesson{l}}
		if i%3 == 0 {
			r = index.Reflection{Mistakes: []index.Lesson{l}}
		}
		it := index.Index{}
		it.Apply(r, benchNow.Add(-time.Duration(i)*time.Minute))
		it.Items[0].ID = fmt.Sprintf("m-%08x", i)
		ix.Items = append(ix.Items, it.Items...)
	}
	ix.UpdatedAt = benchNow
	data, err := codec.Encode(ix)
	if err != nil {
		tb.Fatal(err)
	}
	return data
}

func BenchmarkLoad(b *testing.B) {
	data := large(b, 10_000)
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		if _, _, err := codec.Load(data, benchNow); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkEncode(b *testing.B) {
	ix, _, err := codec.Load(large(b, 10_000), benchNow)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := codec.Encode(ix); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkRank(b *testing.B) {
	ix, _, err := codec.Load(large(b, 10_000), benchNow)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		ix.Select(ix.Rank(benchNow), 20)
	}
}

func BenchmarkApply(b *testing.B) {
	ix, _, err := codec.Load(large(b, 10_000), benchNow)
	if err != nil {
		b.Fatal(err)
	}
	r := index.Reflection{Fixes: []index.Lesson{{Text: "Run `make target-12` before the integration tests of module 12: the fixtures are stale otherwise"}}}
	for b.Loop() {
		ix.Apply(r, benchNow)
	}
}
