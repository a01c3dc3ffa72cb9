package answer

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"mem/index"
	"mem/words"
)

func TestParse(t *testing.T) {
	const full = `{"mistakes": ["m1", "m2"], "fixes": ["f1"]}`
	both := Answer{Mistakes: plain("m1", "m2"), Fixes: plain("f1")}
	for _, tt := range []struct {
		name, text string
		want       Answer
		ok         bool
	}{
		{"bare", full, both, true},
		{"with space around", "\n  " + full + "\n", both, true},
		{"more members", `{"confidence": 3, "mistakes": ["m1", "m2"], "fixes": ["f1"], "trust": "user"}`, both, true},
		{"in a fence", "```json\n" + full + "\n```", both, true},
		{"in a fence without a language", "```\n" + full + "\n```\nDone.", both, true},
		{"in a fence that is not closed", "```json\n" + full, both, true},
		{"in a fence on one line", "```" + full + "```", both, true},
		{"in prose", "Here is what I found:\n\n" + full + "\n\nI hope that {this} helps.", both, true},
		{"in a fence in prose", "Sure.\n```json\n" + full + "\n```\n", both, true},
		{"after a fence without one", "```\nnothing\n```\n" + full, both, true},
		{"braces and quotes in strings", `{"mistakes": ["a } b", "\"{\"", "\\"], "fixes": ["{"]}`, Answer{Mistakes: plain("a } b", `"{"`, `\`), Fixes: plain("{")}, true},
		{"fences in strings", "```json\n{\"mistakes\": [\"use ```go\"], \"fixes\": []}\n```", Answer{Mistakes: plain("use ```go")}, true},
		{"old names", `{"antiPatterns": ["m1"], "learnings": ["f1"]}`, Answer{Mistakes: plain("m1"), Fixes: plain("f1")}, true},
		{"old names for an empty side", `{"mistakes": [], "antiPatterns": ["m1"], "fixes": ["f1"], "learnings": ["f2"]}`, Answer{Mistakes: plain("m1"), Fixes: plain("f1")}, true},
		{"old names for a blank side", `{"mistakes": [" ", 3], "antiPatterns": ["m1"]}`, Answer{Mistakes: plain("m1")}, true},
		{"wrong elements", `{"mistakes": [1, null, ["x"], {"body": "y"}, {}, "m1", "\ufeff", true], "fixes": []}`, Answer{Mistakes: plain("m1")}, true},
		{"objects", `{"mistakes": [{"text": "m1", "domain": "coding", "tags": ["go", "tests"], "severity": "high"}, "m2"], "fixes": [{"insight": "f1", "confidence": 1}]}`,
			Answer{Mistakes: []index.Lesson{{Text: "m1", Domain: "coding", Tags: []string{"go", "tests"}, Severity: "high"}, {Text: "m2"}}, Fixes: plain("f1")}, true},
		{"objects without a text", `{"mistakes": [{"tags": ["go"]}, {"text": "\ufeff"}], "fixes": []}`, Answer{}, false},
		{"a lesson for a side", `{"mistakes": "m1", "fixes": ["f1"]}`, Answer{Mistakes: plain("m1"), Fixes: plain("f1")}, true},
		{"a wrong side", `{"mistakes": 1, "fixes": ["f1"]}`, Answer{Fixes: plain("f1")}, true},
		{"a wrong element that has names twice", `{"mistakes": [{"a": 1, "a": 2}, "m1"], "fixes": []}`, Answer{Mistakes: plain("m1")}, true},
		{"unpaired surrogates", `{"mistakes": ["a\ud800"], "fixes": []}`, Answer{Mistakes: plain("a\ufffd")}, true},

		{"nothing was learned", `{"mistakes": [], "fixes": []}`, Answer{}, true},
		{"nothing was learned, in a fence", "```json\n{\"fixes\": [], \"mistakes\": []}\n```", Answer{}, true},

		{"blank lessons", `{"mistakes": [" "], "fixes": []}`, Answer{}, false},
		{"one side alone, empty", `{"mistakes": []}`, Answer{}, false},
		{"names in another case", `{"Mistakes": ["m1"], "Fixes": ["f1"]}`, Answer{}, false},
		{"both sides wrong", `{"mistakes": {}, "fixes": 3}`, Answer{}, false},
		{"nothing", "", Answer{}, false},
		{"prose", "I found nothing.", Answer{}, false},
		{"an array", `["f1", {"kind": "mistake", "text": "m1"}]`, Answer{Lessons: []index.Lesson{{Text: "f1"}, {Text: "m1", Mistake: true}}}, true},
		{"one list", `{"lessons": [{"text": "f1"}]}`, Answer{Lessons: plain("f1")}, true},
		{"one list, empty", `{"lessons": []}`, Answer{}, true},
		{"commas too many", `{"mistakes": ["m1, ]", ], "fixes": [{"text": "f1",},],}`, Answer{Mistakes: plain("m1, ]"), Fixes: plain("f1")}, true},
		{"after thoughts", "<think>Is it {\"fixes\": [\"no\"]}? {</think>\n" + full, both, true},
		{"a list in another object", `{"notes": ["x"]}`, Answer{}, false},
		{"a list in a broken object", `{"mistakes": ["m1"], "fixes": ['x']}`, Answer{}, false},
		{"an empty object", "{}", Answer{}, false},
		{"cut off", `{"mistakes": ["m1"`, Answer{}, false},
		{"not quite JSON", `{"mistakes": ['m1'], "fixes": []}`, Answer{}, false},
		{"the first object is another", `Use {} here. ` + full, both, true},
		{"the first brace is no object", `Use {x} here. ` + full, both, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, ok := Parse(tt.text)
			if ok != tt.ok {
				t.Errorf("Parse(%q): ok = %t", tt.text, ok)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("Parse(%q) (-want +got):\n%s", tt.text, diff)
			}
		})
	}
}

// plain returns lessons of text alone.
func plain(texts ...string) (list []index.Lesson) {
	for _, text := range texts {
		list = append(list, index.Lesson{Text: text})
	}
	return list
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{
		`{"mistakes": ["a"], "fixes": []}`, "```json\n{\"antiPatterns\":[\"}\"]}\n```", `x {"a": "\"{"} y`, "```", "``` {", `{"fixes":["\ud800"]}`, `{{}}`, `{"fixes":[{"text":"a","tags":["b"],"domain":"c"}]}`,
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		a, ok := Parse(s)
		if !ok && len(a.Mistakes)+len(a.Fixes) > 0 {
			t.Errorf("lessons in an answer that is not usable: %+v", a)
		}
		for _, l := range append(a.Fixes, a.Mistakes...) {
			if all := l.Text + l.Domain + strings.Join(l.Tags, "") + l.Severity; words.FoldSpace(l.Text) == "" || !utf8.ValidString(all) {
				t.Errorf("lesson %+v", l)
			}
		}
	})
}

// Lessons are bounded, and each is another one.
func TestBindLimits(t *testing.T) {
	in := []string{"a", " A", "Avoid: a", "", "Avoid:", "b", "c", "B", "d"}
	for n, want := range []string{"", "a", "a b", "a b c", "a b c d", "a b c d"} {
		var got []string
		_, fixes, _ := Bind(Answer{Fixes: plain(in...)}, n, Record{})
		for _, l := range fixes {
			got = append(got, l.Text)
		}
		if got := strings.Join(got, " "); got != want {
			t.Errorf("Bind(%q, %d) = %q, want %q", in, n, got, want)
		}
	}
}

func TestCutAtSentence(t *testing.T) {
	long := strings.Repeat("word ", 45) // 225 characters
	for _, tt := range []struct {
		in, want string
		ok       bool
	}{
		{"", "", true},
		{strings.Repeat("x", 240), strings.Repeat("x", 240), true},
		{long + "and `git push --force-with-lease` too", long + "and `git push --force-with-lease` too", true}, // one sentence
		{"Run it first. " + long + "end.", "Run it first", true},
		{long + "end. More of it, and then some.", long + "end", true},
		{"Set v1.2.3 in a.b; " + long + "x " + long, "Set v1.2.3 in a.b", true},
		{long + long, "", false},
		{strings.Repeat("日", 230) + "。" + strings.Repeat("日", 300), strings.Repeat("日", 230), true},
	} {
		if got, ok := cutAtSentence(tt.in); got != tt.want || ok != tt.ok {
			t.Errorf("cutAtSentence(%q) = %q, %v, want %q", tt.in, got, ok, tt.want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.StringN(200, 500, -1).Draw(t, "s")
		got, ok := cutAtSentence(s)
		if !strings.HasPrefix(s, got) || utf8.RuneCountInString(got) > 400 || ok && got != s && utf8.RuneCountInString(s) <= 240 {
			t.Errorf("cutAtSentence(%q) = %q, %v", s, got, ok)
		}
	})
}
