package gitstore

import (
	"testing"
	"time"

	"mem/envtest"
)

var t0 = time.Date(2026, 2, 3, 4, 5, 6, 0, time.UTC)

func TestIdentity(t *testing.T) {
	user := func(name string) string { return "[user]\n\tname = " + name + "\n\temail = " + name + "@x\n" }
	for _, tt := range []struct {
		name, own, home, xdg, want string
	}{
		{name: "none", want: "mem <mem@localhost>"},
		{name: "home", home: user("h"), want: "h <h@x>"},
		{name: "xdg", xdg: user("x"), want: "x <x@x>"},
		{name: "home before xdg", home: user("h"), xdg: user("x"), want: "h <h@x>"},
		{name: "own before home", own: user("o"), home: user("h"), want: "o <o@x>"},
		{name: "mixed", own: "[user]\n\tname = o\n", home: user("h"), want: "o <h@x>"},
		{name: "half", home: "[user]\n\tname = h\n", want: "mem <mem@localhost>"},
		{name: "hostile", home: "[user]\n\tname = \"a <b>\\nparent x\"\n\temail = \"c>\\td\"\n", want: "a bparent x <cd>"},
		{name: "damaged", home: "[user\nname", want: "mem <mem@localhost>"},
		{name: "quoted", home: "[user]\n\tname = \"A \\\"B\\\" C\" ; comment\n\temail = a@x # c\n", want: "A \"B\" C <a@x>"},
		{name: "case", home: "[USER]\n\tNAME = h\n\tEmail = e@x\n", want: "h <e@x>"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, dir := fresh(t)
			home := t.TempDir()
			envtest.Write(t, tt.home, home, ".gitconfig")
			envtest.Write(t, tt.xdg, home, ".config/git/config")
			envtest.Write(t, "[core]\n\tbare = false\n"+tt.own, dir, ".git/config")
			got, _ := ReadCommitter(s.d, "", []string{"HOME=" + home, "GIT_CONFIG_NOSYSTEM=1"})
			who := got.Author.Name + " <" + got.Author.Email + ">"
			envtest.FailIf(t, who != tt.want || got.Committer != got.Author, "by %v, want %s", got, tt.want)
		})
	}
}

func TestBusy(t *testing.T) {
	for name, tt := range map[string]struct {
		head Head
		file string
	}{
		"detached":     {head: Head{}},
		"other branch": {head: Head{Ref: "refs/heads/x"}},
		"merge":        {Head{Ref: "refs/heads/main"}, "MERGE_HEAD"},
		"rebase":       {Head{Ref: "refs/heads/main"}, "rebase-merge/done"},
		"am":           {Head{Ref: "refs/heads/main"}, "rebase-apply/next"},
		"cherry-pick":  {Head{Ref: "refs/heads/main"}, "CHERRY_PICK_HEAD"},
		"revert":       {Head{Ref: "refs/heads/main"}, "REVERT_HEAD"},
		"bisect":       {Head{Ref: "refs/heads/main"}, "BISECT_LOG"},
	} {
		t.Run(name, func(t *testing.T) {
			s, dir := fresh(t)
			if tt.file != "" {
				envtest.Write(t, "", dir, ".git/"+tt.file)
			}
			err := (&Tx{Store: s, Head: tt.head}).checkBusy("refs/heads/main")
			envtest.FailIf(t, err == nil, "busy = nil")
		})
	}
	s, _ := fresh(t)
	for _, branch := range []string{"", "refs/heads/main"} {
		err := (&Tx{Store: s, Head: Head{Ref: "refs/heads/main"}}).checkBusy(branch)
		envtest.FailIf(t, err != nil, "busy(%q) = %v, want nil", branch, err)
	}
}
