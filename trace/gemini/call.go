package gemini

import (
	"cmp"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"mem/lazy"
	"mem/session"
	"mem/trace/jsonl"
)

// A call is a use of a tool, with its result once there is one.
type call struct {
	ID, Name, Status string
	Args             jsonl.Raw
	Result           result
	Timestamp        time.Time
}

// A result is a call's answer to the model: text, or parts.
type result struct {
	set            bool
	output, failed string
}

func (res *result) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	res.set = dec.PeekKind() != 'n'
	var parts jsonl.Blocks[part]
	err := parts.UnmarshalJSONFrom(dec)
	var output, failed []string
	for _, p := range parts {
		told := p.FunctionResponse.Response
		output = append(output, string(told.Output)+p.Text)
		failed = append(failed, string(told.Error))
	}
	res.output, res.failed = strings.TrimSpace(strings.Join(output, "\n")), strings.TrimSpace(strings.Join(failed, "\n"))
	return err
}

const shellTool = "run_shell_command"

func (r *reader) readCall(c *call, at jsonl.Span) {
	if c.ID == "" || r.ended[c.ID] {
		return
	}
	if _, known := r.Tools[c.ID]; !known {
		r.StartEntry(c.ID, at, c.Timestamp)
		r.EmitCall(session.Agent, c.Name, c.ID, jsonl.Compact(c.Args))
	}
	if !c.Result.set {
		return
	}
	r.ended[c.ID] = true
	r.StartEntry(c.ID+"/result", at, c.Timestamp)
	e := session.Event{Tool: c.Name, CallID: c.ID}
	text, added := cmp.Or(c.Result.output, c.Result.failed), ""
	if i := strings.LastIndex(text, "\n\n"+hookTag); i >= 0 && strings.HasSuffix(text, hookEnd) { // what a hook added behind it
		text, added = text[:i], strings.TrimSpace(text[i:])
	}
	e.Text, e.Cause = ReadOutcome(c.Name, c.Status, text)
	e.Edited = e.Cause == session.OK && editedByUser.Matches(jsonl.Compact(c.Args))
	r.EmitResult(e)
	r.EmitInjected(added)
}

var (
	// editedByUser matches the input of a proposal that the person changed.
	editedByUser = lazy.New(`"modified_by_user":true`)
	// shellTail matches the lines that the CLI puts behind what a command printed.
	shellTail = lazy.New(`(?:\n(?:Error|Exit Code|Signal|Background PIDs|Process Group PGID): [^\n]*)+$`)
	exitCode  = lazy.New(`\nExit Code: ([1-9]\d*|-\d+)\b`)
)

const (
	untrusted    = "<untrusted_context>\n"
	untrustedEnd = "\n</untrusted_context>"
)

// endings are the causes of calls that failed or were stopped, by words of the answer to the model.
// The CLI counts a command that timed out as a success.
var endings = []struct {
	status, words string
	cause         session.Cause
}{
	{"cancelled", "[Operation Cancelled] Reason: User denied execution.", session.DeniedByUser},
	{"cancelled", "[Operation Cancelled] Reason: User did not allow tool call", session.DeniedByUser},
	{"cancelled", "", session.Cancelled},
	{"error", "Tool execution blocked: ", session.BlockedByHook},
	{"error", "Tool result blocked: ", session.BlockedByHook},
	{"error", "Tool execution denied by policy.", session.DeniedByRule},
	{"error", "", session.Failed},
	{Ran, "Command was automatically cancelled because it exceeded the timeout", session.TimedOut},
	{Ran, "Command was cancelled by user", session.Cancelled},
}

// Ran is the status of a call of a tool that was not stopped and told of no error.
const Ran = "success"

// ReadOutcome returns a tool's answer and how the call ended, from its status and the text for the model.
func ReadOutcome(tool, status, text string) (string, session.Cause) {
	if inner, ok := strings.CutPrefix(text, untrusted); ok {
		text = strings.TrimSuffix(inner, untrustedEnd)
	}
	for _, e := range endings {
		if status == e.status && (status != Ran || tool == shellTool) && strings.HasPrefix(text, e.words) {
			return text, e.cause
		}
	}
	if tool != shellTool {
		return text, session.OK
	}
	return readPrinted(text)
}

// readPrinted returns a command's output and whether it failed, which is written only after the output.
func readPrinted(text string) (string, session.Cause) {
	tail := shellTail.Get().FindString(text)
	printed := strings.TrimSuffix(text, tail)
	if strings.HasPrefix(printed, "Command: ") { // older versions repeat it
		_, printed, _ = strings.Cut(printed, "\nOutput: ")
	}
	if printed = strings.TrimPrefix(printed, "Output: "); printed == "(empty)" {
		printed = ""
	}
	if m := exitCode.Get().FindStringSubmatch(tail); m != nil {
		return jsonl.AddExit(printed, m[1]), session.Failed
	}
	return printed, session.OK
}
