// Package topic files lessons: under one of nine domains, and under a few tags.
// Lessons that share a domain and tags may be about the same thing, which is
// how patterns are found among them.
//
// Whoever states a lesson may say where it belongs; what is said is only put
// into form here. For a lesson that came without, File looks for words of a
// fixed vocabulary, so that the same text is always filed in the same place.
//
// The package is pure and imports nothing of mem.
package topic

import (
	"slices"
	"strings"
	"unicode"
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

// Tag returns a tag in its form: lower-case letters and digits of any script,
// joined by hyphens, and no longer than MaxTag bytes. It is "" when nothing is
// left.
func Tag(s string) string {
	parts := strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return !inTag(r) })
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
