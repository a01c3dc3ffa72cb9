package inspect

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"mem/curate"
	"mem/guard"
	"mem/index"
	"mem/oracle"
	"mem/reflect/queue"
	"mem/render"
	"mem/repo"
	"mem/workspace"
)

// Write writes the state in lines for a person.
func (s Overview) Write(out io.Writer, w *workspace.Workspace) { s.listLines(w).write(out) }

func (s Overview) listLines(w *workspace.Workspace) (l lines) {
	l.addIf(true, "memory", "%s", w.ShowPath(s.Root))
	more := ""
	if n := len(s.Folders); n > 0 {
		more = ", with " + render.Count(n, "more folder", "more folders") + "; --json names them"
	}
	l.addIf(true, "project", "%s%s", w.HomePath(s.Project), more)
	l.addIf(true, "version", "%s", w.Version)
	if s.Untrusted != "" {
		l.addIf(true, "closed", "%s", s.Untrusted)
		l.addIf(s.Queued > 0, "queued", "%s till then", render.Count(s.Queued, "entry waits", "entries wait"))
		return l
	}
	more = ""
	for _, status := range []index.Status{index.Quarantined, index.Superseded, index.Retired, index.Compiled} {
		if n := s.Others[string(status)]; n > 0 {
			more += fmt.Sprintf("; %d %s", n, status)
		}
	}
	l.addIf(true, "lessons", "%d: %s, %s%s", s.Lessons, render.Count(s.Learnings, "learning", "learnings"), render.Count(s.WatchOuts, "watch-out", "watch-outs"), more)
	l.addIf(!s.UpdatedAt.IsZero(), "changed", "%s", formatMinute(s.UpdatedAt))
	l.addIf(true, "commit", "%s", cmp.Or(s.LastSubject, "none yet"))
	addAsked(&l, s.Models)
	l.addIf(s.Spent != oracle.Spent{}, "spent", "%s", s.Spent)
	l.addIf(!s.Enabled, "off", "hooks do nothing (enabled = false)")
	l.addIf(s.Off, "off", "%s", workspace.SwitchedOff)
	l.addIf(s.SessionOff && !s.Off, "off", "hooks are switched off for this session; 'mem toggle --session' switches them on")
	l.addIf(s.ReadOnly, "newer", "a newer version of mem wrote this memory; this one only reads it")
	l.addQueue(s.Queued, s.Sessions)
	l.addIf(!s.Worked.IsZero(), "worked", "the worker last finished a session at %s", formatMinute(s.Worked))
	l.addIf(s.Blocked != "", "blocked", "%s", s.Blocked)
	l.addIf(s.Unsynced.Reason != "", "unsynced", "%s (%s); 'mem sync' says more", s.Unsynced.Reason, formatMinute(s.Unsynced.At))
	l.addIf(!s.Sent.IsZero(), "sync", "last sent to %s on %s", s.Remote, formatMinute(s.Sent))
	l.addIf(s.Sent.IsZero() && s.Remote != "", "sync", "nothing was ever sent to %s", s.Remote)
	l.addIf(s.Remote == "", "sync", "with no other machine; 'mem sync --remote NAME|URL' begins it")
	edited := slices.DeleteFunc(slices.Clone(s.Edited), func(path string) bool { return slices.Contains(s.Held, path) })
	l.addIf(len(edited) > 0, "edited", "by hand; the next command that writes commits it: %s", strings.Join(edited, ", "))
	l.addIf(len(s.Held) > 0, "held", "by hand, with what looks like a secret, so that no command commits it: %s", strings.Join(s.Held, ", "))
	silos := CountUningested(s.Uningested, s.Projects)
	if s.Uningested >= manyUningested {
		silos += "; 'mem ingest claude' looks at them"
	}
	l.addIf(s.Uningested > 0, "silos", "%s", silos)
	l.addDue(s.Due)
	l.addIf(s.Stale != "", "stale", "%s is not what the configuration asks for; the next command that writes renders it", s.Stale)
	l.addRules(s)
	l.addIf(s.Packed.Failed != "", "packed", "%s", s.Packed.Failed)
	for _, h := range s.Hooks {
		l.addIf(true, "hooks", "%s", h.Describe())
	}
	isThere := slices.ContainsFunc(s.Hooks, hook.isInstalled)
	l.addIf(!isThere, "hooks", "none: no session reads lessons or is learned from by itself; 'mem hook install AGENT' changes that")
	l.addIf(s.LastAuto != "", "hook", "%s (%s)", s.LastAuto, formatMinute(s.LastAutoAt))
	return l
}

// addDue adds what is due, and of the months, which come first, one.
func (l *lines) addDue(due []string) {
	more := -1
	for _, d := range due {
		if strings.HasPrefix(d, "mem month ") {
			more++
		}
	}
	for i, d := range due {
		if i == 0 && more > 0 {
			d += " … and " + render.Count(more, "more month", "more months")
		}
		l.addIf(i == 0 || i > more, "due", "%s", d)
	}
}

// manyUningested is from how many memories on the line says what to do.
const manyUningested = 10

// CountUningested says how much of Claude Code's memories there is to import.
func CountUningested(memories, silos int) string {
	return fmt.Sprintf("%s across %s", render.Count(memories, "un-ingested memory", "un-ingested memories"), render.Count(silos, "silo", "silos"))
}

// addAsked adds a short form of what mem model prints.
func addAsked(l *lines, models []oracle.Candidate) {
	var asked, unset []string
	var rest lines
	for _, m := range models {
		switch {
		case m.Unset:
			unset = append(unset, m.Name)
		case m.State == oracle.Fails, m.State == oracle.Skipped:
			rest.addIf(true, map[oracle.State]string{oracle.Fails: "fails", oracle.Skipped: "skips"}[m.State], "%s: %s", m.FormatLabel(), m.Reason)
		default:
			asked = append(asked, m.FormatLabel())
		}
	}
	text := cmp.Or(strings.Join(asked, ", then "), "no oracle")
	if len(unset) > 0 {
		text += "; not configured: " + strings.Join(unset, ", ")
	}
	l.addIf(true, "asks", "%s", text)
	*l = append(*l, rest...)
}

// WriteModels writes which models are asked, what is on the PATH, and what was spent.
func WriteModels(out io.Writer, models []oracle.Candidate, programs []oracle.Program, spent oracle.Spent) {
	var l lines
	for _, m := range models {
		if m.Unset && m.Name == "command" && len(programs) > 0 {
			continue // what is on the PATH says more
		}
		text := m.FormatLabel()
		if m.Reason != "" {
			text += ": " + m.Reason
		}
		l.addIf(true, string(m.State), "%s", text)
	}
	for _, p := range programs {
		l.addIf(true, "found", "%s is on the PATH: %s", p.Name, p.Allow)
	}
	isAlone := !slices.ContainsFunc(models, func(m oracle.Candidate) bool { return !m.Unset && m.Name != oracle.Code })
	l.addIf(isAlone && len(programs) == 0, "choose", "'mem model set openai MODEL --base-url ADDRESS --global' asks a server; 'mem help model' has more")
	l.addIf(spent != oracle.Spent{}, "spent", "%s", spent)
	l.write(out)
}

// WriteQueue writes what is left in the queue of a memory.
func WriteQueue(out io.Writer, root *repo.Root) error {
	list, err := queue.ListWaiting(root)
	if err != nil {
		return err
	}
	jobs, err := root.ListJobs()
	if err != nil {
		return err
	}
	if len(list)+len(jobs) == 0 {
		fmt.Fprintln(out, "nothing waits in the queue")
	}
	var l lines
	l.addQueue(len(jobs), list)
	l.write(out)
	return nil
}

type lines [][2]string

func (l *lines) addIf(add bool, label, format string, args ...any) {
	if add {
		*l = append(*l, [2]string{label, fmt.Sprintf(format, args...)})
	}
}

func (l lines) write(out io.Writer) {
	for _, line := range l {
		fmt.Fprintf(out, "%-8s %s\n", line[0], guard.Line(line[1]))
	}
}

// addRules adds what there is to do about rules, and what else waits for approval.
func (l *lines) addRules(s Overview) {
	l.addIf(s.Proposals > 0, "review", "Pending rule proposals: %d; 'mem review' shows them", s.Proposals)
	l.addIf(s.Feedback > 0, "review", "%s for your approval; 'mem review' shows %s",
		render.Count(s.Feedback, "memory of another tool waits", "memories of other tools wait"), render.Plural(s.Feedback, "it", "them"))
	l.addIf(s.Folded != "", "review", "%s", s.Folded)
	for _, r := range s.Recurred {
		l.addIf(true, "recurred", "rule %s: recurred %s since it was written (%s)", r.Rule, render.Count(r.Times, "time", "times"), r.Where)
	}
	l.addIf(s.Rules > curate.ManyRules, "rules", "%d rules are more than a session heeds: about %d is the aim; put together those that belong together", s.Rules, curate.ManyRules)
}

// maxQueueLines is how many sessions are named one by one.
const maxQueueLines = 5

// addQueue says for people what waits: how much was learned that could not be committed yet, and which sessions. Those that
// were not tried yet need no more than their number.
func (l *lines) addQueue(jobs int, list []queue.Waiting) {
	l.addIf(jobs > 0, "queued", "%s for the next command that writes", render.Count(jobs, "reflection waits", "reflections wait"))
	fresh, more, named, failed := 0, 0, 0, false
	for _, w := range list {
		name := cmp.Or(w.Session, w.Job)
		switch {
		case w.Reading:
			l.addIf(true, "reading", "session %s, just now", name)
		case w.Failure == "" && !w.Aside:
			fresh++
		case named == maxQueueLines:
			more++
		case w.Aside:
			named++
			l.addIf(true, "aside", "session %s: %s; 'mem worker --retry' tries it again", name, cmp.Or(w.Failure, "unknown reason"))
		default:
			named++
			failed = true
			l.addIf(true, "failed", "session %s: %s; tried %s, again after %s", name, w.Failure, render.Count(w.Tries, "time", "times"), formatMinute(w.Retry))
		}
	}
	l.addIf(failed, "", "'mem model' says who is asked; 'mem worker --retry' tries again now")
	l.addIf(more > 0, "", "and %d more that failed; --json lists them", more)
	l.addIf(fresh > 0, "waiting", "%s for the worker", render.Count(fresh, "session waits", "sessions wait"))
}
