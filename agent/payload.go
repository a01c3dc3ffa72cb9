// Package agent knows how coding agents call mem: the input of their hooks, and at which moments they run.
//
// A payload comes from another program and changes with its versions. Parts that are not understood are
// ignored; it is an error only if nothing usable is left.
package agent

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf16"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"mem/trace/gemini"
	"mem/trace/jsonl"
)

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

func fold(event string) string {
	return strings.NewReplacer("_", "", "-", "", " ", "").Replace(strings.ToLower(event))
}

// Ends reports whether the session ends, or is about to be summed up.
func (p Payload) Ends() bool { return p.Row().find(p.Event).flags&ends != 0 }

// fields are the members of all agents' payloads that mem reads, in any spelling. Most agents share those of
// Claude Code. The rest belong to Codex's notify, mem's own extensions for pi and opencode, and Copilot and
// Cline, whose tools and prompts are nested deeper.
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

	HookName, TaskID                                      string
	WorkspaceRoots                                        []string
	UserPromptSubmit, PreToolUse, PostToolUse, ToolResult jsonl.Raw // deepFields
}

type deepFields struct {
	Prompt, ToolName, Result, TextResultForLLM string
	Parameters                                 jsonl.Raw
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
		if err != nil && cmp.Or(f.HookEventName, f.HookName, f.Type, event) == "" {
			return Payload{}, fmt.Errorf("not the input of a hook of %s: %w", name, err)
		}
	}
	var deep deepFields
	if raw := slices.Concat(f.UserPromptSubmit, f.PreToolUse, f.PostToolUse, f.ToolResult); len(raw) > 0 {
		_ = json.Unmarshal(raw, &deep, jsonl.Foreign) // what is not understood is left out
	}
	p := Payload{
		Agent: name, Event: cmp.Or(f.HookEventName, f.HookName, f.Type, event), Session: cmp.Or(f.SessionID, f.ThreadID, f.TaskID),
		Path: cmp.Or(f.TranscriptPath, f.SessionFile), CWD: cmp.Or(f.CWD, strings.Join(f.WorkspaceRoots[:min(1, len(f.WorkspaceRoots))], "")),
		Source: f.Source, Prompt: cmp.Or(f.Prompt, deep.Prompt),
		Subagent: f.AgentID, Tool: cmp.Or(f.ToolName, deep.ToolName), Input: cmp.Or(string(f.ToolInput), string(deep.Parameters)),
		Output: string(cmp.Or(output(f.Error), f.ToolResponse, output(deep.TextResultForLLM), output(deep.Result))),
		Failed: (f.Error != "" || f.IsError) && !f.IsInterrupt,
	}
	if p.Event == "" {
		return Payload{}, fmt.Errorf("not the input of a hook of %s: it names no event", name)
	}
	row := p.Row()
	if p.Moment = row.find(p.Event).Moment; row.Wraps {
		p.readGemini()
	}
	return p, nil
}

// readGemini removes what Gemini CLI adds to a prompt and to a command's output. After a clear it waits for the
// first prompt, because Gemini drops an earlier answer.
func (p *Payload) readGemini() {
	if p.Source == "clear" {
		p.Moment = Idle
	}
	p.Prompt, _ = gemini.CutContext(p.Prompt)
	text, cause := gemini.ReadOutcome(p.Tool, gemini.Ran, p.Output)
	p.Output, p.Failed = text, p.Failed || cause != ""
}

// FindCaller reports whether an agent runs this command, and in which of its
// sessions; "" if the agent does not say.
func FindCaller(getenv func(string) string) (isAgent bool, session string) {
	isSet := func(name string) bool { return getenv(name) != "" }
	for _, r := range Table {
		if r.Session != "" && isSet(r.Session) {
			return true, getenv(r.Session)
		}
		isAgent = isAgent || slices.ContainsFunc(r.Vars, isSet)
	}
	return isAgent || isSet("AI_AGENT") || isSet("MEM_CHILD"), ""
}

// MaxAnswer is the longest text that a hook hands to its agent, in characters as
// JavaScript counts them: Claude Code puts a longer one into a file and shows only
// its beginning.
const MaxAnswer = 10_000

// answer is what agents read, each some of it. Codex fails a hook that prints anything
// beyond its schema.
type answer struct {
	Output  *answerOutput `json:"hookSpecificOutput,omitzero"`
	Message string        `json:"systemMessage,omitzero"` // is shown to the person

	Context string `json:"additionalContext,omitzero"`

	Cancel  *bool  `json:"cancel,omitzero"`
	Changes string `json:"contextModification,omitzero"`
}

type answerOutput struct {
	Event   string `json:"hookEventName"`
	Context string `json:"additionalContext"`
}

// FormatAnswer returns what the hook prints so that the agent's model reads a text; "" if the agent would not
// read it, or it is too long. line, if any, is for the person; beside is the part of it that goes to standard
// error instead of the answer.
func (p Payload) FormatAnswer(said, line string) (printed, beside string) {
	row := p.Row()
	e := row.find(p.Event)
	if row.Mute {
		line = ""
	}
	if len(utf16.Encode([]rune(said))) > MaxAnswer {
		said = ""
	}
	if said+line == "" || e.flags&takes == 0 {
		return "", ""
	}
	switch row.Answer {
	case text:
		return said, line
	case plain:
		return said, ""
	case flat:
		if line != "" {
			printed = encode(map[string]string{"type": "progress", "message": line})
		}
		if said != "" {
			printed += encode(answer{Context: said})
		}
		return printed, ""
	case cline:
		if said == "" {
			return "", ""
		}
		return encode(answer{Cancel: new(bool), Changes: said}), ""
	}
	a := answer{Message: line}
	if said != "" {
		a.Output = &answerOutput{e.Name, said}
	}
	return encode(a), ""
}

func encode(v any) string {
	data, err := json.Marshal(v, jsontext.AllowInvalidUTF8(true), json.Deterministic(true))
	if err != nil {
		return ""
	}
	return string(data) + "\n"
}

// IsRead reports whether the agent's model would read a text now.
func (p Payload) IsRead(said string) bool {
	printed, _ := p.FormatAnswer(said, "")
	return printed != ""
}

// ReaderKey names the reader of the answer: a session, or an agent within it; "" if
// it is not known.
func (p Payload) ReaderKey() string {
	if p.Session == "" {
		return ""
	}
	return p.Agent + " " + p.Session + strings.TrimRight(" "+p.Subagent, " ")
}

// NamesTask reports whether a prompt may describe a task. A command of the agent's own, or a single short word
// such as "hi", does not; a longer text without spaces may, as some scripts have none.
func (p Payload) NamesTask() bool {
	const longest = 12 // bytes of such a word
	prompt := strings.TrimSpace(p.Prompt)
	return !strings.HasPrefix(prompt, "/") && (len(prompt) > longest || len(strings.Fields(prompt)) > 1)
}
