package codex

import (
	"cmp"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"mem/session"
	"mem/trace/jsonl"
)

// wrappers start the texts that the client puts into a user's message itself.
var wrappers = []string{
	"<environment_context>", "<user_instructions>", "<INSTRUCTIONS>", "# AGENTS.md instructions",
	"<permissions instructions>", "<skill>", "<hook_prompt", "<turn_aborted>", "<collaboration_mode>",
	"<subagent_notification>", "<apps_instructions>", "<skills_instructions>", "<plugins_instructions>",
}

const (
	shellCommand = "<user_shell_command>"
	ideContext   = "# Context from my IDE setup:"
	ideRequest   = "## My request for Codex:"
)

func (r *reader) readItem(it *item) {
	switch it.Type {
	case "message", "":
		r.readMessage(it)
	case "reasoning":
		for _, b := range it.Summary {
			r.emitAnswer(session.Thinking, b.V.Text, false)
		}
		if len(it.Summary) == 0 {
			r.emitAnswer(session.Thinking, string(it.Content), false)
		}
	case "function_call", "custom_tool_call", "local_shell_call", "tool_search_call", "web_search_call":
		r.readCall(it)
	case "function_call_output", "custom_tool_call_output":
		r.readResult(it.CallID, it.Name, it.Output)
	case "agent_message":
		r.EmitText(session.AssistantText, session.Subagent, string(it.Content))
	case "tool_search_output", "image_generation_call", "compaction", "compaction_summary", "ghost_snapshot", "other":
	default:
		r.Session.Ignored++
	}
}

func (r *reader) readMessage(it *item) {
	said := string(cmp.Or(it.Content, it.Message))
	switch it.Role {
	case "assistant":
		r.emitAnswer(session.AssistantText, said, false)
	case "user":
		r.readPrompt(said, false)
	case "developer", "system":
		r.EmitInjected(said)
	default:
		r.Session.Ignored++
	}
}

// readPrompt emits a user's message. Codex writes those of a person as an item and as an event, and its own as an item
// alone; versions that write no events are told apart at the end.
func (r *reader) readPrompt(s string, isEvent bool) {
	trimmed := strings.TrimSpace(s)
	switch {
	case trimmed == "":
		return
	case strings.HasPrefix(trimmed, shellCommand):
		if !isEvent {
			r.readShell(trimmed)
		}
		return
	case slices.ContainsFunc(wrappers, func(w string) bool { return strings.HasPrefix(trimmed, w) }):
		if !isEvent && !strings.HasPrefix(trimmed, "<turn_aborted>") {
			r.EmitInjected(s)
		}
		return
	}
	trimmed, notices := jsonl.SplitNotices(trimmed)
	if strings.HasPrefix(trimmed, ideContext) {
		if _, request, ok := strings.Cut(trimmed, ideRequest); ok {
			trimmed = strings.TrimSpace(request)
		}
	}
	if trimmed != "" { // a request of nothing is not a turn
		// An item may turn out to be the client's own; its event says that it is a person's.
		if seq := r.emitOnce(session.Injected, told{session.UserText, trimmed, isEvent}); isEvent {
			r.events, r.Stopped = true, false
			r.attributePrompt(seq)
		}
	}
	if !isEvent {
		r.EmitInjected(notices...)
	}
}

func (r *reader) readShell(s string) {
	_, rest, _ := strings.Cut(s, "<command>")
	command, rest, _ := strings.Cut(rest, "</command>")
	_, printed, _ := strings.Cut(rest, "<result>")
	printed, _, _ = strings.Cut(printed, "</result>")
	printed, cause := readOutcome(output{text: strings.TrimSpace(printed)})
	r.EmitShell("shell", strings.TrimSpace(command), printed, cause)
}

func (r *reader) readCall(it *item) {
	name := it.Name
	switch {
	case it.Type == "web_search_call":
		name = "web_search"
	case name == "" && it.Type == "local_shell_call":
		name = "local_shell"
	case name == "" && it.Type == "tool_search_call":
		name = "tool_search"
	case name == "exec" && it.Type == "custom_tool_call", name == "wait" && it.Namespace == "functions":
		// It runs a program of the model's. What that prints may come from any tool, so it is not that of a shell.
		name = "code_mode"
	}
	if ns := it.Namespace; strings.HasPrefix(ns, "mcp__") {
		name = strings.TrimSuffix(ns, "__") + "__" + name
	}
	r.EmitCall(session.Agent, name, it.CallID, arguments(it))
}

// arguments returns the input of a call as JSON. Most are JSON in a string.
func arguments(it *item) string {
	v := it.Arguments
	for _, other := range []jsontext.Value{it.Input, it.Action} {
		if len(v) == 0 {
			v = other
		}
	}
	var s string
	if v.Kind() != '"' || !jsonl.Unmarshal(v, &s) {
		return jsonl.Compact(v)
	}
	if inner := jsontext.Value(strings.TrimSpace(s)); inner.Kind() == '{' && inner.IsValid(jsonl.Foreign) {
		return jsonl.Compact(inner)
	}
	return jsonl.EncodeInput("input", s)
}

func (r *reader) readResult(id, tool string, out output) {
	e := session.Event{Tool: cmp.Or(r.Tools[id], tool), CallID: id}
	e.Text, e.Cause = readOutcome(out)
	r.EmitResult(e)
}

func (r *reader) readEvent(it *item) {
	switch it.Type {
	case "user_message":
		r.readPrompt(string(it.Message), true)
	case "agent_message":
		r.emitAnswer(session.AssistantText, string(it.Message), true)
	case "agent_reasoning", "agent_reasoning_raw_content":
		r.emitAnswer(session.Thinking, it.Text, true)
	case "turn_aborted":
		if it.Reason == "interrupted" || it.Reason == "user_cancelled" || it.Reason == "" {
			r.EmitInterrupt("") // for any other reason it was not a person who stopped the turn
		}
	case "thread_rolled_back":
		r.rollBack(it)
	case "item_completed":
		r.readDone(&it.Item)
	case "error", "stream_error":
		r.EmitFailure(string(cmp.Or(it.Message, it.Error, "error")))
	case "exec_command_end", "patch_apply_end", "mcp_tool_call_end":
		if it.ExitCode != nil && *it.ExitCode != 0 || string(it.Success) == "false" || it.Result.failed {
			r.ReviseCause(it.CallID, session.OK, session.Failed)
		}
	case "token_count", "task_started", "task_complete", "turn_started", "turn_complete", "context_compacted",
		"web_search_end", "image_generation_end", "entered_review_mode", "exited_review_mode",
		"thread_goal_updated", "thread_name_updated", "thread_settings_applied", "sub_agent_activity",
		"guardian_assessment", "view_image_tool_call", "undo_completed",
		"dynamic_tool_call_request", "dynamic_tool_call_response", "collab_agent_interaction_end",
		"collab_agent_spawn_end", "collab_close_end", "collab_waiting_end", "warning", "turn_diff", "plan_update":
	default:
		r.Session.Ignored++
	}
}

type done struct {
	Type, ID, Source, Status, AggregatedOutput string
	Command                                    jsonl.Raw
	ExitCode                                   *float64
}

// readDone emits a command that a program of the model's ran, of which no other line
// tells. Those that the model called have its id for the call.
func (r *reader) readDone(d *done) {
	if _, told := r.Tools[d.ID]; told || d.ID == "" || d.Type != "CommandExecution" || d.Source == "user_shell" {
		return
	}
	out := output{text: d.AggregatedOutput, exit: d.ExitCode, failed: d.Status != "completed"}
	if d.Status == "declined" { // it has no code of its own
		out.exit = nil
	}
	r.EmitCall(session.Agent, "shell", d.ID, `{"command":`+jsonl.Compact(d.Command)+`}`)
	r.readResult(d.ID, "", out)
}

// rollBack marks the last turns as left; what follows continues from before them.
func (r *reader) rollBack(it *item) {
	if r.events { // then a prompt that has none is not a person's
		r.turns = slices.DeleteFunc(r.turns, func(seq int) bool {
			e := r.FindEvent(seq)
			return e != nil && e.Origin == session.Injected
		})
	}
	n := len(r.turns)
	if it.NumTurns == nil || *it.NumTurns < 1 || n == 0 {
		return
	}
	n = int(min(*it.NumTurns, float64(n)))
	n = len(r.turns) - n
	r.LeaveSince(r.turns[n])
	r.turns = r.turns[:n]
}
