package trace

import (
	"strconv"
	"strings"
)

// A piEntry is one line of a pi session, of any version and type.
type piEntry struct {
	Type          text              `json:"type"`
	ID            text              `json:"id"`
	ParentID      text              `json:"parentId"`
	Timestamp     stamp             `json:"timestamp"`
	Version       number            `json:"version"`
	CWD           text              `json:"cwd"`
	ParentSession text              `json:"parentSession"`
	BranchedFrom  text              `json:"branchedFrom"`
	ModelID       text              `json:"modelId"`
	Summary       text              `json:"summary"`
	Content       content[piBlock]  `json:"content"`
	Message       object[piMessage] `json:"message"`
}

// A piMessage is the message of an entry of type "message".
type piMessage struct {
	Role         text             `json:"role"`
	Content      content[piBlock] `json:"content"`
	Timestamp    stamp            `json:"timestamp"`
	Model        text             `json:"model"`
	StopReason   text             `json:"stopReason"`
	ErrorMessage text             `json:"errorMessage"`
	ToolCallID   text             `json:"toolCallId"`
	ToolName     text             `json:"toolName"`
	IsError      flag             `json:"isError"`
	Summary      text             `json:"summary"`

	// bashExecution
	Command   text   `json:"command"`
	Output    text   `json:"output"`
	ExitCode  number `json:"exitCode"`
	Cancelled flag   `json:"cancelled"`
	Excluded  flag   `json:"excludeFromContext"`
}

// A piBlock is one block of a message body.
type piBlock struct {
	Type      text `json:"type"`
	Text      text `json:"text"`
	Thinking  text `json:"thinking"`
	ID        text `json:"id"`
	Name      text `json:"name"`
	Arguments raw  `json:"arguments"`
}

// A piReader turns pi entries into a session.
type piReader struct {
	*builder
	version int
}

// readPi reads a pi session.
func readPi(src *source) *Session {
	r := &piReader{builder: newBuilder("pi", src.cut)}
	t := each(src, func(e *piEntry, at span) bool {
		if e.Type == "session" && r.version == 0 {
			r.header(e)
			return true
		}
		r.entry(e, at)
		return true
	})
	r.link(func(i int) int { return i - 1 })
	r.leave()
	return r.finish(t)
}

func (r *piReader) header(e *piEntry) {
	r.version = 1
	if e.Version.set && e.Version.v >= 1 && e.Version.v < 1<<16 {
		r.version = int(e.Version.v)
	}
	r.s.ID, r.s.CWD, r.s.Model = string(e.ID), string(e.CWD), string(e.ModelID)
	r.s.Version = strconv.Itoa(r.version)
	r.s.Parent = string(e.ParentSession)
	if r.s.Parent == "" {
		r.s.Parent = string(e.BranchedFrom)
	}
}

// entry reads what follows the header. Every entry is part of the tree,
// whatever its type, since pi moves the leaf for each.
func (r *piReader) entry(e *piEntry, at span) {
	when := e.Timestamp.Time
	if when.IsZero() {
		when = e.Message.V.Timestamp.Time
	}
	id, parentID := string(e.ID), string(e.ParentID)
	linear := id == "" // version 1, or damaged
	if linear {
		id = lineID(at)
	}
	r.enter(id, at, when)
	r.join(id, parentID)
	if linear && r.node > 0 {
		// The parent of an entry without an id is the one before it.
		r.nodes[r.node].parentID = r.nodes[r.node-1].id
	}
	switch e.Type {
	case "message":
		if !e.Message.set {
			r.s.Ignored++
			return
		}
		r.message(&e.Message.V)
	case "compaction":
		r.emit(Event{Kind: Compaction, Origin: Injected, Text: string(e.Summary)})
	case "branch_summary":
		r.summary(string(e.Summary))
	case "custom_message":
		r.say(UserText, Injected, piText(e.Content))
	case "model_change":
		r.model(e.ModelID)
	case "thinking_level_change", "custom", "label", "session_info", "session":
	default:
		r.s.Ignored++
	}
}

// lineID names an entry that has no id after its line, so that reading again
// gives the same name.
func lineID(at span) string {
	if at.line == 0 {
		return "v1-@" + strconv.FormatInt(at.off, 10)
	}
	id := "v1-" + strconv.Itoa(at.line)
	if at.nth > 0 {
		id += "." + strconv.Itoa(at.nth)
	}
	return id
}

func (r *piReader) message(m *piMessage) {
	switch m.Role {
	case "user":
		r.say(UserText, Human, piText(m.Content))
	case "assistant":
		r.assistant(m)
	case "toolResult":
		r.result(m)
	case "bashExecution":
		r.bash(m)
	case "custom", "hookMessage":
		r.say(UserText, Injected, piText(m.Content))
	case "branchSummary":
		r.summary(string(m.Summary))
	case "compactionSummary":
		r.emit(Event{Kind: Compaction, Origin: Injected, Text: string(m.Summary)})
	default:
		r.s.Ignored++
	}
}

func (r *piReader) assistant(m *piMessage) {
	r.model(m.Model)
	for _, b := range m.Content.blocks {
		switch b.Type {
		case "text":
			r.say(AssistantText, Agent, string(b.Text))
		case "thinking":
			r.say(Thinking, Agent, string(b.Thinking))
		case "toolCall":
			r.emit(Event{
				Kind: ToolCall, Origin: Agent,
				Tool: string(b.Name), CallID: string(b.ID), Input: compact(b.Arguments.v),
			})
		}
	}
	r.say(AssistantText, Agent, m.Content.plain)
	switch m.StopReason {
	case "aborted":
		r.emit(Event{Kind: Interrupt, Origin: Human, Text: string(m.ErrorMessage)})
	case "error":
		r.fail(string(m.ErrorMessage))
	}
}

func (r *piReader) result(m *piMessage) {
	said := piText(m.Content)
	e := Event{
		Kind: ToolResult, Origin: toolOrigin(string(m.ToolName)),
		Text: said, Tool: string(m.ToolName), CallID: string(m.ToolCallID),
	}
	if m.IsError {
		e.Cause, e.Reason = piCause(said)
	}
	r.emit(e)
}

// bash reads a command that the person ran with "!". With "!!" it was kept
// from the model, so it is kept from mem as well.
func (r *piReader) bash(m *piMessage) {
	if m.Excluded {
		return
	}
	call := r.key
	r.emit(Event{Kind: ToolCall, Origin: Human, Tool: "bash", CallID: call, Input: commandInput(string(m.Command))})
	e := Event{Kind: ToolResult, Origin: Tool, Tool: "bash", CallID: call, Text: string(m.Output)}
	switch {
	case bool(m.Cancelled):
		e.Cause = Cancelled
	case m.ExitCode.set && m.ExitCode.v != 0:
		e.Cause = Failed
		e.Text += "\n\nCommand exited with code " + strconv.FormatFloat(m.ExitCode.v, 'f', -1, 64)
	}
	r.emit(e)
}

func (r *piReader) summary(s string) {
	if s != "" {
		r.emit(Event{Kind: BranchSummary, Origin: Injected, Text: s})
	}
}

// say emits text that is not blank.
func (r *piReader) say(kind Kind, origin Origin, s string) {
	if strings.TrimSpace(s) != "" {
		r.emit(Event{Kind: kind, Origin: origin, Text: s})
	}
}

func (r *piReader) model(name text) {
	if name != "" {
		r.s.Model = string(name)
	}
}

// leave marks the branches that do not lead to the leaf, which is the last
// entry of the file.
func (r *piReader) leave() {
	for i := range r.nodes {
		r.nodes[i].fate = abandoned
	}
	for i := len(r.nodes) - 1; i >= 0; i = r.nodes[i].parent {
		r.nodes[i].fate = kept
	}
}

// piText joins the text blocks of a body the way pi does.
func piText(c content[piBlock]) string {
	if len(c.blocks) == 0 {
		return c.plain
	}
	var s strings.Builder
	for _, b := range c.blocks {
		if b.Type == "text" {
			s.WriteString(string(b.Text))
		}
	}
	return s.String()
}

// piCause says why a tool result of pi is an error, from its text. The words
// are at the end because the output of the tool comes first.
func piCause(s string) (Cause, string) {
	s = strings.TrimSpace(s)
	lastLine := s[strings.LastIndexByte(s, '\n')+1:]
	if reason, ok := strings.CutPrefix(s, "Blocked by user"); ok {
		return DeniedByUser, strings.TrimLeft(reason, " :.-\n")
	}
	switch {
	case s == "Skipped due to queued user message.",
		lastLine == "Command aborted", lastLine == "Operation aborted":
		return Cancelled, ""
	case strings.HasPrefix(lastLine, "Command timed out after "):
		return TimedOut, ""
	case s == "Tool execution was blocked", strings.HasPrefix(s, "Blocked"):
		return BlockedByHook, ""
	}
	return Failed, ""
}
