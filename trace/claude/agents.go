package claude

import (
	"cmp"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"mem/session"
	"mem/trace/jsonl"
)

// Bounds for the files of sub-agents.
const (
	maxAgents  = 32
	agentBytes = 512 << 10
)

// attachAgents adds the events of the sub-agents of the session at path that have files of
// their own: after the call that started them, or at the end.
func attachAgents(s *session.Session, path string, spawned map[string]string) {
	files, more := agentFiles(path, spawned)
	s.Truncated = s.Truncated || more
	known := make(map[string]bool, len(s.Events))
	for _, e := range s.Events {
		known[e.ID] = true
	}
	after := make(map[string][]session.Event) // by call; "" is the end
	added := 0
	for _, f := range files {
		if added > jsonl.MaxEvents {
			s.Truncated = true
			break
		}
		src, err := jsonl.Open(f, jsonl.HeadBytes, agentBytes)
		if err != nil {
			continue // a sub-agent is not worth the session
		}
		sub, _ := readFile(src, true)
		if len(sub.Events) == 0 {
			continue // perhaps not a sub-agent's at all
		}
		call := spawned[agentID(f)]
		for _, e := range sub.Events {
			if known[e.ID] { // older versions wrote them into both files
				continue
			}
			known[e.ID] = true
			e.Offset, e.Length = 0, 0
			after[call] = append(after[call], e)
			added++
		}
		s.Skipped += sub.Skipped
		s.Ignored += sub.Ignored
		s.Truncated = s.Truncated || sub.Truncated
	}
	s.Events = insertAfter(s.Events, after)
}

// insertAfter puts events after the calls that they belong to, and the rest at the end.
func insertAfter(events []session.Event, after map[string][]session.Event) []session.Event {
	var all []session.Event
	for _, e := range events {
		all = append(all, e)
		if e.Kind != session.ToolCall || e.CallID == "" {
			continue
		}
		all = append(all, after[e.CallID]...)
		delete(after, e.CallID)
	}
	for _, call := range slices.Sorted(maps.Keys(after)) {
		all = append(all, after[call]...)
	}
	return all
}

// agentFiles returns the newest files of sub-agents of the session at path, by name, and whether there are more.
func agentFiles(path string, spawned map[string]string) (files []string, more bool) {
	dir := strings.TrimSuffix(path, ".jsonl")
	names, _ := fs.Glob(os.DirFS(dir), "subagents/agent-*.jsonl") // most sessions have none
	for i, name := range names {
		names[i] = filepath.Join(dir, name)
	}
	for id := range spawned { // older versions put them beside the session
		if name := "agent-" + id + ".jsonl"; name == filepath.Base(name) {
			names = append(names, filepath.Join(filepath.Dir(path), name))
		}
	}
	at := make(map[string]time.Time)
	for _, name := range names {
		info, err := os.Lstat(name)
		if err == nil && info.Mode().IsRegular() && !strings.HasPrefix(agentID(name), "acompact-") { // the compaction helper
			at[name] = info.ModTime()
		}
	}
	files = slices.SortedFunc(maps.Keys(at), func(a, b string) int {
		return cmp.Or(at[b].Compare(at[a]), cmp.Compare(a, b))
	})
	more = len(files) > maxAgents
	files = files[:min(len(files), maxAgents)]
	slices.Sort(files)
	return files, more
}

func agentID(path string) string {
	return strings.TrimSuffix(strings.TrimPrefix(filepath.Base(path), "agent-"), ".jsonl")
}
