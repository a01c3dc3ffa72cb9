package curate

import (
	"strings"
	"testing"

	"mem/envtest"
)

func TestR03Parse(t *testing.T) {
	const file = "---\ndate: 2026-01-15\ndomain: coding\ntags: [null-handling, go]\nconfidence: HIGH\n---\n\n# Return early\n\nNil is cheap to test for.\n\nWhy: it nests less.\n"
	whole := Learning{
		Date: "2026-01-15", Domain: "coding", Tags: []string{"go", "null-handling"}, Confidence: highConfidence,
		Title: "Return early", Text: "Nil is cheap to test for.\n\nWhy: it nests less.",
	}
	for name, test := range map[string]struct {
		path, data string
		want       Learning
	}{
		"as mem writes it":   {"learnings/coding/2026-01-15-return-early.md", file, whole},
		"lines of Windows":   {"learnings/coding/2026-01-15-return-early.md", strings.ReplaceAll(file, "\n", "\r\n"), whole},
		"a byte order mark":  {"learnings/coding/2026-01-15-return-early.md", "\ufeff" + file, whole},
		"values in quotes":   {"learnings/coding/x.md", "---\ndate: \"2026-01-15\"\ntags: ['null-handling', \"Go\"]\nconfidence: 'high'\n---\n# Return early\n\n" + whole.Text, whole},
		"tags below another": {"learnings/coding/x.md", "---\ndate: 2026-01-15T10:00:00Z\ntags:\n  - go\n  - null-handling\nconfidence: HIGH\n---\n# Return early\n\n" + whole.Text, whole},
		"without fields": {"learnings/mistakes/2026-01-16-guessing.md", "Do not guess. Look.\n",
			Learning{Date: "2026-01-16", Domain: "mistake", Title: "Do not guess", Text: "Do not guess. Look."}},
		"the folder is the domain":  {"learnings/communication/a.md", "---\ndomain: coding\n---\n# A\n", Learning{Domain: "communications", Title: "A", Text: "A"}},
		"a folder that is none":     {"learnings/tooling/a.md", "---\ndomain: Technical\n---\n# A\n", Learning{Domain: "technical", Title: "A", Text: "A"}},
		"neither says":              {"learnings/tooling/a.md", "---\ndate: soon\nconfidence: sure\n---\n# A\n", Learning{Domain: "general", Title: "A", Text: "A"}},
		"values that are no YAML":   {"learnings/coding/a.md", "---\ntitle: Use foo: bar #12\ntags: c++, @x/y\n---\n# A\n", Learning{Domain: "coding", Tags: []string{"c", "x-y"}, Title: "A", Text: "A"}},
		"a date that is not":        {"learnings/coding/2026-13-45-a.md", "A\n", Learning{Domain: "coding", Title: "A", Text: "A"}},
		"a name of less than a day": {"learnings/coding/a.md", "A\n", Learning{Domain: "coding", Title: "A", Text: "A"}},
	} {
		got, err := ParseLearning(test.path, []byte(test.data))
		envtest.Same(t, test.want, got, name)
		envtest.Wraps(t, nil, err, name)
	}
	for name, data := range map[string]string{
		"empty": "", "white space": " \n\t\n", "fields without an end": "---\ndate: 2026-01-15\n# A\n", "fields alone": "---\ndate: 2026-01-15\n---\n",
		"a NUL": "# A\x00\n", "no UTF-8": "# \xff\n", "too large": strings.Repeat("a", maxFile+1),
	} {
		l, err := ParseLearning("learnings/coding/a.md", []byte(data))
		envtest.Wraps(t, errNotLearning, err, name, l)
	}
}

func TestR03Format(t *testing.T) {
	l := Learning{Date: "2026-01-15", Domain: "coding", Tags: []string{"go", "null-handling"}, Confidence: MediumConfidence, Title: "Return early", Text: "Because.\n\nSo."}
	want := "---\ndate: 2026-01-15\ndomain: coding\ntags: [go, null-handling]\nconfidence: MEDIUM\n---\n\n# Return early\n\nBecause.\n\nSo.\n"
	envtest.Same(t, want, string(CompleteLearning(nil, l)))
	l.Tags = nil
	got, err := ParseLearning("learnings/coding/a.md", CompleteLearning(nil, l))
	envtest.Same(t, l, got)
	envtest.Wraps(t, nil, err)
}

func TestR03Path(t *testing.T) {
	l := Learning{Date: "2026-01-15", Domain: "mistake", Title: "Avoid: guessing"}
	taken := map[string]bool{}
	for _, want := range []string{"learnings/mistake/2026-01-15-avoid-guessing.md", "learnings/mistake/2026-01-15-avoid-guessing-2.md", "learnings/mistake/2026-01-15-avoid-guessing-3.md"} {
		got := NewLearningPath(l, func(p string) bool { return taken[p] })
		envtest.Same(t, want, got, "Path")
		taken[got] = true
	}
	l.Title = "日本"
	envtest.Same(t, "learnings/mistake/2026-01-15-learning.md", NewLearningPath(l, func(string) bool { return false }), "Path")
}

func TestR05Confidence(t *testing.T) {
	for word, want := range map[string]string{" high ": "HIGH", "Medium": "MEDIUM", "LOW": "LOW", "": "", "certain": ""} {
		envtest.Same(t, want, ParseConfidence(word), word)
	}
}

// Two lines are new; every other byte stays.
func TestR16Archive(t *testing.T) {
	for before, want := range map[string]string{
		"---\ndate: 2026-01-15\ntags: [ a,b ]   \n# odd\n---\n\n# A\n":     "---\ndate: 2026-01-15\ntags: [ a,b ]   \n# odd\narchived_to: rules/coding.md#a\narchived_date: 2026-02-03\n---\n\n# A\n",
		"\ufeff---\r\ndate: 2026-01-15\r\n---\r\n# A \r\nno end":           "\ufeff---\r\ndate: 2026-01-15\r\narchived_to: rules/coding.md#a\r\narchived_date: 2026-02-03\r\n---\r\n# A \r\nno end",
		"# A\n\nWithout fields.\n":                                         "# A\n\nWithout fields.\n",
		"---\ntitle: never closed\n":                                       "---\ntitle: never closed\n",
		"---\narchived_to: x\narchived_date: 2020-01-01\na: b\n---\n# A\n": "---\narchived_to: rules/coding.md#a\narchived_date: 2026-02-03\na: b\n---\n# A\n",
	} {
		envtest.Same(t, want, string(archiveFile([]byte(before), "rules/coding.md#a", "2026-02-03")), before)
	}
}

func TestTitleAndStatement(t *testing.T) {
	long := "Run the linter before " + strings.Repeat("very ", 20) + "long pushes. Otherwise CI fails."
	for _, test := range []struct{ text, title, statement string }{
		{"Wrap errors. Texts change.", "Wrap errors", "Wrap errors. Texts change."},
		{"Use go1.26 e.g. for tests; it is fast", "Use go1.26 e.g. for tests; it is fast", "Use go1.26 e.g. for tests; it is fast"},
		{"## What\n\n- Wrap\n  errors\n\n## Why\n\nSo.", "Wrap errors", "Wrap errors"},
		{"# Heading\nText below it", "Text below it", "Text below it"},
		{"# Only a heading", "Only a heading", "Only a heading"},
		{"---\n\n***\n\nAfter rules", "After rules", "After rules"},
		{long, "Run the linter before very very very very very very very very very…", long},
		{long + strings.Repeat(" And so on.", 30), "Run the linter before very very very very very very very very very…", strings.TrimSuffix(long, " Otherwise CI fails.")},
		{"必ずテストする。理由は簡単。", "必ずテストする。", "必ずテストする。理由は簡単。"},
		{"!!!", "", ""},
	} {
		envtest.Same(t, test.title, titleOf(test.text), test.text)
		envtest.Same(t, test.statement, StatementOf(test.text), test.text)
	}
}

// TestMistake: what is filed as a mistake is to be avoided, and advice
// that is filed as one is not turned into its opposite.
func TestMistake(t *testing.T) {
	for text, want := range map[string]string{
		"Using sleep in tests":                  "Avoid: Using sleep in tests",
		"avoid: Avoid: using sleep":             "Avoid: using sleep",
		"Avoid using sleep in tests":            "Avoid: using sleep in tests",
		"Not checking the error":                "Avoid: Not checking the error",
		"Using sleep instead of a signal":       "Avoid: Using sleep instead of a signal",
		"Use a signal instead of sleep":         "Use a signal instead of sleep",
		"Avoid: never use sleep":                "Avoid: using sleep",
		"Never use sleep in tests":              "Avoid: using sleep in tests",
		"Don't use sleep":                       "Avoid: using sleep",
		"Always use a signal":                   "Always use a signal",
		"Usually pushing first":                 "Avoid: Usually pushing first",
		"Mocked the store. It differs in tests": "Avoid: Mocked the store. It differs in tests",
		"You must not use eval":                 "Avoid: using eval",
		"Must never force push":                 "Avoid: forcing push",
		"Stop using sleep":                      "Avoid: using sleep",
		"Should have read the log":              "Avoid: not having read the log",
		"Always reading the whole file":         "Avoid: Always reading the whole file",
		"Check the returned error":              "Check the returned error",
	} {
		envtest.Same(t, want, (Learning{Domain: "mistake", Text: text}).Lesson(), text)
		envtest.Same(t, text, (Learning{Domain: "coding", Text: text}).Lesson(), "Lesson")
	}
}

// Where a file's text says too little alone, and of a mistake, its title counts too.
func TestStatementWithTitle(t *testing.T) {
	for _, test := range []struct{ domain, body, want string }{
		{"mistake", "# Using sleep in tests\n\nFlaky.", "Avoid: Using sleep in tests: Flaky."},
		{"mistake", "# Avoid: sleep in tests\n\nThey take long and fail now and then.", "Avoid: sleep in tests: They take long and fail now and then."},
		{"mistake", "# Using sleep\n\nUsing sleep in tests.", "Avoid: Using sleep in tests."},
		{"coding", "# Sleep in tests\n\nFlaky.", "Sleep in tests: Flaky."},
		{"coding", "# Null handling\n\nReturn early when it is null.", "Return early when it is null."},
	} {
		l, err := ParseLearning(test.domain+"/x.md", []byte(test.body))
		got := l.Lesson()
		envtest.FailIf(t, err != nil || got != test.want, "%q: %q, want %q (%v)", test.body, got, test.want, err)
	}
}

// What can be read has all its parts in form, and can be archived and read again as the same.
func FuzzParse(f *testing.F) {
	f.Add("learnings/coding/2026-01-15-a.md", "---\r\ndate: 2026-01-15\r\ntags: [a, 'b']\r\n---\r\n\r\n# A\r\n\r\nB.\r\n")
	f.Add("learnings/mistakes/x.md", "No fields. At all.")
	f.Add("x", "---\ntags:\n- a\n---\n#  \n")
	f.Fuzz(func(t *testing.T, path, data string) {
		l, err := ParseLearning(path, []byte(data))
		if err != nil {
			return
		}
		if l.Title == "" || l.Text == "" || l.Domain == "" || len(l.Tags) > 5 || strings.ContainsAny(l.Title, "\r\n") {
			t.Fatalf("%+v", l)
		}
		s := StatementOf(l.Text)
		envtest.StopIf(t, len([]rune(s)) > 240, "%q is too long", s)
		again, err := ParseLearning(path, archiveFile([]byte(data), "rules/coding.md#a", "2026-02-03"))
		envtest.Same(t, l, again)
		envtest.Wraps(t, nil, err)
	})
}
