package inspect

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"mem/curate"
	"mem/guard"
	"mem/reflect/queue"
	"mem/render"
)

// Lines are lines of the status, each with a label.
type Lines [][2]string

// AddIf adds a line under a condition.
func (l *Lines) AddIf(add bool, label, format string, args ...any) {
	if add {
		*l = append(*l, [2]string{label, fmt.Sprintf(format, args...)})
	}
}

// AddJobs adds how much was learned that could not be committed yet.
func (l *Lines) AddJobs(n int) {
	l.AddIf(n > 0, "queued", "%s for the next command that writes", render.Count(n, "reflection waits", "reflections wait"))
}

// Write writes the lines.
func (l Lines) Write(out io.Writer) {
	for _, line := range l {
		fmt.Fprintf(out, "%-8s %s\n", line[0], guard.Line(line[1]))
	}
}

// AddEdits adds the files that a person changed.
func (l *Lines) AddEdits(paths []string) {
	l.AddIf(len(paths) > 0, "edited", "by hand; the next command that writes commits it: %s", guard.Line(strings.Join(paths, ", ")))
}

// AddRules adds what there is to do about rules, and what else waits for approval.
func (l *Lines) AddRules(s Overview) {
	l.AddIf(s.Proposals > 0, "review", "Pending rule proposals: %d; 'mem review' shows them", s.Proposals)
	l.AddIf(s.Feedback > 0, "review", "%s for your approval; 'mem review' shows %s",
		render.Count(s.Feedback, "memory of another tool waits", "memories of other tools wait"), render.Plural(s.Feedback, "it", "them"))
	for _, r := range s.Recurred {
		l.AddIf(true, "recurred", "rule %s: recurred %s since it was written (%s)", r.Rule, render.Count(r.Times, "time", "times"), r.Where)
	}
	for _, name := range s.Removed {
		l.AddIf(true, "rules", curate.RuleRemoved, name)
	}
	l.AddIf(s.Rules > curate.ManyRules, "rules", "%d rules are more than a session heeds: about %d is the aim; put together those that belong together", s.Rules, curate.ManyRules)
}

// maxQueueLines is how many sessions are named one by one.
const maxQueueLines = 5

// AddQueue says for people what waits. Sessions that were not tried yet need no
// more than their number.
func (l *Lines) AddQueue(list []queue.Waiting) {
	fresh, more, named, failed := 0, 0, 0, false
	for _, w := range list {
		name := cmp.Or(w.Session, w.Job)
		switch {
		case w.Reading:
			l.AddIf(true, "reading", "session %s, just now", name)
		case w.Failure == "" && !w.Aside:
			fresh++
		case named == maxQueueLines:
			more++
		case w.Aside:
			named++
			l.AddIf(true, "aside", "session %s: %s; 'mem worker --retry' tries it again", name, cmp.Or(w.Failure, "unknown reason"))
		default:
			named++
			failed = true
			l.AddIf(true, "failed", "session %s: %s; tried %s, again after %s", name, w.Failure, render.Count(w.Tries, "time", "times"), w.Retry.UTC().Format("2006-01-02 15:04 UTC"))
		}
	}
	l.AddIf(failed, "", "'mem model' says who is asked; 'mem worker --retry' tries again now")
	l.AddIf(more > 0, "", "and %d more that failed; --json lists them", more)
	l.AddIf(fresh > 0, "waiting", "%s for the worker", render.Count(fresh, "session waits", "sessions wait"))
}
