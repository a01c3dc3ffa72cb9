package codex

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"mem/lazy"
	"mem/session"
	"mem/trace/build"
	"mem/trace/jsonl"
)

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

// An object is an output that is more than text.
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

// timeoutExit is the exit code of a command that ran out of time.
const timeoutExit = 124

// readOutcome returns what the tool printed and how the call ended. No version
// has a flag for failures: the head that Codex puts before the output tells, and
// only the head, since any file can hold the same words.
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
		return build.AddExit(body, strconv.FormatFloat(code, 'f', -1, 64)), session.Failed
	case o.failed:
		return body, session.Failed
	case !known && runningLine.Matches(head):
		return strings.TrimLeft(body+"\n\n"+runningLine.Get().FindString(head), "\n"), session.OK
	}
	return body, session.OK
}

// exitCode returns the exit code of a tool, which its head may tell, and whether
// it is known.
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
		case strings.Contains(answer[:min(len(answer), 200)], `Rejected("rejected by user")`):
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
