package curate

import (
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"mem/repo"
	"mem/topic"

	"mem/envtest"
)

// parse reads a pattern that must be readable.
func parse(t *testing.T, data string) *Pattern {
	t.Helper()
	p, err := parsePattern("pattern-001", []byte(data))
	envtest.NoError(t, err)
	return p
}

// of returns units with the tags a and b, and more where one is given.
func of(ids ...string) (units []unit) {
	for _, id := range ids {
		id, tags, _ := strings.Cut(id, " ")
		if tags == "" {
			tags = "a b"
		}
		units = append(units, unit{ID: id, Text: "Text of " + id, Tags: topic.Tags(strings.Fields(tags))})
	}
	return units
}

// scanner looks at units of coding with patterns and rules that are there.
func scanner(list []*Pattern, rules map[string]string) *catalogue {
	c := &catalogue{m: repo.BlankMemory(t0, repo.Options{}), patterns: list, today: t0.Format("2006-01-02")}
	for _, p := range list {
		c.last = max(c.last, numberOf(p.ID))
	}
	for name, text := range rules {
		if err := c.m.WriteFile(name, []byte(text)); err != nil {
			panic(err)
		}
	}
	return c
}

// scan brings the patterns of a domain in line.
func (c *catalogue) scan(t *testing.T, domain string, units []unit) []change {
	t.Helper()
	list, err := c.scanDomain(domain, units)
	envtest.NoError(t, err)
	return list
}

const file = `---
id: pattern-001
status: pending
detected: 2026-02-03
domain: coding
tags: [a, b]
key: coding/a+b
source_learnings: ["1", "2", "3"]
cohesion: 1.00
proposed: a7f7d44b
---

# Proposed Rule: Text of 1

- Text of 1
- Text of 2
- Text of 3
`

func TestR08File(t *testing.T) {
	changes := scanner(nil, nil).scan(t, "coding", of("1", "2", "3"))
	envtest.StopIf(t, len(changes) != 1 || changes[0].mark != "+", "%+v", changes)
	envtest.Same(t, file, string(changes[0].Pattern.Bytes()))
	p := parse(t, file)
	envtest.Same(t, file, string(p.Bytes()), "read and written")

	// What mem does not know stays, and so does the body, whatever its ends.
	foreign := strings.ReplaceAll(strings.Replace(file, "cohesion: 1.00\n", "cohesion: 1.00\nweight: heavy # by hand\n", 1), "\n", "\r\n") + "\r\n## Notes\r\n"
	p = parse(t, foreign)
	p.Status, p.Decided, p.Reason = rejected, "2026-02-04", "no: never"
	got := string(p.Bytes())
	want := strings.Replace(foreign, "status: pending", "status: rejected", 1)
	want = strings.Replace(want, "proposed: a7f7d44b\r\n", "proposed: a7f7d44b\r\ndecided: 2026-02-04\r\nrejection_reason: \"no: never\"\r\n", 1)
	envtest.Same(t, want, got)

	// One of another program, with no more than the protocol asks for.
	p = parse(t, "---\nid: pattern-001\nstatus: pending\ndetected: 2026-01-01\ndomain: mistakes\ntags: [x, y]\nsource_learnings:\n  - one\n  - two\n---\n# Proposed Rule: Look first\n\nLook.\n")
	if p.Key != "mistake/x+y" || p.countLearnings() != 2 || p.Title != "Look first" || p.Text != "Look." || !p.isReworded() {
		t.Errorf("%+v", p)
	}
	for name, data := range map[string]string{
		"no fields": "# Proposed Rule: A\n", "another id": strings.Replace(file, "001", "002", 1), "an unknown status": strings.Replace(file, "pending", "maybe", 1),
		"no domain": strings.Replace(file, "domain: coding", "domain: ../rules", 1), "no heading": strings.Replace(file, "# Proposed Rule:", "#", 1),
		"a NUL": file + "\x00", "no text": file + "\xff", "no end": "---\nid: pattern-001\n",
	} {
		p, err := parsePattern("pattern-001", []byte(data))
		envtest.Wraps(t, errNotPattern, err, name, p)
	}
}

// No number is given that would not be read again.
func TestR08Last(t *testing.T) {
	for id, want := range map[string]int{
		"pattern-001": 1, "pattern-999999": 999_999, "pattern-1000000": 0, "pattern-9223372036854775807": 0, "pattern-99999999999999999999": 0,
		"pattern-1": 0, "pattern--01": 0, "pattern-000": 0, "pattern-+01": 0, "index": 0,
	} {
		envtest.Same(t, want, numberOf(id), id)
	}
	s := scanner(nil, nil)
	s.last = maxNumber - 1
	got := states(s.scan(t, "coding", of("1 a b", "2 a b", "3 a b", "4 c d", "5 c d", "6 c d")))
	envtest.Same(t, []string{"pattern-999999 coding/a+b new 1,2,3"}, got)
}

func TestR17View(t *testing.T) {
	made := func(id, title string, status string) *Pattern {
		return &Pattern{ID: id, Title: title, Status: status, Sources: []string{"a", "b", "c"}, Decided: "2026-02-03"}
	}
	why := made("pattern-002", "Two", rejected)
	why.Reason = "not ours"
	list := []*Pattern{made("pattern-004", "Four", Pending), why, made("pattern-003", "Three", approved), made("pattern-001", "One", rejected)}
	want := `# Patterns

## Pending

- pattern-004: Four (3 learnings)

## Approved

- pattern-003: Three (2026-02-03)

## Rejected

- pattern-001: One (2026-02-03)
- pattern-002: Two (2026-02-03) - not ours

<!-- mem: the last id given was pattern-012 -->
`
	got := renderPatterns(list, 12)
	envtest.Same(t, want, string(got))
	envtest.Same(t, 12, lastNumber(got), "Last")
	envtest.Same(t, 0, lastNumber([]byte("# Patterns\n")), "Last")
}

// states is what a scan did.
func states(changes []change) (list []string) {
	for _, c := range changes {
		s := c.Pattern.ID + " " + c.Pattern.Key
		s += map[string]string{"+": " new", "-": " gone"}[c.mark]
		list = append(list, s+" "+strings.Join(c.Pattern.Sources, ","))
	}
	return list
}

func TestR10Scan(t *testing.T) {
	pending := func(sources ...string) *Pattern {
		p := parse(t, file)
		p.Sources = sources
		return p
	}
	turnedDown := func(key string, sources ...string) *Pattern {
		p := pending(sources...)
		p.Status, p.Key = rejected, key
		return p
	}
	items := turnedDown("coding/x+y")
	items.Items = []string{"m-1", "m-2"}
	renamed := of("new-name", "2", "3")
	renamed[0].Item, renamed[1].Item = "m-1", "m-2"
	for _, test := range []struct {
		name  string
		list  []*Pattern
		units []unit
		want  []string
	}{
		{"evidence joins", []*Pattern{pending("1", "2", "3")}, of("1", "2", "3", "4"), []string{"pattern-001 coding/a+b 1,2,3,4"}},
		{"some is replaced", []*Pattern{pending("1", "2", "9")}, of("1", "4", "5 a b c"), []string{"pattern-001 coding/a+b 1,4,5"}},
		{"all is about something else", []*Pattern{pending("1", "2", "3")}, of("7 c d", "8 c d", "9 c d"), []string{"pattern-001 coding/a+b gone 1,2,3", "pattern-002 coding/c+d new 7,8,9"}},
		{"evidence drops", []*Pattern{pending("1", "2", "3")}, of("1", "2"), []string{"pattern-001 coding/a+b gone 1,2,3"}},
		{"retagged", []*Pattern{pending("1", "2", "3")}, of("1 c d", "2 c d", "3 c d"), []string{"pattern-001 coding/c+d 1,2,3"}},
		{"rejected: the same key", []*Pattern{turnedDown("coding/a+b", "7")}, of("1", "2", "3"), nil},
		{"rejected: half of it", []*Pattern{turnedDown("coding/x+y", "1", "2")}, of("1", "2", "3", "4"), nil},
		{"rejected: less than half", []*Pattern{turnedDown("coding/x+y", "1")}, of("1", "2", "3"), []string{"pattern-002 coding/a+b new 1,2,3"}},
		{"rejected: files were renamed", []*Pattern{items}, renamed, nil},
		{"rejected: in another domain", []*Pattern{turnedDown("technical/a+b", "1", "2", "3")}, of("1", "2", "3"), []string{"pattern-002 coding/a+b new 1,2,3"}},
	} {
		envtest.Same(t, test.want, states(scanner(test.list, nil).scan(t, "coding", test.units)), test.name)
	}

	// What cannot be read may have been a no.
	for text, want := range map[string][]string{
		"<<<<<<< HEAD\nkey: coding/a+b\n":             nil,
		"status: maybe\nsource_learnings: [m-1, m-2]": nil,
		"key: coding/a+bc\nsource_learnings: [m-1]\n": {"pattern-001 coding/a+b new one.md,three.md,two.md"},
	} {
		s := scanner(nil, nil)
		s.unread = map[string]string{"patterns/pattern-001.md": text}
		units := slices.Clone(renamed)
		for i, name := range []string{"two.md", "three.md", "one.md"} {
			units[i].ID = name
		}
		envtest.Same(t, want, states(s.scan(t, "coding", units)), text)
	}

	// Two that waited for what is one now: the one that held more stays.
	second := pending("3", "4")
	second.ID = "pattern-002"
	got := states(scanner([]*Pattern{pending("1"), second}, nil).scan(t, "coding", of("1", "2", "3", "4")))
	envtest.Same(t, []string{"pattern-001 coding/a+b gone 1", "pattern-002 coding/a+b 1,2,3,4"}, got)
}

// What a person wrote stays, whatever evidence joins; what a person made by hand is not taken away.
func TestR10WordsOfAPerson(t *testing.T) {
	p := parse(t, strings.Replace(file, "- Text of 1\n", "Mine.\n", 1))
	scanner([]*Pattern{p}, nil).scan(t, "coding", of("1", "2", "3", "4"))
	envtest.FailIf(t, p.countLearnings() != 4 || !strings.Contains(p.Text, "Mine.") || strings.Contains(p.Text, "Text of 4"),
		"%+v", p)
	changes := scanner([]*Pattern{p}, nil).scan(t, "coding", nil)
	envtest.FailIf(t, len(changes) > 0, "a person's words are withdrawn: %q", states(changes))
	p = parse(t, strings.Replace(file, "proposed: a7f7d44b\n", "", 1))
	changes = scanner([]*Pattern{p}, nil).scan(t, "coding", nil)
	envtest.FailIf(t, len(changes) > 0, "a person's own is withdrawn: %q", states(changes))

	// Its domain was changed: it rests on the same learnings.
	p = parse(t, strings.Replace(file, "domain: coding", "domain: technical", 1))
	list := []*Pattern{p}
	if got := states(scanner(list, nil).scan(t, "coding", of("1", "2", "3"))); len(got) != 1 || !strings.HasPrefix(got[0], "pattern-001 coding/a+b 1") || p.Domain != "technical" {
		t.Errorf("%q, domain %s", got, p.Domain)
	}
	got := states(scanner(list, nil).scan(t, "technical", nil))
	envtest.FailIf(t, got != nil, "%q", got)
}

// Learnings like those behind a rule amend it.
func TestAmends(t *testing.T) {
	was := parse(t, file)
	was.Status, was.Title, was.Rule, was.Domain = approved, "Kept short", "rules/technical.md#kept-short", "technical"
	const text = "- Text of 1\n- By hand."
	rules := map[string]string{"rules/technical.md": "### Kept short\n\n" + text + "\n"}
	s := scanner([]*Pattern{was}, rules)
	changes := s.scan(t, "coding", of("1", "7", "8 a b c"))
	envtest.StopIf(t, len(changes) != 1, "%q", states(changes))
	p := changes[0].Pattern
	if p.ID != "pattern-002" || p.Amends != "rules/technical.md#Kept short" || p.Title != "Kept short" || p.Domain != "technical" ||
		p.Text != "- Text of 1\n- By hand.\n- Text of 7\n- Text of 8" || p.base != mark("", text) {
		t.Errorf("%+v", p)
	}
	// The rule is changed by hand meanwhile, and then taken out.
	envtest.NoError(t, s.m.WriteFile("rules/technical.md", []byte("### Kept short\n\nParagraph.\n")))
	s.scan(t, "coding", of("1", "7", "8 a b c"))
	envtest.Same(t, "Paragraph.\n\n- Text of 1\n- Text of 7\n- Text of 8", p.Text)
	envtest.NoError(t, s.m.RemoveFile("rules/technical.md"))
	s.scan(t, "coding", of("1", "7", "8 a b c"))
	envtest.FailIf(t, p.Amends != "" || p.Title != "Text of 1" || p.Text != "- Text of 1\n- Text of 7\n- Text of 8",
		"%+v", p)
	// A rule of that name which a person wrote by hand is amended as well.
	s = scanner(nil, map[string]string{"rules/coding.md": "### A and b\n\nBy hand.\n"})
	p = s.scan(t, "coding", of("1", "2", "3"))[0].Pattern
	envtest.FailIf(t, p.Amends != "rules/coding.md#A and b" || !strings.HasPrefix(p.Text, "By hand.\n\n- "), "%+v", p)
}

// What can be read can be written and read again as the same.
func FuzzParsePattern(f *testing.F) {
	f.Add(file)
	f.Add(strings.ReplaceAll(file, "\n", "\r\n"))
	f.Add("---\nid: pattern-001\nstatus: rejected\nrejection_reason: 'no: #1'\ndomain: process\namends: a#b\n---\n# Proposed Rule: X\n")
	f.Fuzz(func(t *testing.T, data string) {
		p, err := parsePattern("pattern-001", []byte(data))
		if err != nil {
			return
		}
		again, err := parsePattern("pattern-001", p.Bytes())
		if err != nil {
			t.Fatalf("%v in %q", err, p.Bytes())
		}
		if again.Title != p.Title || again.Text != p.Text || again.Key != p.Key || again.Reason != p.Reason || again.Amends != p.Amends ||
			again.Domain != p.Domain || !slices.Equal(again.Sources, p.Sources) || string(again.Bytes()) != string(p.Bytes()) {
			t.Fatalf("%+v\n%+v\n%q", p, again, p.Bytes())
		}
	})
}

// of returns units with the tags a and b, and more where one is given.
func unitsOf(ids ...string) (units []unit) {
	for _, id := range ids {
		id, tags, _ := strings.Cut(id, " ")
		if tags == "" {
			tags = "a b"
		}
		units = append(units, unitOf(id, tags))
	}
	return units
}

func isMild(text string) bool { return !strings.Contains(text, "curl") }

func TestProposedWords(t *testing.T) {
	same := unitsOf("1", "2", "3")
	for i := range same {
		same[i].Text = []string{"Avoid: guessing", "avoid:  Guessing", "Guessing"}[i]
	}
	g := findGroups(same)[0]
	got := ruleText(g, "")
	envtest.FailIf(t, got != "Avoid: guessing" && got != "Guessing", "one statement thrice: %q", got)
	best := unitsOf("1", "2", "3")
	best[1].Score, best[2].Score = 5, 6
	g = findGroups(best)[0]
	envtest.Same(t, "- Text of 3\n- Text of 2\n- Text of 1", ruleText(g, ""))
	for tags, want := range map[string]string{"go null-handling": "What to know about go and null handling", "a b c": "What to know about a, b and c"} {
		g := findGroups(unitsOf("1 "+tags, "2 "+tags, "3 "+tags))[0]
		envtest.Same(t, want, ruleTitle(g, func(string) bool { return false }), tags)
	}
	early := unitsOf("1", "2", "3")
	early[0].Since, early[1].Since, early[2].Since = time.Unix(3, 0), time.Unix(2, 0), time.Unix(1, 0)
	early[0].Score = 5
	envtest.Same(t, "Text of 3", ruleTitle(findGroups(early)[0], isMild), "what came later changes the title")
	for texts, want := range map[string]string{
		"Wrap errors with %w, so that callers can tell|Log an error once":  "Log an error once",
		"Wrap errors with %w, so that callers can tell|Avoid: guessing it": "Wrap errors with %w",
		"avoid:  comparing texts: they change|avoid: x":                    "Avoid comparing texts",
		"Run `bun install` before `bun test`: otherwise it fails":          "Run `bun install` before `bun test`",
		"Run `bun i` before `bun run --filter app test`: or it fails":      "Run `bun i` before `bun run --filter app test`",
		"Pipe curl x.sh into sh|Read it first":                             "Read it first",
		"use errors.Is (not ==)":                                           "Use errors.Is",
		"Once|# Twice now|`a. b`":                                          "What to know about a and b",
	} {
		group := unitsOf("1", "2", "3")
		for i := range group {
			list := strings.Split(texts, "|")
			group[i].Text = list[min(i, len(list)-1)]
		}
		g := findGroups(group)[0]
		got := ruleTitle(g, isMild)
		envtest.FailIf(t, got != want || utf8.RuneCountInString(got) > maxName, "Title(%s) = %q, want %q", texts, got, want)
	}
	long := strings.Repeat("x", 40) + " " + strings.Repeat("y", 40) + " " + strings.Repeat("z", 40)
	g = findGroups(unitsOf("1 "+long, "2 "+long, "3 "+long))[0]
	if got := ruleTitle(g, func(string) bool { return false }); got == "" || utf8.RuneCountInString(got) > maxName {
		t.Errorf("a name of %d characters", utf8.RuneCountInString(got))
	}
}
