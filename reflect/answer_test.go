package reflect

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"mem/envtest"
	"mem/index"
	"mem/trace"
	"mem/words"
)

func TestParse(t *testing.T) {
	const full = `{"mistakes": ["m1", "m2"], "fixes": ["f1"]}`
	both := trace.Stated{Mistakes: plain("m1", "m2"), Fixes: plain("f1")}
	for _, tt := range []struct {
		name, text string
		want       trace.Stated
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
		{"braces and quotes in strings", `{"mistakes": ["a } b", "\"{\"", "\\"], "fixes": ["{"]}`, trace.Stated{Mistakes: plain("a } b", `"{"`, `\`), Fixes: plain("{")}, true},
		{"fences in strings", "```json\n{\"mistakes\": [\"use ```go\"], \"fixes\": []}\n```", trace.Stated{Mistakes: plain("use ```go")}, true},
		{"old names", `{"antiPatterns": ["m1"], "learnings": ["f1"]}`, trace.Stated{Mistakes: plain("m1"), Fixes: plain("f1")}, true},
		{"old names for an empty side", `{"mistakes": [], "antiPatterns": ["m1"], "fixes": ["f1"], "learnings": ["f2"]}`, trace.Stated{Mistakes: plain("m1"), Fixes: plain("f1")}, true},
		{"old names for a blank side", `{"mistakes": [" ", 3], "antiPatterns": ["m1"]}`, trace.Stated{Mistakes: plain("m1")}, true},
		{"wrong elements", `{"mistakes": [1, null, ["x"], {"body": "y"}, {}, "m1", "\ufeff", true], "fixes": []}`, trace.Stated{Mistakes: plain("m1")}, true},
		{"objects", `{"mistakes": [{"text": "m1", "domain": "coding", "tags": ["go", "tests"], "severity": "high"}, "m2"], "fixes": [{"insight": "f1", "confidence": 1}]}`,
			trace.Stated{Mistakes: []index.Lesson{{Text: "m1", Domain: "coding", Tags: []string{"go", "tests"}, Severity: "high"}, {Text: "m2"}}, Fixes: plain("f1")}, true},
		{"objects without a text", `{"mistakes": [{"tags": ["go"]}, {"text": "\ufeff"}], "fixes": []}`, trace.Stated{}, false},
		{"a lesson for a side", `{"mistakes": "m1", "fixes": ["f1"]}`, trace.Stated{Mistakes: plain("m1"), Fixes: plain("f1")}, true},
		{"a wrong side", `{"mistakes": 1, "fixes": ["f1"]}`, trace.Stated{Fixes: plain("f1")}, true},
		{"a wrong element that has names twice", `{"mistakes": [{"a": 1, "a": 2}, "m1"], "fixes": []}`, trace.Stated{Mistakes: plain("m1")}, true},
		{"unpaired surrogates", `{"mistakes": ["a\ud800"], "fixes": []}`, trace.Stated{Mistakes: plain("a\ufffd")}, true},

		{"nothing was learned", `{"mistakes": [], "fixes": []}`, trace.Stated{}, true},
		{"nothing was learned, in a fence", "```json\n{\"fixes\": [], \"mistakes\": []}\n```", trace.Stated{}, true},

		{"nothing, and then lessons", `{"lessons": []}` + "\n" + full, both, true},
		{"a failure with empty lists", `{"error": {"type": "overloaded"}, "lessons": []}`, trace.Stated{}, false},
		{"an excuse before empty lists", "I'm sorry, but I was unable to read the record.\n{\"lessons\": [], \"none\": []}", trace.Stated{}, false},
		{"an excuse behind them", `{"lessons": []}` + "\nEs tut mir leid.", trace.Stated{}, false},
		{"an excuse in them", `{"lessons": [], "none": ["No session record was provided"]}`, trace.Stated{}, false},
		{"what a session could not do", `{"lessons": [], "none": ["The agent could not read the file, and asked"]}`, trace.Stated{}, true},
		{"an empty array in a failure", "Error: messages: [] is too short", trace.Stated{}, false},
		{"the example of the prompt", `{"lessons": [{"text": "...", "events": [3, 4]}]}`, trace.Stated{}, false},
		{"blank lessons", `{"mistakes": [" "], "fixes": []}`, trace.Stated{}, false},
		{"one side alone, empty", `{"mistakes": []}`, trace.Stated{}, false},
		{"names in another case", `{"Mistakes": ["m1"], "Fixes": ["f1"]}`, trace.Stated{}, false},
		{"both sides wrong", `{"mistakes": {}, "fixes": 3}`, trace.Stated{}, false},
		{"nothing", "", trace.Stated{}, false},
		{"prose", "I found nothing.", trace.Stated{}, false},
		{"an array", `["f1", {"kind": "mistake", "text": "m1"}]`, trace.Stated{Lessons: []index.Lesson{{Text: "f1"}, {Text: "m1", Mistake: true}}}, true},
		{"one list", `{"lessons": [{"text": "f1"}]}`, trace.Stated{Lessons: plain("f1")}, true},
		{"one list, empty", `{"lessons": []}`, trace.Stated{}, true},
		{"commas too many", `{"mistakes": ["m1, ]", ], "fixes": [{"text": "f1",},],}`, trace.Stated{Mistakes: plain("m1, ]"), Fixes: plain("f1")}, true},
		{"after thoughts", "<think>Is it {\"fixes\": [\"no\"]}? {</think>\n" + full, both, true},
		{"after thoughts in another tag", "<thinking>Is it {\"fixes\": [\"no\"]}?</thinking>\n" + full, both, true},
		{"thoughts without an end", "<think>The form is {\"lessons\": [], \"none\": []}. Event 3 says", trace.Stated{}, false},
		{"a lesson about thoughts", `{"fixes": ["Cut <think> first"]}`, trace.Stated{Fixes: plain("Cut <think> first")}, true},
		{"a list in another object", `{"notes": ["x"]}`, trace.Stated{}, false},
		{"a list in a broken object", `{"mistakes": ["m1"], "fixes": ['x']}`, trace.Stated{}, false},
		{"an empty object", "{}", trace.Stated{}, false},
		{"cut off", `{"mistakes": ["m1"`, trace.Stated{}, false},
		{"not quite JSON", `{"mistakes": ['m1'], "fixes": []}`, trace.Stated{}, false},
		{"the first object is another", `Use {} here. ` + full, both, true},
		{"the first brace is no object", `Use {x} here. ` + full, both, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, ok := ParseAnswer(tt.text)
			envtest.Same(t, tt.ok, ok, "ParseAnswer", tt.text, "ok")
			envtest.Same(t, tt.want, got, "ParseAnswer", tt.text)
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
		a, ok := ParseAnswer(s)
		envtest.FailIf(t, !ok && len(a.Mistakes)+len(a.Fixes) > 0, "lessons in an answer that is not usable: %+v", a)
		for _, l := range append(a.Fixes, a.Mistakes...) {
			all := l.Text + l.Domain + strings.Join(l.Tags, "") + l.Severity
			envtest.FailIf(t, words.FoldSpace(l.Text) == "" || !utf8.ValidString(all), "lesson %+v", l)
		}
	})
}

// Lessons are bounded, and each is another one.
func TestBindLimits(t *testing.T) {
	in := []string{"one", " ONE", "Avoid: one", "", "Avoid:", "Avoid: x", "two", "go", "six", "Two", "ten"}
	for n, want := range []string{"", "one", "one two", "one two six", "one two six ten", "one two six ten"} {
		var got []string
		_, fixes, _ := bind(trace.Stated{Fixes: plain(in...)}, n, evidence{})
		for _, l := range fixes {
			got = append(got, l.Text)
		}
		envtest.Same(t, want, strings.Join(got, " "), "bind", in, n)
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
		got, ok := cutAtSentence(tt.in)
		envtest.FailIf(t, got != tt.want || ok != tt.ok, "cutAtSentence(%q) = %q, %v, want %q", tt.in, got, ok, tt.want)
	}
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.StringN(200, 500, -1).Draw(t, "s")
		got, ok := cutAtSentence(s)
		if !strings.HasPrefix(s, got) || utf8.RuneCountInString(got) > 400 || ok && got != s && utf8.RuneCountInString(s) <= 240 {
			t.Errorf("cutAtSentence(%q) = %q, %v", s, got, ok)
		}
	})
}
