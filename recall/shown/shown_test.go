package shown_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"mem/recall/shown"
	"mem/repo"
)

func TestClaim(t *testing.T) {
	root, err := repo.Create(t.Context(), t.TempDir()+"/m", repo.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	noon := time.Date(2026, 2, 3, 12, 0, 0, 0, time.UTC)
	if got := shown.FindRecord(root, "s"); got != nil {
		t.Errorf("before anything was shown: %+v", got)
	}
	first := shown.Record{Key: "s", At: noon, Items: []string{"m-1"}}
	if !shown.ClaimRecord(root, nil, first, false) {
		t.Error("the first claim failed")
	}
	if shown.ClaimRecord(root, nil, first, false) {
		t.Error("two processes showed it")
	}
	was := shown.FindRecord(root, "s")
	next := shown.Record{Key: "s", At: noon.Add(time.Minute), Items: []string{"m-1", "m-2"}, Prompt: true}
	if was == nil || !shown.ClaimRecord(root, was, next, false) || shown.ClaimRecord(root, was, next, false) {
		t.Errorf("the second claim from %+v did not work once", was)
	}
	if !shown.ClaimRecord(root, shown.FindRecord(root, "s"), next, true) || shown.FindRecord(root, "s") != nil {
		t.Error("a record that was dropped is still there")
	}
	for i := range 70 {
		shown.ClaimRecord(root, nil, shown.Record{Key: fmt.Sprint(i), At: noon}, false)
	}
	if shown.FindRecord(root, "5") != nil || shown.FindRecord(root, "6") == nil {
		t.Error("not the latest 64 sessions are kept")
	}
	for _, note := range []string{"", "null", "{}", "[1]", "["} {
		if err := root.KeepNote(repo.NoteTold, []byte(note)); err != nil {
			t.Fatal(err)
		}
		if shown.FindRecord(root, "s") != nil || !shown.ClaimRecord(root, nil, first, false) || shown.FindRecord(root, "s") == nil {
			t.Errorf("after a note %q", note)
		}
	}
	if n := len(shown.CutKey(strings.Repeat("k", 1000))); n != 200 {
		t.Errorf("a key of %d bytes", n)
	}
}

func TestDue(t *testing.T) {
	atStart, answered := &shown.Record{Key: "s"}, &shown.Record{Key: "s", Prompt: true}
	for _, tt := range []struct {
		was                  *shown.Record
		atPrompt, anew, kept bool
		want                 shown.Due
	}{
		{nil, false, false, false, shown.All}, {nil, true, false, false, shown.All},
		{atStart, false, false, false, shown.Nothing}, {atStart, true, false, false, shown.Rest},
		{answered, true, false, false, shown.Nothing}, {answered, false, true, false, shown.All},
		{answered, false, true, true, shown.New}, {nil, false, true, true, shown.New},
	} {
		if got := shown.FindDue(tt.was, tt.atPrompt, tt.anew, tt.kept); got != tt.want {
			t.Errorf("FindDue(%+v, %v, %v, %v) = %v, want %v", tt.was, tt.atPrompt, tt.anew, tt.kept, got, tt.want)
		}
	}
}
