package codex

import (
	"slices"

	"mem/session"
)

// event reads what Codex showed to the person.
func (r *reader) event(it *item) {
	switch it.Kind {
	case "user_message":
		r.prompt(string(it.Message), fromEvent)
	case "agent_message":
		r.once(session.AssistantText, string(it.Message), fromEvent)
	case "agent_reasoning", "agent_reasoning_raw_content":
		r.once(session.Thinking, string(it.Text), fromEvent)
	case "turn_aborted":
		r.aborted(it)
	case "thread_rolled_back":
		r.rollback(it)
	case "error", "stream_error":
		said := string(it.Message)
		if said == "" {
			said = string(it.Error)
		}
		if said == "" {
			said = "error"
		}
		r.join()
		r.Fail(said)
	case "exec_command_end", "patch_apply_end", "mcp_tool_call_end":
		if it.ExitCode.Set && it.ExitCode.V != 0 || string(it.Success.V) == "false" || it.Result.failed {
			r.failed[string(it.CallID)] = true
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

// aborted emits an Interrupt, if it was a person who stopped the turn, and
// unless it only seals a denial that was just seen.
func (r *reader) aborted(it *item) {
	if it.Reason != "interrupted" && it.Reason != "user_cancelled" && it.Reason != "" {
		return
	}
	if r.stopped {
		return
	}
	r.stopped = true
	r.join()
	r.Emit(session.Event{Kind: session.Interrupt, Origin: r.by(session.Human)})
}

// rollback marks the last turns as left; what follows goes on from before them.
func (r *reader) rollback(it *item) {
	if r.events { // then a prompt that has none is not a person's
		r.turns = slices.DeleteFunc(r.turns, func(t turn) bool {
			e := r.Get(t.seq)
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
	r.Abandon(first.node)
	r.tail = first.before
	r.stopped = false
}
