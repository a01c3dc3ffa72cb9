package inspect

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mem/envtest"
	"mem/session"
)

func TestMain(m *testing.M) { envtest.M{M: m}.Run() }

// A turn is what one side said in a conversation that is not part of the project.
type turn struct{ Role, Text string }

// TestMeasured measures, on conversations of the folders that MEM_EVAL names, how far up the session in which something
// was decided stands for a report of the trouble that comes of ignoring it, among sessions that decide nothing of the
// kind; and the same with the first turn of each left out, as it often has the words of the report.
func TestMeasured(t *testing.T) {
	for dir := range strings.FieldsSeq(os.Getenv("MEM_EVAL")) {
		var tasks []struct {
			Report        string `json:"bug_report"`
			Conversations [][]turn
		}
		var decoys []struct{ Turns []turn }
		if !readJSON(t, dir, "decisions.json", &tasks) || !readJSON(t, dir, "decoys.json", &decoys) {
			continue
		}
		for leftOut := range 2 {
			var talks []*talk
			for i, task := range tasks {
				for _, turns := range task.Conversations {
					talks = append(talks, hold(fmt.Sprint("deciding ", i), turns[leftOut:]))
				}
			}
			for _, d := range decoys {
				talks = append(talks, hold("decoy", d.Turns[leftOut:]))
			}
			five, ten := 0, 0
			for i, task := range tasks {
				f := newFinder(task.Report, true, redactor{})
				hits, _ := f.listHits(talks, 0)
				place := slices.IndexFunc(hits, func(h Hit) bool { return h.Session == fmt.Sprint("deciding ", i) })
				if place < 0 || place >= 5 {
					t.Logf("place %d for %s", place+1, task.Report)
				}
				if place >= 0 && place < 5 {
					five++
				}
				if place >= 0 && place < 10 {
					ten++
				}
			}
			t.Logf("== sessions, without the first %d turns: the deciding one among the first 5 for %d of %d reports, among the first 10 for %d; %d talks",
				leftOut, five, len(tasks), ten, len(talks))
		}
	}
}

// hold returns a conversation as a talk.
func hold(id string, turns []turn) *talk {
	s := &session.Session{}
	for i, said := range turns {
		e := session.Event{ID: fmt.Sprint(id, i), Kind: session.UserText, Origin: session.Human, Text: said.Text}
		if said.Role == "assistant" {
			e.Kind, e.Origin = session.AssistantText, session.Agent
		}
		s.Events = append(s.Events, e)
	}
	return &talk{ID: id, Lines: readLines(s)}
}

func readJSON(t *testing.T, dir, name string, v any) bool {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, name))
	if errors.Is(err, fs.ErrNotExist) {
		return false
	}
	if err == nil {
		err = json.Unmarshal(data, v)
	}
	envtest.StopIf(t, err != nil, "%v %v", name, err)
	return true
}
