package reflect

import (
	"slices"
	"strings"
	"sync"

	"mem/index"
	"mem/reflect/amend"
	"mem/reflect/answer"
)

// amendKnown finds the known lesson that each of these stands for: a statement that says so by
// its form, or one of what cures the same failure.
func amendKnown(ix *index.Index, list []answer.Lesson) []answer.Lesson {
	list = slices.Clone(list)
	said := make([]amend.Statement, len(list))
	for i, l := range list {
		said[i] = amend.ReadStatement(l.Text)
	}
	for j := range ix.Items {
		it := &ix.Items[j]
		if !it.IsShown() {
			continue
		}
		old := sync.OnceValue(func() amend.Statement { return amend.ReadStatement(it.Text) })
		for i := range list {
			compareKnown(&list[i], said[i], it, old)
		}
	}
	return list
}

// compareKnown notes what a lesson is to a known one, if that is not known.
func compareKnown(l *answer.Lesson, said amend.Statement, it *index.Item, old func() amend.Statement) {
	if l.Op != "" {
		return
	}
	text, op := l.Text, ""
	failed := l.Cue.Error != "" || literals(it.Cue).Error != ""
	if !failed && said.MayConcern(it.Text) {
		text, op = said.Compare(old())
	}
	if op == "" {
		op = compareCommands(*l, said, it, old)
	}
	if op != "" && it.Key != index.KeyOf(l.Text) {
		l.Text, l.Op, l.Of = text, op, it.ID
	}
}

// compareCommands says what a lesson is to a known one by the command that both say to run: as
// the cure of a failure that one of them is about, or of the same things.
func compareCommands(l answer.Lesson, said amend.Statement, it *index.Item, old func() amend.Statement) string {
	if it.Kind != index.Learning || !strings.Contains(it.Text, "`") {
		return ""
	}
	again := false
	switch cue := literals(it.Cue); {
	case cue.Error == "" && l.Cue.Error == "":
		again = said.SharesCommand(it.Text, old)
	case cue.Error == "" && strings.Contains(it.Text, l.Remedy.Command[strings.LastIndex(l.Remedy.Command, " ")+1:]): // cheap to see
		if again = old().MayRun(l.Remedy.Command); again && l.Origin == index.OriginUser {
			return answer.Replaces // the same person says of what it is the cure
		}
	case l.Cue.Error == "":
		again = said.MayRun(literals(it.Remedy).Command)
	}
	if again {
		return answer.Again
	}
	return ""
}
