package topic_test

import (
	"slices"
	"strings"
	"testing"
	"unicode"

	"pgregory.net/rapid"

	"mem/topic"

	"mem/envtest"
)

func TestFile(t *testing.T) {
	for _, tt := range []struct{ text, domain, tags string }{
		{"", "general", ""},
		{"Use the file and run it", "general", ""},
		{"Go on and make sure that it is done", "general", ""},

		{"Run `go test -race ./...` before `docker compose up`", "coding", "concurrency docker go test"},
		{"run go vet", "coding", "go lint"},
		{"The ingester is in main.go", "coding", "go"},
		{"Read only the lines that are needed, to save context", "process", "context-window"},
		{"Before I push: make sure that everything is green", "process", "push verification"},
		{"The disk is a read-only file system", "technical", "permission"},
		{"Use `make` here", "technical", "make"},
		{"Use `pnpm` instead of `npm`", "technical", "dependency npm pnpm"},
		{"Install with `pnpm install --frozen-lockfile`", "technical", "dependency pnpm"},
		{"Postgres refuses connections: ECONNREFUSED", "technical", "database network postgres"},
		{"Set NODE_OPTIONS=--max-old-space-size=4096", "technical", "node out-of-memory"},

		// A phrase hides its words: a lock file is no lock, a service worker no queue.
		{"Take the lock", "coding", "concurrency"},
		{"Keep the lock file", "technical", "dependency"},
		{"Restart the service worker", "coding", "browser"},

		// Forms of words, whole words, any case.
		{"Committed, COMMITTING, commits", "process", "commit"},
		{"retries, retried, retrying", "coding", "retry"},
		{"caches caching cached", "technical", "cache"},
		{"committee testament ported golangs", "technical", "port"},
		{"Git-Hooks, git_hook", "technical", "git hook"},
		{"Dateien in ÄRGER und UTC", "coding", "time-zone"},

		// Workflow is told in the words of what it is about.
		{"Run `make lint` before you commit", "process", "commit lint make"},
		{"Ask before changing the database schema or the public API", "process", "api ask migration"},
		{"Add a link to docs/adr when you decide", "process", "documentation"},
		{"Put calendar invites in the afternoon", "scheduling", "calendar meeting"},
		{"Show meetings in UTC", "scheduling", "meeting time-zone"},
		{"Write invoices in euros", "finance", "money"},
		{"Explain with a flashcard", "learning", "learning study"},
		{"No jargon in emails", "communications", "email tone"},
		{"Mask the email in the JSON logs", "coding", "email json logging"},

		// Too many: what is most specific stays.
		{"Run pytest in docker with redis and postgres, then commit, push and deploy", "technical", "database docker postgres python redis"},
	} {
		domain, tags := topic.File(tt.text, false)
		envtest.Same(t, []string{tt.domain, tt.tags}, []string{domain, strings.Join(tags, " ")}, tt.text)
		if domain, again := topic.File(tt.text, true); domain != topic.Mistake || !slices.Equal(again, tags) {
			t.Errorf("File(%q, mistake) = %s, %q", tt.text, domain, again)
		}
	}
}

// phrases draws texts that the vocabulary knows something of.
var phrases = rapid.SliceOfN(rapid.OneOf(
	rapid.SampledFrom(strings.Fields("`go test` Go.Mod pull request pnpm-lock.yaml .env TS main.py commit ſql İ Kafka retried e-mail node_modules `make")),
	rapid.String(),
), 0, 20)

// TestFiled holds what is filed to the form of tags, however the text is
// written.
func TestFiled(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		words := strings.Fields(strings.Join(phrases.Draw(t, "words"), " "))
		text := strings.Join(words, " ")
		domain, tags := topic.File(text, rapid.Bool().Draw(t, "mistake"))
		envtest.FailIf(t, topic.Domain(domain) != domain || domain == "", "File(%q): domain %q", text, domain)
		envtest.Same(t, topic.Tags(tags), tags, text)
		_, want := topic.File(text, false)
		for _, other := range []string{text, strings.ToUpper(text), strings.ToLower(text), " \n" + strings.Join(words, "\t\n ") + "  "} {
			_, got := topic.File(other, false)
			envtest.FailIf(t, !slices.Equal(want, got), "File(%q) = %q, File(%q) = %q", text, want, other, got)
		}
	})
}

// TestVocabulary finds slips in the table: what File can say has its form, and
// nothing that everybody says has a topic.
func TestVocabulary(t *testing.T) {
	for w := range strings.FieldsSeq("the a an and or not is are be it this that of to in on at by for from with without before after when use run make go do get set put file line code name add change new old first") {
		_, tags := topic.File(w, false)
		envtest.FailIf(t, len(tags) > 0, "File(%q) = %q", w, tags)
	}
	lines := topic.Vocabulary()
	envtest.FailIf(t, len(lines) > 256, "%d topics, more than a word can name", len(lines))
	for _, line := range lines {
		if topic.Tag(line.Tag) != line.Tag || topic.Domain(line.Domain) != line.Domain || line.Domain == topic.General || line.Domain == topic.Mistake {
			t.Errorf("%s %s: no tag or no domain", line.Tag, line.Domain)
		}
		for _, w := range line.Words {
			plain := strings.TrimSuffix(strings.TrimPrefix(w, "$"), "~")
			odd := func(r rune) bool { return !unicode.IsLower(r) && !unicode.IsDigit(r) && r != ' ' && r != '.' }
			envtest.FailIf(t, plain == "" || strings.ContainsFunc(plain, odd) || strings.TrimSpace(plain) != plain,
				"%s: %q can never match", line.Tag, w)
		}
	}
}

// TestDescribe: plain sentences have two to five tags, their topics and
// what they are about, in the form in which the next one says it.
func TestDescribe(t *testing.T) {
	for text, want := range map[string]string{
		"Always check for null before accessing nested properties":     "nested null null-handling",
		"Use optional chaining instead of nested null checks":          "chaining nested null null-handling",
		"Defensive null handling: return early when the value is null": "defensive null null-handling",
		"Prefer const over var":                                  "const prefer var",
		"Using sleep in tests":                                   "sleep test",
		"Iron the boxes, the lilies, the radius and the glasses": "box glass iron lily radius",
		"Commit often, commits are cheap, committing is easy":    "cheap commit",
		"Commit often":            "commit often",
		"Name things":             "name thing",
		"Go":                      "",
		"Run `parseInstant` once": "parseinstant run",
		strings.Repeat("x", 5000): "",
	} {
		envtest.Same(t, want, strings.Join(topic.Describe(text), " "), text)
	}
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(rapid.String(), rapid.Map(phrases, func(p []string) string { return strings.Join(p, " ") })).Draw(t, "text")
		tags := topic.Describe(text)
		envtest.Same(t, topic.Tags(tags), tags, text)
	})
}

// TestForms: each form of a word of the vocabulary is found, though only the word itself is kept.
func TestForms(t *testing.T) {
	for form, tag := range map[string]string{
		"crates": "rust", "committed": "commit", "committing": "commit", "branches": "branch", "queries": "query", "unmounted": "react",
	} {
		tags := topic.Find("x " + form)
		envtest.FailIf(t, !slices.Contains(tags, tag), "%q is about %q, not %s", form, tags, tag)
	}
}

// TestFind: a task is about all of its topics, not only about the first few.
func TestFind(t *testing.T) {
	got := topic.Find("Run pytest in docker with redis and postgres, then commit, push and see that everything passes")
	want := []string{"python", "docker", "postgres", "redis", "database", "commit", "push", "verification", "test"}
	envtest.Same(t, want, got, "-want +got")
}

// A tally is of pairs of lessons, and of those that share two tags.
type tally struct{ pairs, similar int }

func (s *tally) add(a, b []string) {
	n := 0
	for _, tag := range a {
		if slices.Contains(b, tag) {
			n++
		}
	}
	s.pairs++
	if n >= 2 {
		s.similar++
	}
}

func (s tally) share() float64 { return float64(s.similar) / float64(max(1, s.pairs)) }

// TestSimilar measures whether lessons about the same trouble share two tags
// and others do not.
func TestSimilar(t *testing.T) {
	read := func(name string) string {
		return strings.ReplaceAll(envtest.Read(t, name), "\r", "")
	}
	type lesson struct {
		group int
		tags  []string
	}
	var same, other, stated tally
	var all, captured []lesson
	for group, lines := range strings.Split(read("testdata/troubles.txt"), "\n\n") {
		for line := range strings.Lines(lines) {
			if line[0] == '#' {
				continue
			}
			_, tags := topic.File(line[2:], line[0] == '-')
			for _, l := range all {
				if l.group == group {
					same.add(l.tags, tags)
				} else {
					other.add(l.tags, tags)
				}
			}
			all = append(all, lesson{group, tags})
			own := topic.Describe(line[2:])
			for _, l := range captured {
				if l.group != group {
					stated.add(l.tags, own)
				}
			}
			captured = append(captured, lesson{group, own})
		}
	}
	t.Logf("== described: %.4f of the pairs about other troubles share two tags", stated.share())
	envtest.FailIf(t, stated.share() > 0.005, "described %+v", stated)
	t.Logf("== similar: %.2f of the pairs about one trouble share two tags, %.4f of the others", same.share(), other.share())
	envtest.FailIf(t, same.share() < 0.9 || other.share() > 0.005, "one trouble %+v, others %+v", same, other)

	var random, tagged tally
	var items [][]string
	for line := range strings.Lines(read("../fixtures/retrieval/items.txt")) {
		fields := strings.SplitN(line, " ", 5)
		_, tags := topic.File(fields[4], fields[1] == "-")
		for _, other := range items {
			random.add(other, tags)
		}
		items = append(items, tags)
		tagged.add(tags, tags)
	}
	t.Logf("== filed: %.2f of the lessons of one project have two tags or more, %.4f of their pairs share two", tagged.share(), random.share())
	envtest.FailIf(t, tagged.share() < 0.8 || random.share() > 0.01, "tagged %+v, random %+v", tagged, random)
}
