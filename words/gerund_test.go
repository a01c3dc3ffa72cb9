package words

import (
	"testing"

	"mem/envtest"
)

func TestGerund(t *testing.T) {
	for verb, want := range map[string]string{
		"import": "importing", "run": "running", "use": "using", "commit": "committing", "edit": "editing", "open": "opening",
		"be": "being", "see": "seeing", "die": "dying", "fix": "fixing", "play": "playing", "stop": "stopping", "rebase": "rebasing",
		"read": "reading", "running": "running", "push": "pushing", "go": "going", "bring": "bringing", "unwrap": "unwrapping", "prefer": "preferring", "put": "putting", "": "",
	} {
		envtest.Same(t, want, Gerund(verb), "Gerund", verb)
	}
}

// What a model says not to do is what to avoid.
func TestTurnNegation(t *testing.T) {
	for in, want := range map[string]string{
		"never import the test helpers from src": "importing the test helpers from src",
		"Don't commit generated files":           "committing generated files",
		"do not ever, run `x`":                   "running `x`",
		"Avoid using sleep in tests":             "using sleep in tests",
		"Don’t use sleep":                        "using sleep",
		"using sleep in tests":                   "using sleep in tests",
		"Never.":                                 "Never.",
		"You must not use eval":                  "using eval",
		"We shouldn't mock the database":         "mocking the database",
		"One should never force a push":          "forcing a push",
		"I should not have pushed":               "having pushed",
		"It's wrong to trust input":              "trusting input",
		"Avoid mocks in tests":                   "mocks in tests",
		"avoid: `var` in tests":                  "`var` in tests",
		"Never `rm -rf` in prod":                 "`rm -rf` in prod",
		"No longer use bun":                      "using bun",
		"Never blindly copy code":                "blindly copying code",
		"Don't: shout at people":                 "shouting at people",
		"Not to use tabs":                        "using tabs",
		"Not using tabs":                         "Not using tabs",
		"Stop using console.log":                 "using console.log",
		"Stop the server first":                  "Stop the server first",
		"No more global variables":               "global variables",
		"please never do it alone":               "doing it alone",
		"Should have read the log":               "not having read the log",
		"I do not know why it fails":             "I do not know why it fails",
		"You never check the result":             "You never check the result",
		"ran `git push` without asking":          "ran `git push` without asking",
	} {
		envtest.Same(t, want, TurnNegation(in), "TurnNegation", in)
	}
}
