package shown

import (
	"bytes"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"mem/guard"
	"mem/recall"
)

// A Receipt says what a session was given to read, so that it can be held
// against what came of it.
type Receipt struct {
	At      time.Time `json:"at"`
	Agent   string    `json:"agent,omitempty"`
	Session string    `json:"session"`
	Tokens  int       `json:"tokens"`
	Items   []string  `json:"items"`            // of the project's memory
	Global  []string  `json:"global,omitempty"` // of the person's own
}

// Bounds of what is kept.
const (
	maxReceipts = 500
	maxName     = 200 // bytes of the name of an agent or a session
)

// NewReceipt is the receipt of a context.
func NewReceipt(c recall.Context, agent, session string, now time.Time) Receipt {
	name := func(s string) string {
		s = guard.Line(s)
		return strings.ToValidUTF8(s[:min(len(s), maxName)], "")
	}
	r := Receipt{At: now.UTC(), Agent: name(agent), Session: name(session), Tokens: c.Tokens, Items: []string{}}
	ids := map[string]bool{}
	for _, id := range c.Items {
		ids[id] = true
	}
	for _, why := range c.Why {
		switch {
		case !ids[why.ID]:
		case why.Memory == "global":
			r.Global = append(r.Global, why.ID)
		default:
			r.Items = append(r.Items, why.ID)
		}
	}
	return r
}

// AddReceipt returns the file of receipts, one JSON object a line, with one
// more; the oldest are dropped. What cannot be read is dropped too.
func AddReceipt(file []byte, r Receipt) []byte {
	list := append(ParseReceipts(file), r)
	var lines []byte
	for _, r := range list[max(0, len(list)-maxReceipts):] {
		line, err := json.Marshal(r)
		if err != nil {
			continue // a time that no calendar has
		}
		lines = append(append(lines, line...), '\n')
	}
	return lines
}

// ParseReceipts reads a file of receipts, the oldest first. It skips lines that are
// not receipts.
func ParseReceipts(file []byte) (list []Receipt) {
	for line := range bytes.Lines(file) {
		var r Receipt
		if json.Unmarshal(line, &r) == nil && r.Session != "" && !r.At.IsZero() {
			list = append(list, r)
		}
	}
	return list
}
