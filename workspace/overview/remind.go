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

// Remind says in one line what waits for the person, or is due, in the project's memory: the most
// important thing, and how many others there are; "" for nothing. A failure it names once. Each session
// begins with it, so it looks only at last month's journal and this project's memories of Claude Code.
func Remind(w *workspace.Workspace, m *repo.Memory, from claude.Options) string {
	var things []string
	add := func(n int, one, many, command string) {
		if n > 0 {
			things = append(things, fmt.Sprintf("%s (`mem %s`)", render.Count(n, one, many), command))
		}
	}
	if root, _ := w.ListRoots(); root != nil {
		if root.CheckBusy() != nil {
			add(1, "operation of git that stops every commit", "", "status")
		} else if n, why := queue.TellFailed(root); n > 0 {
			why, _ = guard.DropOrders(guard.Line(render.Shorten(why, 160))) // the words may be a server's
			add(n, "session that could not be learned from: "+why, "sessions that could not be learned from: "+why, "status")
		}
		if remote.ReadFailure(root) != (remote.Failure{}) {
			add(1, "sync that failed", "", "status")
		}
	}
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
