package ingest

import (
	"strings"
	"testing"
)

func FuzzParseNote(f *testing.F) {
	f.Add([]byte("---\nname: a\ntype: user\n---\nb"))
	f.Add([]byte("\ufeff---\r\nname: Use foo: bar\r\nmetadata: \r\n  type: feedback\r\nstatus:\r\n  - x\r\n---\r\n\r\nb"))
	f.Fuzz(func(t *testing.T, data []byte) {
		e, err := parseNote(data)
		if err != nil {
			return
		}
		if e.Name == "" || nameKey(e.Name) != nameKey(strings.ToUpper(nameKey(e.Name))) && strings.ToUpper(e.Name) == strings.ToLower(e.Name) {
			t.Fatalf("%q has the name %q", data, e.Name)
		}
		if !strings.HasSuffix(string(data), e.file.Body()) {
			t.Fatalf("%q has the body %q", data, e.file.Body())
		}
	})
}

func TestNameKey(t *testing.T) {
	for name, want := range map[string]string{
		"Use  zod/mini": "use-zod/mini", "use_zod-/mini": "use-zod-/mini", " User_Role ": "user-role", "--a--b__c": "a-b-c", "기억 API": "기억-api",
	} {
		if got := nameKey(name); got != want {
			t.Errorf("nameKey(%q) = %q, want %q", name, got, want)
		}
	}
}

func TestFreePath(t *testing.T) {
	for name, want := range map[string]string{
		"Use zod/mini": "use-zod-mini", "기억": "memory", "기억 API": "api", "../../etc": "etc", "con": "con-memory", "COM1": "com1-memory",
		strings.Repeat("long ", 30): "long-long-long-long-long-long-long-long-long-long-long-long",
	} {
		src := &Item{Note: &Note{Name: name, Type: "user"}}
		if got := (&store{}).freePath(src); got != "memories/user/"+want+".md" {
			t.Errorf("freePath(%q) = %q, want the name %q", name, got, want)
		}
	}
}

func TestFirstSentence(t *testing.T) {
	for text, want := range map[string]string{
		"# Head\n\n**Never** use `a.b()` here. More.": "Never use `a.b()` here",
		"Use v1.2 of it, e.g. for tests. Then more.":  "Use v1.2 of it, e.g. for tests",
		"Don't: shout\nat people":                     "Don't: shout at people",
		"\n\n- Stop guessing!":                        "Stop guessing",
		"항상 4-part 로 적는다。그리고":                         "항상 4-part 로 적는다",
		"": "",
		"See [[port-of-a]], and [[b|the other]] of `[[ -f x ]]`. More": "See port-of-a, and the other (b) of `[[ -f x ]]`",
		"Avoid" + " tabs. Use `. ` as a sign between it":               "Avoid tabs",
	} {
		if got := firstSentence(text); got != want {
			t.Errorf("firstSentence(%q) = %q, want %q", text, got, want)
		}
	}
}
