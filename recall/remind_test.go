package recall_test

import (
	"strings"
	"testing"

	"mem/recall"

	"mem/envtest"
)

// TestAsksToNote knows a correction and a wish to remember, in nine languages, from a task, an answer,
// a question and what was pasted.
func TestAsksToNote(t *testing.T) {
	for _, said := range []string{
		"no, not there", "No, don't put it into the header", "I told you: the tests run with bun", "that's wrong", "That is not what I asked for",
		"next time you change the schema, let me commit", "Next time, run the linter first", "from now on write commit messages in English",
		"remember that staging has no cron", "ok, and remember: ports above 9000", "don't do that again", "Never do that again on your own",
		"for future reference this is the command I have to run: make seed", "maybe document this as learning in the repo.", "You forgot the changelog again",
		`I've reverted your changes - focus only "Evaluator Skip Based on Technical Inventory" and "the other thing of this"`,
		"it should not be in the header but instead below", "why did you delete the fixture?", "use pnpm, not npm", "Always run the formatter before a commit",
		"Nein, nicht dort", "Das ist falsch", "Ich habe dir doch gesagt, dass wir pnpm nehmen", "Ab jetzt bitte ohne Emojis", "Merk dir das: Port 8080",
		"Non, pas là", "C'est faux", "Je t'ai déjà dit d'utiliser pnpm", "La prochaine fois, lance les tests", "À partir de maintenant, écris en français",
		"No, ahí no", "Eso está mal", "Ya te dije que uses pnpm", "La próxima vez ejecuta las pruebas", "Recuerda que el puerto es 8080",
		"Não, aí não", "Isso está errado", "Eu já te disse para usar pnpm", "Da próxima vez rode os testes", "Lembre-se: a porta é 8080",
		"違います", "いや、そこじゃない", "今後はpnpmを使ってください", "次からはテストを先に", "覚えておいて", "不对", "我说过要用pnpm", "以后请先跑测试", "记住端口是8080",
		"아니, 거기 말고", "말했잖아", "앞으로는 pnpm을 써", "다음부터 테스트 먼저", "기억해 줘", "Нет, не туда", "Это неправильно", "Я же говорил: pnpm", "Впредь пиши тесты", "Запомни: порт 8080",
	} {
		envtest.FailIf(t, !recall.AsksToNote(said), "%q is not heard", said)
	}
	task := "Implement the following plan:\n\n# Plan: a header\n\nThat's wrong today. Remember that users see it. Always show it."
	for _, said := range []string{
		"", "yes", "commit", "no", "No, thanks", "no, leave it as it is", "no need to push", "ok now it works", "please fix the tests", "Make the modal bigger and remove the button",
		"Add a checkbox \"remember that device\" to the login form", "do you remember what we did last week?", "What went wrong in the last run?", "The total is wrong when the cart is empty",
		"/remember that", "<command-name>remember that</command-name>", "When will it run the next time?", "Show the user's next time slot", task,
		"Here is the log:\n\n```\nerror: that's wrong, next time you run this\n```\n", "Why does the endpoint return 401?", "sorry wrong chat. ignore last message",
		"Please write a story. " + strings.Repeat("It has a hero and a villain who talk about ships. ", 30) + "Remember that it ends well.",
		"Der Zähler zeigt das Falsche an", "Ajoute un bouton", "Añade un botón", "Adicione um botão", "ボタンを追加してください", "添加一个按钮", "버튼을 추가해 줘", "Добавь кнопку",
	} {
		envtest.FailIf(t, recall.AsksToNote(said), "%q is heard", said)
	}
}

// TestNameRun names what ran, so that the same is found again, and nothing where it cannot be told how it went.
func TestNameRun(t *testing.T) {
	call := func(command string) recall.Call {
		return recall.Call{Tool: "Bash", Input: `{"command":"` + command + `"}`, Over: true}
	}
	for _, same := range [][2]string{
		{"make gen", "cd web && CI=1 make gen"}, {"bun test a.ts", "bun test --timeout=9 a.ts"}, {"git commit -m a", "git commit --no-gpg-sign -m b"}, {"npm run build", "npm ci && npm run build"},
	} {
		a, b := call(same[0]).NameRun(), call(same[1]).NameRun()
		envtest.FailIf(t, a != b || a == "", "%q is %q, and %q %q", same[0], a, same[1], b)
	}
	for _, other := range [][2]string{{"bun test a.ts", "bun test b.ts"}, {"python a.py", "python b.py"}, {"git push", "git pull"}} {
		a := call(other[0]).NameRun()
		envtest.FailIf(t, a == call(other[1]).NameRun(), "%q is both", a)
	}
	for _, none := range []string{"ls x", "make | tail -3", "make; true", "python -c x", "rg x || true", `make\",\"run_in_background\":true,\"a\":\"`} {
		envtest.Same(t, "", call(strings.ReplaceAll(none, `\"`, `"`)).NameRun(), none)
	}
}
