package reflect_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"mem/envtest"
	"mem/index"
	"mem/oracle"
	"mem/reflect"
	"mem/repo"
)

// learnKnowing reflects with what the root knows at hand, in the order of the index.
func learnKnowing(t *testing.T, root *repo.Root, session, answer string, said ...string) reflect.Outcome {
	t.Helper()
	m := look(t, root)
	r := reflect.Reflector{Oracles: []oracle.Oracle{saying(answer)}, LookAround: func(string) (known []reflect.Known, headings []string) {
		for _, it := range m.Index.Items {
			if it.IsShown() {
				known = append(known, reflect.Known{ID: it.ID, Text: it.ShownText()})
			}
		}
		return known, nil
	}}
	p, reason, err := r.ReflectOn(t.Context(), m, talk(session, said...), reflect.Options{Now: noon})
	envtest.StopIf(t, err != nil || p == nil, "%v %v", reason, err)
	out, err := reflect.CommitPending(t.Context(), root, p)
	envtest.NoError(t, err)
	return out
}

// state is what a root knows, a line each.
func state(t *testing.T, root *repo.Root) string {
	var b strings.Builder
	for _, it := range look(t, root).Index.Items {
		fmt.Fprintf(&b, "%s ×%d %s %s\n", it.Text, it.Hits, it.Status, it.Why)
	}
	return b.String()
}

// A session told in ten paraphrases, in which a model knows the lesson again, is one
// record with ten hits.
func TestParaphrasesAreHits(t *testing.T) {
	root := newRoot(t)
	learnKnowing(t, root, "s0", `{"lessons":[{"op":"add","text":"Start the database before the tests","events":[1]}]}`, "start the database before the tests")
	for i := range 9 {
		learnKnowing(t, root, fmt.Sprint("s", i+1), fmt.Sprintf(`{"lessons":[{"op":"again","of":"L1","text":"Paraphrase %d","events":[1]}]}`, i), "x")
	}
	envtest.Same(t, "Start the database before the tests ×10  \n", state(t, root))
	daily, err := look(t, root).ReadFile("daily/2026-02-03.md")
	envtest.FailIf(t, err != nil || strings.Contains(string(daily), "Paraphrase"),
		"the journal has words that no session says: %s, %v", daily, err)
}

// What a model says against a known lesson waits for a person, unless it has the
// person's own words; a handle of nothing makes a new lesson.
func TestReplaceAndContradict(t *testing.T) {
	root := newRoot(t)
	learnKnowing(t, root, "s1", `{"lessons":[{"text":"Deploy with make deploy","events":[1]},{"text":"Tests need a network","events":[1]}]}`, "deploy with make deploy, tests need a network")
	id := look(t, root).Index.Items[0].ID
	other := look(t, root).Index.Items[1].ID
	learnKnowing(t, root, "s2", `{"lessons":[{"op":"replace","of":"L1","text":"Deploy with task ship only, never otherwise","events":[1]},
		{"op":"contradict","of":"L2","text":"Tests run without any network","why":"They passed offline.","events":[2]},
		{"op":"again","of":"L9","text":"Use no known lesson","events":[3]}, {"op":"replace","of":"L2","text":"Tests need a proxy on the gateway of the office","events":[2]}]}`, "deploy with task ship only, never otherwise", "tests run without any network, or through a proxy", "use no known lesson")
	want := "Deploy with make deploy ×1 superseded \n" +
		"Tests need a network ×1  \n" +
		"Deploy with task ship only, never otherwise ×1  \n" +
		"Tests run without any network ×1 quarantined contradict " + other + ": They passed offline.\n" +
		"Use no known lesson ×1  \n" +
		"Tests need a proxy on the gateway of the office ×1 quarantined replace " + other + ": held, as nothing in the session says this\n"
	envtest.Same(t, want, state(t, root))
	old := look(t, root).Index.Items[0]
	envtest.FailIf(t, old.ID != id || old.SupersededBy != look(t, root).Index.Items[2].ID, "%+v", old)
	// Another session that brings it does not decide; a person who says it does.
	m := look(t, root)
	for i, want := range []index.Status{index.Active, index.Superseded} {
		l := index.Lesson{Text: "Tests run without any network", Origin: []index.Origin{index.OriginAgent, index.OriginUser}[i], Span: "e7..e7"}
		p := &reflect.Pending{Head: reflect.Head{At: noon, Session: fmt.Sprint("s", 3+i), Trace: fmt.Sprint("pi:s", 3+i)}, Model: "x", Fixes: []index.Lesson{l}}
		if _, _, err := p.CountInto(m); err != nil || m.Index.Items[1].Status != want {
			t.Errorf("said by %s: the known lesson is %q, want %q; %v", l.Origin, m.Index.Items[1].Status, want, err)
		}
	}
}

// What a model knows again is a hit, on whichever side it says so.
func TestAgainOnTheOtherSide(t *testing.T) {
	root := newRoot(t)
	learnKnowing(t, root, "s0", `{"lessons":[{"kind":"fix","text":"Start the database before the tests","events":[1]},{"kind":"mistake","text":"guessing the port","events":[1]}]}`, "start the database before the tests, guessing the port is wrong")
	for _, kind := range []string{"fix", "mistake"} {
		learnKnowing(t, root, kind, fmt.Sprintf(`{"lessons":[{"kind":%[1]q,"op":"again","of":"L1","text":"One","events":[1]},{"kind":%[1]q,"op":"again","of":"L2","text":"Two","events":[1]}]}`, kind), "x")
	}
	got := slices.Sorted(strings.Lines(state(t, root)))
	envtest.Same(t, []string{"Avoid: guessing the port ×3  \n", "Start the database before the tests ×3  \n"}, got)
}

// A lesson that is gone by the time the answer is counted makes a new one of what came
// again.
func TestAgainOfWhatIsGone(t *testing.T) {
	root := newRoot(t)
	learnKnowing(t, root, "s1", `{"lessons":[{"text":"Tests need a network","events":[1]}]}`, "tests need a network")
	m := look(t, root)
	r := reflect.Reflector{Oracles: []oracle.Oracle{saying(`{"lessons":[{"op":"again","of":"L1","text":"Give the tests a network","events":[1]}]}`)},
		LookAround: func(string) ([]reflect.Known, []string) {
			return []reflect.Known{{ID: m.Index.Items[0].ID, Text: "Tests need a network"}}, nil
		}}
	p, _, err := r.ReflectOn(t.Context(), m, talk("s2", "give the tests a network"), reflect.Options{Now: noon})
	envtest.NoError(t, err)
	_, err = root.Settle(t.Context(), noon, func(m *repo.Memory) (repo.Message, error) {
		m.Index.Items[0].Change(func(it *index.Item) { it.Status = index.Retired })
		return repo.Message{Subject: "retire"}, nil
	})
	envtest.NoError(t, err)
	_, err = reflect.CommitPending(t.Context(), root, p)
	envtest.NoError(t, err)
	envtest.Same(t, "Tests need a network ×1 retired \nGive the tests a network ×1  \n", state(t, root))
}
