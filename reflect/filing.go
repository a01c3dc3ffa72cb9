package reflect

import (
	"slices"
	"strings"

	"mem/guard"
	"mem/index"
	"mem/topic"
)

// high is the severity of a lesson that matters even if it is rare.
const high = "high"

// tidy brings what was said of a lesson into form, and forgets what has none.
func (l *Lesson) tidy() {
	l.Domain = topic.Domain(l.Domain)
	l.Tags = topic.Tags(slices.DeleteFunc(slices.Clone(l.Tags), unfit))
	if strings.EqualFold(strings.TrimSpace(l.Severity), high) {
		l.Severity = high
	} else {
		l.Severity = ""
	}
}

// unfit reports whether a text is no tag: it is too long, or has something in
// it that no lesson may keep. Its form would hide that, so this comes first.
func unfit(tag string) bool {
	return len(tag) > topic.MaxTag || scrub(tag) != tag || len(guard.Lint(tag)) > 0
}

// filed returns where a lesson belongs: where somebody said, or else where
// its words put it.
func (l Lesson) filed(mistake bool) (domain string, tags []string) {
	if l.Domain != "" && len(l.Tags) > 0 {
		return l.Domain, l.Tags
	}
	domain, tags = topic.File(l.Text, mistake || index.SaysAvoid(l.Text))
	if l.Domain != "" {
		domain = l.Domain
	}
	if len(l.Tags) > 0 {
		tags = l.Tags
	}
	return domain, tags
}
