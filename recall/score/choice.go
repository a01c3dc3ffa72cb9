package score

import (
	"slices"
	"strings"

	"mem/index"
	"mem/lazy"
	"mem/topic"
	"mem/words"
)

// Chooses reports whether a lesson says which of two programs is used here for what the query is
// about, as one about npm and pnpm does for a new dependency: no word of it need be in the query.
func (q *Query) Chooses(it *index.Item) bool {
	if len(q.topics) == 0 && !q.addsPackage || !isProgram(it.Cue) || !isProgram(it.Remedy) {
		return false
	}
	asks := q.topics
	if q.addsPackage {
		asks = append(slices.Clip(asks), "dependency")
	}
	tags := topic.Find("Use `" + it.Remedy.Command + "` instead of `" + it.Cue.Command + "`")
	return slices.ContainsFunc(tags, func(tag string) bool { return !topic.IsName(tag) && slices.Contains(asks, tag) })
}

// addition is a task to add something to a part of a project, or to bring it up to date.
var addition = lazy.New(`(?i)\b(?:(?:add|install)\s+([@\w./-]+)\s+(?:to|in|into|for)\s+(?:the\s+|our\s+|this\s+)?(?:[@\w./-]+\s+)?` +
	`(?:packages?|apps?|workspaces?|projects?|repo|monorepo|api|backend|frontend|server|client|cli|web)\b|(?:bump|upgrade|update)\s+([@\w./-]+)\s+to\s+(?:the\s+latest|v?\d))`)

// addsPackage reports whether a task adds a package that it names, or brings one up to date: a
// common word is no name of one, nor is the word for a topic, such as tests.
func addsPackage(text string) bool {
	m := addition.Get().FindStringSubmatch(text)
	if m == nil {
		return false
	}
	name := m[1] + m[2]
	tags := topic.Find(name)
	return !words.IsCommon(name) && (len(tags) == 0 || slices.ContainsFunc(tags, topic.IsName))
}

func isProgram(l *index.Literals) bool {
	return l != nil && l.Command != "" && !strings.ContainsAny(l.Command, " /")
}
