package heuristic

import (
	"testing"

	"mem/index"

	"mem/envtest"
)

// TestCandidates: what one session shows of a failure, or of a command that was stopped.
func TestCandidates(t *testing.T) {
	const unknown = "error: unrecognized subcommand 'bun'\n\nUsage: wrap <COMMAND>"
	const foreign = "tmp/clones/x/a.test.ts:\nerror: Cannot find module 'left-pad'\n 6 fail\nerror: script \"test\" exited with code 1"
	for _, tt := range []struct {
		name  string
		steps []compact
		want  []index.Lesson
	}{
		{"what is in front is to blame", []compact{{Bash: "wrap bun run test 2>&1", Cause: "failed", Out: unknown}, {Bash: "bun run test src 2>&1 | tail -3", Out: "12 pass"}}, []index.Lesson{{
			Text: "Run `bun` without `wrap` in front: `wrap bun` fails with `error: unrecognized subcommand 'bun'`",
			Cue:  index.Literals{Command: "wrap bun", Error: "error: unrecognized subcommand '…'"}, Remedy: index.Literals{Command: "bun run test"}, Events: []int{3, 4, 5},
		}}},
		{"no cure, and a reason", []compact{{Bash: "cat -A a.go | head", Cause: "failed", Out: "cat: illegal option -- A"}, {Say: "This needs `od`, because cat has no such flag on macOS. Let me see."}, {Bash: "od -c a.go", Out: "x"}}, []index.Lesson{{
			Text: "`cat -A` fails with `cat: illegal option -- A`", Why: "This needs `od`, because cat has no such flag on macOS",
			Cue: index.Literals{Command: "cat -A", Error: "cat: illegal option -- a"}, Events: []int{3},
		}}},
		{"a folder that is not part of the change", []compact{{Bash: "wrap git commit -m x", Cause: "failed", Out: foreign}, {Say: "The failures come from `./tmp/clones/`, unrelated to this change. Let me look."}}, []index.Lesson{{
			Text: "`git commit` can fail because of `tmp/clones/`, whatever was changed", Why: "The failures come from `./tmp/clones/`, unrelated to this change",
			Cue: index.Literals{Command: "git commit", Error: "tmp/clones"}, Events: []int{3},
		}}},
		{"an edit was the cure", []compact{{Bash: "make it", Cause: "failed", Out: "error: no goal"}, {Edit: "a.mk", Out: "ok"}, {Bash: "make it", Out: "ok"}}, nil},
		{"a failed test", []compact{{Bash: "bun run lint", Cause: "failed", Out: "error: unused import"}, {Say: "Let me see."}}, nil},
		{"another name each time", []compact{{Bash: "make it", Cause: "failed", Out: "Error: Cannot find module 'zod'"}}, nil},
		{"refused, blocked and interrupted", []compact{
			{Bash: "git push -u origin x", Cause: "denied_by_user"}, {Bash: "cd a && git push", Cause: "blocked_by_hook"}, {Bash: "npm publish", Cause: "cancelled"}, {Stop: true},
			{Bash: "git status", Cause: "denied_by_user"}, {Bash: "npm test", Cause: "cancelled"}, {Stop: true}, {Bash: "docker compose down && make up", Cause: "denied_by_user"}, {Bash: "./x", Cause: "denied_by_rule"},
			{Bash: "git commit -qm a"}, {Bash: "git add a && git commit --amend -m b", Cause: "denied_by_user"}, {Bash: "git commit -m c", Cause: "denied_by_user", Reason: "shorter"}, {Bash: "terraform apply", Cause: "denied_by_user", Reason: "later"},
		}, []index.Lesson{
			{Text: "Ask before `git push`", Cue: index.Literals{Command: "git push"}, Events: []int{2, 3}},
			{Text: "Ask before `npm publish`", Cue: index.Literals{Command: "npm publish"}, Events: []int{6, 7}}, {Text: "Ask before `git commit --amend`", Cue: index.Literals{Command: "git commit --amend"}, Events: []int{20, 21}},
			{Text: "Ask before `terraform apply`: later", Cue: index.Literals{Command: "terraform apply"}, Events: []int{24, 25}},
		}},
	} {
		got := Lessons(expand(append([]compact{{User: "go on"}}, tt.steps...)), "", 8)
		for i := range got {
			envtest.Same(t, Once, got[i].Op, tt.name, got[i].Text)
			got[i].Op = ""
		}
		envtest.Same(t, tt.want, got, tt.name)
	}
}
