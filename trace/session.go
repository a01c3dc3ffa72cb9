// Package trace reads what a coding agent wrote down about a session.
//
// Every agent has a format of its own; Read recognises it and returns one
// Session that the rest of mem understands. Sources are read only, never
// rewritten, and may be damaged, huge, hostile or still being written: what
// cannot be read is skipped and counted, and memory and time stay bounded.
//
// trace finds sessions and tells the formats apart. Each format has a reader
// in a room of its own below it; they share entry, what a session is made of,
// and jsonl, how foreign lines are decoded.
//
// trace knows nothing of memory roots or of models. Deciding what a session
// teaches is the work of package reflect.
package trace

import (
	"mem/trace/entry"
	"mem/trace/jsonl"
)

// What a session is made of. The types live below the readers, so that these
// can make them; the rest of mem knows them under the names here.
type (
	Session = entry.Session
	Event   = entry.Event
	Kind    = entry.Kind
	Origin  = entry.Origin
	Cause   = entry.Cause
)

// The kinds of events.
const (
	UserText      = entry.UserText
	AssistantText = entry.AssistantText
	Thinking      = entry.Thinking
	ToolCall      = entry.ToolCall
	ToolResult    = entry.ToolResult
	Interrupt     = entry.Interrupt
	Compaction    = entry.Compaction
	BranchSummary = entry.BranchSummary
	Failure       = entry.Failure
)

// The origins, most trusted first.
const (
	Human    = entry.Human
	Agent    = entry.Agent
	Subagent = entry.Subagent
	Tool     = entry.Tool
	External = entry.External
	Injected = entry.Injected
)

// The causes of a ToolResult. OK is the zero value.
const (
	OK            = entry.OK
	Failed        = entry.Failed
	DeniedByUser  = entry.DeniedByUser
	DeniedByRule  = entry.DeniedByRule
	BlockedByHook = entry.BlockedByHook
	Cancelled     = entry.Cancelled
	Cascade       = entry.Cascade
	TimedOut      = entry.TimedOut
	Shutdown      = entry.Shutdown
)

// MaxText is the most bytes that Event.Text, Event.Input or Event.Reason hold.
const MaxText = jsonl.MaxText
