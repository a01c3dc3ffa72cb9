package repo_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mem/facts"
	"mem/index"
	"mem/repo"

	"mem/envtest"
)

// rewriteAsVersion1 does to core/index.json what pi-self-learning does: its own members are kept, one record is counted
// again, one is added, and all else goes. It returns the text of the one that was counted again.
func rewriteAsVersion1(t *testing.T, root, added string) (again string) {
	t.Helper()
	path := filepath.Join(root, repo.IndexPath)
	var doc struct {
		Items []map[string]any `json:"items"`
	}
	envtest.NoError(t, json.Unmarshal([]byte(read(t, path)), &doc))
	for _, it := range doc.Items {
		for name := range it {
			switch name {
			case "key", "text", "kind", "hits", "score", "firstSeen", "lastSeen":
			default:
				delete(it, name)
			}
		}
	}
	if len(doc.Items) > 0 {
		doc.Items[0]["hits"] = doc.Items[0]["hits"].(float64) + 1
		again = doc.Items[0]["text"].(string)
	}
	doc.Items = append(doc.Items, map[string]any{
		"key": index.KeyOf(added), "text": added, "kind": "learning", "hits": 1, "score": 1,
		"firstSeen": "2026-02-03T04:05:06.000Z", "lastSeen": "2026-02-03T04:05:06.000Z",
	})
	data, err := json.Marshal(map[string]any{"version": 1, "updatedAt": "2026-02-03T04:05:06.000Z", "items": doc.Items})
	envtest.NoError(t, err)
	envtest.NoError(t, os.WriteFile(path, data, 0o600))
	return again
}

// decisions are what people and mem decided, which the other program does not know.
func decisions(ix *index.Index) map[string]string {
	m := map[string]string{}
	for i := range ix.Items {
		it := &ix.Items[i]
		m[it.Text] = fmt.Sprintf("%s %q pinned %v, tags %v", it.ID, it.Status, it.Pinned, it.Tags)
	}
	return m
}

// TestTwoProgramsInTurn lets mem and pi-self-learning write one memory in turn, with and without a commit of the
// other's. No id, pin, retirement, quarantine or tag is lost, and every sighting counts once.
func TestTwoProgramsInTurn(t *testing.T) {
	r, err := repo.Create(t.Context(), filepath.Join(t.TempDir(), ".mem"), repo.Options{Warn: func(string) {}})
	envtest.NoError(t, err)
	defer r.Close()
	git(t, r.Path(), "config", "user.name", "pi")
	git(t, r.Path(), "config", "user.email", "pi@example.com")
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	turns := rand.New(rand.NewPCG(seed, 7))
	known, hits := map[string]string{}, map[string]int{}
	for turn := range 50 {
		text := fmt.Sprintf("Lesson %d", turn)
		hits[text]++
		switch kind := turns.IntN(4); {
		case turn > 0 && kind < 2:
			hits[rewriteAsVersion1(t, r.Path(), text)]++
			if kind == 0 {
				git(t, r.Path(), "commit", "-qam", "pi")
			}
		default:
			if again := fmt.Sprintf("Lesson %d", turns.IntN(turn+1)); turns.IntN(2) == 0 {
				delete(hits, text)
				text = again
				hits[text]++
			}
			settle(t, r, func(m *repo.Memory) (repo.Message, error) {
				m.Learn(facts.Fact{Fixes: []index.Lesson{{Text: text}}})
				it := &m.Index.Items[turns.IntN(len(m.Index.Items))]
				it.Status = []index.Status{index.Active, index.Quarantined, index.Retired, index.Superseded}[turns.IntN(4)]
				it.Pinned, it.Tags = turns.IntN(2) == 0, []string{text}
				known = decisions(m.Index)
				return repo.Message{Subject: text}, nil
			})
		}
		var now *index.Index
		settle(t, r, func(m *repo.Memory) (repo.Message, error) { now = m.Index.Clone(); return repo.Message{}, nil })
		counted := map[string]int{}
		for _, it := range now.Items {
			counted[it.Text] = it.Hits
		}
		got := decisions(now)
		for text := range got {
			if _, ok := known[text]; !ok {
				delete(got, text) // the other program added it since
			}
		}
		envtest.Same(t, "", cmp.Diff(hits, counted)+cmp.Diff(known, got), turn)
		envtest.NoError(t, isFold(r.Path(), []byte(read(t, filepath.Join(r.Path(), repo.IndexPath)))))
	}
}

// TestLongHistoryOfAnotherProgram is that what only another program wrote is not read again with each command: 10,000
// versions of 10,000 lessons took minutes. The oldest version here cannot be read, and need not be.
func TestLongHistoryOfAnotherProgram(t *testing.T) {
	root := t.TempDir()
	git(t, root, "init", "-q", "-b", "main")
	var history strings.Builder
	for n := range 30 {
		data := fmt.Sprintf(`{"version": 1, "items": [{"key": "a", "text": "A", "kind": "learning", "hits": %d, "score": 1}]}`, n+1)
		fmt.Fprintf(&history, "commit refs/heads/main\ncommitter pi <pi@example.com> %d +0000\ndata 2\npi\nM 100644 inline core/index.json\ndata %d\n%s\n", 1_000_000+n, len(data), data)
	}
	load := exec.Command("git", "-C", root, "-c", "fastimport.unpackLimit=1000", "fast-import", "--quiet")
	load.Stdin = strings.NewReader(history.String())
	if out, err := load.CombinedOutput(); err != nil {
		t.Fatalf("fast-import: %v\n%s", err, out)
	}
	git(t, root, "reset", "-q", "--hard")
	oldest := strings.TrimSpace(git(t, root, "rev-parse", "HEAD~29:core/index.json"))
	envtest.NoError(t, os.Remove(filepath.Join(root, ".git/objects", oldest[:2], oldest[2:])))
	r, err := repo.Open(root, repo.Options{})
	envtest.NoError(t, err)
	defer r.Close()
	m, err := r.View(t0)
	envtest.FailIf(t, err != nil || m.Index.Items[0].Hits != 30, "View() = %v", err)
}
