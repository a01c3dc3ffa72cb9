// Package runs finds the lessons about a failure that came up again in a session.
package runs

import (
	"slices"
	"strings"

	"mem/index"
	"mem/lazy"
	"mem/oracle/heuristic"
	"mem/oracle/heuristic/shell"
	"mem/session"
)

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

// isOf reports whether a command is another one, or that with more words.
func isOf(command, other string) bool {
	return other != "" && (command == other || strings.HasPrefix(command, other+" "))
}

// shows reports whether the output of a run has an error and, where its signature leaves out
// what stands in quotes, one that text names.
func shows(r heuristic.Run, sign, text string) bool {
	for i, e := range r.Errors {
		if !strings.Contains(e, sign) {
			continue
		}
		quoted := reQuoted.Get().FindString(r.Lines[i])
		if quoted == "" || !strings.Contains(sign, "…") || strings.Contains(text, quoted) {
			return true
		}
	}
	return false
}

// reQuoted matches a name in quotes.
var reQuoted = lazy.New("'[^']+'|\"[^\"]+\"|`[^`]+`")

// commandOf returns the command that was stated with a lesson as runs have it.
func commandOf(stated string) string { return shell.Parse(stated).MainPart().General(false) }
