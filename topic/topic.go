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

// HowToLearn tells an agent, in one line, how it notes a lesson.
func HowToLearn() string {
	return "To note a lesson for later sessions: `mem learn --domain DOMAIN --tags a,b \"TEXT\"`, with two to five tags; domains: " + strings.Join(Domains(), ", ") + "."
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

// MaxSlug is how long a slug is at most, in bytes.
const MaxSlug = 60

// Slug returns a text as it may be part of the name of a file on any system:
// letters a to z, digits, and single hyphens between them. A longer text ends
// at a word. One that leaves nothing, or only the name of a device of Windows,
// is named after fallback, which must be a slug itself.
func Slug(text, fallback string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(text) {
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
	switch {
	case slug == "":
		return fallback
	case isDevice(slug):
		return slug + "-" + fallback
	}
	return slug
}

// isDevice reports whether Windows takes a name for a device, whatever its
// extension.
func isDevice(name string) bool {
	port := strings.TrimRight(name, "0123456789")
	return slices.Contains([]string{"con", "prn", "aux", "nul"}, name) ||
		len(name) == 4 && (port == "com" || port == "lpt")
}
