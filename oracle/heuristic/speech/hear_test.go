package speech

import (
	"strings"
	"testing"

	"mem/envtest"
)

// TestHear: what a person means for later sessions is heard, in nine languages.
func TestHear(t *testing.T) {
	work, first, refused := Scene{}, Scene{First: true}, Scene{Refused: true, Command: "git push"}
	for _, tt := range []struct {
		scene Scene
		said  string
		want  string // lessons, by " | "
	}{
		{work, "Next time you made changes to the schema, let me review them", "Next time you made changes to the schema, let me review them"},
		{work, "ok. From now on please use tabs in the templates", "Use tabs in the templates"},
		{work, "use tabs in the templates from now on, please", "Use tabs in the templates from now on"},
		{work, "Going forward, ports start at 9000", "Ports start at 9000"},
		{work, "As I said, in the future, please open PRs as drafts.", "Open PRs as drafts"},
		{work, "Every time you change the schema, run npm run codegen.", "Every time you change the schema, run `npm run codegen`"},
		{work, "make sure you never touch the vendored folder", "Never touch the vendored folder"},
		{work, "for future reference this is the command I have to run: task seed --all", "This is the command I have to run: task seed `--all`"},
		{work, "for future reference this is the command I have to run:\ntask seed", "This is the command I have to run: task seed"},
		{work, "Remember that staging has no cron", "Staging has no cron"},
		{work, "Great. Remember: run the formatter before a commit.", "Run the formatter before a commit"},
		{work, "keep in mind, for the mailer you need `smtp:fake`", "For the mailer you need `smtp:fake`"},
		{work, "always run make lint before committing!\nNo, never push to main", "Always run `make lint` before committing | Never push to main"},
		{work, "Remember: show me the diff before you push", "Show me the diff before you push"},
		{work, "never delete fixtures, regenerate them", "Never delete fixtures, regenerate them"},
		{work, "Never edit `a.css` by hand: change `a.txt` and run `sh gen.sh`", "Never edit `a.css` by hand: change `a.txt` and run `sh gen.sh`"},
		{work, "Please don't commit generated files again", "Don't commit generated files again"},
		{work, "you must never edit a released migration\nshould always go to `/settings`, not `/profile`", "You must never edit a released migration | Should always go to `/settings`, not `/profile`"},
		{work, "commit messages should always be short\nas a general rule, no new packages without asking me", "Commit messages should always be short | No new packages without asking me"},
		{work, "no we never squash, keep the commits", "We never squash, keep the commits"},
		{work, "no screenshots in commits, ever\nmodule versions are always pinned, please remember that\ndrop it, we never commit snapshots here\namounts are always Decimal in this codebase",
			"No screenshots in commits, ever | Module versions are always pinned | We never commit snapshots here | Amounts are always Decimal in this codebase"},
		{work, "nice one, but from now on run the linter first please", "Run the linter first"},
		{work, "btw we don't use redux here, we use zustand", "We don't use redux here, we use zustand"},
		{work, "always sign tags (v1, v2, ...) before pushing", "Always sign tags (v1, v2, ...) before pushing"},
		{work, "never touch migrations that already ran, write new ones instead of changing them", "Never touch migrations that already ran, write new ones instead of changing them"},
		{work, "House rules:\n- never force push\n- ask me before you add packages", "Never force push | Ask me before you add packages"},
		{work, "we use pnpm, not npm", "We use `pnpm`, not `npm`"},
		{work, "sorry, but we use pnpm here", "We use `pnpm` here"},
		{work, "use pnpm instead of npm in this repo", "Use `pnpm` instead of `npm` in this repo"},
		{work, "The seed needs docker. Maybe document this as a learning in the repo", "The seed needs docker"},
		{work, "document this as a learning: the seed needs docker", "The seed needs docker"},
		{work, "Fix the test.\n\n- always use fake timers in the tests of `queue`\n- then commit", "Always use fake timers in the tests of `queue`"},
		{work, "when you run the Go tests, always use -race", "When you run the Go tests, always use `-race`"},
		{work, "don't commit unless I ask", "Don't commit unless I ask"},
		{work, "ok. from now on write commit messages in the imperative", "Write commit messages in the imperative"},
		{refused, "don't push to main", "Don't push to main"},
		{refused, "use bun, not npm", "Use bun, not `npm`"},
		{Scene{Refused: true, Command: "npm install"}, "no, use pnpm", "Use `pnpm` instead of `npm`"},
		{Scene{Refused: true, Command: "cargo publish"}, "use cargo release instead", "Use cargo release instead of `cargo publish`"},
		{Scene{Command: "npm install"}, "no, use pnpm, not npm", "Use `pnpm`, not `npm`"},
		{refused, "Don't use the browser for the docs - use curl or fetch", "Don't use the browser for the docs - use `curl` or fetch"},
		{refused, "Never do that again on your own", "Never run `git push` again on your own"},
		{Scene{Command: "git commit"}, "never do that again on your own", "Never run `git commit` again on your own"},
		{Scene{Refused: true, Command: "npm install"}, "nimm yarn", "Nimm yarn statt `npm`"},
		{Scene{Refused: true, Command: "grep -rn x"}, "use ripgrep instead of grep, it is too slow", "Use ripgrep instead of `grep`, it is too slow"},
		{Scene{Refused: true, Command: "pytest"}, "use make test", "Use `make test` instead of `pytest`"},
		{refused, "no uses sudo", "No uses `sudo`"},
		{refused, "lösch keine migrationen", "Lösch keine migrationen"},
		{first, "From now on, answer in German", "Answer in German"},
		{first, "Fix the tax. Never deploy to prod yourself", "Never deploy to prod yourself"},
		{first, "Fix the tax. Oh and remember, we don't use lodash here", "We don't use lodash here"},
		{first, "Mach die Suche schneller. Nie ohne Tests committen!", "Nie ohne Tests committen"},
		{first, "Always run the tests with `task test`. Fix the login.", "Always run the tests with `task test`"},
		{first, "In this repo we only use conventional commits. Fix the date.", "In this repo we only use conventional commits"},
		{work, "Ab jetzt bitte Commit-Nachrichten auf Englisch schreiben", "Commit-Nachrichten auf Englisch schreiben"},
		{work, "Wir nutzen pnpm, nicht npm", "Wir nutzen `pnpm`, nicht `npm`"},
		{work, "Niemals direkt auf main pushen", "Niemals direkt auf main pushen"},
		{work, "Beim nächsten Mal zuerst die Tests laufen lassen", "Beim nächsten Mal zuerst die Tests laufen lassen"},
		{work, "À partir de maintenant, écris les commits en anglais", "Écris les commits en anglais"},
		{work, "Ne pousse jamais sur main", "Ne pousse jamais sur main"},
		{work, "On utilise pnpm, pas npm", "On utilise `pnpm`, pas `npm`"},
		{work, "A partir de ahora usa pnpm en los scripts", "Usa `pnpm` en los scripts"},
		{work, "Nunca hagas push a main", "Nunca hagas push a main"},
		{work, "Usamos pnpm, no npm", "Usamos `pnpm`, no `npm`"},
		{work, "A partir de agora escreva os commits em inglês", "Escreva os commits em inglês"},
		{work, "Nunca faça push na main", "Nunca faça push na main"},
		{work, "Usamos pnpm, não npm", "Usamos `pnpm`, não `npm`"},
		{work, "今後はコミット前に必ずテストを実行してください", "コミット前に必ずテストを実行してください"},
		{work, "二度とmainにpushしないでください", "二度とmainにpushしないでください"},
		{work, "以后提交之前请先运行测试", "提交之前请先运行测试"},
		{work, "记住：绝对不要手动改迁移文件", "绝对不要手动改迁移文件"},
		{work, "mainブランチには絶対にpushしないで", "mainブランチには絶対にpushしないで"},
		{work, "lass die Tests immer mit -v laufen", "Lass die Tests immer mit `-v` laufen"},
		{work, "여기서는 jest 말고 vitest 를 써요", "여기서는 jest 말고 `vitest` 를 써요"},
		{work, "永远不要直接推送到主分支", "永远不要直接推送到主分支"},
		{work, "我们用pnpm，不用npm", "我们用pnpm，不用npm"},
		{work, "앞으로는 커밋하기 전에 테스트를 실행해 주세요", "커밋하기 전에 테스트를 실행해 주세요"},
		{work, "절대 main에 직접 푸시하지 마세요", "절대 main에 직접 푸시하지 마세요"},
		{work, "Впредь пиши сообщения коммитов на английском", "Пиши сообщения коммитов на английском"},
		{work, "Никогда не пушь в main напрямую", "Никогда не пушь в main напрямую"},
		{work, "Мы используем pnpm, а не npm", "Мы используем `pnpm`, а не `npm`"},
	} {
		envtest.Same(t, tt.want, hear(tt.said, tt.scene), tt.said)
	}
}

// hear returns what is heard, in one line.
func hear(said string, scene Scene) string {
	var got []string
	for _, h := range Hear(said, scene) {
		got = append(got, h.Text)
	}
	return strings.Join(got, " | ")
}

// TestSilence: what is of the moment, of others, half, a question, or points at what it does not name, is not heard.
func TestSilence(t *testing.T) {
	work, first, refused := Scene{}, Scene{First: true}, Scene{Refused: true, Command: "git push"}
	for _, tt := range []struct {
		scene Scene
		all   []string
	}{
		{work, []string{
			"the dropdown is always empty on first load", "it should always redirect after login but it doesn't", "make the header always sticky",
			"ok never touch that again lol", "next time slot in the calendar is wrong", "remember that bug with the dates? it's back",
			"the footer should always stay at the bottom", "when a visitor opens the cart, never reset the total", "always sort the rows by name",
			"we only accept paypal and cash", "remember that a customer can have two addresses", "do not send the invoice again after a refund",
			"the back link should always go to the list, not to the start page", "invalid themes must never crash the client",
			"remember to merge the branch", "no idea why it always fails", "Die Summe darf nie negativ sein", "n'affiche jamais le total deux fois",
			"no muestres nunca el total dos veces", "nunca exiba o total duas vezes", "合計は絶対に二回表示しないで", "永远不要显示两次总价",
			"합계는 절대 두 번 표시하지 마", "никогда не показывай сумму дважды",
			"can you remember to add the import", "That will never work in production", "we should never have merged that PR",
			"please make sure the button must always be enabled when the form is valid", "add a rule to eslint that we should never use var",
			"write into the README that you should always run make setup first", "in future we might want to support postgres",
			"as a rule engine we use drools not jess", "we use the same component in three places", "use the primary color, not the secondary",
			"don't ask again checkbox is missing", "from now on the list is sorted by date, but the test expects names",
			"keep in mind that we have a demo tomorrow", "Never seen that before", "this must never happen again",
			"also always log the response so I can see it", "the script should always exit with 0", "the tool must never crash",
			"remember to push before you go", "we only have one test", "remember that we still have to merge the branch",
			"use an enum instead of strings here", "maybe document this as learning in the repo", "fix the login, the link should always go to the list",
			"never use commit 1a2b3c4d5e6f7 as the base", "Never do that again on your own", "don't push to main", "use the left one, not the right",
			"Do not change anything. Just report back.", "always use the mock for now", "never push in this branch",
			"from now on only touch the tests in this PR", "never mind, use whatever you like", "remember that the demo is tomorrow",
			"reading the full file!)", "never read the full file!)", "Never called anywhere in the codebase", "always fails on CI",
			"we always had this problem with the map", "the tests are never green on my machine", "it never uses the cache", "never do it like that",
			"always use this one", "this should always go to the list", "never ever ever", "should we always use pnpm here?",
			"why do we never run the linter", "they say we should always use tabs", "The linter says: never use tabs",
			"add a note that users should always use tabs", "> always use tabs\n\nis this quote right?", "```\nalways use tabs\n```",
			"always show the total below the list", "always use tabs " + strings.Repeat("in the templates ", 30),
			"- always sort\n- never round\n- always log\n- use tabs", "Mach das nie wieder", "Das schlägt immer fehl", "Immer noch rot", "Ne fais jamais ça",
			"In the future we could move this to a queue.", "As I said, the header is wrong.", "make sure you fix the test", "Each time you click, show a toast",
			"Toujours pas vert", "No vuelvas a hacer eso", "Siempre que lo abro, falla", "Não faça isso de novo", "それは二度としないでください", "今はテストを実行しないでください",
			"不要再这样做了", "다시는 그러지 마", "Больше так не делай", "Всегда падает на CI",
		}},
		{refused, []string{
			"do not commit, i want to see the diff first", "don't stop the server", "don't remove the old config", "don't push the branch", "no commits please",
			"supprime pas ce dossier", "no toques ese archivo", "不要删除这个文件", "не трогай эту ветку", "このファイルは消さないで", "그 파일은 지우지 마",
			"don't do the second step", "don't create a new component, extend the existing one", "use the existing function", "don't worry I'll run it",
			"stop, I want to look at the diff first", "don't install anything",
			"no", "wait", "just commit", "don't", "don't do it", "use it", "don't push yet", "don't touch the header first", "use a modal",
			"Do not change anything. Just report back.", "Don't run the tests. Just report back what you found.", "Ändere nichts, nur berichten", "暂时不要提交代码",
		}},
		{first, []string{
			"I always get an error when starting the app. Fix it.", "Never show the banner twice. Always keep the order.",
			"Create a script which always runs the tests before pushing", "From now on the API returns null. Adapt the client.",
			"Never log the token. Add a login.", "The header should always be visible", "Next time the user opens the app, greet them",
			"Remember to add tests", "You are a reviewer. Always answer in JSON.", "# Plan\n\nAlways run the tests with `task test`.",
		}},
	} {
		for _, said := range tt.all {
			envtest.Same(t, "", hear(said, tt.scene), said)
		}
	}
}

// TestDecides: an answer settles what the agent asked, unless it asks for more.
func TestDecides(t *testing.T) {
	for text, want := range map[string]bool{"no, 30": true, "30 then": true, "can you also do the other one": false, "what does it cost?": false} {
		envtest.Same(t, want, Decides(text, true), text)
	}
}

// TestTakesBack: what the person said last does not count any more.
func TestTakesBack(t *testing.T) {
	for text, want := range map[string]bool{"sorry, forget that, we need them": true, "never mind": true, "Vergiss das": true, "forgetting that is easy": false, "don't forget the tests": false} {
		envtest.Same(t, want, TakesBack(text), text)
	}
}

// FuzzHear: whatever is typed, what is heard is in it as one line.
func FuzzHear(f *testing.F) {
	for _, s := range []string{"never `x\xff` again", "ALWAYS İ from now on.", "以后ẞ请", "never do that"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, h := range Hear(s, Scene{Refused: true, Command: "git push"}) {
			envtest.FailIf(t, h.Text == "" || strings.Contains(h.Text, "\n"), "%q is heard as %q", s, h.Text)
		}
		TakesBack(s)
		Decides(s, true)
	})
}
