package recall_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"mem/recall"
	"mem/repo"
)

func TestClaim(t *testing.T) {
	root, err := repo.Create(t.Context(), t.TempDir()+"/m", repo.Options{})
	noError(t, err)
	defer root.Close()
	noon := time.Date(2026, 2, 3, 12, 0, 0, 0, time.UTC)
	if got := recall.FindRecord(root, "s"); got != nil {
		t.Errorf("before anything was shown: %+v", got)
	}
	first := recall.ShownRecord{Key: "s", At: noon, Items: []string{"m-1"}}
	if !recall.ClaimRecord(root, nil, first, false) {
		t.Error("the first claim failed")
	}
	if recall.ClaimRecord(root, nil, first, false) {
		t.Error("two processes showed it")
	}
	was := recall.FindRecord(root, "s")
	next := recall.ShownRecord{Key: "s", At: noon.Add(time.Minute), Items: []string{"m-1", "m-2"}, Prompt: true}
	if was == nil || !recall.ClaimRecord(root, was, next, false) || recall.ClaimRecord(root, was, next, false) {
		t.Errorf("the second claim from %+v did not work once", was)
	}
	if !recall.ClaimRecord(root, recall.FindRecord(root, "s"), next, true) || recall.FindRecord(root, "s") != nil {
		t.Error("a record that was dropped is still there")
	}
	for i := range 70 {
		recall.ClaimRecord(root, nil, recall.ShownRecord{Key: fmt.Sprint(i), At: noon}, false)
	}
	if recall.FindRecord(root, "5") != nil || recall.FindRecord(root, "6") == nil {
		t.Error("not the latest 64 sessions are kept")
	}
	for _, note := range []string{"", "null", "{}", "[1]", "["} {
		noError(t, root.KeepNote(repo.NoteTold, []byte(note)))
		if recall.FindRecord(root, "s") != nil || !recall.ClaimRecord(root, nil, first, false) || recall.FindRecord(root, "s") == nil {
			t.Errorf("after a note %q", note)
		}
	}
	if n := len(recall.CutKey(strings.Repeat("k", 1000))); n != 200 {
		t.Errorf("a key of %d bytes", n)
	}
}

func TestDue(t *testing.T) {
	atStart, answered := &recall.ShownRecord{Key: "s"}, &recall.ShownRecord{Key: "s", Prompt: true}
	for _, tt := range []struct {
		was                     *recall.ShownRecord
		atPrompt, anew, resumed bool
		want                    recall.Due
	}{
		{nil, false, false, false, recall.ShowAll}, {nil, true, false, false, recall.ShowAll},
		{atStart, false, false, false, recall.ShowNothing}, {atStart, true, false, false, recall.ShowRest},
		{answered, true, false, false, recall.ShowNothing}, {answered, false, true, false, recall.ShowAll},
		{answered, false, false, true, recall.ShowNew}, {nil, false, false, true, recall.ShowAll},
	} {
		if got := recall.FindDue(tt.was, tt.atPrompt, tt.anew, tt.resumed); got != tt.want {
			t.Errorf("FindDue(%+v, %v, %v, %v) = %v, want %v", tt.was, tt.atPrompt, tt.anew, tt.resumed, got, tt.want)
		}
	}
}
