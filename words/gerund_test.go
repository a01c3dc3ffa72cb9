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
