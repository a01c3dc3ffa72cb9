package curate

import (
	"slices"
	"strings"
	"unicode/utf8"

	"mem/index"
	"mem/lazy"
	"mem/words"
)

// maxName is how many characters the name of a rule has at most.
const maxName = 80

// ruleTitle returns a name for a rule that says what a group does: the first of its
// statements that is short enough, without its reasons, advice before mistakes. What is
// learned later does not change it, in another clone, say. If none is fit to be shown to
// agents, which are told of patterns, it names what they are about.
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
	return cutName("What to know about " + strings.ToLower(g.nameTags()))
}

// nameTags returns the tags of a group in words.
func (g *group) nameTags() string {
	title := listTags(g.Tags)
	if utf8.RuneCountInString(title) > maxName {
		title = listTags(g.Tags[:minShared])
	}
	if chars := []rune(title); len(chars) > maxName {
		title = strings.TrimSpace(string(chars[:maxName]))
	}
	return capitalise(title)
}

// reReason matches where a statement begins to say why, or more.
var reReason = lazy.New(`(?i)[.:;!?](?:\s|$)| [–—(] ?| - |,? (?:so that|because|since|otherwise|which|as it|or else)\b|, (?:so|or|as|and) `)

// cutName cuts a name that is too long, at a word.
func cutName(name string) string {
	if utf8.RuneCountInString(name) <= maxName {
		return name
	}
	name = string([]rune(name)[:maxName-1])
	return strings.TrimRight(name[:max(0, strings.LastIndexByte(name, ' '))], " ,;") + "…"
}

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
		phrase = cutName(phrase)
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
