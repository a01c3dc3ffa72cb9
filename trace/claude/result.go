package claude

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"mem/lazy"
	"mem/session"
	"mem/trace/build"
	"mem/trace/jsonl"
)

// A twin is the structured twin of a tool result: an object, or the
// error as a string.
type twin struct {
	text          jsonl.Text
	UserModified  jsonl.Flag                           `json:"userModified"`
	PlanWasEdited jsonl.Flag                           `json:"planWasEdited"`
	AgentID       jsonl.Text                           `json:"agentId"`
	AfkTimeout    jsonl.Number                         `json:"afkTimeoutMs"`
	Answers       jsonl.Object[map[string]jsonl.Prose] `json:"answers"`
	Questions     jsonl.Content[question]              `json:"questions"`
}

// A question is one that the agent asked, with the answers that it offers.
type question struct {
	Question jsonl.Prose           `json:"question"`
	Options  jsonl.Content[option] `json:"options"`
}

type option struct {
	Label jsonl.Prose `json:"label"`
}

func (t *twin) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	type fields twin // without this method
	switch dec.PeekKind() {
	case '"':
		return t.text.UnmarshalJSONFrom(dec)
	case '{':
		return json.UnmarshalDecode(dec, (*fields)(t))
	}
	return dec.SkipValue()
}

// readResult emits a ToolResult. One without its call is kept: the call may have
// been cut off, or follow.
func (r *reader) readResult(l *line, b *block) {
	call := string(b.ToolUseID)
	said, reminders := splitReminders(cmp.Or(string(b.Content), string(l.Result.text)))
	r.notices = append(r.notices, reminders...)
	e := session.Event{
		Kind: session.ToolResult, Tool: r.Tools[call], CallID: call,
		Text:   strings.TrimRight(said, " \t\r\n"),
		Edited: bool(l.Result.UserModified || l.Result.PlanWasEdited),
	}
	e.Origin = build.ToolOrigin(e.Tool)
	if e.Cause = r.cause(l, b, e.Text); e.Cause == session.DeniedByUser {
		e.Reason = denialWords(e.Text)
	}
	r.Stopped = r.Stopped || e.Cause == session.DeniedByUser
	r.Emit(e)
	if e.Tool == "AskUserQuestion" {
		r.readAnswers(&l.Result)
	}
	r.noteSpawned(string(l.Result.AgentID), call)
}

// readAnswers emits the answers to questions that a person worded rather than chose.
func (r *reader) readAnswers(t *twin) {
	for _, q := range t.Questions.Blocks {
		said := string(t.Answers.V[string(q.Question)])
		left := said
		for _, o := range q.Options.Blocks { // several may be chosen
			left = strings.TrimPrefix(strings.TrimPrefix(left, string(o.Label)), ", ")
		}
		if left != "" {
			r.EmitText(session.UserText, r.Speaker(session.Human), said)
		}
	}
}

// cause says how the call of a result ended. Text counts only where the client
// marks an error: any file can hold these sentences.
func (r *reader) cause(l *line, b *block, s string) session.Cause {
	if c := l.markedCause(); c != session.OK || !bool(b.IsError) {
		return c
	}
	s = strings.TrimPrefix(strings.TrimSpace(s), "<tool_use_error>")
	s = strings.TrimPrefix(s, "Error: ")
	for _, d := range denials {
		if !strings.HasPrefix(s, d.prefix) {
			continue
		}
		cause := d.cause
		if d.prefix == deniedToAgent && (r.Side || denialWords(s) != "") {
			cause = session.DeniedByUser
		}
		// Any program can print the words of a refusal. Without a mark of its own one is noted as an error is, with the
		// text of the result: that counts for tools whose errors the client words. A shell's begin with the exit code since version 2.
		if cause == session.DeniedByUser && l.Result.text != "User rejected tool use" && !l.notesError(d.prefix, r.Tools[string(b.ToolUseID)]) {
			return session.Failed // the tool says so
		}
		return cause
	}
	// The words are looked for first: the expressions are slow, and almost no
	// result gets as far as them.
	switch {
	case strings.Contains(s, " hook ") && hookError.Matches(s) && l.notesError(s[:strings.Index(s, " hook ")], r.Tools[string(b.ToolUseID)]):
		return session.BlockedByHook
	case strings.Contains(s, "Command timed out after ") && timedOut.Matches(s):
		return session.TimedOut
	case strings.Contains(s, "approval") && unwatched.Matches(s):
		return session.DeniedByRule
	}
	return session.Failed
}

// markedCause is how a call ended according to the members of its line; OK if
// they do not say.
func (l *line) markedCause() session.Cause {
	if l.Shutdown {
		return session.Shutdown // before anything else: the text claims a denial
	}
	switch l.DenialKind {
	case "user-rejected":
		return session.DeniedByUser
	case "interrupted", "cancelled":
		return session.Cancelled
	case "permission-rule", "automode-blocked":
		return session.DeniedByRule
	}
	if l.Result.AfkTimeout.Set && len(l.Result.Answers.V) == 0 {
		return session.TimedOut // a question that was not answered
	}
	return session.OK
}

// notesError reports whether the line notes an error of a tool that begins with
// these words, and they are the client's.
func (l *line) notesError(words, tool string) bool {
	major, _, _ := strings.Cut(string(l.Version), ".")
	n, _ := strconv.Atoi(major) // 0 is a version that says nothing
	return slices.Contains(ownErrors, tool) && (n >= 2 || tool != "Bash") && strings.HasPrefix(strings.TrimPrefix(string(l.Result.text), "Error: "), words)
}

// ownErrors are the tools whose errors are the client's words.
var ownErrors = []string{
	"Bash", "Edit", "Write", "MultiEdit", "NotebookEdit", "ExitPlanMode", "AskUserQuestion", "TodoWrite", "Read", "Glob", "Grep", "LS",
}

// deniedToAgent is what a sub-agent reads when a person says no, and what a
// session without a person reads when a rule does.
const deniedToAgent = "Permission for this tool use was denied."

// denials are the beginnings of results that are not the tool's own.
var denials = []struct {
	prefix string
	cause  session.Cause
}{
	{"The user doesn't want to proceed with this tool use.", session.DeniedByUser},
	{"The user doesn't want to take this action right now.", session.Cancelled},
	{"Permission prompt was aborted.", session.Cancelled},
	{deniedToAgent, session.DeniedByRule},
	{"Permission to use ", session.DeniedByRule},
	{"Claude requested permissions to ", session.DeniedByRule},
	{"This command requires approval", session.DeniedByRule},
	{"Blocked: ", session.DeniedByRule},
	{"Sibling tool call errored", session.Cascade},
	{"Cancelled: parallel tool call ", session.Cascade},
}

var (
	hookError = lazy.New(`^[A-Z][A-Za-z]+:\S+ hook (blocking )?error`)
	timedOut  = lazy.New(`^(Exit code \d+\n)?Command timed out after |\nCommand timed out after [^\n]*$`)
	// unwatched matches the refusals of sessions that run unwatched.
	unwatched = lazy.New(`^[^\n]{0,200}(requires interactive approval|no approval surface)`)
)

// denialWords returns the words with which a person denied a call, if any.
func denialWords(s string) string {
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

// abandonRewound marks what was said before a person went back and typed another
// prompt in the same place. Forks for other reasons are common: parallel
// calls, and commands of the client, which are not prompts.
func (r *reader) abandonRewound() {
	latest := make(map[int]int)  // prompt by the message that it answers
	message := make(map[int]int) // nearest message by node on the way to it
	for _, p := range r.prompts {
		at := r.Nodes[p].Parent
		var way []int
		for at >= 0 && r.Nodes[at].Passing {
			if m, ok := message[at]; ok {
				at = m
				break
			}
			way = append(way, at)
			at = r.Nodes[at].Parent
		}
		for _, w := range way {
			message[w] = at
		}
		if at < 0 {
			continue
		}
		if before, ok := latest[at]; ok && before != p {
			r.MarkNode(before, true)
		}
		latest[at] = p
	}
}
