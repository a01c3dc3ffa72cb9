package reflect_test

import (
	"fmt"
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

func TestMain(m *testing.M) { envtest.M{M: m}.Run() }

// What a later session says of the same setting stands for what an earlier one said:
// readers found both in one memory.
func TestLaterValueStands(t *testing.T) {
	said := func(text string) index.Lesson { return index.Lesson{Text: text, Origin: index.OriginUser} }
	settled := func(text string) index.Lesson { return index.Lesson{Text: text, Origin: index.OriginAgent} }
	cured := func(text, remedy string) index.Lesson {
		return index.Lesson{Text: text, Origin: index.OriginTool, Cue: index.Literals{Command: "deployer push", Error: "no project"}, Remedy: index.Literals{Command: remedy}}
	}
	for _, tt := range []struct {
		name   string
		model  string
		first  index.Lesson
		change func(*index.Item)
		then   index.Lesson
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
		{"a person names it for something else", oracle.Code, cured("Run `deployer login` first", "deployer login"), nil, said("Run `deployer login` before every release"),
			"Run `deployer login` first ×1\nRun `deployer login` before every release ×1\n"},
		{"a person forbids the cure", oracle.Code, cured("Run `deployer login` first", "deployer login"), nil, said("Set the token, not `deployer login`"),
			"Run `deployer login` first ×1\nSet the token, not `deployer login` ×1\n"},
		{"another folder", oracle.Code, cured("Run `deployer push` from `web`", "cd web"), nil, cured("Run `deployer push` from `api`", "cd api"),
			"Run `deployer push` from `web` ×1\nRun `deployer push` from `api` ×1\n"},
		{"taken back by name", oracle.Code, said("Use 50 rows a page for exports to the ledger"), nil, said("Exports have 100 rows a page now, not 50"),
			"Use 50 rows a page for exports to the ledger ×1 superseded\nExports have 100 rows a page now, not 50 ×1\n"},
		{"a policy amended", oracle.Code, settled("`should_poll` allows 2xx only, at most 4 attempts, backoff sleeps capped at 60 seconds"), nil,
			settled("Poll on any 2xx; still at most 4 attempts; backoff caps at 30 seconds, superseding the old 60-second cap"),
			"`should_poll` allows 2xx only, at most 4 attempts, backoff sleeps capped at 60 seconds ×1 superseded\n" +
				"`should_poll`: poll on any 2xx; still at most 4 attempts; backoff caps at 30 seconds, superseding the old 60-second cap ×1\n"},
		{"the same in other words", oracle.Code, said("Never edit files under `gen/`"), nil, said("Never edit the files under `gen/`, please"), "Never edit files under `gen/` ×2\n"},
		{"the opposite in the same words", oracle.Code, said("Never edit files under `gen/`"), nil, said("Always edit files under `gen/`"),
			"Never edit files under `gen/` ×1\nAlways edit files under `gen/` ×1\n"},
		{"under a condition", oracle.Code, said("Never commit generated files by hand"), nil, said("Never commit generated files by hand in release branches"),
			"Never commit generated files by hand ×1\nNever commit generated files by hand in release branches ×1\n"},
		{"a value more", oracle.Code, said("Use 50 rows a page for exports"), nil, said("Exports have 50 rows a page and 3 columns"),
			"Use 50 rows a page for exports ×1\nExports have 50 rows a page and 3 columns ×1\n"},
		{"a value of another file", oracle.Code, said("Keep `a.go` under 400 lines"), nil, said("Keep `b.go` under 300 lines"),
			"Keep `a.go` under 400 lines ×1\nKeep `b.go` under 300 lines ×1\n"},
		{"a value of something else", oracle.Code, said("Ports start at 50 in the staging network"), nil, said("Colours have 100 steps, not 50"),
			"Ports start at 50 in the staging network ×1\nColours have 100 steps, not 50 ×1\n"},
		{"the same command for something else", oracle.Code, settled("Run `towncrier create` for changes that users see"), nil, settled("`towncrier create` needs a number in the name"),
			"Run `towncrier create` for changes that users see ×1\n`towncrier create` needs a number in the name ×1\n"},
	} {
		m := repo.BlankMemory(noon, repo.Options{})
		for i, l := range []index.Lesson{tt.first, tt.then} {
			if i == 1 && tt.change != nil {
				m.Index.Items[0].Change(tt.change)
			}
			l.Span = fmt.Sprintf("e%d..e%d", i, i)
			p := &reflect.Pending{Head: reflect.Head{ID: fmt.Sprint("r-", i), At: noon.Add(time.Duration(i) * time.Hour), Session: fmt.Sprint("s", i), Trace: fmt.Sprint("claude:s", i)}, Model: tt.model, Fixes: []index.Lesson{l}}
			for range 2 { // the second time it is known
				_, _, err := p.CountInto(m)
				envtest.StopIf(t, err != nil, "%v %v", tt.name, err)
			}
			same := slices.Concat(p.Fixes, p.Mistakes)[0]
			envtest.FailIf(t, same.Op != "" || same.Text != l.Text, "%s: counting changed what is counted: %+v", tt.name, same)
		}
		var b strings.Builder
		for _, it := range m.Index.Items {
			b.WriteString(strings.TrimSpace(fmt.Sprintf("%s ×%d %s", it.Text, it.Hits, it.Status)) + "\n")
			envtest.Same(t, index.KeyOf(it.Text), it.Key, tt.name, "the key of", it.Text)
		}
		envtest.Same(t, tt.want, b.String(), tt.name)
	}
}
