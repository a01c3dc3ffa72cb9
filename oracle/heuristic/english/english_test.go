package english

import "testing"

func TestGerund(t *testing.T) {
	for in, want := range map[string]string{
		"delete": "deleting", "run": "running", "commit": "committing", "use": "using", "edit": "editing", "be": "being",
		"put": "putting", "push": "pushing", "copy": "copying", "agree": "", "think": "", "open": "opening", "force-push": "",
	} {
		if got, _ := Gerund(in); got != want {
			t.Errorf("gerund(%q) = %q, want %q", in, got, want)
		}
	}
	for in, want := range map[string]string{
		"delete tests": "deleting tests", "commit or push to main": "committing or pushing to main", "force push": "force pushing",
		"force-push to main": "force-pushing to main", "`rm -rf`": "running `rm -rf`", "guess, read the docs": "guessing, read the docs", "know": "", "": "",
	} {
		if got, _ := Doing(in); got != want {
			t.Errorf("doing(%q) = %q, want %q", in, got, want)
		}
	}
	for in, want := range map[string]string{"used": "use", "run": "run", "committed": "commit", "checked": "check", "written": "write", "blue": ""} {
		if got, _ := BaseForm(in); got != want {
			t.Errorf("baseForm(%q) = %q, want %q", in, got, want)
		}
	}
}
