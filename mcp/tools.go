package mcp

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"mem/fault"
	"mem/guard"
	"mem/render"
	"mem/topic"
)

// MaxBudget is the largest budget of a context, in tokens.
const MaxBudget = 16000

// Forms of arguments, and how much is shown where that is left out. The SDK refuses a call whose arguments have another
// form, and says why; with a default in a schema it panics for arguments that are null.
const (
	usualLimit = 10
	usualList  = 30

	lessonText = `"type":"string","maxLength":2000,"pattern":"[^-\\s]"`
	lessonList = `"type":"array","maxItems":50,"items":{"type":"string","maxLength":2000}`
	someItems  = `"type":"integer","minimum":1,"maximum":100`
)

// addTools adds the tools, whose calls run answers.
func (s Server) addTools(srv *sdk.Server, run runner) {
	addTool(srv, run, "context", "Read the best lessons from earlier sessions of this project, within a budget. Call it before a task.", "",
		`"for":{"type":"string","maxLength":20000,"description":"the task, in your own words or the user's: lessons that fit it come first"},`+
			`"budget_tokens":{"type":"integer","minimum":1,"maximum":16000,"description":"at most this many tokens; left out, as configured"}`, s.readContext)
	addTool(srv, run, "search", "Find lessons from earlier sessions by words, the best first; or, with sessions, what was said in these sessions and what failed.", "query",
		`"query":{"type":"string","maxLength":1000,"pattern":"\\S","description":"words to look for, such as a command, a file or an error"},`+
			`"limit":{`+someItems+`,"description":"at most this many, 10 if left out"},`+
			`"sessions":{"type":"boolean","description":"look in past sessions instead: for what never became a lesson"}`,
		func(ctx context.Context, q Query) (string, error) {
			q.Text, q.Limit = guard.Scrub(q.Text), cmp.Or(q.Limit, usualLimit)
			return encodePage(s.Search(ctx, q))
		})
	addTool(srv, run, "list", "List lessons from earlier sessions, the best first.", "",
		`"limit":{`+someItems+`,"description":"at most this many lessons, 30 if left out"}`,
		func(ctx context.Context, q Query) (string, error) {
			return encodePage(s.Search(ctx, Query{Limit: cmp.Or(q.Limit, usualList)}))
		})
	addTool(srv, run, "status", "Show what the memory holds, what waits in its queue and what is due.", "", "",
		func(ctx context.Context, _ struct{}) (string, error) { return encodeAnswer(s.Status(ctx)) })
	addTool(srv, run, "learn", "Note one lesson as you learn it: what to do, or \"Avoid: …\", and why. It counts as your words, not the user's. Three of one domain that share two tags "+
		"are proposed to the user as a rule.", "text",
		`"text":{`+lessonText+`,"description":"the lesson"},`+
			`"domain":{"type":"string","enum":["`+strings.Join(append(topic.Domains(), ""), `","`)+`"],"description":"what it is about; left out, its words say it"},`+
			`"tags":{"type":"array","maxItems":5,"items":{"type":"string"},"description":"two to five words, such as the subject and the object"}`,
		func(ctx context.Context, l Learning) (string, error) { return encodeAnswer(s.Learn(ctx, l)) })
	if !s.Write {
		return
	}
	addTool(srv, run, "reflect", "Keep lessons of this session: what went wrong, and how it was fixed. One short sentence each, as a rule for later; "+
		"none is better than a weak one, and no secrets.", "",
		`"mistakes":{`+lessonList+`,"description":"what to avoid"},"fixes":{`+lessonList+`,"description":"what to do"},`+
			`"id":{"type":"string","maxLength":200,"description":"name of this reflection, if handing it in twice must count once"}`,
		func(ctx context.Context, l Lessons) (string, error) {
			if strings.TrimSpace(strings.Join(l.Mistakes, "")+strings.Join(l.Fixes, "")) == "" {
				return "", fault.Usagef("there is no lesson: mistakes and fixes are both empty")
			}
			return encodeAnswer(s.Reflect(ctx, l))
		})
	addTool(srv, run, "feedback", "Say that a lesson is wrong or no longer holds. It is not shown any more until the user has looked at it.", "id,why",
		`"id":{"type":"string","minLength":1,"maxLength":200,"description":"id of the lesson, such as m-1f9c2a7e"},`+
			`"why":{`+lessonText+`,"description":"what shows that it is wrong, in one sentence"}`,
		func(ctx context.Context, doubt struct {
			ID  string `json:"id"`
			Why string `json:"why"`
		}) (string, error) {
			return encodeAnswer(s.Hold(ctx, doubt.ID, guard.Scrub(doubt.Why)))
		})
}

// addTool adds a tool: what it does, the arguments that it needs, with commas, and all of them, as members of a schema.
func addTool[In any](srv *sdk.Server, run runner, name, about, needs, arguments string, f func(context.Context, In) (string, error)) {
	required, no := []string{}, false
	if needs != "" {
		required = strings.Split(needs, ",")
	}
	list, _ := json.Marshal(required) // words
	sdk.AddTool(srv, &sdk.Tool{
		Name: name, Description: about,
		InputSchema: json.RawMessage(fmt.Sprintf(`{"type":"object","additionalProperties":false,"required":%s,"properties":{%s}}`, list, arguments)),
		Annotations: &sdk.ToolAnnotations{ReadOnlyHint: !writes[name], DestructiveHint: &no, OpenWorldHint: &no},
	}, func(ctx context.Context, _ *sdk.CallToolRequest, in In) (*sdk.CallToolResult, any, error) {
		res, err := run(ctx, name, func(ctx context.Context) (string, error) { return f(ctx, in) })
		return res, nil, err
	})
}

// writes are the tools that change the memory.
var writes = map[string]bool{"learn": true, "reflect": true, "feedback": true}

func (s Server) readContext(ctx context.Context, in struct {
	For    string `json:"for"`
	Budget int    `json:"budget_tokens"`
}) (string, error) {
	text, err := s.Context(ctx, guard.Scrub(in.For), in.Budget)
	switch {
	case err != nil:
		return "", err
	case len(text) > maxContext:
		return "", fault.Usagef("the context is too long to be sent; ask for less with budget_tokens")
	case text == "":
		return "There is no lesson yet, or none that fits.", nil
	}
	return guard.Scrub(text), nil
}

// Bounds of an answer.
const (
	maxResult  = 48 << 10 // bytes
	maxText    = 2000     // characters of one text in it
	maxContext = 4*MaxBudget + 1<<10
)

// encodePage returns a page as JSON, with as many whole items as fit.
func encodePage(p Page, err error) (string, error) {
	if err != nil {
		return "", err
	}
	size := 0
	for i, item := range p.Items {
		data, err := encodeResult(item)
		if err != nil {
			return "", err
		}
		if size += len(data); size > maxResult {
			p.LeftOut, p.Items = p.LeftOut+len(p.Items)-i, p.Items[:i]
			break
		}
		p.Items[i] = jsontext.Value(data)
	}
	data, err := encodeResult(p)
	return string(data), err
}

// encodeAnswer returns a result as JSON, or an error if it is too long.
func encodeAnswer(v any, err error) (string, error) {
	if err != nil {
		return "", err
	}
	data, err := encodeResult(v)
	if err == nil && len(data) > maxResult {
		return "", fault.Usagef("the answer has %d bytes, too many to be sent", len(data))
	}
	return string(data), err
}

// encodeResult returns v as JSON, every text in it scrubbed and not too long.
func encodeResult(v any) ([]byte, error) { return render.JSON{MaxText: maxText}.Encode(v) }
