package overview

import (
	"fmt"
	"path/filepath"

	"mem/curate"
	"mem/curate/claude"
	"mem/curate/claude/imported"
	"mem/guard"
	"mem/reflect"
	"mem/reflect/queue"
	"mem/render"
	"mem/repo"
	"mem/trace"
	"mem/workspace"
	"mem/workspace/remote"
)

// Remind says in one line what waits for the person, or is due, in the project's memory:
// the most important thing, and how many others there are; "" for nothing. Each session
// begins with it, so it looks at less than Read: of the journal only at last month, and of
// Claude Code's memories only at this project's.
func Remind(w *workspace.Workspace, m *repo.Memory, from claude.Options) string {
	var things []string
	add := func(n int, one, many, command string) {
		if n > 0 {
			things = append(things, fmt.Sprintf("%s (`mem %s`)", render.Count(n, one, many), command))
		}
	}
	failed, why, busy, unsynced := 0, "", 0, 0
	if root, _ := w.ListRoots(); root != nil {
		failed, why = queue.FindFailed(root)
		if root.CheckBusy() != nil {
			busy = 1
		}
		if remote.ReadFailure(root) != (remote.Failure{}) {
			unsynced = 1
		}
	}
	add(busy, "operation of git that stops every commit", "", "status")
	why, _ = guard.DropOrders(guard.Line(render.Shorten(why, 160))) // the words may be a server's
	if why = ": " + why; failed > 0 {
		add(failed, "session that could not be learned from"+why, "sessions that could not be learned from"+why, "status")
	}
	add(unsynced, "sync that failed", "", "status")
	add(m.Foreign().CountWaiting(), "lesson or file that git brought", "lessons or files that git brought", "trust")
	add(curate.CountPending(m), "proposed rule", "proposed rules", "review")
	feedback, _, _ := imported.Queue{}.ListPending(m)
	add(len(feedback), "memory of another tool", "memories of other tools", "review")
	if month := reflect.FindDueMonth(m); month != "" {
		things = append(things, fmt.Sprintf("a summary of %s (`mem month %[1]s`)", month))
	}
	from.Places.Dir = filepath.Join(from.Places.Claude, "projects", trace.ClaudeSlug(w.At.Project))
	uningested, _, _ := claude.CountMemories(m, from)
	add(uningested, "memory of Claude Code to import", "memories of Claude Code to import", "ingest claude")
	switch len(things) {
	case 0:
		return ""
	case 1:
		return "Waiting for the user: " + things[0]
	}
	return fmt.Sprintf("Waiting for the user: %s; %s (`mem status`)", things[0], render.Count(len(things)-1, "other thing", "other things"))
}
