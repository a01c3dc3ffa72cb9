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

	"mem/session"
	"mem/trace/build"
	"mem/trace/jsonl"
)

// A line is one line of a rollout. The oldest versions wrote items without an
// envelope.
type line struct {
	Timestamp  jsonl.Stamp        `json:"timestamp"`
	Type       jsonl.Text         `json:"type"`
	RecordType jsonl.Text         `json:"record_type"`
	Payload    jsonl.Object[item] `json:"payload"`
	item
}

// An item is what a line holds: a response item, an event, or facts about the
// session.
type item struct {
	Kind    jsonl.Text  `json:"type"`
	ID      jsonl.Text  `json:"id"`
	Role    jsonl.Text  `json:"role"`
	Content jsonl.Prose `json:"content"`
	Message jsonl.Prose `json:"message"`
	Text    jsonl.Text  `json:"text"`
	Summary jsonl.Content[struct {
		Text jsonl.Text `json:"text"`
	}] `json:"summary"`
	Name      jsonl.Text   `json:"name"`
	Namespace jsonl.Text   `json:"namespace"`
	Arguments jsonl.Raw    `json:"arguments"`
	Input     jsonl.Raw    `json:"input"`
	Action    jsonl.Raw    `json:"action"`
	CallID    jsonl.Text   `json:"call_id"`
	Output    output       `json:"output"`
	Result    output       `json:"result"`
	Success   jsonl.Raw    `json:"success"`
	ExitCode  jsonl.Number `json:"exit_code"`
	Error     jsonl.Prose  `json:"error"`
	Reason    jsonl.Text   `json:"reason"`
	NumTurns  jsonl.Number `json:"num_turns"`
	CWD       jsonl.Text   `json:"cwd"`
	Model     jsonl.Text   `json:"model"`
	Version   jsonl.Text   `json:"cli_version"`
	Forked    jsonl.Text   `json:"forked_from_id"`
	Source    jsonl.Raw    `json:"source"`
	Client    jsonl.Text   `json:"originator"`

	Done jsonl.Object[done] `json:"item"`
}

// A reader turns the lines of a rollout into a session.
type reader struct {
	*build.Builder
	named    bool   // the session said who it is
	headless bool   // a program started it, as codex exec does
	events   bool   // some prompt came as an event
	turns    []turn // that were not taken back

	twins map[string]int   // texts that wait for their twin: items above 0, events below
	asked map[string][]int // prompts that wait for their event, by text
	maybe []int            // prompts that only an item tells of
}

// A turn is a prompt of a person, as a node of the conversation.
type turn struct {
	node   int
	before string // id of the node before it
	seq    int    // number of its event
}

// Read reads a Codex session.
func Read(src *jsonl.Source) *session.Session {
	r := &reader{
		Builder: build.NewBuilder("codex", src.Cut),
		twins:   make(map[string]int), asked: make(map[string][]int),
	}
	r.Linear = true
	t := jsonl.ReadObjects(src, r.readLine)
	if !r.events { // of versions that write none, which only the whole file tells
		for _, seq := range r.maybe {
			r.attributePrompt(seq)
		}
	}
	r.CompleteResults()
	r.LinkNodes(func(i int) int { return i - 1 })
	return r.Finish(t)
}

func (r *reader) readLine(l *line, at jsonl.Span) {
	typ, it := l.Type, &l.item
	if l.Payload.Set {
		it = &l.Payload.V
	} else {
		it.Kind = typ
	}
	r.StartEntry(lineKey(typ, it), at, l.Timestamp.Time)
	switch {
	case typ == "session_meta":
		r.readMeta(it)
	case typ == "turn_context":
		r.Session.Model = cmp.Or(string(it.Model), r.Session.Model)
		r.Session.CWD = cmp.Or(r.Session.CWD, string(it.CWD))
	case typ == "event_msg" && l.Payload.Set:
		r.readEvent(it)
	case typ == "compacted":
		r.EmitCompaction(string(it.Message))
	case l.holdsItem():
		r.readItem(it)
	case l.RecordType != "": // state, in the oldest versions
	case it.ID != "" && !r.named:
		r.readMeta(it)
	case slices.Contains(stateTypes, typ), strings.HasPrefix(string(typ), "inter_agent_communication"):
	default:
		r.Session.Ignored++
	}
}

// holdsItem reports whether a line holds a response item, in an envelope or not.
func (l *line) holdsItem() bool {
	if l.Payload.Set {
		return l.Type == "response_item"
	}
	return l.item.Role != "" || l.Type != ""
}

// stateTypes are the types of lines that are the client's own.
var stateTypes = []jsonl.Text{"world_state", "token_usage_record", "security_risk_score", "retained_context", "realtime_item"}

// lineKey names a line after what it holds, not after where or when it was
// written: a session that is resumed or forked copies lines into a new file.
func lineKey(typ jsonl.Text, it *item) string {
	held := []string{
		string(typ), string(it.Kind), string(it.ID), string(it.CallID), string(it.Role), string(it.Content), string(it.Message),
		string(it.Text), string(it.Name), string(it.Arguments), string(it.Input), it.Output.text, string(it.Reason), string(it.Done.V.ID),
	}
	h := fnv.New64a()
	io.WriteString(h, strings.Join(held, "\x00"))
	for _, b := range it.Summary.Blocks {
		io.WriteString(h, string(b.Text))
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
		if s.Parent == "" && it.ID != "" && string(it.ID) != s.ID {
			s.Parent = string(it.ID)
		}
		return
	}
	r.named = true
	s.ID, s.CWD, s.Version, s.Parent = string(it.ID), string(it.CWD), string(it.Version), string(it.Forked)
	r.Side = strings.HasPrefix(string(it.Source), "{") && strings.Contains(string(it.Source), `"subagent"`)
}

// isHeadless reports whether a program gives the prompts: codex exec, or an agent
// by way of Codex's MCP server.
func (it *item) isHeadless() bool {
	source, client := strings.Trim(string(it.Source), `"`), string(it.Client)
	return source == "exec" || source == "mcp" || client == "codex_exec" || strings.HasPrefix(client, "codex_mcp")
}

// emitOnce is EmitText for what is written twice, as an item and as an event.
func (r *reader) emitOnce(kind session.Kind, s string, side int) {
	s = strings.TrimSpace(s)
	k := string(kind) + s
	if r.twins[k]*side >= 0 {
		r.EmitText(kind, r.Speaker(session.Agent), s)
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
