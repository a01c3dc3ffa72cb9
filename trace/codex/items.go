package codex

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"mem/session"
	"mem/trace/build"
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

// Which side of a pair a text comes from.
const (
	fromItem  = 1
	fromEvent = -1
)

// item reads what went between Codex and the model.
func (r *reader) item(it *item) {
	switch it.Kind {
	case "message", "":
		r.message(it)
	case "reasoning":
		for _, b := range it.Summary.Blocks {
			r.once(session.Thinking, string(b.Text), fromItem)
		}
		if len(it.Summary.Blocks) == 0 {
			r.once(session.Thinking, string(it.Content), fromItem)
		}
	case "function_call", "custom_tool_call", "local_shell_call", "tool_call", "tool_search_call", "web_search_call":
		r.call(it)
	case "function_call_output", "custom_tool_call_output":
		r.result(it, it.Output)
	case "function_result", "tool_result":
		r.result(it, it.Result)
	case "agent_message":
		r.say(session.AssistantText, session.Subagent, string(it.Content))
	case "tool_search_output", "image_generation_call", "compaction", "compaction_summary", "ghost_snapshot", "other":
	default:
		r.Session.Ignored++
	}
}

func (r *reader) message(it *item) {
	said := string(it.Content)
	if said == "" {
		said = string(it.Message)
	}
	switch it.Role {
	case "assistant":
		r.once(session.AssistantText, said, fromItem)
	case "user":
		r.prompt(said, fromItem)
	case "developer", "system":
		r.say(session.UserText, session.Injected, said)
	default:
		r.Session.Ignored++
	}
}

// prompt emits a user's message. Codex writes those of a person as an item and
// as an event, and its own as an item alone; versions that write no events
// are told apart at the end.
func (r *reader) prompt(s string, side int) {
	trimmed := strings.TrimSpace(s)
	switch {
	case trimmed == "":
		return
	case strings.HasPrefix(trimmed, shellCommand):
		if side == fromItem {
			r.shell(trimmed)
		}
		return
	case slices.ContainsFunc(wrappers, func(w string) bool { return strings.HasPrefix(trimmed, w) }):
		if side == fromItem && !strings.HasPrefix(trimmed, "<turn_aborted>") {
			r.say(session.UserText, session.Injected, s)
		}
		return
	}
	if strings.HasPrefix(trimmed, ideContext) {
		if _, request, ok := strings.Cut(trimmed, ideRequest); ok {
			trimmed = strings.TrimSpace(request)
		}
	}
	k := string(session.UserText) + trimmed
	if side == fromItem {
		if r.twins[k] < 0 {
			r.twins[k]++
			return
		}
		before := r.tail
		if seq := r.say(session.UserText, session.Injected, trimmed); seq >= 0 {
			r.asked[trimmed] = append(r.asked[trimmed], seq)
			r.maybe = append(r.maybe, seq)
			r.turns = append(r.turns, turn{r.Node, before, seq})
		}
		return
	}
	r.events, r.stopped = true, false
	if waiting := r.asked[trimmed]; len(waiting) > 0 {
		r.asked[trimmed] = waiting[1:]
		if e := r.Get(waiting[0]); e != nil {
			e.Origin = r.by(session.Human)
			return
		}
	}
	r.twins[k]--
	before := r.tail
	seq := r.say(session.UserText, r.by(session.Human), trimmed)
	r.turns = append(r.turns, turn{r.Node, before, seq})
}

// shell emits a command that the person ran with "!", and what it printed.
func (r *reader) shell(s string) {
	_, rest, _ := strings.Cut(s, "<command>")
	command, rest, _ := strings.Cut(rest, "</command>")
	_, printed, _ := strings.Cut(rest, "<result>")
	printed, _, _ = strings.Cut(printed, "</result>")
	r.join()
	r.stopped = false
	r.Emit(session.Event{
		Kind: session.ToolCall, Origin: r.by(session.Human), Tool: "shell", CallID: r.Key,
		Input: build.CommandInput(strings.TrimSpace(command)),
	})
	e := session.Event{Kind: session.ToolResult, Origin: session.Tool, Tool: "shell", CallID: r.Key}
	e.Text, e.Cause = outcome(output{text: strings.TrimSpace(printed)})
	r.Emit(e)
}

func (r *reader) call(it *item) {
	name := string(it.Name)
	switch {
	case it.Kind == "web_search_call":
		name = "web_search"
	case name == "" && it.Kind == "local_shell_call":
		name = "local_shell"
	case name == "" && it.Kind == "tool_search_call":
		name = "tool_search"
	case name == "":
		name = string(it.Function.V.Name)
	}
	if ns := string(it.Namespace); strings.HasPrefix(ns, "mcp__") {
		name = strings.TrimSuffix(ns, "__") + "__" + name
	}
	id := string(it.CallID)
	if _, again := r.tools[id]; again && id != "" {
		return
	}
	if id != "" {
		r.tools[id] = name
	}
	r.stopped = false
	r.join()
	r.Emit(session.Event{Kind: session.ToolCall, Origin: r.by(session.Agent), Tool: name, CallID: id, Input: arguments(it)})
}

// arguments returns the input of a call as JSON. Most are JSON in a string.
func arguments(it *item) string {
	v := it.Arguments.V
	for _, other := range []jsontext.Value{it.Input.V, it.Action.V} {
		if len(v) == 0 {
			v = other
		}
	}
	var s string
	if v.Kind() != '"' || !jsonl.Unmarshal(v, &s) {
		return jsonl.Compact(v)
	}
	if inner := jsontext.Value(strings.TrimSpace(s)); inner.Kind() == '{' && inner.IsValid(jsonl.Foreign()) {
		return jsonl.Compact(inner)
	}
	v, err := json.Marshal(struct {
		Input string `json:"input"`
	}{s}, jsonl.Foreign())
	if err != nil {
		return ""
	}
	return jsonl.Compact(v)
}

func (r *reader) result(it *item, out output) {
	id := string(it.CallID)
	e := session.Event{Kind: session.ToolResult, Tool: r.tools[id], CallID: id}
	if e.Tool == "" {
		e.Tool = string(it.Name)
	}
	e.Origin = build.ToolOrigin(e.Tool)
	if e.Tool == "" {
		e.Origin = session.External // it could be anything
	}
	e.Text, e.Cause = outcome(out)
	r.join()
	r.Emit(e)
	r.stopped = e.Cause == session.DeniedByUser
}
