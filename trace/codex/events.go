package codex

import (
	"cmp"
	"slices"

	"mem/session"
)

// readEvent reads what Codex showed to the person.
func (r *reader) readEvent(it *item) {
	switch it.Kind {
	case "user_message":
		r.readPrompt(string(it.Message), fromEvent)
	case "agent_message":
		r.emitOnce(session.AssistantText, string(it.Message), fromEvent)
	case "agent_reasoning", "agent_reasoning_raw_content":
		r.emitOnce(session.Thinking, string(it.Text), fromEvent)
	case "turn_aborted":
		r.readAborted(it)
	case "thread_rolled_back":
		r.rollBack(it)
	case "error", "stream_error":
		r.EmitFailure(string(cmp.Or(it.Message, it.Error, "error")))
	case "exec_command_end", "patch_apply_end", "mcp_tool_call_end":
		if it.failed() {
			r.ReviseCause(string(it.CallID), session.OK, session.Failed)
		}
	case "token_count", "task_started", "task_complete", "turn_started", "turn_complete", "context_compacted",
		"web_search_end", "image_generation_end", "entered_review_mode", "exited_review_mode",
		"thread_goal_updated", "thread_name_updated", "thread_settings_applied", "sub_agent_activity",
		"item_completed", "guardian_assessment", "view_image_tool_call", "undo_completed",
		"dynamic_tool_call_request", "dynamic_tool_call_response", "collab_agent_interaction_end",
		"collab_agent_spawn_end", "collab_close_end", "collab_waiting_end", "warning", "turn_diff", "plan_update":
	default:
		r.Session.Ignored++
	}
}

// failed reports whether the event says that a tool failed.
func (it *item) failed() bool {
	return it.ExitCode.Set && it.ExitCode.V != 0 || string(it.Success.V) == "false" || it.Result.failed
}

// readAborted emits an Interrupt if it was a person who stopped the turn.
func (r *reader) readAborted(it *item) {
	if it.Reason != "interrupted" && it.Reason != "user_cancelled" && it.Reason != "" {
		return
	}
	r.EmitInterrupt("")
}

// rollBack marks the last turns as left; what follows continues from before them.
func (r *reader) rollBack(it *item) {
	if r.events { // then a prompt that has none is not a person's
		r.turns = slices.DeleteFunc(r.turns, func(t turn) bool {
			e := r.FindEvent(t.seq)
			return e != nil && e.Origin == session.Injected
		})
	}
	n := len(r.turns)
	if !it.NumTurns.Set || it.NumTurns.V < 1 || n == 0 {
		return
	}
	if it.NumTurns.V < float64(n) {
		n = int(it.NumTurns.V)
	}
	first := r.turns[len(r.turns)-n]
	r.turns = r.turns[:len(r.turns)-n]
	r.AbandonNode(first.node)
	r.Tail = first.before
	r.Stopped = false
}
