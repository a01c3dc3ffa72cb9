package score

import (
	"slices"
	"strings"

	"mem/index"
	"mem/topic"
)

// Chooses reports whether a lesson says which of two programs is used here for what the query is
// about, as one about npm and pnpm does for a new dependency: no word of it need be in the query.
func (q *Query) Chooses(it *index.Item) bool {
	if len(q.topics) == 0 || !isProgram(it.Cue) || !isProgram(it.Remedy) {
		return false
	}
	_, tags := topic.File("Use `"+it.Remedy.Command+"` instead of `"+it.Cue.Command+"`", false)
	return slices.ContainsFunc(tags, func(tag string) bool { return !topic.IsName(tag) && slices.Contains(q.topics, tag) })
}

func isProgram(l *index.Literals) bool {
	return l != nil && l.Command != "" && !strings.ContainsAny(l.Command, " /")
}
