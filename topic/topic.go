// Package topic files lessons: under one of nine domains, and under a few tags.
// Lessons that share a domain and tags may be about the same thing, which is
// how patterns are found among them.
//
// A lesson may come with its domain and tags, which are only put into form
// here. For one that came without, File looks for words of a fixed vocabulary,
// so that the same text is always filed in the same place.
package topic

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"mem/words"
)

// The domains of PAI's protocol, in the order in which people are shown them.
// General is for what belongs nowhere else.
const (
	Technical      = "technical"
	Process        = "process"
	Mistake        = "mistake"
	Coding         = "coding"
	Communications = "communications"
	Scheduling     = "scheduling"
	Finance        = "finance"
	Learning       = "learning"
	General        = "general"
)

// Domains returns all domains.
func Domains() []string {
	return []string{Technical, Process, Mistake, Coding, Communications, Scheduling, Finance, Learning, General}
}

// RuleFiles has the files that list the rules of a domain, as PAI has them.
var RuleFiles = map[string]string{
	Coding:         "rules/coding.md",
	Technical:      "rules/technical.md",
	Finance:        "rules/finance.md",
	Learning:       "rules/learning.md",
	Mistake:        "rules/anti-patterns.md",
	Communications: "context/voice/style-rules.md",
	Scheduling:     "context/preferences/scheduling.md",
}

// RuleFolder returns the folder in which each rule of such a list has a file of its own;
// "" for any other file.
func RuleFolder(list string) string {
	for _, file := range RuleFiles {
		if file == list {
			return strings.TrimSuffix(file, ".md")
		}
	}
	return ""
}

// HowToLearn tells an agent, in one line, when and how to note a lesson, and what not to note. All
// such instructions use it. It is short, as sessions read it along with their lessons.
func HowToLearn() string {
	return "When a person corrects you or says to remember, a failure is understood or cured, or something is decided (say why), note it: " +
		"`mem learn --domain process --tags go,tests \"Run make gen before tests: they read it\"`; it only says \"Noted.\" " +
		"Not: this task's state, what the repository says, what any engineer knows, guesses. Domains: " + strings.Join(Domains(), ", ") + "."
}

// MaxTags is how many tags a lesson has at most, and MaxTag how long one is.
const (
	MaxTags = 5
	MaxTag  = 40
)

// Domain returns the domain that a name means: case does not matter, and the
// folders that are in use under other names are known. "" means that there is
// no such domain.
func Domain(name string) string {
	name = strings.ToLower(strings.TrimSpace(name))
	switch name {
	case "mistakes":
		return Mistake
	case "communication":
		return Communications
	}
	if slices.Contains(Domains(), name) {
		return name
	}
	return ""
}

// Tag returns a tag in its form: lower-case letters and digits of any script, joined
// by hyphens, and no longer than MaxTag bytes.
func Tag(s string) string {
	parts := strings.FieldsFunc(words.Lower(s), func(r rune) bool { return !inTag(r) })
	tag := strings.Join(parts, "-")
	for len(tag) > MaxTag {
		cut := strings.LastIndexFunc(tag, func(r rune) bool { return true })
		tag = strings.TrimRight(tag[:cut], "-")
	}
	return tag
}

func inTag(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.Is(unicode.M, r) }

// Tags returns tags in their form, each once and sorted, MaxTags of them at
// most: the first ones given.
func Tags(list []string) []string {
	var tags []string
	for _, s := range list {
		if tag := Tag(s); tag != "" && !slices.Contains(tags, tag) && len(tags) < MaxTags {
			tags = append(tags, tag)
		}
	}
	slices.Sort(tags)
	return tags
}

// MaxSlug is how long a slug is at most, in bytes.
const MaxSlug = 60

// Slug returns a text as it may be part of the name of a file on any system:
// letters a to z, digits, and single hyphens between them. A letter of another
// alphabet is spelled with those where it can be, such as ß and é. A longer text ends
// at a word. One that leaves nothing, or only the name of a device of Windows,
// is named after fallback, which must be a slug itself.
func Slug(text, fallback string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(spellLatin(text)) {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
			b.WriteRune(r)
		case r == '\'' || r == '’': // "don't" is one word
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
		if b.Len() > 2*MaxSlug {
			break
		}
	}
	slug := strings.Trim(b.String(), "-")
	if len(slug) > MaxSlug {
		cut := strings.LastIndexByte(slug[:MaxSlug+1], '-')
		if cut < MaxSlug/2 { // one long word
			cut = MaxSlug
		}
		slug = strings.TrimRight(slug[:cut], "-")
	}
	port := strings.TrimRight(slug, "0123456789")
	switch {
	case slug == "":
		return fallback
	case slices.Contains([]string{"con", "prn", "aux", "nul"}, slug), len(slug) == 4 && (port == "com" || port == "lpt"): // a device of Windows
		return slug + "-" + fallback
	}
	return slug
}

// spelled are the letters that are more than a base with a mark, or that lose their sense
// without it.
var spelled = map[rune]string{
	'ä': "ae", 'ö': "oe", 'ü': "ue", 'ß': "ss", 'æ': "ae", 'œ': "oe", 'ø': "o",
	'þ': "th", 'ð': "d", 'đ': "d", 'ł': "l", 'ħ': "h", 'ı': "i",
}

// spellLatin spells the letters of other Latin alphabets with a to z, and leaves the rest.
func spellLatin(text string) string {
	var b strings.Builder
	for _, r := range norm.NFC.String(strings.ToLower(text)) {
		base, _ := utf8.DecodeRuneInString(norm.NFD.String(string(r)))
		switch word := spelled[r]; {
		case word != "":
			b.WriteString(word)
		case base < utf8.RuneSelf:
			b.WriteRune(base)
		case !unicode.Is(unicode.Mn, r):
			b.WriteRune(r)
		}
	}
	return b.String()
}
