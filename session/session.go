// Package session is the model of an agent's session: what happened, in which
// order, and who is behind each word.
//
// Package trace makes sessions from the files of agents, reflect cleans them,
// and oracles read them. The model depends on nothing, so all of them share
// it.
package session

import "time"

// A Session is one agent session as mem sees it.
type Session struct {
	Agent   string    `json:"agent"`            // "claude", "pi", "codex", "gemini", "opencode", or what a neutral trace says
	ID      string    `json:"session"`          // the agent's own id of the session; "" if it names none
	Path    string    `json:"path"`             // where it was read from; "" for a stream
	CWD     string    `json:"cwd"`              // working directory at the start; "" if unknown
	Model   string    `json:"model"`            // the last model that answered; "" if unknown
	Parent  string    `json:"parent"`           // session or file it was forked or resumed from; "" if none
	Born    time.Time `json:"-"`                // when it left Parent; zero if it does not say
	Name    string    `json:"name,omitzero"`    // that the person gave it; "" if none
	Version string    `json:"agentVersion"`     // format or agent version, for display only
	Started time.Time `json:"started,omitzero"` // zero if no event carries a time
	Ended   time.Time `json:"ended,omitzero"`   // of the last event; zero if no event carries a time

	Skipped   int   `json:"skippedLines"`   // damaged or oversized lines that were skipped
	Ignored   int   `json:"ignoredEntries"` // well-formed entries of kinds that mem does not know
	Truncated bool  `json:"truncated"`      // the middle of the file was not read because of its size
	Size      int64 `json:"size"`           // bytes of the source up to its last complete entry

	// Labels are what the person called entries, by their ids.
	Labels map[string]string `json:"labels,omitzero"`

	// Events are in the order in which they happened, which for every format
	// is file order. Side branches are included and marked Abandoned.
	Events []Event `json:"events"`
}

// Kind says what an event is.
type Kind string

// The kinds of events.
const (
	UserText      Kind = "user"           // typed by a person, or injected as such (see Origin)
	AssistantText Kind = "assistant"      // said by the model
	Thinking      Kind = "thinking"       // the model's visible reasoning
	ToolCall      Kind = "tool_call"      // the model asked for a tool
	ToolResult    Kind = "tool_result"    // what the tool answered
	Interrupt     Kind = "interrupt"      // a person stopped the model
	Compaction    Kind = "compaction"     // a summary that stands for earlier events
	BranchSummary Kind = "branch_summary" // a summary of an abandoned branch
	Failure       Kind = "error"          // the provider or the client failed, not a tool
)

// Origin says who produced an event's text. It comes from the format alone, never from what the text
// claims.
type Origin string

// The origins, most trusted first.
const (
	Human    Origin = "human"    // a person typed it
	Agent    Origin = "agent"    // the model of the main conversation
	Subagent Origin = "subagent" // a model that the main one started
	Tool     Origin = "tool"     // a local tool: files, commands
	External Origin = "external" // fetched from outside: web pages, searches, remote tools
	Injected Origin = "injected" // put there by the client or a hook; never learned from
)

// Cause says how a tool call ended.
type Cause string

// The causes of a ToolResult. OK is the zero value.
const (
	OK            Cause = ""
	Failed        Cause = "failed"          // the tool ran and reported an error
	DeniedByUser  Cause = "denied_by_user"  // a person said no; Event.Reason has the words, if any
	DeniedByRule  Cause = "denied_by_rule"  // a permission rule or a sandbox said no
	BlockedByHook Cause = "blocked_by_hook" // a hook said no
	HeldByAgent   Cause = "held_by_agent"   // the agent's own check said no, or had no answer: neither a person nor a rule of theirs
	Cancelled     Cause = "cancelled"       // skipped because a person spoke, or aborted half-way
	Cascade       Cause = "cascade"         // failed only because a parallel call failed
	TimedOut      Cause = "timeout"         // stopped by a time limit
	Shutdown      Cause = "shutdown"        // the agent's process ended; no one decided
)

// MaxText is the most bytes that Event.Text, Event.Input or Event.Reason hold.
// Longer texts lose their middle, and a marker says how many bytes are missing.
const MaxText = 16 << 10

// An Event is one thing that happened in a session.
type Event struct {
	ID     string    `json:"id,omitzero"`   // stable within the session, also after the file was rewritten
	Time   time.Time `json:"time,omitzero"` // zero if unknown
	Kind   Kind      `json:"kind,omitzero"`
	Origin Origin    `json:"origin,omitzero"`

	Text   string `json:"text,omitzero"`   // what was said, asked or answered; at most MaxText bytes, cut in the middle
	Tool   string `json:"tool,omitzero"`   // ToolCall, ToolResult: the tool's name, as the agent calls it
	CallID string `json:"call,omitzero"`   // ToolCall, ToolResult: pairs a call with its result
	Input  string `json:"input,omitzero"`  // ToolCall: the arguments as compact JSON, at most MaxText bytes
	Cause  Cause  `json:"cause,omitzero"`  // ToolResult: how it ended
	Reason string `json:"reason,omitzero"` // ToolResult, Interrupt: the words with which a person said no

	// Stopped is set on a ToolResult that failed with the words of a refusal, such as
	// "permission denied", by the system or by another program.
	Stopped bool `json:"stopped,omitzero"`

	// Edited is set on a ToolResult whose proposal a person changed before
	// it was applied, and on an injected text that shows a file which was
	// changed outside of the session.
	Edited bool `json:"edited,omitzero"`

	// Abandoned is set on events of a branch that the session left: an edited
	// prompt, a rewind, a rollback.
	Abandoned bool `json:"abandoned,omitzero"`

	// Headless is set on a UserText of a run that a program started and no person
	// watched. Its words are an automation's, so Origin is Subagent.
	Headless bool `json:"headless,omitzero"`

	// Outside is the part of a command's output that others wrote, such as a server's lines; Text does
	// not contain it.
	Outside string `json:"outside,omitzero"`

	// Pasted is set on a UserText that a person pasted, the words of others, and on one that
	// came with a picture.
	Pasted bool `json:"pasted,omitzero"`

	// Planned is set on a UserText with which the client hands over a plan that a person
	// accepted: all but its first line is the agent's.
	Planned bool `json:"planned,omitzero"`

	// Where the entry is in the source, in bytes. Both are 0 for an event of a
	// sub-agent that has a file of its own.
	Offset int64 `json:"offset,omitzero"`
	Length int64 `json:"length,omitzero"`
}

// TrustHeadless makes the prompts of headless runs a person's words.
func (s *Session) TrustHeadless() {
	for i := range s.Events {
		if e := &s.Events[i]; e.Headless {
			e.Origin = Human
		}
	}
}
