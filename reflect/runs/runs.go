// Package runs finds the lessons about a failure that came up again in a session.
package runs

import (
	"slices"
	"strings"

	"mem/index"
	"mem/oracle/heuristic"
	"mem/oracle/heuristic/shell"
	"mem/session"
)

// FindAgain returns the lessons whose failure came up in a part of a session, by id, with
// the event that shows it: the same error of the same program, with the names that the lesson says, whether or not the agent took
// note of it.
func FindAgain(ix *index.Index, events []session.Event) map[string]string {
	var list []heuristic.Run // that failed; nil before they are needed
	again := map[string]string{}
	for i := range ix.Items {
		it := &ix.Items[i]
		if !it.IsShown() || it.Cue == nil || it.Cue.Command == "" || it.Cue.Error == "" {
			continue
		}
		if list == nil {
			list = slices.DeleteFunc(heuristic.ListRuns(events), func(r heuristic.Run) bool { return len(r.Errors) == 0 || r.Event == "" })
		}
		if len(list) == 0 {
			return nil
		}
		sign, program, cure := shell.Project{}.Signature(it.Cue.Error), shell.Parse(it.Cue.Command).MainPart().Program, ""
		if it.Remedy != nil {
			cure = shell.Parse(it.Remedy.Command).MainPart().General(false)
		}
		for _, r := range list {
			i := slices.IndexFunc(r.Errors, func(e string) bool { return strings.Contains(e, sign) })
			if i >= 0 && r.Program == program && r.Command != cure && shell.NamesOnly(r.Lines[i], it.Text) {
				again[it.ID] = r.Event
				break
			}
		}
	}
	return again
}
