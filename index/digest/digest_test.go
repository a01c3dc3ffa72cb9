package digest_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"mem/index"
	"mem/index/codec"
	"mem/index/digest"
)

// shown is an index without what a digest leaves out.
func shown(ix *index.Index) []index.Item {
	items := slices.Clone(ix.Items)
	for i := range items {
		it := &items[i]
		kept := index.Item{
			Key: it.Key, Text: it.Text, Kind: it.Kind, Hits: it.Hits, Score: it.Score, LastSeen: it.LastSeen, ID: it.ID,
			Status: it.Status, Pinned: it.Pinned, Domain: it.Domain, Tags: it.Tags, Confidence: it.Confidence,
		}
		if it.Cue != nil {
			kept.Cue = &index.Literals{Command: it.Cue.Command, Error: it.Cue.Error}
		}
		if it.Evidence != nil {
			kept.Evidence = &index.Evidence{Files: it.Evidence.Files, Paths: it.Evidence.Paths}
		}
		*it = kept
	}
	return items
}

// richIndex draws an index with all that a digest has to keep, and ties.
var richIndex = rapid.Custom(func(t *rapid.T) *index.Index {
	ix := anyIndex.Draw(t, "index")
	for i := range ix.Items {
		it := &ix.Items[i]
		it.Confidence = rapid.SampledFrom([]string{"", "", "high", "medium", "low", "quite"}).Draw(t, "confidence")
		if rapid.IntRange(0, 5).Draw(t, "odd") == 0 {
			it.Status = "of a later version"
		}
		if rapid.IntRange(0, 2).Draw(t, "cue") == 0 {
			it.Cue = &index.Literals{Command: "go test", Error: rapid.SampledFrom([]string{"", "undefined"}).Draw(t, "error"), Path: "a.go"}
		}
		if rapid.IntRange(0, 3).Draw(t, "evidence") == 0 {
			it.Evidence = &index.Evidence{
				Files: rapid.IntRange(-1, 300).Draw(t, "files"), Terms: []string{"x"},
				Paths: rapid.SliceOfN(rapid.SampledFrom([]string{"a.go", "", "b/ü.go"}), 0, 3).Draw(t, "paths"),
			}
		}
		it.Score += float64(rapid.IntRange(0, 3).Draw(t, "a little")) * 0.00004
	}
	return ix
})

// made returns the digest of a document.
func made(t interface{ Fatalf(string, ...any) }, data, seal string) []byte {
	ix, _, err := codec.Load([]byte(data), t0)
	if err != nil {
		t.Fatalf("Load(%s): %v", data, err)
	}
	return digest.Seal(digest.Make(ix), seal)
}

// Whenever it is read, a digest says what the index says.
func TestDigestLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		data, err := codec.Encode(richIndex.Draw(t, "index"))
		if err != nil {
			t.Fatal(err)
		}
		text := string(data)
		d := made(t, text, "seal")
		for range 3 {
			now := anyTime.Draw(t, "now")
			want, _, err := codec.Load([]byte(text), now)
			if err != nil {
				t.Fatal(err)
			}
			got, err := digest.Load(d, "seal")
			if err != nil {
				t.Fatal(err)
			}
			diff(t, "records", shown(want), got.Items)
			diff(t, "rank", want.Rank(now), got.Rank(now))
		}
	})
}

// Out of a digest the lessons rank as out of the index, whenever that is.
func TestDigestRankOfMany(t *testing.T) {
	ix := &index.Index{}
	for i := range 3000 {
		it := record(fmt.Sprintf("k%d", i), fmt.Sprintf("T%d", i))
		it.Score, it.Hits, it.ID = float64(i*7919%1000)/300, 1+i%3, fmt.Sprintf("m-%d", i)
		it.LastSeen = day(-i % 40).Add(time.Duration(i) * time.Second)
		if i%50 == 0 {
			it.LastSeen = day(i) // a clock that ran ahead
		}
		ix.Items = append(ix.Items, it)
	}
	text := encode(t, ix)
	d := made(t, text, "")
	for _, days := range []int{-400, -1, 0, 1, 30, 1000, 100000} {
		now := day(days).Add(time.Duration(days) * 7 * time.Minute)
		want, _, err := codec.Load([]byte(text), now)
		if err != nil {
			t.Fatal(err)
		}
		got, err := digest.Load(d, "")
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(want.Rank(now), got.Rank(now)) {
			t.Errorf("after %d days the digest has another rank", days)
		}
	}
}

func TestDigestIsNoIndex(t *testing.T) {
	d := made(t, `{"version":2,"items":[{"key":"k","text":"T"}]}`, "")
	ix, err := digest.Load(d, "")
	if err != nil {
		t.Fatal(err)
	}
	if data, err := codec.Encode(ix); err == nil {
		t.Errorf("Encode writes %s", data)
	}
}

// Of a digest that is another one, cut short or changed by a bit, nothing is
// believed.
func TestDigestDamage(t *testing.T) {
	d := made(t, `{"version":2,"items":[{"key":"k","text":"T","tags":["a"]},{"key":"l","text":"L","status":"retired"},{"key":"m","text":"M"}]}`, "mine")
	refuse := func(what string, data []byte, seal string) {
		t.Helper()
		if ix, err := digest.Load(data, seal); !errors.Is(err, digest.ErrNoDigest) || ix != nil {
			t.Fatalf("%s: %v, want ErrNoDigest", what, err)
		}
	}
	for _, seal := range []string{"", "min", "mine!", "mien"} {
		refuse("seal "+seal, d, seal)
	}
	for n := range d {
		refuse(fmt.Sprintf("the first %d bytes", n), d[:n], "mine")
		for bit := range 8 {
			bad := slices.Clone(d)
			bad[n] ^= 1 << bit
			refuse(fmt.Sprintf("bit %d of byte %d", bit, n), bad, "mine")
		}
	}
	refuse("a byte more", append(slices.Clone(d), 0), "mine")
	// It may have been made so, with its sum.
	for n := range len(d) - 4 {
		for _, c := range []byte{0, 1, 0x7f, 0x80, 0xff} {
			bad := slices.Clone(d)
			bad[n] = c
			if ix, err := digest.Load(summed(bad), "mine"); err == nil {
				sound(t, ix)
			}
		}
	}
}

// sound checks that each active record has one rank.
func sound(t failer, ix *index.Index) {
	t.Helper()
	var active []int
	for i := range ix.Items {
		if ix.Items[i].Status == index.Active {
			active = append(active, i)
		}
	}
	diff(t, "active records", active, slices.Sorted(slices.Values(ix.Rank(t0))))
}

// summed puts the right sum under a digest.
func summed(d []byte) []byte {
	if len(d) < 4 {
		return d
	}
	body := d[:len(d)-4]
	return binary.LittleEndian.AppendUint32(slices.Clip(body), crc32.Checksum(body, crc32.MakeTable(crc32.Castagnoli)))
}

func FuzzLoadDigest(f *testing.F) {
	for _, text := range []string{
		`{"version":2,"items":[]}`, `{"version":2,"items":[{"key":"k","text":"T"}]}`,
		`{"version":2,"items":[{"key":"k","text":"T","status":"x","confidence":"y","domain":"d","tags":["a",""],"evidence":{"files":3,"paths":["a.go"]}},{"key":"l","text":"L","pinned":true}]}`,
	} {
		f.Add(made(f, text, "s"))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, d := range [][]byte{data, summed(data)} {
			ix, err := digest.Load(d, "s")
			if err != nil {
				if !errors.Is(err, digest.ErrNoDigest) {
					t.Errorf("error %v", err)
				}
				continue
			}
			sound(t, ix)
		}
	})
}
