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
	"mem/trace/jsonl"
)

// A twin is the structured twin of a tool result: an object, or the error as a string.
type twin struct {
	text                        string
	AgentID                     string
	UserModified, PlanWasEdited bool
	AfkTimeoutMs                *float64
	Answers                     map[string]jsonl.Prose
	Questions                   jsonl.Blocks[question]
}

// A question is the agent's question, with the answers it offered.
type question struct {
	Question jsonl.Prose
	Options  jsonl.Blocks[struct{ Label jsonl.Prose }]
}

func (t *twin) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	type fields twin // without this method
	if dec.PeekKind() == '"' {
		return json.UnmarshalDecode(dec, &t.text)
	}
	return json.UnmarshalDecode(dec, (*fields)(t))
}

func (r *reader) readResult(l *line, b *block) {
	said, reminders := splitReminders(cmp.Or(string(b.Content), l.ToolUseResult.text))
	r.notices = append(r.notices, reminders...)
	e := session.Event{
		CallID: b.ToolUseID, Text: strings.TrimRight(said, " \t\r\n"),
		Edited: l.ToolUseResult.UserModified || l.ToolUseResult.PlanWasEdited,
	}
	if e.Cause = r.cause(l, b, e.Text); e.Cause == session.DeniedByUser {
		e.Reason = denialWords(e.Text)
	}
	r.EmitResult(e)
	if r.Tools[b.ToolUseID] == "AskUserQuestion" {
		r.readAnswers(&l.ToolUseResult)
	}
	r.noteSpawned(l.ToolUseResult.AgentID, b.ToolUseID)
}

// readAnswers emits the answers to questions that a person worded rather than chose.
func (r *reader) readAnswers(t *twin) {
	for _, q := range t.Questions {
		said := string(t.Answers[string(q.Question)])
		left := said
		for _, o := range q.Options { // several may be chosen
			left = strings.TrimPrefix(strings.TrimPrefix(left, string(o.Label)), ", ")
		}
		if left != "" {
			r.EmitText(session.UserText, session.Human, said)
		}
	}
}

// cause says how the call of a result ended. Text counts only where the client
// marks an error: any file can hold these sentences.
func (r *reader) cause(l *line, b *block, s string) session.Cause {
	if c := l.markedCause(); c != session.OK || !b.IsError {
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
		if cause == session.DeniedByUser && l.ToolUseResult.text != "User rejected tool use" && !l.notesError(d.prefix, r.Tools[b.ToolUseID]) {
			return session.Failed // the tool says so
		}
		return cause
	}
	// The words are looked for first: the expressions are slow, and almost no result gets as far as them.
	switch {
	case strings.Contains(s, " hook ") && hookError.Matches(s) && l.notesError(s[:strings.Index(s, " hook ")], r.Tools[b.ToolUseID]):
		return session.BlockedByHook
	case strings.Contains(s, "Command timed out after ") && timedOut.Matches(s):
		return session.TimedOut
	case strings.Contains(s, "approval") && unwatched.Matches(s):
		return session.DeniedByRule
	}
	return session.Failed
}

// markedCause is how a call ended according to the members of its line; OK if they do not say.
func (l *line) markedCause() session.Cause {
	if l.InterruptedByShutdown {
		return session.Shutdown // before anything else: the text claims a denial
	}
	switch by := l.PermissionDecision.Source; l.ToolDenialKind {
	case "user-rejected": // also where a question had no one to ask, as in claude -p
		if by != "" && !strings.HasPrefix(by, "user_") {
			return session.DeniedByRule
		}
		return session.DeniedByUser
	case "interrupted", "cancelled":
		return session.Cancelled
	case "permission-rule":
		return session.DeniedByRule
	}
	if strings.HasPrefix(l.ToolDenialKind, "automode-") { // blocked, unavailable, parsing-error
		return session.HeldByAgent
	}
	if l.ToolUseResult.AfkTimeoutMs != nil && len(l.ToolUseResult.Answers) == 0 {
		return session.TimedOut // a question that was not answered
	}
	return session.OK
}

// notesError reports whether the line notes an error of a tool that begins with these words, and they are the client's.
func (l *line) notesError(words, tool string) bool {
	major, _, _ := strings.Cut(l.Version, ".")
	n, _ := strconv.Atoi(major) // 0 is a version that says nothing
	return slices.Contains(ownErrors, tool) && (n >= 2 || tool != "Bash") && strings.HasPrefix(strings.TrimPrefix(l.ToolUseResult.text, "Error: "), words)
}

// ownErrors are the tools whose errors are the client's words.
var ownErrors = []string{
	"Bash", "Edit", "Write", "MultiEdit", "NotebookEdit", "ExitPlanMode", "AskUserQuestion", "TodoWrite", "Read", "Glob", "Grep", "LS",
}

// deniedToAgent is the text that a sub-agent gets when a person says no, and that a session without a
// person gets when a rule does.
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
	{"Permission for this action was denied by the Claude Code auto mode classifier.", session.HeldByAgent},
	{"Permission for this action has been denied. Reason: ", session.HeldByAgent}, // the same, in earlier versions
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
