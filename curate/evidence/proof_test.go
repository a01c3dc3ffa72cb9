package evidence_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mem/curate/evidence"
	"mem/facts"
	"mem/index"
	"mem/repo"

	"mem/envtest"
)

var t0 = time.Date(2026, 2, 3, 4, 5, 6, 0, time.UTC)

// memory is one with these records.
func memory(items ...index.Item) *repo.Memory {
	m := repo.BlankMemory(t0, repo.Options{})
	for i, it := range items {
		it.ID, it.Key = fmt.Sprintf("m-%08x", i), index.KeyOf(it.Text)
		it.Hits, it.Score, it.FirstSeen, it.LastSeen = 1, 1, t0, t0
		if it.Kind == "" {
			it.Kind = index.Learning
		}
		m.Index.Items = append(m.Index.Items, it)
	}
	return m
}

// found is a survey that found each text in so many files.
func found(files map[string]int) *evidence.Survey {
	s := &evidence.Survey{Findings: map[string]evidence.Presence{}}
	for text, n := range files {
		f := evidence.Presence{Files: n, Terms: []string{"term"}}
		if n > 0 {
			f.Paths = []string{"a.go", "b.go"}
		}
		s.Findings[index.KeyOf(text)] = f
	}
	return s
}

func apply(t *testing.T, m *repo.Memory, p evidence.Proof) (evidence.Report, repo.Message) {
	t.Helper()
	p.Code.Commit += "c0ffee"
	r, msg, err := p.Apply(m)
	envtest.NoError(t, err)
	return r, msg
}

func listOf(t *testing.T, m *repo.Memory) string {
	t.Helper()
	data, err := m.ReadFile(evidence.ListPath)
	envtest.NoError(t, err)
	return string(data)
}

func names(list []evidence.Verdict) string {
	var all []string
	for _, v := range list {
		all = append(all, v.Text)
	}
	return strings.Join(all, " ")
}

// TestE5Thresholds: five files are high, three and four medium, below that it is left as it is.
func TestE5Thresholds(t *testing.T) {
	for _, tt := range []struct {
		files int
		want  string
	}{{0, ""}, {2, ""}, {3, "medium"}, {4, "medium"}, {5, "high"}, {500, "high"}} {
		m := memory(index.Item{Text: "lesson"})
		r, _ := apply(t, m, evidence.Proof{Survey: found(map[string]int{"lesson": tt.files})})
		it := m.Index.Items[0]
		if it.Confidence != tt.want || (it.Evidence != nil) != (tt.want != "") || (len(r.Promoted) == 1) != (tt.want != "") || (names(r.Unproven) == "lesson") != (tt.want == "") {
			t.Errorf("%d files: confidence %q, evidence %v, promoted %v", tt.files, it.Confidence, it.Evidence, r.Promoted)
		}
		if tt.want == "" {
			continue
		}
		want := &index.Evidence{Files: tt.files, Terms: []string{"term"}, Paths: []string{"a.go", "b.go"}, Commit: "c0ffee", At: t0}
		envtest.Same(t, want, it.Evidence, "evidence")
	}
}

// TestGone: a lesson that was proven, and of which the code has nothing left, says so,
// once; what is found again or still there takes it back.
func TestGone(t *testing.T) {
	m := memory(index.Item{Text: "lesson"})
	look := func(files int) (repo.Message, *index.Evidence) {
		_, msg := apply(t, m, evidence.Proof{Survey: found(map[string]int{"lesson": files})})
		return msg, m.Index.Items[0].Evidence
	}
	_, e := look(0)
	envtest.FailIf(t, e != nil, "never found: %+v", e)
	look(4)
	want := &index.Evidence{Terms: []string{"term"}, Commit: "c0ffee", At: t0}
	if msg, e := look(0); msg.Subject == "" || !cmp.Equal(want, e) || m.Index.Items[0].IsProven() {
		t.Errorf("gone: %q, %+v", msg.Subject, e)
	}
	msg, e := look(0)
	envtest.FailIf(t, msg.Subject != "" || !cmp.Equal(want, e), "still gone: %q, %+v", msg.Subject, e)
	_, e = look(2)
	envtest.FailIf(t, e != nil, "found in two files: %+v", e)
}

// TestConfidenceOfPeople: evidence raises what a person said, and gives it back when it is gone.
func TestConfidenceOfPeople(t *testing.T) {
	for _, tt := range []struct {
		said        string
		files       int
		want, after string
	}{
		{"", 3, "medium", ""}, {"low", 3, "medium", "low"}, {"low", 9, "high", "low"}, {"medium", 3, "medium", "medium"},
		{"medium", 9, "high", "medium"}, {"high", 3, "high", "high"}, {"high", 9, "high", "high"}, {"high", 0, "high", "high"},
		{"low", 0, "low", "low"}, {"certain", 0, "certain", "certain"}, {"certain", 3, "medium", "certain"},
	} {
		m := memory(index.Item{Text: "lesson", Confidence: tt.said})
		apply(t, m, evidence.Proof{Survey: found(map[string]int{"lesson": tt.files})})
		envtest.Same(t, tt.want, m.Index.Items[0].Confidence, tt.said, tt.files)
		for _, n := range []int{4, 12, 2, 0} { // up and down again
			apply(t, m, evidence.Proof{Survey: found(map[string]int{"lesson": n})})
		}
		if it := m.Index.Items[0]; it.Confidence != tt.after || it.Evidence != nil {
			t.Errorf("said %q, in %d files: then %q with %v, want %q", tt.said, tt.files, it.Confidence, it.Evidence, tt.after)
		}
	}
	t.Run("said the same later", func(t *testing.T) {
		m := memory(index.Item{Text: "lesson"})
		apply(t, m, evidence.Proof{Survey: found(map[string]int{"lesson": 9})})
		m.Learn(facts.Fact{Fixes: []index.Lesson{{Text: "lesson", Origin: index.OriginUser, Confidence: "high"}}})
		apply(t, m, evidence.Proof{Survey: found(map[string]int{"lesson": 0})})
		if it := m.Index.Items[0]; it.Confidence != "high" || it.CountFiles() > 0 {
			t.Errorf("a person's word went with the evidence: %q", it.Confidence)
		}
	})
	t.Run("said later", func(t *testing.T) {
		m := memory(index.Item{Text: "lesson"})
		apply(t, m, evidence.Proof{Survey: found(map[string]int{"lesson": 3})})
		m.Index.Items[0].Confidence = "low"
		apply(t, m, evidence.Proof{Survey: found(map[string]int{"lesson": 3})})
		if it := m.Index.Items[0]; it.Confidence != "medium" || it.Evidence.Before != "low" {
			t.Errorf("with evidence: %q, %+v", it.Confidence, it.Evidence)
		}
		apply(t, m, evidence.Proof{Survey: found(map[string]int{"lesson": 0})})
		it := m.Index.Items[0]
		envtest.FailIf(t, it.Confidence != "low", "without: %q", it.Confidence)
	})
}

func TestApplyTwice(t *testing.T) {
	m := memory(index.Item{Text: "one"}, index.Item{Text: "two"}, index.Item{Text: "Avoid: three", Kind: index.AntiPattern})
	p := evidence.Proof{Survey: found(map[string]int{"one": 7, "two": 3, "Avoid: three": 4})}
	_, msg := apply(t, m, p)
	want := "chore(memory): prove 2 lessons in the code\n\n+ one (found in 7 files)\n+ two (found in 3 files)\n! Avoid: three (still present in 4 files)\n\n" +
		"Mem-Item: m-00000000\nMem-Item: m-00000001\nMem-Item: m-00000002\n"
	envtest.Same(t, want, msg.String(), "the message")
	p.Code.Commit = "another"
	before := m.Index.Items[0].Evidence
	if r, msg := apply(t, m, p); msg.Subject != "" || names(r.Kept) != "one two" || m.Index.Items[0].Evidence != before {
		t.Errorf("the same again: %q, kept %q, %+v", msg.Subject, names(r.Kept), m.Index.Items[0].Evidence)
	}
	p.Survey = found(map[string]int{"one": 2, "two": 4, "Avoid: three": 0})
	r, msg := apply(t, m, p)
	want = "chore(memory): recount 3 lessons in the code\n\n- one (found in 2 files)\n~ two (found in 4 files)\n\nMem-Item: m-00000000\nMem-Item: m-00000001\n"
	envtest.Same(t, want, msg.String(), "the message")
	envtest.FailIf(t, names(r.Demoted) != "one" || m.Index.Items[0].Evidence != nil || m.Index.Items[2].Violations != 0,
		"demoted %q, %+v", names(r.Demoted), m.Index.Items)
	text := listOf(t, m)
	for _, want := range []string{`pattern: "two" # m-00000001`, "occurrences: 4", "Demoted 1 patterns", "patterns_removed: 1", "patterns_added: 2"} {
		envtest.FailIf(t, !strings.Contains(text, want), "E6 %q is not in\n%s", want, text)
	}
	envtest.FailIf(t, strings.Contains(text, `"one"`), "what was demoted is still in\n%s", text)
}

// TestWhoIsJudged: only active lessons, only those that were looked for, and never what is to be avoided.
func TestWhoIsJudged(t *testing.T) {
	evid := &index.Evidence{Files: 5, Paths: []string{"a.go"}}
	m := memory(
		index.Item{Text: "quarantined", Status: index.Quarantined}, index.Item{Text: "superseded", Status: index.Superseded},
		index.Item{Text: "retired", Status: index.Retired, Confidence: "high", Evidence: evid}, index.Item{Text: "compiled", Status: index.Compiled},
		index.Item{Text: "Avoid: it", Kind: index.AntiPattern}, index.Item{Text: "since the look", Evidence: evid, Confidence: "high"},
		index.Item{Text: "Avoid: turned", Kind: index.AntiPattern, Evidence: evid, Confidence: "high"},
	)
	files := map[string]int{"Avoid: it": 9, "Avoid: turned": 9}
	for _, it := range m.Index.Items[:4] {
		files[it.Text] = 9
	}
	r, _ := apply(t, m, evidence.Proof{Survey: found(files)})
	envtest.Same(t, "", names(r.Promoted)+names(r.Kept)+names(r.Demoted), "judged")
	for i, want := range []string{"", "", "high", "", "", "high", ""} {
		if it := m.Index.Items[i]; it.Confidence != want || i != 2 && i != 5 && it.Evidence != nil {
			t.Errorf("%s: confidence %q, %+v", it.Text, it.Confidence, it.Evidence)
		}
	}
	text := listOf(t, m)
	envtest.FailIf(t, strings.Contains(text, "retired") || !strings.Contains(text, "since the look"), "the list is\n%s", text)
}

func TestBlocksBecomeLessons(t *testing.T) {
	const file = "# L\n---\nwrap errors in go code\n---\nnew and not\n---\nknown and proven\n---\nknown and not\n---\nretired already\n" +
		"---\nAvoid: new and there\n---\nhas a token ghp_0123456789abcdefghijABCDEFGHIJ012345\n"
	m := memory(index.Item{Text: "known and proven"}, index.Item{Text: "Known and not"}, index.Item{Text: "retired already", Status: index.Retired})
	p := evidence.Proof{Learnings: evidence.Learnings{Blocks: evidence.ReadBlocks([]byte(file))}, Survey: found(map[string]int{
		"wrap errors in go code": 5, "new and not": 2, "known and proven": 3, "known and not": 1, "retired already": 9, "Avoid: new and there": 3,
		"has a token [redacted:github-token]": 9,
	})}
	envtest.Same(t, 8, len(evidence.LessonsToProve(m.Index, p.Learnings.Blocks)))
	r, msg := apply(t, m, p)
	for _, tt := range []struct{ what, got, want string }{
		{"E5 promoted", names(r.Promoted), "known and proven wrap errors in go code"},
		{"E5 unproven", names(r.Unproven), "Known and not new and not"},
		{"still present", names(r.Present), "Avoid: new and there"},
		{"E7 removed", strings.Join(r.Removed, " "), "wrap errors in go code known and proven"},
		{"subject", msg.Subject, "chore(memory): prove 2 lessons in the code"},
	} {
		envtest.Same(t, tt.want, tt.got, tt.what)
	}
	if len(r.Left) != 2 || r.Left[0].Why != "the memory has it as retired" || !strings.Contains(r.Left[1].Why, "secret") {
		t.Errorf("left alone: %+v", r.Left)
	}
	it := m.Index.Items[len(m.Index.Items)-1]
	if len(m.Index.Items) != 4 || it.Text != "wrap errors in go code" || it.Origin != index.OriginImport || it.Status != index.Active || it.Confidence != "high" || it.Domain != "coding" || len(it.Tags) != 2 {
		t.Errorf("the new record is %+v of %d", it, len(m.Index.Items))
	}
	if text := listOf(t, m); strings.Count(text, "learned_from: skill_sync") != 1 || strings.Count(text, "learned_from: agent") != 1 {
		t.Errorf("E6 the list is\n%s", text)
	}
}

func TestLearnedFrom(t *testing.T) {
	from := func(it index.Item) string {
		it.Text = "lesson"
		r, _ := apply(t, memory(it), evidence.Proof{Survey: found(map[string]int{"lesson": 3})})
		return r.Promoted[0].LearnedFrom
	}
	for want, it := range map[string]index.Item{
		"claude": {Sources: []index.Source{{Trace: "claude:1"}, {Trace: "pi:2"}}}, "user": {Origin: index.OriginUser, Sources: []index.Source{{}}}, "agent": {},
	} {
		envtest.Same(t, want, from(it), "learned from")
	}
}

// TestBadListChangesNothing: a list that cannot be read is not lost.
func TestBadListChangesNothing(t *testing.T) {
	m := memory(index.Item{Text: "lesson"})
	envtest.NoError(t, m.WriteFile(evidence.ListPath, []byte("patterns: [\n")))
	p := evidence.Proof{Survey: found(map[string]int{"lesson": 9})}
	_, msg, err := p.Apply(m)
	envtest.FailIf(t, !errors.Is(err, evidence.ErrNotEditable) || msg.Subject != "", "%v, %q", err, msg.Subject)
	envtest.Same(t, "patterns: [\n", listOf(t, m), "the list was changed")
}
