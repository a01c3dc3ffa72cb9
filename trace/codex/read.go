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

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"mem/lazy"
	"mem/session"
	"mem/trace/jsonl"
)

// A line is one line of a rollout. The oldest versions wrote items without an envelope.
type line struct {
	Timestamp        time.Time
	Type, RecordType string
	Payload          *item
	item
}

// An item is what a line holds: a response item, an event, or facts about the session.
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

type reader struct {
	*jsonl.Builder
	named    bool  // the session said who it is
	headless bool  // a program started it, as codex exec does
	events   bool  // some prompt came as an event
	turns    []int // prompts of a person that were not taken back, by the numbers of their events

	waiting map[told][]int // texts that wait for their twin, by the numbers of their events
}

// A told is a text that is written twice, as an item and as an event.
type told struct {
	kind    session.Kind
	text    string
	isEvent bool
}

// Read reads a Codex session.
func Read(src *jsonl.Source) *session.Session {
	r := &reader{Builder: jsonl.NewBuilder("codex", src), waiting: make(map[told][]int)}
	for l, at := range jsonl.Objects[line](src) {
		r.readLine(l, at)
	}
	for p, seqs := range r.waiting {
		for _, seq := range seqs {
			if p.kind == session.UserText && !r.events { // of versions that write none, which only the whole file tells
				r.attributePrompt(seq)
			}
		}
	}
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
	// A program gives its own prompts, or those of the run that it goes on from: codex exec, or an agent by way of
	// Codex's MCP server.
	source, client := strings.Trim(string(it.Source), `"`), it.Originator
	r.headless = r.headless || source == "exec" || source == "mcp" || client == "codex_exec" || strings.HasPrefix(client, "codex_mcp")
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

// emitOnce emits a text, unless its twin came before, and returns the number of its event.
func (r *reader) emitOnce(origin session.Origin, t told) int {
	seq, twin := -1, told{t.kind, t.text, !t.isEvent}
	if seqs := r.waiting[twin]; len(seqs) > 0 {
		seq, r.waiting[twin] = seqs[0], seqs[1:]
	}
	if r.FindEvent(seq) == nil {
		seq = r.EmitText(t.kind, origin, t.text)
		r.waiting[t] = append(r.waiting[t], seq)
		if t.kind == session.UserText {
			r.turns = append(r.turns, seq)
		}
	}
	return seq
}

func (r *reader) emitAnswer(kind session.Kind, text string, isEvent bool) {
	r.emitOnce(session.Agent, told{kind, strings.TrimSpace(text), isEvent})
}

// attributePrompt makes an event the words of who started the session.
func (r *reader) attributePrompt(seq int) {
	if e := r.FindEvent(seq); e != nil {
		e.Origin = r.Speaker(session.Human)
		r.MarkHeadless(seq, r.headless)
	}
}

// An output is what a tool answered, in any of the shapes of the versions.
type output struct {
	text   string
	exit   *float64
	failed bool // said so outside of the text
}

func (o *output) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	var in object
	kind := dec.PeekKind()
	if kind == '{' {
		err := json.UnmarshalDecode(dec, &in)
		*o = in.toOutput()
		return err
	}
	var p jsonl.Prose
	err := p.UnmarshalJSONFrom(dec)
	*o = output{text: string(p)}
	s := strings.TrimSpace(o.text)
	mayBeObject := kind == '"' && strings.HasPrefix(s, `{"`) && strings.Contains(s, `"output"`)
	if mayBeObject && jsonl.Unmarshal([]byte(s), &in) && (in.Output != "" || in.Metadata != nil) {
		*o = in.toOutput()
	}
	return err
}

type object struct {
	Content, Output, Err jsonl.Prose
	Success              jsonl.Raw
	Ok                   struct{ IsError bool }
	Metadata             *struct{ ExitCode *float64 }
}

func (in *object) toOutput() output {
	o := output{text: string(cmp.Or(in.Content, in.Output, in.Err)), failed: string(in.Success) == "false" || in.Err != "" || in.Ok.IsError}
	if in.Metadata != nil {
		o.exit = in.Metadata.ExitCode
	}
	return o
}

// refusals are the beginnings of answers that are not the tool's own.
var refusals = []struct {
	prefix string
	cause  session.Cause
}{
	{"exec command rejected by user", session.DeniedByUser},
	{"patch rejected by user", session.DeniedByUser},
	{"command rejected by user", session.DeniedByUser},
	{"rejected by user", session.DeniedByUser},
	{"This action was rejected due to unacceptable risk", session.DeniedByRule},
	{"failed in sandbox: ", session.DeniedByRule},
	{"command timed out after ", session.TimedOut},
	{"aborted by user", session.Cancelled},
	{"apply_patch verification failed", session.Failed},
	{"execution error: ", session.Failed},
	{"failed to parse function arguments", session.Failed},
	{"unsupported call: ", session.Failed},
	{"exec_command failed", session.Failed},
	{"tool call error: ", session.Failed},
}

var (
	// exitLine matches how the head of an answer tells the exit code.
	exitLine = lazy.New(`(?m)^(?:Process exited with code|Exit code:) (-?\d+)$`)
	// runningLine matches how the head of an answer tells that the command runs on.
	runningLine = lazy.New(`(?m)^Process running with session ID \w+$`)
	// headLine matches the lines of a head, which says nothing of the session.
	headLine = lazy.New(`^(?:(?:Chunk ID|Wall time|Duration|Original token count|Total output lines|Exit code): ?[^\n]*|Process (?:exited with code|running with session ID) [^\n]*)(?:\n|$)`)
)

const timeoutExit = 124

// readOutcome returns what the tool printed and how the call ended. No version has a flag for failures: the head that
// Codex puts before the output tells, and only the head, since any file can hold the same words.
func readOutcome(o output) (string, session.Cause) {
	head, body := cutHead(strings.TrimRight(o.text, " \t\r\n"))
	code, known := o.exitCode(head)
	if !known || code != 0 {
		if c, refused := findRefusal(strings.TrimSpace(body), known); refused {
			return body, c
		}
	}
	switch {
	case known && code == timeoutExit:
		return body, session.TimedOut
	case known && code != 0:
		return jsonl.AddExit(body, strconv.FormatFloat(code, 'f', -1, 64)), session.Failed
	case o.failed:
		return body, session.Failed
	case !known && runningLine.Matches(head):
		return strings.TrimLeft(body+"\n\n"+runningLine.Get().FindString(head), "\n"), session.OK
	}
	return body, session.OK
}

// exitCode returns the exit code of a tool, which its head may tell, and whether it is known.
func (o output) exitCode(head string) (code float64, known bool) {
	if o.exit != nil {
		return *o.exit, true
	}
	m := exitLine.Get().FindStringSubmatch(head)
	if m == nil {
		return 0, false
	}
	n, err := strconv.Atoi(m[1])
	return float64(n), err == nil
}

// findRefusal returns the cause of an answer that is not the tool's own. Of a
// program that ended with an exit code only a time limit can be one.
func findRefusal(answer string, exited bool) (session.Cause, bool) {
	if !exited {
		switch {
		case strings.Contains(strings.ReplaceAll(answer[max(0, len(answer)-200):], `\`, ""), `Rejected("rejected by user")`):
			return session.DeniedByUser, true
		case answer == "aborted":
			return session.Cancelled, true
		}
	}
	for _, f := range refusals {
		if strings.HasPrefix(answer, f.prefix) && (!exited || f.cause == session.TimedOut) {
			return f.cause, true
		}
	}
	return session.OK, false
}

// cutHead splits an answer into the lines that Codex puts first and the rest.
func cutHead(s string) (head, body string) {
	body = s
	for {
		l := headLine.Get().FindString(body)
		if l == "" {
			break
		}
		head, body = head+l, body[len(l):]
	}
	if head == "" {
		return "", s
	}
	if rest, ok := strings.CutPrefix(body, "Output:"); ok {
		body = strings.TrimPrefix(rest, "\n")
	}
	return head, body
}
