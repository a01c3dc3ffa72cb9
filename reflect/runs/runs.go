// Package runs notes for each lesson about a failure in how many sessions its command
// ran without it since: what sessions of this clone show, and therefore a note of this
// clone. Losing it costs a question in a review.
package runs

import (
	"maps"
	"slices"
	"strings"
	"time"

	"mem/index"
	"mem/lazy"
	"mem/oracle/heuristic"
	"mem/oracle/heuristic/shell"
	"mem/repo"
	"mem/repo/private"
	"mem/session"
)

// Enough is in how many sessions a command has to run well before a lesson about its
// failure may be over. No more are noted.
const Enough = 10

// A Note is what is known of all lessons, by id.
type Note map[string]Runs

// Runs are what is known of one lesson.
type Runs struct {
	Clean  []string  `json:"clean,omitzero"`  // sessions in which the command ran well, by trace, since it failed
	Failed string    `json:"failed,omitzero"` // the last session in which it failed
	At     time.Time `json:"at"`              // of the last session
}

// ReadNote returns the note of a root. One that cannot be read is empty.
func ReadNote(root *repo.Root) Note { return private.ReadTable[Runs](root.Area, private.NoteRuns) }

// CountClean returns in how many sessions the command of a lesson ran well since the
// lesson was last seen, at most Enough.
func (n Note) CountClean(it *index.Item) int {
	if r := n[it.ID]; it.LastSeen.Before(r.At) {
		return len(r.Clean)
	}
	return 0
}

// AddSession notes in a root how the commands of its lessons ran in a part of a session.
func AddSession(root *repo.Root, ix *index.Index, trace string, at time.Time, events []session.Event) error {
	about := aboutFailures(ix)
	if len(about) == 0 {
		return nil
	}
	list := heuristic.ListRuns(events)
	fresh := map[string]bool{} // whether it failed, by id
	for id, it := range about {
		cue, remedy := heuristic.Literals{Command: it.Cue.Command, Error: it.Cue.Error}, ""
		if it.Remedy != nil {
			remedy = it.Remedy.Command
		}
		if clean, failed := judgeCue(list, cue, remedy); clean || failed {
			fresh[id] = failed
		}
	}
	if len(fresh) == 0 {
		return nil
	}
	return private.AmendTable(root.Area, private.NoteRuns, func(n map[string]Runs) {
		maps.DeleteFunc(n, func(id string, _ Runs) bool { return about[id] == nil })
		for id, failed := range fresh {
			n[id] = n[id].add(trace, at, failed)
		}
	})
}

// FindAgain returns the lessons whose failure came up in a part of a session, by id, with
// the event that shows it: the same error of the same command or, if the error names
// something, of the same program, whether or not the agent took note of it.
func FindAgain(ix *index.Index, events []session.Event) map[string]string {
	about := aboutFailures(ix)
	if len(about) == 0 {
		return nil
	}
	list := slices.DeleteFunc(heuristic.ListRuns(events), func(r heuristic.Run) bool { return len(r.Errors) == 0 || r.Event == "" })
	if len(list) == 0 {
		return nil
	}
	again := map[string]string{}
	for id, it := range about {
		sign, command, cure := shell.Project{}.Signature(it.Cue.Error), "", ""
		for _, r := range list {
			if !shows(r, sign, it.Text) {
				continue
			}
			if command == "" {
				command, cure = whatFails(it, sign)
			}
			if r.Command != cure && isOf(r.Command, command) {
				again[id] = r.Event
				break
			}
		}
	}
	return again
}

// whatFails returns the command that a lesson is about, which is its program alone if the error
// names something, and the one that cures it.
func whatFails(it *index.Item, sign string) (command, cure string) {
	command = commandOf(it.Cue.Command)
	if strings.ContainsAny(sign, "'\"`_/@") {
		command, _, _ = strings.Cut(command, " ")
	}
	if it.Remedy != nil {
		cure = commandOf(it.Remedy.Command)
	}
	return command, cure
}

// aboutFailures returns the lessons that name a command and its error.
func aboutFailures(ix *index.Index) map[string]*index.Item {
	about := map[string]*index.Item{}
	for i := range ix.Items {
		if it := &ix.Items[i]; it.IsShown() && it.Cue != nil && it.Cue.Command != "" && it.Cue.Error != "" {
			about[it.ID] = it
		}
	}
	return about
}

// add returns the runs with those of a session, of which other parts may be known.
func (r Runs) add(trace string, at time.Time, failed bool) Runs {
	switch {
	case failed:
		r.Clean, r.Failed = nil, trace
	case trace != r.Failed && len(r.Clean) < Enough && !slices.Contains(r.Clean, trace):
		r.Clean = append(r.Clean, trace)
	}
	if at = at.UTC(); at.After(r.At) {
		r.At = at
	}
	return r
}

// judgeCue says how a session went for a lesson: whether the command that it is about
// did what it was asked, and whether the error came up. The remedy alone tells nothing,
// nor does it that something else of a program went well, if the lesson names no more.
func judgeCue(list []heuristic.Run, cue heuristic.Literals, remedy string) (clean, failed bool) {
	about, cure, sign := commandOf(cue.Command), commandOf(remedy), shell.Project{}.Signature(cue.Error)
	isOne := strings.Contains(about, " ") || !shell.HasSubcommands(about)
	for _, r := range list {
		if r.Command == cure || !isOf(r.Command, about) {
			continue
		}
		clean = clean || r.Clean && isOne
		failed = failed || shows(r, sign, "")
	}
	return clean, failed
}

// isOf reports whether a command is another one, or that with more words.
func isOf(command, other string) bool {
	return other != "" && (command == other || strings.HasPrefix(command, other+" "))
}

// shows reports whether the output of a run has an error and, where its signature leaves out
// what stands in quotes, one that text names; "" names all.
func shows(r heuristic.Run, sign, text string) bool {
	for i, e := range r.Errors {
		if !strings.Contains(e, sign) {
			continue
		}
		quoted := reQuoted.Get().FindString(r.Lines[i])
		if text == "" || quoted == "" || !strings.Contains(sign, "…") || strings.Contains(text, quoted) {
			return true
		}
	}
	return false
}

// reQuoted matches a name in quotes.
var reQuoted = lazy.New("'[^']+'|\"[^\"]+\"|`[^`]+`")

// commandOf returns the command that was stated with a lesson as runs have it.
func commandOf(stated string) string { return shell.Parse(stated).MainPart().General(false) }
