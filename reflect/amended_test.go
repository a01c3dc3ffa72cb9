package reflect_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mem/envtest"
	"mem/index"
	"mem/oracle"
	"mem/oracle/heuristic"
	"mem/reflect"
	"mem/reflect/answer"
	"mem/repo"
)

func TestMain(m *testing.M) { envtest.M{M: m}.Run() }

// What a later session says of the same setting stands for what an earlier one said:
// readers found both in one memory.
func TestLaterValueStands(t *testing.T) {
	said := func(text string) answer.Lesson { return answer.Lesson{Text: text, Origin: index.OriginUser} }
	settled := func(text string) answer.Lesson { return answer.Lesson{Text: text, Origin: index.OriginAgent} }
	cured := func(text, remedy string) answer.Lesson {
		return answer.Lesson{Text: text, Origin: index.OriginTool, Cue: index.Literals{Command: "deployer push", Error: "no project"}, Remedy: index.Literals{Command: remedy}}
	}
	for _, tt := range []struct {
		name   string
		model  string
		first  answer.Lesson
		change func(*index.Item)
		then   answer.Lesson
		want   string
	}{
		{"decided anew", oracle.Code, said("The page size of the export is 50"), nil, said("The page size of the export is 100 now, not 50"),
			"The page size of the export is 50 ×1 superseded\nThe page size of the export is 100 now, not 50 ×1\n"},
		{"settled anew", oracle.Code, settled("`page` caps at 50 rows"), nil, settled("`page` caps at 100 rows"),
			"`page` caps at 50 rows ×1 superseded\n`page` caps at 100 rows ×1\n"},
		{"what a person said, by an agent", oracle.Code, said("`page` caps at 50 rows"), nil, settled("`page` caps at 100 rows"),
			"`page` caps at 50 rows ×1\n`page` caps at 100 rows ×1 quarantined\n"},
		{"pinned", oracle.Code, said("`page` caps at 50 rows"), func(it *index.Item) { it.Pinned = true }, said("`page` caps at 100 rows"),
			"`page` caps at 50 rows ×1\n`page` caps at 100 rows ×1 quarantined\n"},
		{"a rule", oracle.Code, said("`page` caps at 50 rows"), func(it *index.Item) { it.Status = index.Compiled }, said("`page` caps at 100 rows"),
			"`page` caps at 50 rows ×1 compiled\n`page` caps at 100 rows ×1 quarantined\n"},
		{"a model says what it is", "claude/x", said("`page` caps at 50 rows"), nil, said("`page` caps at 100 rows"),
			"`page` caps at 50 rows ×1\n`page` caps at 100 rows ×1\n"},
		{"a person names the cure", oracle.Code, cured("Run `deployer login` first", "deployer login"), nil, said("You need to run `deployer login` to get a project"),
			"Run `deployer login` first ×2\n"},
		{"a person names a script that is the cure", oracle.Code, cured("Run `npm run project:pick` first", "npm run project:pick"), nil, said("You need to run `project:pick` to get a project"),
			"Run `npm run project:pick` first ×2\n"},
		{"a person names it for something else", oracle.Code, cured("Run `deployer login` first", "deployer login"), nil, said("Run `deployer login` before every release"),
			"Run `deployer login` first ×1\nRun `deployer login` before every release ×1\n"},
		{"a person forbids the cure", oracle.Code, cured("Run `deployer login` first", "deployer login"), nil, said("Set the token, not `deployer login`"),
			"Run `deployer login` first ×1\nSet the token, not `deployer login` ×1\n"},
		{"the failure that a person meant", oracle.Code, said("You need to run `deployer login` to get a project"), nil, cured("Run `deployer login` before `deployer push`", "deployer login"),
			"You need to run `deployer login` to get a project ×2\n"},
		{"the same order in other words", oracle.Code, settled("Run `towncrier create` for changes that users see before a release"), nil, settled("If users see a change, write a fragment for the release with `towncrier create`"),
			"Run `towncrier create` for changes that users see before a release ×2\n"},
		{"the same command for something else", oracle.Code, settled("Run `towncrier create` for changes that users see"), nil, settled("`towncrier create` needs a number in the name"),
			"Run `towncrier create` for changes that users see ×1\n`towncrier create` needs a number in the name ×1\n"},
	} {
		m := repo.BlankMemory(noon, repo.Options{})
		for i, l := range []answer.Lesson{tt.first, tt.then} {
			if i == 1 && tt.change != nil {
				m.Index.Items[0].Change(noon, tt.change)
			}
			l.Span = fmt.Sprintf("e%d..e%d", i, i)
			p := &reflect.Pending{ID: fmt.Sprint("r-", i), At: noon.Add(time.Duration(i) * time.Hour), Model: tt.model, Session: fmt.Sprint("s", i), Trace: fmt.Sprint("claude:s", i), Fixes: []answer.Lesson{l}}
			for range 2 { // the second time it is known
				if _, _, err := p.CountInto(m); err != nil {
					t.Fatal(tt.name, err)
				}
			}
			if same := slices.Concat(p.Fixes, p.Mistakes)[0]; same.Op != "" || same.Text != l.Text {
				t.Errorf("%s: counting changed what is counted: %+v", tt.name, same)
			}
		}
		var b strings.Builder
		for _, it := range m.Index.Items {
			b.WriteString(strings.TrimSpace(fmt.Sprintf("%s ×%d %s", it.Text, it.Hits, it.Status)) + "\n")
			if it.Key != index.KeyOf(it.Text) {
				t.Errorf("%s: the key of %q is %q", tt.name, it.Text, it.Key)
			}
		}
		if diff := cmp.Diff(tt.want, b.String()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

// TestSaidAgain: what a person says again, in words that are no lesson by themselves, counts
// for what they said before; what they said of something else does not.
func TestSaidAgain(t *testing.T) {
	root := newRoot(t)
	for i, said := range []string{
		"Never publish a preview to the public registry", "change the guide and say in it that we never publish a preview to anyone by hand",
		"change the guide and say that this is a preview", "never publish a preview to the public registry",
	} {
		m := look(t, root)
		r := reflect.Reflector{Oracles: []oracle.Oracle{heuristic.Oracle{}}}
		p, _, err := r.ReflectOn(t.Context(), m, talk(fmt.Sprint("s", i), "start", said), reflect.Options{Now: noon})
		if err != nil {
			t.Fatal(err)
		}
		if p == nil {
			continue
		}
		if _, err := reflect.CommitPending(t.Context(), root, p); err != nil {
			t.Fatal(err)
		}
	}
	if got, want := state(t, root), "Avoid: publishing a preview to the public registry ×3  \n"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
