package recall_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"mem/index"
	"mem/recall"
	"mem/topic"

	"mem/envtest"
)

func TestTerms(t *testing.T) {
	for _, tt := range []struct {
		text string
		want []string
	}{
		{"use it with the", nil},
		{"Committing commits, committed", []string{"commit"}},
		{"cached caches caching the cache", []string{"cach"}},
		{"migrations migrate", []string{"migrat"}},
		{"dependencies dependency", []string{"depend"}},
		{"boxes box class classes", []string{"box", "class"}},
		{"parseInstant", []string{"instant", "pars", "parseinst"}},
		{"ESLint TIDE_GAUGE_URL", []string{"eslint", "gaug", "javascript", "lint", "tide", "url"}}, // and its topics,
		{"Größe größe", []string{"größe"}},
		{"日本語 x日本", []string{"日本", "本語"}},
		{"\xff\xfe broken", []string{"broken"}},
	} {
		envtest.Same(t, tt.want, recall.Terms(tt.text, ""), tt.text)
	}
	long := recall.Terms(strings.Repeat("word", 100_000)+" last", "")
	envtest.Same(t, 1, len(long))
}

func TestShared(t *testing.T) {
	for _, tt := range []struct{ ask, text string }{
		{"db", "the dbPool"}, {"dbpool", "the dbPool"}, {"db", "a Db"}, {"pool", "dbPool"}, {"日本", "x日本"}, {"aé", "aé b"}, {"v2", "/v2"},
	} {
		counted, plain := recall.Shared(tt.ask, tt.text)
		envtest.FailIf(t, len(counted) != 1 || len(plain) != 1, "Shared(%q, %q) = %q, %q", tt.ask, tt.text, counted, plain)
	}
}

// TestTopicsWeighLess: what the query says comes before what it is only about.
func TestTopicsWeighLess(t *testing.T) {
	texts := []string{"a release of water", "publish to the harbour", "a gauge", "a tide", "a sea", "a moon", "a storm"}
	hits := recall.NewQuery("publish it", "").ScoreTexts(len(texts), func(i int) []string { return texts[i : i+1] })
	envtest.FailIf(t, len(hits) != 2 || hits[0].Score >= hits[1].Score, "%+v", hits)
}

// TestSpeaks: common words say little about what a lesson is for, and a topic nothing next
// to the word that is about it; a lesson with all words of the task says much.
func TestSpeaks(t *testing.T) {
	ix := &index.Index{}
	for _, text := range []string{
		"Moor the boat with a rope", "Change the values", "Read the notes of the harbour", "Moor `tide_url`", "A gauge, and a tide of pandas",
		"Ask the pilot about the sea before you sail to the island", "The values of a sail are three",
	} {
		_, tags := topic.File(text, false)
		ix.Items = append(ix.Items, index.Item{Text: text, Tags: tags, Kind: index.Learning, Score: 1, Hits: 1})
	}
	for _, tt := range []struct {
		task     string
		lesson   int
		from, to float64
	}{
		{"a rope", 0, 0.99, 1.01},
		{"the notes", 2, 0.4, 0.7},  // common
		{"a pandas", 4, 0.99, 1.01}, // it is about python as well
		{"python", 4, 0.99, 1.01},   // filed under it
		{"set tide_url", 3, 0.9, 3},
		{"change the values", 1, 1.5, 3}, // has all
		{"the values of a chart", 6, 0.2, 0.5},
	} {
		for _, p := range recall.RankLessons(ix, recall.NewQuery(tt.task, ""), time.Time{}) {
			envtest.FailIf(t, p.Pos == tt.lesson && (p.Hit == nil || p.Hit.Speaks < tt.from || p.Hit.Speaks > tt.to),
				"%q, %q: %+v, want %v to %v", tt.task, ix.Items[p.Pos].Text, p.Hit, tt.from, tt.to)
		}
	}
}

// TestOwnName: the words of the project's name say nothing, unless they are common ones or topics.
func TestOwnName(t *testing.T) {
	for _, tt := range []struct{ project, task, want string }{
		{"harbour", "moor at Harbour", "moor"},
		{"harbour", "the harbourtown", "harbourtown"},
		{"harbour", "moor @harbour/boats", "boat moor"},
		{"", "moor at harbour", "harbour moor"},
		{"react-harbour", "react in the harbour", "react"},
		{"docs", "the docs", "doc document"},
		{"harbour", "harbour", ""},
	} {
		diff := cmp.Diff(strings.Fields(tt.want), recall.Terms(tt.task, tt.project), cmpopts.EquateEmpty())
		envtest.FailIf(t, diff != "", "%q in %s (-want +got):\n%s", tt.task, tt.project, diff)
	}
}

// What is skipped for speed is what has no word of the query.
func TestScanLaws(t *testing.T) {
	piece := rapid.SampledFrom([]string{
		"a", "b", "ab", "aB", "Ab", "ABc", "dbPool", "pool", "Pool", "db", "running", "runs", "ties", "tries", "x1", "1", "99",
		"é", "Éa", "日", "日本", "本", "_", "-", "/", " ", ".", "\xff", "box", "boxes", "Cache",
	})
	text := rapid.Custom(func(t *rapid.T) string { return strings.Join(rapid.SliceOfN(piece, 0, 12).Draw(t, "pieces"), "") })
	rapid.Check(t, func(t *rapid.T) {
		ask, of := text.Draw(t, "ask"), text.Draw(t, "of")
		counted, plain := recall.Shared(ask, of)
		envtest.Same(t, plain, counted, ask, of)
	})
}
