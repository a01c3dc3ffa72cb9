// Package trace reads what a coding agent wrote down about a session.
//
// Every agent has a format of its own; Read recognises it and returns one session.Session that the rest of mem
// understands. Sources are read only, never rewritten, and may be damaged, huge, hostile or still being written: what
// cannot be read is skipped and counted, and memory and time stay bounded.
//
// Each format has a reader in a room of its own; they share build, which assembles a session, and jsonl, which decodes
// foreign lines. What a session teaches is decided in package reflect.
package trace

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"

	"mem/fault"
	"mem/session"
	"mem/trace/claude"
	"mem/trace/codex"
	"mem/trace/gemini"
	"mem/trace/jsonl"
	"mem/trace/neutral"
	"mem/trace/opencode"
	"mem/trace/pi"
)

// formats lists the formats that mem reads, for an error message.
const formats = "mem reads sessions of Claude Code, pi, Codex, Gemini CLI, opencode and GitHub Copilot CLI, neutral traces, and {\"mistakes\":[],\"fixes\":[]}"

// Errors that say why a source gave nothing. They are wrapped with detail.
var (
	// errEmpty means that the source holds nothing but white space.
	errEmpty = fault.New(fault.Input, "session is empty", formats)
	// ErrUnknownFormat means that no known agent wrote the source.
	ErrUnknownFormat = fault.New(fault.Input, "unknown session format", formats)
	// ErrNoLessons means that a finished reflection holds no lesson.
	ErrNoLessons = errors.New("reflection holds no lessons")
)

// A Document is what a source turned out to hold. Exactly one field is set.
type Document struct {
	Session  *session.Session
	Finished *Finished
}

// Read reads a session or a finished reflection from r to its end.
//
// Of a source of more than 8 MiB only the first 64 KiB and the last 8 MiB are read into the session, which is then
// Truncated. The errors are errEmpty, ErrUnknownFormat, jsonl.ErrTooLarge, ErrNoLessons, or those of r.
func Read(r io.Reader) (Document, error) {
	src, err := jsonl.FromStream(r)
	if err != nil {
		return Document{}, err
	}
	return readSource(src)
}

// Open reads the session or finished reflection in the regular file at path, like
// Read; the error for anything else wraps ErrNotFile.
func Open(path string) (Document, error) {
	src, err := openSource(path)
	if err != nil {
		return Document{}, err
	}
	doc, err := readSource(src)
	if err != nil {
		return Document{}, fmt.Errorf("%s: %w", path, err)
	}
	if s := doc.Session; s != nil {
		s.Path = path
		s.CWD = cmp.Or(s.CWD, readBeside(path))
	}
	return doc, nil
}

// openSource opens the file at path, or what its agent made of it since. What it keeps of the
// beginning of a large one reaches as far as the folder is named.
func openSource(path string) (*jsonl.Source, error) {
	if IsExported(path) {
		return openExport(path)
	}
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		if _, err := os.Stat(path + ".zst"); err == nil {
			path += ".zst"
		}
	}
	src, err := jsonl.Open(path, jsonl.HeadBytes, jsonl.TailBytes)
	if err != nil || !src.Cut {
		return src, err
	}
	if grown, h, err := growHead(path, jsonl.TailBytes); err == nil && h.Folder+h.hash != "" {
		return grown, nil
	}
	return src, nil
}

var readers = map[string]func(*jsonl.Source) *session.Session{
	"claude": claude.Read, "codex": codex.Read, "copilot": readCopilot, "gemini": gemini.Read,
	"neutral": neutral.Read, "opencode": opencode.Read, "pi": pi.Read,
}

func readSource(src *jsonl.Source) (Document, error) {
	if src.IsBlank() {
		return Document{}, errEmpty
	}
	if done, err := readFinished(src); done != nil || err != nil {
		return Document{Finished: done}, err
	}
	for p := range jsonl.Objects[probe](src) { // the first entry that only one writes decides: damage and bookkeeping before it do no harm
		if read := readers[p.writer()]; read != nil {
			return Document{Session: read(src)}, nil
		}
	}
	if src.IsOversized() {
		return Document{}, fmt.Errorf("a line of a session, or a reflection, of more than %d MiB: %w", jsonl.MaxLine>>20, jsonl.ErrTooLarge)
	}
	if doc, ok := src.AsDocument(); ok && jsonl.IsTruncated(doc) {
		return Document{}, fmt.Errorf("the JSON stops in the middle, at byte %d: %w", len(doc), ErrUnknownFormat)
	}
	return Document{}, fmt.Errorf("neither of Claude Code, pi, Codex, Gemini CLI, opencode or GitHub Copilot CLI, nor a neutral trace or a reflection: %w", ErrUnknownFormat)
}

type probe struct {
	Type, ID, UUID, SessionID, CWD, GitBranch, LeafUUID, Format string

	Version *float64
	Message *struct{ Role string }

	// Codex puts everything into an envelope; its oldest versions did not.
	Payload *struct {
		CWD string
		Git struct{ Branch, RepositoryURL string }
	}
	Role, RecordType, Instructions string
	Git                            *struct{}

	// GitHub Copilot CLI's envelope.
	Data *struct{ Context struct{ CWD string } }
	// The Gemini CLI's head, and opencode's only object.
	ProjectHash string
	Info        struct{ ID, Directory string }
}

// A mark is what only one agent writes: a line of one of these types, for which has holds if it is not nil.
type mark struct {
	agent string
	types []string
	has   func(*probe) bool
}

var marks = []mark{
	{"pi", []string{"session"}, func(p *probe) bool { return p.ID != "" }},
	{"pi", []string{"message"}, func(p *probe) bool { return p.Message != nil && p.Message.Role != "" }},
	{"pi", []string{"thinking_level_change", "model_change", "branch_summary", "custom_message"}, nil},
	{"codex", []string{"message"}, func(p *probe) bool { return p.Role != "" }},
	{"codex", []string{"session_meta", "turn_context", "response_item", "event_msg", "compacted", "world_state"},
		func(p *probe) bool { return p.Payload != nil }},
	{"codex", []string{"function_call", "function_call_output", "local_shell_call", "reasoning"}, nil},
	{"codex", []string{""}, func(p *probe) bool { return p.RecordType != "" || p.ID != "" && (p.Instructions != "" || p.Git != nil) }},
	{"gemini", []string{""}, func(p *probe) bool { return p.SessionID != "" && p.ProjectHash != "" }},
	{"opencode", []string{""}, func(p *probe) bool { return p.Info.ID != "" && p.Info.Directory != "" }},
	{"copilot", []string{"session.start", "session.resume", "session.info", "session.model_change", "user.message", "assistant.message",
		"tool.execution_start", "tool.execution_complete"}, func(p *probe) bool { return p.Data != nil }},
	{"claude", []string{"user", "assistant"}, func(p *probe) bool { return p.Message != nil }},
	{"claude", []string{"system", "attachment", "progress"}, func(p *probe) bool { return p.UUID != "" || p.SessionID != "" }},
	{"claude", []string{"summary"}, func(p *probe) bool { return p.LeafUUID != "" }},
	{"claude", []string{"queue-operation", "file-history-snapshot", "file-history-delta", "permission-mode",
		"last-prompt", "ai-title", "custom-title", "agent-name"}, nil},
}

func (p *probe) writer() string {
	if p.Format == neutral.Format && (p.Version == nil || *p.Version <= neutral.Version) {
		return "neutral"
	}
	for _, m := range marks {
		if slices.Contains(m.types, p.Type) && (m.has == nil || m.has(p)) {
			return m.agent
		}
	}
	return ""
}
