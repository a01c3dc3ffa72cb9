package recall_test

import (
	"encoding/json"
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mem/envtest"
	"mem/index"
)

// TestMeasured measures the ranking on lessons and questions that are not part of the
// project: those of the folders that MEM_EVAL names.
func TestMeasured(t *testing.T) {
	for dir := range strings.FieldsSeq(os.Getenv("MEM_EVAL")) {
		for _, name := range []string{"cosqa", "nl2bash"} {
			measureQueries(t, filepath.Join(dir, name+".json"))
		}
	}
}

// measureQueries prints what share of the texts that answer a question is among the
// first ten, and how far up it stands (nDCG).
func measureQueries(t *testing.T, path string) {
	var set struct {
		Docs    []string
		Queries []struct {
			Text     string
			Relevant []int
		}
	}
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	if err == nil {
		err = json.Unmarshal(data, &set)
	}
	envtest.StopIf(t, err != nil, "%v %v", path, err)
	ix := &index.Index{}
	for _, text := range set.Docs {
		ix.Items = append(ix.Items, index.Item{Text: text, Kind: index.Learning, Score: 1, Hits: 1, LastSeen: t0, FirstSeen: t0})
	}
	var recall, ndcg float64
	for _, q := range set.Queries {
		var gain, best float64
		found := 0
		for i, pos := range rank(ix, q.Text, t0)[:10] {
			if slices.Contains(q.Relevant, pos) {
				found++
				gain += 1 / math.Log2(float64(i+2))
			}
		}
		for i := range min(10, len(q.Relevant)) {
			best += 1 / math.Log2(float64(i+2))
		}
		recall += float64(found) / float64(len(q.Relevant))
		ndcg += gain / best
	}
	n := float64(len(set.Queries))
	t.Logf("== retrieval, %s: %d questions, %d texts: recall@10 %.3f, nDCG@10 %.3f", filepath.Base(path), len(set.Queries), len(set.Docs), recall/n, ndcg/n)
}
