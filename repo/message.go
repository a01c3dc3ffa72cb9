package repo

import (
	"fmt"
	"strings"

	"mem/guard"
)

// A Message is what a commit says.
type Message struct {
	Subject  string
	Body     []string  // lines
	Trailers []Trailer // in order
	Always   bool      // make the commit also if it changes no file
}

// A Trailer is a "Key: value" line at the end of a message.
type Trailer struct{ Key, Value string }

// versionTrailer says in each commit of mem's which version made it.
const versionTrailer = "Mem-Version"

// String returns the message as it stands in the commit: free of secrets,
// each part on a line of its own, and nothing but the trailers in the last
// paragraph looking like one.
func (m Message) String() string {
	var b strings.Builder
	b.WriteString(guard.Line(m.Subject) + "\n")
	if len(m.Body) > 0 {
		b.WriteString("\n")
	}
	for _, l := range m.Body {
		b.WriteString(guard.Line(l) + "\n")
	}
	if len(m.Trailers) > 0 {
		b.WriteString("\n")
	}
	for _, t := range m.Trailers {
		b.WriteString(t.Key + ": " + guard.Line(t.Value) + "\n")
	}
	return b.String()
}

// An UnreadableError says that a fact, or an index without facts, cannot be read, and where the
// last good state is. Nothing was changed.
type UnreadableError struct {
	Root     string // of the memory
	LastGood string // commit that can be read; "" if none can
	Err      error
}

// Error says what is wrong and where the last good state is.
func (e *UnreadableError) Error() string {
	if e.LastGood == "" {
		return fmt.Sprintf("the memory cannot be read and was left as it is; no commit holds a readable one: %v", e.Err)
	}
	return fmt.Sprintf("the memory cannot be read and was left as it is; the last good commit is %.12s: %v", e.LastGood, e.Err)
}

// Unwrap returns the reason.
func (e *UnreadableError) Unwrap() error { return e.Err }
