package curate

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"mem/frontmatter"
	"mem/index"
	"mem/lazy"
	"mem/render"
	"mem/topic"
	"mem/words"
)

// patternFolder is where patterns are, and patternIndex the view of them.
const (
	patternFolder = "patterns"
	patternIndex  = patternFolder + "/index.md"
)

// errNotPattern is wrapped when a file cannot be read as a pattern.
var errNotPattern = errors.New("not readable as a pattern")

// What a person decided about a pattern that is not Pending.
const (
	approved = "approved"
	rejected = "rejected"
)

// A Pattern is a rule that suggests itself, or is in a memory that was adopted, and what a person decided about it.
// Its file is patterns/<ID>.md.
type Pattern struct {
	ID       string // pattern-NNN, never given again
	Status   string // Pending, approved or rejected
	Detected string // YYYY-MM-DD
	Domain   string // where the rule goes; a person may change it
	Tags     []string
	Key      string   // domain and two tags: what it is about; never changes with Domain
	Sources  []string // ids of units
	Items    []string // ids of the lessons that say the same
	Cohesion float64  // the share of pairs of sources that share tags
	Amends   string   // the rule that this would change, as in "rules/coding.md#Name"; "" for a new one
	Title    string   // one line
	Text     string   // the rule

	Rule     string // where the rule is, such as rules/coding.md#name; "" unless approved
	Decided  string // YYYY-MM-DD; "" while pending
	Reason   string // of a rejection
	Auto     bool   // approved without a person
	Reopened bool   // a person wants to see it again

	own  string            // mark of the title and text that were proposed
	base string            // mark of the text of the rule that it would change
	file *frontmatter.File // as it was read; nil for a new one
}

// since is when the pattern was proposed; zero if a person had a look at it.
func (p *Pattern) since() (day time.Time) {
	if !p.Reopened && !p.isReworded() {
		day, _ = time.Parse(time.DateOnly, p.Detected)
	}
	return day
}

// countLearnings counts what the pattern rests on; a rule of another memory is one.
func (p *Pattern) countLearnings() int { return max(1, len(p.Sources)) }

// Path returns the path of the pattern's file.
func (p *Pattern) Path() string { return patternFolder + "/" + p.ID + ".md" }

// originDomain returns the domain of the learnings, which Domain may differ from.
func (p *Pattern) originDomain() string {
	domain, _, _ := strings.Cut(p.Key, "/")
	return domain
}

// patternHeading stands before the title in the file of a pattern.
const patternHeading = "# Proposed Rule: "

// maxNumber is the highest number of a pattern. After it none is proposed.
const maxNumber = 999_999

// numberOf returns the number in the id of a pattern; 0 if it is not one.
func numberOf(id string) int {
	n, _ := strconv.Atoi(strings.TrimPrefix(id, "pattern-"))
	if n < 1 || n > maxNumber || formatID(n) != id {
		return 0
	}
	return n
}

func formatID(n int) string { return fmt.Sprintf("pattern-%03d", n) }

// parsePattern reads the file of the pattern with this id. The error wraps errNotPattern.
func parsePattern(id string, data []byte) (*Pattern, error) {
	if !utf8.Valid(data) || bytes.IndexByte(data, 0) >= 0 {
		return nil, fmt.Errorf("it is not a text: %w", errNotPattern)
	}
	f, err := frontmatter.Parse(data)
	if err != nil {
		return nil, fmt.Errorf("%v: %w", err, errNotPattern)
	}
	get := func(name string) string { return words.FoldSpace(f.Value(name)) }
	p := &Pattern{
		ID: get("id"), Status: get("status"), Detected: get("detected"), Domain: topic.Domain(get("domain")),
		Tags: topic.Tags(f.List("tags")), Key: get("key"), Sources: f.List("source_learnings"), Items: f.List("source_items"),
		Amends: get("amends"), Rule: get("rule"), Decided: get("decided"), Reason: get("rejection_reason"),
		Auto: get("auto_applied") == "true", Reopened: get("reopened") != "", own: get("proposed"), base: get("amends_text"), file: f,
	}
	p.Cohesion, _ = strconv.ParseFloat(get("cohesion"), 64)
	p.Title, p.Text = splitPattern(f.Body())
	if why := p.whyMalformed(id); why != "" {
		return nil, fmt.Errorf("%s: %w", why, errNotPattern)
	}
	if p.Key == "" && len(p.Tags) >= minShared { // written by another program
		p.Key = p.Domain + "/" + p.Tags[0] + "+" + p.Tags[1]
	}
	if p.originDomain() == "" {
		p.Key = p.Domain + "/" + p.Key
	}
	return p, nil
}

// whyMalformed says what is wrong with a pattern that was read; "" for nothing.
func (p *Pattern) whyMalformed(id string) string {
	switch {
	case p.ID != id:
		return fmt.Sprintf("its id is %q", p.ID)
	case !slices.Contains([]string{Pending, approved, rejected}, p.Status):
		return fmt.Sprintf("its status is %q, not pending, approved or rejected", p.Status)
	case p.Domain == "":
		return "its domain is none of " + strings.Join(topic.Domains(), ", ")
	case p.Title == "":
		return fmt.Sprintf("it has no heading %q", patternHeading+"NAME")
	}
	return ""
}

func splitPattern(body string) (title, text string) {
	body = strings.ReplaceAll(body, "\r\n", "\n")
	_, rest, _ := strings.Cut("\n"+body, "\n"+patternHeading)
	title, text, _ = strings.Cut(rest, "\n")
	return words.FoldSpace(title), strings.TrimSpace(text)
}

// Bytes returns the pattern's file. Of one that was read, fields that mem does
// not know stay, and so does the body unless title or text changed.
func (p *Pattern) Bytes() []byte {
	body := "\n" + patternHeading + p.Title + "\n\n" + p.Text + "\n"
	f := frontmatter.New(body)
	if p.file != nil {
		f = p.file.Clone()
	}
	if title, text := splitPattern(f.Body()); title != p.Title || text != p.Text {
		f.SetBody(body)
	}
	f.Set("id", p.ID)
	f.Set("status", p.Status)
	f.SetPlain("detected", p.Detected)
	f.Set("domain", p.Domain)
	f.SetList("tags", p.Tags)
	f.Set("key", p.Key)
	f.SetList("source_learnings", p.Sources)
	if f.SetList("source_items", p.Items); len(p.Items) == 0 {
		f.Delete("source_items")
	}
	f.SetPlain("cohesion", strconv.FormatFloat(p.Cohesion, 'f', 2, 64))
	set := func(name, value string, there bool, set func(name, value string)) {
		if set(name, value); !there || value == "" {
			f.Delete(name)
		}
	}
	set("proposed", p.own, true, f.Set)
	set("amends", p.Amends, true, f.Set)
	set("amends_text", p.base, p.Amends != "", f.Set)
	set("decided", p.Decided, true, f.SetPlain)
	set("rule", p.Rule, true, f.Set)
	set("auto_applied", "true", p.Auto, f.SetPlain)
	set("rejection_reason", p.Reason, true, f.Set)
	set("reopened", "true", p.Reopened, f.SetPlain)
	return f.Bytes()
}

func (p *Pattern) isReworded() bool { return p.Title != "" && mark(p.Title, p.Text) != p.own }

// mark tells whether a title and a text are those that mem proposed.
func mark(title, text string) string {
	sum := sha256.Sum256([]byte(title + "\n" + text))
	return fmt.Sprintf("%x", sum[:4])
}

// renderPatterns returns patterns/index.md: the patterns by status, in the order of the ids. last is the highest number
// given so far; it is kept at the end, so that the number of a pattern that is gone is not given again.
func renderPatterns(list []*Pattern, last int) []byte {
	var b strings.Builder
	b.WriteString("# Patterns\n")
	list = slices.SortedFunc(slices.Values(list), func(a, b *Pattern) int { return numberOf(a.ID) - numberOf(b.ID) })
	for _, status := range []string{Pending, approved, rejected} {
		fmt.Fprintf(&b, "\n## %s\n\n", frontmatter.TitleOf(status))
		before := b.Len()
		for _, p := range list {
			if p.Status != status {
				continue
			}
			about := p.Decided
			if status == Pending {
				about = render.Count(p.countLearnings(), "learning", "learnings")
			}
			fmt.Fprintf(&b, "- %s: %s (%s)", p.ID, p.Title, about)
			if status == rejected && p.Reason != "" {
				b.WriteString(" - " + p.Reason)
			}
			b.WriteByte('\n')
		}
		if b.Len() == before {
			b.WriteString("None.\n")
		}
	}
	b.WriteString("\n" + lastStart + formatID(last) + lastEnd + "\n")
	return []byte(b.String())
}

const (
	lastStart = "<!-- mem: the last id given was "
	lastEnd   = " -->"
)

// lastNumber returns the highest number given so far that a view notes; 0 for none.
func lastNumber(view []byte) int {
	_, rest, _ := strings.Cut(string(view), lastStart)
	id, _, _ := strings.Cut(rest, lastEnd)
	return numberOf(id)
}

// maxName is how many characters the name of a rule has at most.
const maxName = 80

// ruleTitle returns a name for a rule that says what a group does: the first of its statements that is short enough,
// without its reasons, advice before mistakes. What is learned later does not change it, in another clone, say. If none
// is fit to be shown to agents, which are told of patterns, it names what they are about.
func ruleTitle(g *group, isFit func(text string) bool) string {
	units := slices.Clone(g.Units)
	slices.SortStableFunc(units, func(a, b unit) int { return a.Since.Compare(b.Since) })
	for _, try := range []struct{ cut, avoid bool }{{false, false}, {false, true}, {true, false}, {true, true}} {
		for _, u := range units {
			if phrase := phraseOf(u.Text, try.cut); phrase != "" && index.SaysAvoid(u.Text) == try.avoid && isFit(u.Text) {
				return phrase
			}
		}
	}
	return shorten("What to know about "+strings.ToLower(g.nameTags()), maxName)
}

func (g *group) nameTags() string {
	title := listTags(g.Tags)
	if utf8.RuneCountInString(title) > maxName {
		title = listTags(g.Tags[:minShared])
	}
	return capitalise(shorten(title, maxName))
}

// reReason matches where a statement begins to say why, or more.
var reReason = lazy.New(`(?i)[.:;!?](?:\s|$)| [–—(] ?| - |,? (?:so that|because|since|otherwise|which|as it|or else)\b|, (?:so|or|as|and) `)

// phraseOf returns the part of a statement that says what to do or to avoid, which may be cut; "" if it
// does not name a rule.
func phraseOf(text string, cut bool) string {
	phrase := words.FoldSpace(index.StripAvoid(text))
	if at := reReason.Get().FindStringIndex(phrase); at != nil {
		phrase = phrase[:at[0]]
	}
	if index.SaysAvoid(text) {
		if verb, _, _ := strings.Cut(phrase, " "); strings.HasSuffix(verb, "ing") {
			phrase = "Avoid " + strings.ToLower(verb) + phrase[len(verb):]
		} else {
			phrase = index.AddAvoid(phrase) // its own words, such as "Do the … by hand", go on in no sentence
		}
	}
	if phrase = strings.TrimRight(phrase, " .,;:"); cut {
		phrase = shorten(phrase, maxName)
	}
	if utf8.RuneCountInString(phrase) > maxName || strings.Count(phrase, " ") < 1 || strings.Count(phrase, "`")%2 == 1 || strings.HasPrefix(phrase, "#") {
		return ""
	}
	return capitalise(phrase)
}

func capitalise(s string) string {
	first, size := utf8.DecodeRuneInString(s)
	return strings.ToUpper(string(first)) + s[size:]
}

func listTags(tags []string) string {
	last := len(tags) - 1
	return strings.ReplaceAll(strings.Join(tags[:last], ", ")+" and "+tags[last], "-", " ")
}

const maxStatements = 12

// ruleText returns a rule in the words of the learnings: what they say, each
// once, the best first. old is the text of the rule that it adds to.
func ruleText(g *group, old string) string {
	seen := map[string]bool{}
	for line := range strings.Lines(old) {
		seen[statementKey(strings.TrimPrefix(strings.TrimSpace(line), "- "))] = true
	}
	var list []string
	for _, u := range g.Units {
		if key := statementKey(u.Text); !seen[key] && len(list) < maxStatements {
			seen[key] = true
			list = append(list, words.FoldSpace(u.Text))
		}
	}
	if len(list) == 1 && old == "" && !strings.HasPrefix(list[0], "#") {
		return list[0]
	}
	var lines []string
	if old = strings.TrimSpace(old); old != "" {
		lines = append(lines, old)
		if last := old[strings.LastIndexByte(old, '\n')+1:]; !strings.HasPrefix(last, "- ") && len(list) > 0 {
			lines = append(lines, "")
		}
	}
	for _, s := range list {
		lines = append(lines, "- "+s)
	}
	return strings.Join(lines, "\n")
}

// statementKey is the same for statements that say the same, as advice or as
// a mistake.
func statementKey(text string) string { return index.KeyOf(index.StripAvoid(text)) }
