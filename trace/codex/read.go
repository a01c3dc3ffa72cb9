// Package codex reads the rollouts of the Codex CLI, with and without the
// envelope around each line that newer versions write.
package codex

import (
	"cmp"
	"hash/fnv"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"mem/session"
	"mem/trace/build"
	"mem/trace/jsonl"
)

// A line is one line of a rollout. The oldest versions wrote items without an
// envelope.
type line struct {
	Timestamp        time.Time
	Type, RecordType string
	Payload          *item
	item
}

// An item is what a line holds: a response item, an event, or facts about the
// session.
type item struct {
	Type, ID, Role, Text, Name, Namespace, CallID, Reason string
	CWD, Model, CLIVersion, ForkedFromID, Originator      string
	Content, Message, Error                               jsonl.Prose
	Arguments, Input, Action, Success, Source             jsonl.Raw
	Output, Result                                        output
	ExitCode, NumTurns                                    *float64

	Summary jsonl.List[struct{ Text string }]
	Item    done
}

// A reader turns the lines of a rollout into a session.
type reader struct {
	*build.Builder
	named    bool  // the session said who it is
	headless bool  // a program started it, as codex exec does
	events   bool  // some prompt came as an event
	turns    []int // prompts of a person that were not taken back, by the numbers of their events

	twins map[string]int   // texts that wait for their twin: items above 0, events below
	asked map[string][]int // prompts that wait for their event, by text
	maybe []int            // prompts that only an item tells of
}

// Read reads a Codex session.
func Read(src *jsonl.Source) *session.Session {
	r := &reader{
		Builder: build.NewBuilder("codex", src),
		twins:   make(map[string]int), asked: make(map[string][]int),
	}
	for l, at := range jsonl.Objects[line](src) {
		r.readLine(l, at)
	}
	if !r.events { // of versions that write none, which only the whole file tells
		for _, seq := range r.maybe {
			r.attributePrompt(seq)
		}
	}
	r.CompleteResults()
	return r.Finish()
}

func (r *reader) readLine(l *line, at jsonl.Span) {
	it := l.Payload
	if it == nil {
		it = &l.item
		it.Type = l.Type
	}
	r.StartEntry(lineKey(l.Type, it), at, l.Timestamp)
	switch {
	case l.Type == "session_meta":
		r.readMeta(it)
	case l.Type == "turn_context":
		r.Session.Model = cmp.Or(it.Model, r.Session.Model)
		r.Session.CWD = cmp.Or(r.Session.CWD, it.CWD)
	case l.Type == "event_msg" && l.Payload != nil:
		r.readEvent(it)
	case l.Type == "compacted":
		r.EmitCompaction(string(it.Message))
	case l.holdsItem():
		r.readItem(it)
	case l.RecordType != "": // state, in the oldest versions
	case it.ID != "" && !r.named:
		r.readMeta(it)
	case slices.Contains(stateTypes, l.Type), strings.HasPrefix(l.Type, "inter_agent_communication"):
	default:
		r.Session.Ignored++
	}
}

// holdsItem reports whether a line holds a response item, in an envelope or not.
func (l *line) holdsItem() bool {
	if l.Payload != nil {
		return l.Type == "response_item"
	}
	return l.item.Role != "" || l.Type != ""
}

// stateTypes are the types of lines that are the client's own.
var stateTypes = []string{"world_state", "token_usage_record", "security_risk_score", "retained_context", "realtime_item"}

// lineKey names a line after what it holds, not after where or when it was
// written: a session that is resumed or forked copies lines into a new file.
func lineKey(typ string, it *item) string {
	held := []string{
		typ, it.Type, it.ID, it.CallID, it.Role, string(it.Content), string(it.Message),
		it.Text, it.Name, string(it.Arguments), string(it.Input), it.Output.text, it.Reason, it.Item.ID,
	}
	h := fnv.New64a()
	io.WriteString(h, strings.Join(held, "\x00"))
	for _, b := range it.Summary {
		io.WriteString(h, b.V.Text)
	}
	return "x" + strconv.FormatUint(h.Sum64(), 16)
}

// readMeta takes what a line says about the session. The first one is its own; a
// later one was copied with the history of the session that it continues.
func (r *reader) readMeta(it *item) {
	s := r.Session
	// Its own, or those of the run that it goes on from: a program prompted there.
	r.headless = r.headless || it.isHeadless()
	if r.named {
		if s.Parent == "" && it.ID != "" && it.ID != s.ID {
			s.Parent = it.ID
		}
		return
	}
	r.named = true
	s.ID, s.CWD, s.Version, s.Parent = it.ID, it.CWD, it.CLIVersion, it.ForkedFromID
	r.Side = strings.HasPrefix(string(it.Source), "{") && strings.Contains(string(it.Source), `"subagent"`)
}

// isHeadless reports whether a program gives the prompts: codex exec, or an agent
// by way of Codex's MCP server.
func (it *item) isHeadless() bool {
	source, client := strings.Trim(string(it.Source), `"`), it.Originator
	return source == "exec" || source == "mcp" || client == "codex_exec" || strings.HasPrefix(client, "codex_mcp")
}

// emitOnce is EmitText for what is written twice, as an item and as an event.
func (r *reader) emitOnce(kind session.Kind, s string, side int) {
	s = strings.TrimSpace(s)
	k := string(kind) + s
	if r.twins[k]*side >= 0 {
		r.EmitText(kind, session.Agent, s)
	}
	r.twins[k] += side
}

// attributePrompt makes an event the words of who started the session.
func (r *reader) attributePrompt(seq int) {
	if e := r.FindEvent(seq); e != nil {
		e.Origin = r.Speaker(session.Human)
		r.MarkHeadless(seq, r.headless)
	}
}
