package reflect_test

import (
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"mem/envtest"
	"mem/index"
	"mem/oracle"
	"mem/reflect"
	"mem/repo"
)

// TestReplay gives what models answered to the prompts of real sessions, which are not part
// of the project, to the code behind them: the folders that MEM_EVAL names with answers/,
// prompts/ and labelled/ in them. It prints what becomes of each lesson.
func TestReplay(t *testing.T) {
	for dir := range strings.FieldsSeq(os.Getenv("MEM_EVAL")) {
		files, _ := filepath.Glob(filepath.Join(dir, "answers", "*__*.json"))
		m := repo.BlankMemory(noon, repo.Options{})
		var all replay
		slices.SortStableFunc(files, func(a, b string) int { return startOf(t, dir, a).Compare(startOf(t, dir, b)) })
		for _, file := range files {
			all.play(t, m, dir, file, strings.TrimSuffix(filepath.Base(file), ".json"))
		}
		weak, _ := filepath.Glob(filepath.Join(dir, "answers", "weak-*.json"))
		var bad replay
		for _, file := range weak {
			short := regexp.MustCompile(`weak-(\w\w)`).FindStringSubmatch(file)[1]
			at := slices.IndexFunc(files, func(f string) bool { return strings.Contains(f, "__"+short) })
			bad.play(t, repo.BlankMemory(noon, repo.Options{}), dir, file, strings.TrimSuffix(filepath.Base(files[at]), ".json"))
		}
		if len(files) > 0 {
			t.Logf("== replay: of %d lessons of a strong reader %d are held and %d left; of %d of a weak one %d are active", all.active+all.held+all.left, all.held, all.left, bad.active+bad.held+bad.left, bad.active)
		}
	}
}

// startOf returns when the session of an answer began.
func startOf(t *testing.T, dir, file string) time.Time {
	s, _ := openPacked(t, filepath.Join(dir, "labelled", strings.TrimSuffix(filepath.Base(file), ".json")+".jsonl"))
	return s.Started
}

type replay struct{ active, held, left int }

var reKnown = regexp.MustCompile(`(?m)^- (L\d+): (.*)$`)

// play answers a session as it was answered and counts the lessons in m.
func (r *replay) play(t *testing.T, m *repo.Memory, dir, file, name string) {
	s, _ := openPacked(t, filepath.Join(dir, "labelled", name+".jsonl"))
	answered := envtest.Read(t, file)
	var known []reflect.Known
	for _, l := range reKnown.FindAllStringSubmatch(readPrompt(t, dir, name), -1) {
		k := reflect.Known{Text: l[2]}
		for _, it := range m.Index.Items {
			if it.Key == index.KeyOf(l[2]) {
				k.ID, k.Held = it.ID, it.Status == index.Quarantined
			}
		}
		known = append(known, k)
	}
	model := &asker{name: "scripted", f: func(oracle.Request) (string, error) { return answered, nil }}
	refl := reflect.Reflector{Oracles: []oracle.Oracle{model}, LookAround: func(string) ([]reflect.Known, []string) { return known, nil }}
	p, reason, err := refl.ReflectOn(t.Context(), m, s, reflect.Options{Now: s.Started})
	envtest.StopIf(t, err != nil || p == nil, "%v %v %v", name, reason, err)
	o, _, err := p.CountInto(m)
	envtest.NoError(t, err)
	r.left += len(p.Left)
	for _, l := range p.Left {
		t.Logf("%s LEFT %s: %s", name, l.Reason, l.Text)
	}
	doubts := map[string]index.Lesson{}
	for _, l := range slices.Concat(p.Fixes, p.Mistakes) {
		doubts[index.KeyOf(index.StripAvoid(l.Text))] = l
	}
	for _, l := range o.Lessons {
		from := doubts[index.KeyOf(index.StripAvoid(l.Text))]
		if l.Status == index.Active {
			r.active++
		} else {
			r.held++
		}
		t.Log(strings.TrimSpace(fmt.Sprintf("%s %s ×%d %s: %s %s", name, l.Status, l.Hits, from.Origin, l.Text, from.Doubt)))
	}
}

func readPrompt(t *testing.T, dir, name string) string {
	f, err := os.Open(filepath.Join(dir, "prompts", name+".txt.gz"))
	envtest.NoError(t, err)
	defer f.Close()
	z, err := gzip.NewReader(f)
	envtest.NoError(t, err)
	text, err := io.ReadAll(z)
	envtest.NoError(t, err)
	return string(text)
}
