package jsonl

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"mem/lazy"
	"mem/session"
)

// MaxEvents bounds the events of a session. The oldest go first.
const MaxEvents = 1 << 14

// A Builder collects the events of one session.
type Builder struct {
	Session *session.Session
	src     *Source
	base    int            // events dropped so far
	keys    map[string]int // of entries, with how often each was asked for

	// The entry that is being read.
	Key  string
	Side bool // it is a sub-agent's
	Left bool // it is on a branch that the session left
	n    int  // events of it so far
	at   Span
	time time.Time

	// Stopped says that a person just denied a call or interrupted, and that nothing was said or asked since.
	Stopped bool

	Tools   map[string]string   // tool by call
	revised map[string]revision // causes by call

	failures int // length of the run of failures that the last event stands for
	failure  string
}

type revision struct{ from, to session.Cause }

// NewBuilder returns a builder of the session of agent in src.
func NewBuilder(agent string, src *Source) *Builder {
	return &Builder{
		Session: &session.Session{Agent: agent, Truncated: src.Cut},
		src:     src,
		keys:    make(map[string]int),
		Tools:   make(map[string]string),
		revised: make(map[string]revision),
	}
}

// StartEntry starts an entry. Its key becomes the ID of its first event; the
// others add # and a number, before which KeyOf cuts.
func (b *Builder) StartEntry(key string, at Span, when time.Time) {
	if key == "" {
		key = "@" + strconv.FormatInt(at.Off, 10)
	}
	b.Key, b.n, b.at, b.time = b.UniqueKey(key), 0, at, when
}

// UniqueKey returns key, or one like it that no entry has yet. Only damaged and
// hostile files use a key twice or use our own separators.
func (b *Builder) UniqueKey(key string) string {
	key = strings.ReplaceAll(key, "#", "%23")
	for base := key; b.keys[key] > 0; {
		b.keys[base]++
		key = base + "~" + strconv.Itoa(b.keys[base])
	}
	b.keys[key] = 1
	return key
}

// KeyOf returns the key of the entry that an event came from.
func KeyOf(e session.Event) string {
	key, _, _ := strings.Cut(e.ID, "#")
	return key
}

// Speaker returns who is behind words of the given origin: in a sub-agent's
// conversation even the prompts are a model's.
func (b *Builder) Speaker(o session.Origin) session.Origin {
	if b.Side && (o == session.Human || o == session.Agent) {
		return session.Subagent
	}
	return o
}

// Emit appends an event to the entry and returns its number, for FindEvent.
func (b *Builder) Emit(e session.Event) int {
	e.ID = b.Key
	if b.n > 0 {
		e.ID += "#" + strconv.Itoa(b.n)
	}
	e.Origin = b.Speaker(e.Origin)
	e.Text = Clip(e.Text, session.MaxText)
	e.Reason = Clip(e.Reason, session.MaxText)
	e.Time, e.Offset, e.Length, e.Abandoned = b.time, b.at.Off, b.at.N, b.Left
	b.n++
	if len(b.Session.Events) == 2*MaxEvents {
		b.drop(MaxEvents)
	}
	b.Session.Events = append(b.Session.Events, e)
	b.failures = 0
	return b.Next() - 1
}

// Next returns the number that the next event gets.
func (b *Builder) Next() int { return b.base + len(b.Session.Events) }

// LeaveSince says that the session left the events from number seq on.
func (b *Builder) LeaveSince(seq int) {
	for i := max(0, seq-b.base); i < len(b.Session.Events); i++ {
		b.Session.Events[i].Abandoned = true
	}
	b.Stopped = false
}

// EmitText emits text that is not blank and returns the number of the event, or -1.
func (b *Builder) EmitText(kind session.Kind, origin session.Origin, text string) int {
	if strings.TrimSpace(text) == "" {
		return -1
	}
	if origin != session.Injected {
		b.Stopped = false
	}
	return b.Emit(session.Event{Kind: kind, Origin: origin, Text: text})
}

// MarkHeadless makes the event with this number, if it is a person's, the words of an
// automation if a program started the run and no person watched it.
func (b *Builder) MarkHeadless(seq int, headless bool) {
	if e := b.FindEvent(seq); headless && e != nil && e.Origin == session.Human {
		e.Origin, e.Headless = session.Subagent, true
	}
}

// EmitInjected emits texts that the client or a hook put into the session.
func (b *Builder) EmitInjected(texts ...string) {
	for _, text := range texts {
		b.EmitText(session.UserText, session.Injected, text)
	}
}

// EmitCompaction emits the summary of earlier events, even if it is blank.
func (b *Builder) EmitCompaction(text string) {
	b.Emit(session.Event{Kind: session.Compaction, Origin: session.Injected, Text: text})
}

// EmitCall emits the call of a tool, unless a call with the same id was emitted before.
func (b *Builder) EmitCall(origin session.Origin, tool, id, input string) {
	if id != "" {
		if _, again := b.Tools[id]; again {
			return
		}
		b.Tools[id] = tool
	}
	b.Stopped = false
	b.Emit(session.Event{Kind: session.ToolCall, Origin: origin, Tool: tool, CallID: id, Input: input})
}

// EmitResult emits what a tool answered. Its call may have been cut off, or follow.
func (b *Builder) EmitResult(e session.Event) {
	e.Kind, e.Tool = session.ToolResult, cmp.Or(e.Tool, b.Tools[e.CallID])
	e.Origin = cmp.Or(e.Origin, ToolOrigin(e.Tool))
	b.Emit(e)
	b.Stopped = b.Stopped || e.Cause == session.DeniedByUser
}

// EmitShell emits a command that the person ran in the client, with what it printed.
func (b *Builder) EmitShell(tool, command, printed string, cause session.Cause) {
	b.EmitCall(session.Human, tool, b.Key, EncodeInput("command", command))
	b.EmitResult(session.Event{CallID: b.Key, Tool: tool, Text: printed, Cause: cause})
}

// AddExit puts the exit code of a command that failed behind what it printed, as all readers do.
func AddExit(printed, code string) string {
	return strings.TrimLeft(printed+"\n\nCommand exited with code "+code, "\n")
}

// EmitInterrupt emits that a person stopped the model, unless that only follows
// from a denial or an interrupt that was just seen.
func (b *Builder) EmitInterrupt(text string) {
	if b.Stopped {
		return
	}
	b.Stopped = true
	b.Emit(session.Event{Kind: session.Interrupt, Origin: session.Human, Text: text})
}

// EmitFailure emits a Failure. A run of them is one event that counts.
func (b *Builder) EmitFailure(text string) {
	if b.failures > 0 {
		b.failures++
		b.Session.Events[len(b.Session.Events)-1].Text = fmt.Sprintf("%s (%d times in a row)", Clip(b.failure, session.MaxText-64), b.failures)
		return
	}
	b.Emit(session.Event{Kind: session.Failure, Origin: session.Injected, Text: text})
	b.failures, b.failure = 1, text
}

// FindEvent returns the event with a number that Emit gave; nil if it was dropped.
func (b *Builder) FindEvent(seq int) *session.Event {
	if i := seq - b.base; i >= 0 && i < len(b.Session.Events) {
		return &b.Session.Events[i]
	}
	return nil
}

// ReviseCause says that the result of a call with the cause from has the cause to: another entry tells more of it.
func (b *Builder) ReviseCause(call string, from, to session.Cause) {
	b.revised[call] = revision{from, to}
}

// completeResults fills in what entries tell of a result that stand elsewhere in
// the file: the tool of its call, and the revised cause.
func (b *Builder) completeResults() {
	for i := range b.Session.Events {
		e := &b.Session.Events[i]
		if e.Kind != session.ToolResult || e.CallID == "" {
			continue
		}
		if e.Tool == "" && b.Tools[e.CallID] != "" {
			e.Tool = b.Tools[e.CallID]
			e.Origin = ToolOrigin(e.Tool)
		}
		if r, ok := b.revised[e.CallID]; ok && e.Cause == r.from {
			e.Cause = r.to
		}
	}
}

func (b *Builder) drop(n int) {
	kept := copy(b.Session.Events, b.Session.Events[n:])
	clear(b.Session.Events[kept:])
	b.Session.Events = b.Session.Events[:kept]
	b.base += n
	b.Session.Truncated = true
}

// Finish fills in what is known only at the end.
func (b *Builder) Finish() *session.Session {
	if n := len(b.Session.Events) - MaxEvents; n > 0 {
		b.drop(n)
	}
	b.completeResults()
	for _, e := range b.Session.Events {
		if !e.Time.IsZero() {
			b.Session.Started, b.Session.Ended = cmp.Or(b.Session.Started, e.Time), e.Time
		}
	}
	b.Session.Skipped, b.Session.Size = b.src.Skipped, b.src.End
	b.Session.Truncated = b.Session.Truncated || b.src.Full
	return b.Session
}

// localTools are the tools of the agents that mem knows whose answers come from
// this machine, in small letters and without marks between their words.
var localTools = strings.Fields(`
	bash bashoutput killshell killbash shell exec execcommand localshell localshellcall runshellcommand runcommand
	runterminalcmd executecommand containerexec shellcommand terminal writestdin unifiedexec powershell process command
	read readfile view viewimage readmanyfiles notebookread edit editfile multiedit strreplace strreplaceeditor
	strreplacebasededittool applypatch replace notebookedit write writefile writetofile createfile deletefile
	glob grep find ls listdir listdirectory listfiles searchfiles grepfiles grepsearch filesearch codebasesearch lsp
	task agent taskoutput agentoutput taskcreate taskupdate tasklist taskget taskstop todowrite todoread updateplan
	askuserquestion exitplanmode enterplanmode requestuserinput skill slashcommand toolsearch structuredoutput
	enterworktree exitworktree monitor sendmessage spawnagent wait waitagent sendinput closeagent resumeagent
	jsrepl multitooluseparallel test make diagnostics getdiagnostics readlints`)

// ToolOrigin says whether what a tool answers comes from this machine. A tool
// that mem does not know could be anything, and so could one without a name.
func ToolOrigin(name string) session.Origin {
	plain := strings.ToLower(strings.NewReplacer("_", "", "-", "", ".", "", " ", "").Replace(name))
	if slices.Contains(localTools, strings.TrimPrefix(plain, "functions")) {
		return session.Tool
	}
	return session.External
}

// EncodeInput is the input of a tool with one argument, such as the "command" of a shell.
func EncodeInput(name, value string) string {
	v, _ := json.Marshal(map[string]string{name: value}, Foreign) // strings can be encoded
	return Compact(v)
}

// noticeTags enclose what programs put into a prompt, beside a person's words.
var noticeTags = []string{
	"system_instruction", "system-instruction", "task-notification", "teammate-message",
	"user-prompt-submit-hook", "session-start-hook", "ide_opened_file", "ide_selection", "ide_diagnostics",
}

// hookWords matches how a hook's answer begins when it stands in for a prompt.
var hookWords = lazy.New(`^[A-Z]\w+(?::\S+)? hook (?:feedback|error|blocking error|additional context|stopped|success)\b`)

// afterTask matches what the client adds to a notice of a task that ended.
var afterTask = lazy.New(`^\s*(?:Read the output file to retrieve the [^\n]*|Full transcript available at:[^\n]*)`)

// SplitNotices separates a person's words from the notices of programs around them. What a notice quotes may hold its
// own end, so a notice reaches to the last one. A notice without an end is all there is.
func SplitNotices(prompt string) (said string, notices []string) {
	said = strings.TrimSpace(prompt)
	if hookWords.Matches(said) {
		return "", []string{said}
	}
	for strings.HasPrefix(said, `{"task_id":`) {
		d := jsontext.NewDecoder(strings.NewReader(said), Foreign)
		if _, err := d.ReadValue(); err != nil {
			return "", append(notices, said)
		}
		end := int(d.InputOffset())
		notices, said = append(notices, said[:end]), strings.TrimSpace(said[end:])
	}
	for _, tag := range noticeTags {
		from := strings.Index(said, "<"+tag)
		if from < 0 || !slices.Contains([]byte("> \n"), (said + " ")[from+len(tag)+1]) {
			continue
		}
		to := len(said)
		if end := "</" + tag + ">"; strings.LastIndex(said, end) > from {
			to = strings.LastIndex(said, end) + len(end)
		}
		to += len(afterTask.Get().FindString(said[to:]))
		notices = append(notices, said[from:to])
		said = strings.TrimSpace(said[:from] + "\n" + said[to:])
	}
	return said, notices
}
