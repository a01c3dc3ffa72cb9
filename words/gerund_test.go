package words

import "testing"

func TestGerund(t *testing.T) {
	for verb, want := range map[string]string{
		"import": "importing", "run": "running", "use": "using", "commit": "committing", "edit": "editing", "open": "opening",
		"be": "being", "see": "seeing", "die": "dying", "fix": "fixing", "play": "playing", "stop": "stopping", "rebase": "rebasing",
		"read": "reading", "running": "running", "push": "pushing", "go": "going", "bring": "bringing", "unwrap": "unwrapping", "prefer": "preferring", "put": "putting", "": "",
	} {
		if got := Gerund(verb); got != want {
			t.Errorf("Gerund(%q) = %q, want %q", verb, got, want)
		}
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
		"ran `git push` without asking":          "ran `git push` without asking",
	} {
		if got := TurnNegation(in); got != want {
			t.Errorf("TurnNegation(%q) = %q, want %q", in, got, want)
		}
	}
}
