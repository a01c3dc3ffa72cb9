package ingest

import (
	"strings"
	"testing"

	"mem/envtest"
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
		envtest.StopIf(t, !strings.HasSuffix(string(data), e.file.Body()), "%q has the body %q", data, e.file.Body())
	})
}

func TestNameKey(t *testing.T) {
	for name, want := range map[string]string{
		"Use  zod/mini": "use-zod/mini", "use_zod-/mini": "use-zod-/mini", " User_Role ": "user-role", "--a--b__c": "a-b-c", "기억 API": "기억-api",
	} {
		envtest.Same(t, want, nameKey(name), name)
	}
}

func TestFreePath(t *testing.T) {
	for name, want := range map[string]string{
		"Use zod/mini": "use-zod-mini", "기억": "memory", "기억 API": "api", "../../etc": "etc", "con": "con-memory", "COM1": "com1-memory",
		strings.Repeat("long ", 30): "long-long-long-long-long-long-long-long-long-long-long-long",
	} {
		src := &Item{Note: &Note{Name: name, Type: "user"}}
		envtest.Same(t, "memories/user/"+want+".md", (&store{}).freePath(src), name, want)
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
		envtest.Same(t, want, firstSentence(text), text)
	}
}
