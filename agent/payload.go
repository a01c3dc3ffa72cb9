// Package agent knows how coding agents call mem: what their hooks say, and at
// which moments.
//
// A payload comes from another program and changes with its versions. What is not
// understood is left out; it is an error only if nothing is left to act on.
package agent

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
	"unicode/utf16"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"mem/render"
	"mem/trace/gemini"
	"mem/trace/jsonl"
)

// The agents.
const (
	Claude   = "claude"
	Pi       = "pi"
	Codex    = "codex"
	Gemini   = "gemini"
	Opencode = "opencode"
)

// Agents lists them in the order in which help names them.
var Agents = []string{Claude, Pi, Codex, Gemini, Opencode}

// maxPayload bounds what is read of a hook's input, in bytes.
const maxPayload = 4 << 20

// A Moment is what an event means to mem.
type Moment int

// The moments. Idle is the zero value: nothing is to be done.
const (
	Idle   Moment = iota
	Begin         // a session starts, goes on, or was compacted
	Prompt        // a person asked for something
	Rest          // the agent stopped: there may be something to learn
	Before        // a tool is about to be used
	After         // a tool was used
)

// A Payload is what a hook said.
type Payload struct {
	Agent   string
	Event   string // in the agent's own words
	Moment  Moment
	Session string // the agent's id of the session; "" if it did not say
	Path    string // file of the session; "" if it did not say
	CWD     string // working directory; "" if it did not say
	Source  string // of a Begin: "startup", "resume", …
	Prompt  string

	Tool   string // of a Before or After
	Input  string // that the tool gets, as JSON
	Output string // what came of it; "" for nothing, or if that is not text
	Failed bool   // it is known to have failed

	// Subagent is the id of the agent that another agent started, and that
	// this is about; "" for the one that a person talks to.
	Subagent string
}

// An eventKind says what an event means, and how it is spelled in an answer, if the
// agent takes a text for its model then.
type eventKind struct {
	moment Moment
	answer string
}

// eventKinds are the events of all agents, by their folded names.
var eventKinds = map[string]eventKind{
	"sessionstart": {Begin, "SessionStart"}, "subagentstart": {Begin, "SubagentStart"},
	"userpromptsubmit": {Prompt, "UserPromptSubmit"}, "beforeagentstart": {Prompt, ""},
	"stop": {Rest, ""}, "stopfailure": {Rest, ""}, "sessionend": {Rest, ""}, "precompact": {Rest, ""}, "interrupt": {Rest, ""},
	"pretooluse": {Before, "PreToolUse"}, "posttooluse": {After, "PostToolUse"}, "posttoolusefailure": {After, "PostToolUseFailure"}, "toolresult": {After, ""},
	"beforeagent": {Prompt, "BeforeAgent"}, "aftertool": {After, "AfterTool"}, "afteragent": {Rest, ""}, "precompress": {Rest, ""},
	"agentend": {Rest, ""}, "sessionshutdown": {Rest, ""}, "sessionbeforecompact": {Rest, ""}, "agentturncomplete": {Rest, ""},
}

// findKind finds an event of any agent. The names differ in spelling between agents
// and versions, so they are compared folded.
func findKind(event string) eventKind { return eventKinds[fold(event)] }

func fold(event string) string {
	return strings.NewReplacer("_", "", "-", "", " ", "").Replace(strings.ToLower(event))
}

// Ends reports whether the session ends, or is about to be summed up.
func (p Payload) Ends() bool {
	return slices.Contains([]string{"sessionend", "sessionshutdown", "precompact", "precompress", "sessionbeforecompact"}, fold(p.Event))
}

// fields are the members of all agents' payloads that mem looks at. Claude
// Code, Codex and Gemini CLI share most; the rest are Codex's notify and mem's own
// extensions for pi and opencode.
type fields struct {
	HookEventName, Type  string
	SessionID, ThreadID  string
	TranscriptPath       string
	SessionFile          string
	CWD, Source, Prompt  string
	AgentID              string // of a sub-agent
	ToolName, Error      string
	ToolInput            jsonl.Raw
	ToolResponse         output
	IsError, IsInterrupt bool // an interrupt is the person's
}

// output is what came of a tool: text in any shape, or what a command printed.
type output string

// UnmarshalJSONFrom implements json.UnmarshalerFrom.
func (o *output) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	raw, err := dec.ReadValue()
	if err != nil {
		return err
	}
	raw = raw.Clone() // the decoder reuses it
	var printed struct{ Stdout, Stderr, LLMContent string }
	if raw.Kind() == '{' {
		if err := json.Unmarshal(raw, &printed, jsonl.Foreign); err != nil {
			return err
		}
	}
	if *o = output(strings.TrimSpace(printed.Stdout + "\n" + printed.Stderr + printed.LLMContent)); *o != "" {
		return nil
	}
	return json.Unmarshal(raw, (*jsonl.Prose)(o), jsonl.Foreign)
}

// IsInput reports whether an argument is the input of a hook itself, as Codex's
// notify gives it, and not the name of an event.
func IsInput(arg string) bool { return strings.HasPrefix(strings.TrimSpace(arg), "{") }

// ReadInput reads the input of a hook: one JSON value, after which the agent may
// leave the pipe open. What is not JSON is left to Parse.
func ReadInput(in io.Reader) []byte {
	var all bytes.Buffer
	tee := io.TeeReader(io.LimitReader(in, maxPayload), &all)
	_, _ = jsontext.NewDecoder(tee, jsonl.Foreign).ReadValue()
	return all.Bytes()
}

// ParsePayload reads the input of a hook. event is the name that the command line
// gave, or "", or the input itself: what the input says counts more.
func ParsePayload(name, event string, data []byte) (Payload, error) {
	if IsInput(event) {
		event, data = "", []byte(event)
	}
	var f fields
	if len(strings.TrimSpace(string(data))) > 0 {
		err := json.Unmarshal(data, &f, jsonl.Foreign)
		// Of what is cut off, perhaps because it is too long, the beginning counts.
		if err != nil && cmp.Or(f.HookEventName, f.Type, event) == "" {
			return Payload{}, fmt.Errorf("not the input of a hook of %s: %w", name, err)
		}
	}
	p := Payload{
		Agent: name, Event: cmp.Or(f.HookEventName, f.Type, event), Session: cmp.Or(f.SessionID, f.ThreadID),
		Path: cmp.Or(f.TranscriptPath, f.SessionFile), CWD: f.CWD, Source: f.Source, Prompt: f.Prompt,
		Subagent: f.AgentID, Tool: f.ToolName, Input: string(f.ToolInput),
		Output: string(cmp.Or(output(f.Error), f.ToolResponse)), Failed: (f.Error != "" || f.IsError) && !f.IsInterrupt,
	}
	if p.Event == "" {
		return Payload{}, fmt.Errorf("not the input of a hook of %s: it names no event", name)
	}
	p.Moment = findKind(p.Event).moment
	if p.Agent == Gemini {
		p.readGemini()
	}
	return p, nil
}

// readGemini takes what Gemini CLI adds off a prompt and off what a command printed, and
// leaves a session that was cleared to its first prompt: the answer would be dropped.
func (p *Payload) readGemini() {
	if p.Source == "clear" {
		p.Moment = Idle
	}
	p.Prompt, _ = gemini.CutContext(p.Prompt)
	text, cause := gemini.ReadOutcome(p.Tool, gemini.Ran, p.Output)
	p.Output, p.Failed = text, p.Failed || cause != ""
}

// callerVariables are what agents set for the commands that they run.
var callerVariables = []string{
	"CLAUDECODE", "CLAUDE_CODE_SESSION_ID", "CODEX_THREAD_ID", "CODEX_CI", "CODEX_SANDBOX", "CODEX_SANDBOX_NETWORK_DISABLED",
	"PI_CODING_AGENT", "GEMINI_CLI", "OPENCODE", "CURSOR_AGENT", "AI_AGENT", "MEM_CHILD",
}

// FindCaller reports whether an agent runs this command, and in which of its
// sessions; "" if the agent does not say.
func FindCaller(getenv func(string) string) (isAgent bool, session string) {
	for _, name := range []string{"CLAUDE_CODE_SESSION_ID", "CODEX_THREAD_ID"} {
		if id := getenv(name); id != "" {
			return true, id
		}
	}
	return slices.ContainsFunc(callerVariables, func(name string) bool { return getenv(name) != "" }), ""
}

// MaxAnswer is the longest text that a hook hands to its agent, in characters as
// JavaScript counts them: Claude Code puts a longer one into a file and shows only
// its beginning.
const MaxAnswer = 10_000

// answer is what Claude Code, Codex and Gemini CLI read. Codex fails a hook that prints anything
// beyond its schema.
type answer struct {
	Output  *answerOutput `json:"hookSpecificOutput,omitzero"`
	Message string        `json:"systemMessage,omitzero"` // is shown to the person
}

type answerOutput struct {
	Event   string `json:"hookEventName"`
	Context string `json:"additionalContext"`
}

// FormatAnswer returns what the hook prints so that the agent's model reads a text;
// "" if the agent would not read it, or it is too long. The line, if any, is for the person; of an agent that
// AnswersInText it is not in the answer.
func (p Payload) FormatAnswer(text, line string) string {
	if p.Moment == Rest || p.Moment == Idle {
		return ""
	}
	if len(utf16.Encode([]rune(text))) > MaxAnswer {
		text = ""
	}
	if p.AnswersInText() {
		return text
	}
	event := findKind(p.Event).answer
	if text+line == "" || event == "" || !slices.Contains(Agents, p.Agent) {
		return ""
	}
	a := answer{Message: line}
	if text != "" {
		a.Output = &answerOutput{event, text}
	}
	data, err := json.Marshal(a, jsontext.AllowInvalidUTF8(true))
	if err != nil {
		return ""
	}
	return string(data) + "\n"
}

// AnswersInText reports whether the agent takes a text as it is: what the person is to see stands on standard error.
func (p Payload) AnswersInText() bool { return p.Agent == Pi || p.Agent == Opencode }

// StartsAnew reports whether what the session was shown before is gone: it was
// compacted or cleared, or goes on in a new process of Claude Code, unless it
// KeepsShown. The others keep the text of a hook in the session's file.
func (p Payload) StartsAnew() bool {
	return p.Source == "compact" || p.Source == "clear" || p.Source == "resume" && p.Agent == Claude
}

// ReaderKey names the reader of the answer: a session, or an agent within it; "" if
// it is not known.
func (p Payload) ReaderKey() string {
	if p.Session == "" {
		return ""
	}
	return p.Agent + " " + p.Session + strings.TrimRight(" "+p.Subagent, " ")
}

// NamesTask reports whether a prompt may say what is to be done: a command of the agent's own,
// or a word such as "hi", does not. Some scripts have no spaces.
func (p Payload) NamesTask() bool {
	const longest = 12 // bytes of such a word
	prompt := strings.TrimSpace(p.Prompt)
	return !strings.HasPrefix(prompt, "/") && (len(prompt) > longest || len(strings.Fields(prompt)) > 1)
}

// KeepsShown reports whether a session of Claude Code that is resumed is sent again
// what hooks of mem said in it before. Since 2.1 the session's file keeps that, up
// to the next compaction; earlier versions keep nothing, and a fork may not have a
// file yet. at is when that was said last; zero if the file does not say.
func (p Payload) KeepsShown() (at time.Time, kept bool) {
	if p.Agent != Claude || p.Source != "resume" && p.Source != "fork" {
		return at, false
	}
	src, err := jsonl.Open(p.Path, jsonl.HeadBytes, jsonl.TailBytes)
	if err != nil {
		return at, false
	}
	for l, span := range jsonl.Objects[keptLine](src) {
		switch {
		case l.IsSidechain, src.Cut && span.Off < jsonl.HeadBytes: // what was left out may be a compaction
		case l.Type == "system" && l.Subtype == "compact_boundary":
			kept = false
		case l.Type == "attachment" && l.Attachment.Type == "hook_additional_context":
			if text := string(l.Attachment.Content); strings.TrimSpace(text) != strings.TrimSpace(render.StripFenced(text)) {
				at, kept = l.Timestamp, true
			}
		}
	}
	return at, kept && !src.Full
}

// A keptLine is what counts of a line of Claude Code's for KeepsShown.
type keptLine struct {
	Type, Subtype string
	Timestamp     time.Time
	IsSidechain   bool
	Attachment    struct {
		Type    string
		Content jsonl.Prose
	}
}
