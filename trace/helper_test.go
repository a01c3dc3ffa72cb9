package trace

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"mem/project"
	"mem/session"

	"mem/envtest"
)

// A brief is what most tests compare of an event.
type brief struct {
	Kind   session.Kind
	Origin session.Origin
	Text   string
}

func briefs(s *session.Session) []brief {
	var out []brief
	for _, e := range s.Events {
		text := e.Text
		if e.Kind == session.ToolCall {
			text = e.Tool + e.Input
		}
		out = append(out, brief{e.Kind, e.Origin, text})
	}
	return out
}

func ids(s *session.Session) []string {
	var out []string
	for _, e := range s.Events {
		out = append(out, e.ID)
	}
	return out
}

func lines(all ...string) string { return strings.Join(all, "\n") + "\n" }

// session reads in, which must be a session.
func readSession(t *testing.T, in string) *session.Session {
	t.Helper()
	doc, err := Read(strings.NewReader(in))
	envtest.StopIf(t, err != nil, "Read(%.80q): %v", in, err)
	envtest.StopIf(t, doc.Session == nil, "Read(%.80q) gave no session", in)
	return doc.Session
}

// line makes a Claude Code line of a type; rest is more members, or "".
func line(typ, uuid, parent, rest string) string {
	return fmt.Sprintf(`{"type":%q,"uuid":%q,"parentUuid":%q,"sessionId":"s1","cwd":"/w","timestamp":"2026-03-01T10:00:00Z"%s}`,
		typ, uuid, parent, rest)
}

// user makes a line with text from a person.
func user(uuid, parent, text string) string {
	return line("user", uuid, parent, fmt.Sprintf(`,"message":{"role":"user","content":%q}`, text))
}

// says makes a line with text from the model.
func says(uuid, parent, text string) string {
	return line("assistant", uuid, parent, fmt.Sprintf(`,"message":{"model":"m1","content":[{"type":"text","text":%q}]}`, text))
}

// calls makes a line with a tool call.
func calls(uuid, parent, id, tool string) string {
	return line("assistant", uuid, parent,
		fmt.Sprintf(`,"message":{"model":"m1","content":[{"type":"tool_use","id":%q,"name":%q,"input":{"n":1}}]}`, id, tool))
}

// fails makes a line with a tool result that is an error; rest is more members.
func fails(uuid, parent, id, text, rest string) string {
	return line("user", uuid, parent, fmt.Sprintf(
		`,"message":{"content":[{"type":"tool_result","tool_use_id":%q,"is_error":true,"content":%q}]}%s`, id, text, rest))
}

// answers makes a line with a tool result that is none.
func answers(uuid, parent, id, text, rest string) string {
	return strings.Replace(fails(uuid, parent, id, text, rest), `"is_error":true,`, "", 1)
}

// sessionsOf lets through what started in one of these folders or below one.
func sessionsOf(folders ...string) Filter {
	roots := resolveAll(folders)
	return Filter{Folders: folders, Owns: func(s project.Stay) bool {
		return slices.ContainsFunc(roots, func(root string) bool {
			return project.IsWithin(s.Folder, root) || project.IsWithin(project.Resolve(s.Folder), root)
		})
	}}
}
