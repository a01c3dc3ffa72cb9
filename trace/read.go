// Package trace reads what a coding agent wrote down about a session.
//
// Every agent has a format of its own; Read recognises it and returns one
// session.Session that the rest of mem understands. Sources are read only,
// never rewritten, and may be damaged, huge, hostile or still being written:
// what cannot be read is skipped and counted, and memory and time stay bounded.
//
// Each format has a reader in a room of its own; they share build, which
// assembles a session, and jsonl, which decodes foreign lines. What a session
// teaches is decided in package reflect.
package trace

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"mem/session"
	"mem/trace/claude"
	"mem/trace/codex"
	"mem/trace/jsonl"
	"mem/trace/neutral"
	"mem/trace/pi"
)

// Errors that say why a source gave nothing. They are wrapped with detail.
var (
	// ErrEmpty means that the source holds nothing but white space.
	ErrEmpty = errors.New("session is empty")
	// ErrUnknownFormat means that no known agent wrote the source.
	ErrUnknownFormat = errors.New("unknown session format")
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
// Of a source of more than 8 MiB only the first 64 KiB and the last 8 MiB are
// read into the session, which is then Truncated. The errors are ErrEmpty,
// ErrUnknownFormat, ErrNoLessons, or those of r.
func Read(r io.Reader) (Document, error) {
	src, err := jsonl.FromStream(r)
	if err != nil {
		return Document{}, err
	}
	doc, _, err := readSource(src)
	return doc, err
}

// Open reads the session or finished reflection in the file at path, like
// Read. For a Claude Code session it adds what the sub-agents wrote into
// files of their own, each after the call that started it.
func Open(path string) (Document, error) {
	doc, spawned, err := openFile(path)
	if err != nil {
		return Document{}, err
	}
	if s := doc.Session; s != nil && s.Agent == "claude" {
		claude.AttachAgents(s, spawned)
	}
	return doc, nil
}

// OpenRegular is Open for a path that came from another program: a pipe may stay
// silent and a device have no end, so neither is read.
func OpenRegular(path string) (Document, error) {
	info, err := os.Stat(path)
	if err != nil {
		return Document{}, fmt.Errorf("open session: %w", err)
	}
	if !info.Mode().IsRegular() {
		return Document{}, fmt.Errorf("%s is not a regular file: %w", path, ErrUnknownFormat)
	}
	return Open(path)
}

func openFile(path string) (doc Document, spawned map[string]string, err error) {
	src, err := jsonl.Open(path, jsonl.TailBytes)
	if err != nil {
		return Document{}, nil, err
	}
	doc, spawned, err = readSource(src)
	if err != nil {
		return Document{}, nil, fmt.Errorf("%s: %w", path, err)
	}
	if doc.Session != nil {
		doc.Session.Path = path
	}
	return doc, spawned, nil
}

// readSource recognises the format of src and reads it. For Claude Code sessions
// spawned says which call started which sub-agent.
func readSource(src *jsonl.Source) (doc Document, spawned map[string]string, err error) {
	if src.IsBlank() {
		return Document{}, nil, ErrEmpty
	}
	if done, err := readFinished(src); done != nil || err != nil {
		return Document{Finished: done}, nil, err
	}
	switch detectAgent(src) {
	case "claude":
		s, spawned := claude.Read(src, false)
		return Document{Session: s}, spawned, nil
	case "codex":
		return Document{Session: codex.Read(src)}, nil, nil
	case "neutral":
		return Document{Session: neutral.Read(src)}, nil, nil
	case "pi":
		return Document{Session: pi.Read(src)}, nil, nil
	}
	return Document{}, nil, fmt.Errorf("neither of Claude Code, pi or Codex, nor a neutral trace or a reflection: %w", ErrUnknownFormat)
}

// A probe is what tells the formats apart.
type probe struct {
	Type      jsonl.Text   `json:"type"`
	ID        jsonl.Text   `json:"id"`
	UUID      jsonl.Text   `json:"uuid"`
	SessionID jsonl.Text   `json:"sessionId"`
	Timestamp jsonl.Stamp  `json:"timestamp"`
	CWD       jsonl.Text   `json:"cwd"`
	LeafUUID  jsonl.Text   `json:"leafUuid"`
	Format    jsonl.Text   `json:"format"`
	Version   jsonl.Number `json:"version"`
	Message   jsonl.Object[struct {
		Role jsonl.Text `json:"role"`
	}] `json:"message"`

	// Codex puts everything into an envelope; its oldest versions did not.
	Payload jsonl.Object[struct {
		ID  jsonl.Text `json:"id"`
		CWD jsonl.Text `json:"cwd"`
	}] `json:"payload"`
	Role         jsonl.Text             `json:"role"`
	RecordType   jsonl.Text             `json:"record_type"`
	Instructions jsonl.Text             `json:"instructions"`
	Git          jsonl.Object[struct{}] `json:"git"`
}

// detectAgent returns the agent that wrote src, or "". The first entry that only
// one agent writes decides, so damage and bookkeeping before it do no harm.
func detectAgent(src *jsonl.Source) (agent string) {
	jsonl.EachObject(src, func(p *probe, _ jsonl.Span) bool {
		agent = p.writer()
		return agent == ""
	})
	return agent
}

// A mark is what only one agent writes: a line of one of these types, for which
// has holds if it is not nil.
type mark struct {
	agent string
	types []string
	has   func(*probe) bool
}

var marks = []mark{
	{"pi", []string{"session"}, func(p *probe) bool { return p.ID != "" }},
	{"pi", []string{"message"}, func(p *probe) bool { return p.Message.V.Role != "" }},
	{"pi", []string{"thinking_level_change", "model_change", "branch_summary", "custom_message"}, nil},
	{"codex", []string{"message"}, func(p *probe) bool { return p.Role != "" }},
	{"codex", []string{"session_meta", "turn_context", "response_item", "event_msg", "compacted", "world_state"},
		func(p *probe) bool { return p.Payload.Set }},
	{"codex", []string{"function_call", "function_call_output", "local_shell_call", "reasoning"}, nil},
	{"codex", []string{""}, func(p *probe) bool { return p.RecordType != "" || p.ID != "" && (p.Instructions != "" || p.Git.Set) }},
	{"claude", []string{"user", "assistant"}, func(p *probe) bool { return p.Message.Set }},
	{"claude", []string{"system", "attachment", "progress"}, func(p *probe) bool { return p.UUID != "" || p.SessionID != "" }},
	{"claude", []string{"summary"}, func(p *probe) bool { return p.LeafUUID != "" }},
	{"claude", []string{"queue-operation", "file-history-snapshot", "file-history-delta", "permission-mode",
		"last-prompt", "ai-title", "custom-title", "agent-name"}, nil},
}

// writer returns the agent that wrote the line, or "".
func (p *probe) writer() string {
	if p.Format == neutral.Format && p.Version.V <= neutral.Version {
		return "neutral"
	}
	for _, m := range marks {
		if slices.Contains(m.types, string(p.Type)) && (m.has == nil || m.has(p)) {
			return m.agent
		}
	}
	return ""
}

// A Listing is what the first lines of a session file say of it.
type Listing struct {
	Path     string
	Agent    string // "claude", "pi" or "codex"
	ID       string
	CWD      string    // "" if the first lines do not say
	Started  time.Time // zero if they carry no time
	Modified time.Time // of the file
	Size     int64     // of the file, in bytes
}

// A Filter says which sessions ListSessions returns. The zero value means all.
type Filter struct {
	Agents  []string  // only of these
	Since   time.Time // only files written at this time or later
	Project string    // only sessions that started in this folder or below it
}

// maxListed bounds the files that ListSessions opens; the newest win.
const maxListed = 1 << 14

// ListSessions returns the sessions on this machine that the filter lets through,
// the one written last at the end. Only the head of each file is read, so a
// session that names its folder later counts as of no project, and files
// that hold something else are left out.
func ListSessions(places Places, f Filter) ([]Listing, error) {
	var roots []string
	if f.Project != "" {
		abs, err := filepath.Abs(f.Project)
		if err != nil {
			return nil, fmt.Errorf("list sessions of %s: %w", f.Project, err)
		}
		roots = withResolved(abs)
	}
	all := slices.DeleteFunc(findCandidates(places, roots), func(c candidate) bool {
		return c.at.Before(f.Since) || len(f.Agents) > 0 && !slices.Contains(f.Agents, c.agent)
	})
	var list []Listing
	for _, c := range all[:min(len(all), maxListed)] {
		if l, ok := readListing(c); ok && (roots == nil || isWithin(l.CWD, roots)) {
			list = append(list, l)
		}
	}
	slices.Reverse(list)
	return list, nil
}

// readListing reads the first lines of a file. ok is false if its agent did not
// write it.
func readListing(c candidate) (l Listing, ok bool) {
	f, err := os.Open(c.path)
	if err != nil {
		return l, false // gone meanwhile, or not ours to read
	}
	defer f.Close()
	head := make([]byte, jsonl.HeadBytes)
	n, _ := f.ReadAt(head, 0) // short files end early
	l = Listing{Path: c.path, Modified: c.at.UTC(), Size: c.size}
	jsonl.EachObject(jsonl.FromBytes(head[:n]), func(p *probe, _ jsonl.Span) bool {
		if l.Agent == "" {
			l.Agent = p.writer()
		}
		if l.ID == "" {
			l.ID = p.sessionID()
		}
		if l.CWD == "" {
			l.CWD = string(cmp.Or(p.CWD, p.Payload.V.CWD))
		}
		if l.Started.IsZero() {
			l.Started = p.Timestamp.Time
		}
		return l.Agent == "" || l.ID == "" || l.CWD == "" || l.Started.IsZero()
	})
	return l, l.Agent == c.agent
}

// sessionID returns the id of the session, if a line names it.
func (p *probe) sessionID() string {
	switch p.Type {
	case "session":
		return string(p.ID)
	case "session_meta":
		return string(p.Payload.V.ID)
	case "":
		if p.writer() == "codex" {
			return string(p.ID)
		}
	}
	return string(p.SessionID)
}

// withResolved returns a path and, if it is another one, the path without links.
func withResolved(abs string) []string {
	if real, err := filepath.EvalSymlinks(abs); err == nil && real != abs {
		return []string{abs, real}
	}
	return []string{abs}
}

func newestFirst(a, b candidate) int {
	return cmp.Or(b.at.Compare(a.at), cmp.Compare(a.path, b.path))
}
