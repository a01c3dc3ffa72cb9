package reflect_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"mem/envtest"
	"mem/session"
	"mem/trace"
)

// A transcript is a session as an agent would have written it down.
type transcript struct {
	agent string // "claude" or "pi"
	id    string
	lines []string
	n     int
}

func newTranscript(agent, id string) *transcript {
	tr := &transcript{agent: agent, id: id}
	if agent == "pi" {
		tr.lines = append(tr.lines, quoted(map[string]any{
			"type": "session", "version": 3, "id": id, "timestamp": tr.time(), "cwd": "/home/robin/project",
		}))
	}
	return tr
}

func (tr *transcript) time() string {
	return noon.Add(time.Duration(tr.n) * time.Second).Format(time.RFC3339)
}

func (tr *transcript) uuid(n int) any {
	if n == 0 {
		return nil
	}
	return fmt.Sprintf("%s-%d", tr.id, n)
}

// message appends one line with a message of a role. more has further
// members of the line.
func (tr *transcript) message(role string, message map[string]any, more map[string]any) {
	tr.n++
	message["role"] = role
	line := map[string]any{"timestamp": tr.time(), "message": message}
	if tr.agent == "pi" {
		line["type"], line["id"], line["parentId"] = "message", tr.uuid(tr.n), tr.uuid(tr.n-1)
	} else {
		line["type"], line["uuid"], line["parentUuid"] = role, tr.uuid(tr.n), tr.uuid(tr.n-1)
		line["sessionId"], line["cwd"], line["version"] = tr.id, "/home/robin/project", "2.1.214"
	}
	for k, v := range more {
		line[k] = v
	}
	tr.lines = append(tr.lines, quoted(line))
}

func (tr *transcript) user(text string) {
	if tr.agent == "pi" {
		tr.message("user", map[string]any{"content": []any{map[string]any{"type": "text", "text": text}}}, nil)
		return
	}
	tr.message("user", map[string]any{"content": text}, nil)
}

func (tr *transcript) say(text string) {
	tr.message("assistant", map[string]any{
		"id": fmt.Sprintf("msg_%d", tr.n), "model": "claude-sonnet-4-6",
		"content": []any{map[string]any{"type": "text", "text": text}},
	}, nil)
}

// call appends a tool call and its result.
func (tr *transcript) call(tool string, input map[string]any, result string, failed bool) {
	id := fmt.Sprintf("toolu_%s_%d", tr.id, tr.n)
	text := []any{map[string]any{"type": "text", "text": result}}
	if tr.agent == "pi" {
		tr.message("assistant", map[string]any{"content": []any{map[string]any{"type": "toolCall", "id": id, "name": strings.ToLower(tool), "arguments": input}}, "stopReason": "toolUse"}, nil)
		tr.message("toolResult", map[string]any{"toolCallId": id, "toolName": strings.ToLower(tool), "content": text, "isError": failed}, nil)
		return
	}
	tr.message("assistant", map[string]any{
		"id": fmt.Sprintf("msg_%d", tr.n), "model": "claude-sonnet-4-6",
		"content": []any{map[string]any{"type": "tool_use", "id": id, "name": tool, "input": input}},
	}, nil)
	tr.message("user", map[string]any{"content": []any{map[string]any{"type": "tool_result", "tool_use_id": id, "content": result, "is_error": failed}}}, nil)
}

// deny appends a tool call that a person refused with words. Claude Code only.
func (tr *transcript) deny(tool string, input map[string]any, reason string) {
	tr.call(tool, input, "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the new_string was NOT written to the file). To tell you how to proceed, the user said:\n"+reason, true)
	last := &tr.lines[len(tr.lines)-1] // the client's own mark of a denial
	*last = strings.TrimSuffix(*last, "}") + `,"toolUseResult":"User rejected tool use"}`
}

// context appends what a hook of Claude Code injected.
func (tr *transcript) context(text string) {
	tr.n++
	tr.lines = append(tr.lines, quoted(map[string]any{
		"type": "attachment", "uuid": tr.uuid(tr.n), "parentUuid": tr.uuid(tr.n - 1), "sessionId": tr.id, "timestamp": tr.time(),
		"attachment": map[string]any{"type": "hook_additional_context", "hookEvent": "SessionStart", "hookName": "SessionStart:startup", "content": []any{text}},
	}))
}

// read reads the transcript as mem would.
func (tr *transcript) read(t *testing.T) *session.Session {
	t.Helper()
	doc, err := trace.Read(strings.NewReader(strings.Join(tr.lines, "\n") + "\n"))
	envtest.StopIf(t, err != nil || doc.Session == nil || doc.Session.Agent != tr.agent, "%s: %+v, %v", tr.id, doc, err)
	return doc.Session
}
