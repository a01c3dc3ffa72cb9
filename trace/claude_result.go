package trace

import (
	"regexp"
	"strings"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// A claudeTwin is the structured twin of a tool result: an object, or the
// error as a string.
type claudeTwin struct {
	text          text
	UserModified  flag                     `json:"userModified"`
	PlanWasEdited flag                     `json:"planWasEdited"`
	AgentID       text                     `json:"agentId"`
	AfkTimeout    number                   `json:"afkTimeoutMs"`
	Answers       object[map[string]prose] `json:"answers"`
}

// UnmarshalJSONFrom implements json.UnmarshalerFrom.
func (t *claudeTwin) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	type fields claudeTwin // without this method
	switch dec.PeekKind() {
	case '"':
		return t.text.UnmarshalJSONFrom(dec)
	case '{':
		return json.UnmarshalDecode(dec, (*fields)(t))
	}
	return dec.SkipValue()
}

// result emits a ToolResult. One without its call is kept: the call may have
// been cut off, or follow.
func (r *claudeReader) result(l *claudeLine, b *claudeBlock) {
	call := string(b.ToolUseID)
	said := string(b.Content)
	if said == "" {
		said = string(l.Result.text)
	}
	e := Event{
		Kind: ToolResult, Tool: r.tools[call], CallID: call,
		Text:   strings.TrimRight(stripReminders(said), " \t\r\n"),
		Edited: bool(l.Result.UserModified || l.Result.PlanWasEdited),
	}
	e.Origin = toolOrigin(e.Tool)
	if e.Tool == "" {
		e.Origin = External // it could be anything
	}
	e.Cause, e.Reason = r.cause(l, b, e.Text)
	if e.Cause == DeniedByUser {
		r.stopped = true
	}
	r.emit(e)
	if id := string(l.Result.AgentID); id != "" && call != "" {
		r.spawned[id] = call
	}
}

// cause says how the call of a result ended, and with which words a person
// denied it. Text counts only where the client marks an error: anybody can
// write these sentences into a file.
func (r *claudeReader) cause(l *claudeLine, b *claudeBlock, s string) (Cause, string) {
	switch {
	case bool(l.Shutdown):
		return Shutdown, "" // before anything else: the text claims a denial
	case l.DenialKind == "user-rejected":
		return DeniedByUser, reason(s)
	case l.DenialKind == "interrupted" || l.DenialKind == "cancelled":
		return Cancelled, ""
	case l.DenialKind == "permission-rule" || l.DenialKind == "automode-blocked":
		return DeniedByRule, ""
	case l.Result.AfkTimeout.set && len(l.Result.Answers.V) == 0:
		return TimedOut, "" // a question that nobody answered
	case !bool(b.IsError):
		return OK, ""
	}
	s = strings.TrimPrefix(strings.TrimSpace(s), "<tool_use_error>")
	s = strings.TrimPrefix(s, "Error: ")
	for _, d := range denials {
		if !strings.HasPrefix(s, d.prefix) {
			continue
		}
		why := reason(s)
		if d.cause == DeniedByRule && (r.side || why != "") && strings.HasPrefix(s, deniedToAgent) {
			return DeniedByUser, why
		}
		if d.cause != DeniedByUser {
			why = ""
		}
		return d.cause, why
	}
	switch {
	case hookError().MatchString(s):
		return BlockedByHook, ""
	case timedOut().MatchString(s):
		return TimedOut, ""
	case unwatched().MatchString(s):
		return DeniedByRule, ""
	}
	return Failed, ""
}

// deniedToAgent is what a sub-agent reads when a person says no, and what a
// session without a person reads when a rule does.
const deniedToAgent = "Permission for this tool use was denied."

// denials are the beginnings of results that are not the tool's own.
var denials = []struct {
	prefix string
	cause  Cause
}{
	{"The user doesn't want to proceed with this tool use.", DeniedByUser},
	{"The user doesn't want to take this action right now.", Cancelled},
	{"Permission prompt was aborted.", Cancelled},
	{deniedToAgent, DeniedByRule},
	{"Permission to use ", DeniedByRule},
	{"Claude requested permissions to ", DeniedByRule},
	{"This command requires approval", DeniedByRule},
	{"Blocked: ", DeniedByRule},
	{"Sibling tool call errored", Cascade},
	{"Cancelled: parallel tool call ", Cascade},
}

var (
	hookError = lazy(`^[A-Z][A-Za-z]+:\S+ hook (blocking )?error`)
	timedOut  = lazy(`^(Exit code \d+\n)?Command timed out after |\nCommand timed out after [^\n]*$`)
	// unwatched matches the refusals of sessions that nobody watches.
	unwatched = lazy(`^[^\n]{0,200}(requires interactive approval|no approval surface)`)
)

// reason returns the words with which a person denied a call, if any.
func reason(s string) string {
	_, words, found := strings.Cut(s, "user said:\n")
	if !found {
		return ""
	}
	words, _, _ = strings.Cut(words, "\n\nNote: The user's next message")
	words = strings.TrimSpace(words)
	if strings.HasPrefix(words, "The user wants to clarify these questions.") {
		return "" // the client's words for a button
	}
	return words
}

// settle completes the results with what other lines say about their calls,
// since lines are written out of order.
func (r *claudeReader) settle() {
	for i := range r.s.Events {
		e := &r.s.Events[i]
		if e.Kind != ToolResult || e.CallID == "" {
			continue
		}
		if e.Tool == "" && r.tools[e.CallID] != "" {
			e.Tool = r.tools[e.CallID]
			e.Origin = toolOrigin(e.Tool)
		}
		if e.Cause == Failed && r.blocked[e.CallID] {
			e.Cause = BlockedByHook
		}
	}
}

// rewinds marks what was said before a person went back and typed another
// prompt in the same place. Forks for other reasons are common: parallel
// calls, and commands of the client, which are not prompts.
func (r *claudeReader) rewinds() {
	latest := make(map[int]int)  // prompt by the message that it answers
	message := make(map[int]int) // nearest message by node on the way to it
	for _, p := range r.prompts {
		at := r.nodes[p].parent
		var way []int
		for at >= 0 && r.nodes[at].passing {
			if m, ok := message[at]; ok {
				at = m
				break
			}
			way = append(way, at)
			at = r.nodes[at].parent
		}
		for _, w := range way {
			message[w] = at
		}
		if at < 0 {
			continue
		}
		if before, ok := latest[at]; ok && before != p {
			r.nodes[before].fate = abandoned
		}
		latest[at] = p
	}
}

// lazy compiles an expression when it is first needed: most runs of mem never
// read a session of this format.
func lazy(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}
