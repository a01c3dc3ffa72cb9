package mcp

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"mem/fault"
	"mem/guard"
	"mem/render"
	"mem/topic"
)

// MaxBudget is the largest budget of a context, in tokens.
const MaxBudget = 16000

// Limits of the other arguments.
const (
	maxLimit   = 100
	usualLimit = 10
	usualList  = 30
	maxQuery   = 1000 // characters
	maxTask    = 20_000
	maxLessons = 50   // of each side
	maxLesson  = 2000 // characters
	maxID      = 200
)

// A tool is what a client can call.
type tool struct {
	name, about string
	schema      string // of the arguments, as JSON
	writes      bool
	call        func(ctx context.Context, args []byte) (string, error)
}

func (s Server) listTools() []tool {
	list := []tool{
		{
			name: "context", call: withArguments(s.readContext),
			about: "Read the best lessons from earlier sessions of this project, within a budget. Call it before a task.",
			schema: `{"type":"object","additionalProperties":false,"properties":{` +
				`"for":{"type":"string","description":"the task, in your own words or the user's: lessons that fit it come first"},` +
				`"budget_tokens":{"type":"integer","minimum":1,"maximum":16000,"description":"at most this many tokens; left out, as configured"}}}`,
		},
		{
			name: "search", call: withArguments(s.searchLessons),
			about: "Find lessons from earlier sessions by words, the best first; or, with sessions, what was said in these sessions and what failed.",
			schema: `{"type":"object","additionalProperties":false,"required":["query"],"properties":{` +
				`"query":{"type":"string","description":"words to look for, such as a command, a file or an error"},` +
				`"limit":{"type":"integer","minimum":1,"maximum":100,"description":"at most this many, 10 if left out"},` +
				`"sessions":{"type":"boolean","description":"look in past sessions instead: for what never became a lesson"}}}`,
		},
		{
			name: "list", call: withArguments(s.listLessons),
			about: "List lessons from earlier sessions, the best first.",
			schema: `{"type":"object","additionalProperties":false,"properties":{` +
				`"limit":{"type":"integer","minimum":1,"maximum":100,"description":"at most this many lessons, 30 if left out"}}}`,
		},
		{
			name: "status", call: withArguments(func(ctx context.Context, _ struct{}) (string, error) { return encodeAnswer(s.Status(ctx)) }),
			about:  "Show what the memory holds, what waits in its queue and what is due.",
			schema: `{"type":"object","additionalProperties":false,"properties":{}}`,
		},
		{
			name: "learn", call: withArguments(s.keepLearning), writes: true,
			about: "Note one lesson as you learn it: what to do, or \"Avoid: …\", and why. It counts as your words, not the user's. Three of one domain that share two tags " +
				"are proposed to the user as a rule.",
			schema: `{"type":"object","additionalProperties":false,"required":["text"],"properties":{` +
				`"text":{"type":"string","description":"the lesson"},` +
				`"domain":{"type":"string","enum":["` + strings.Join(topic.Domains(), `","`) + `"],"description":"what it is about; left out, its words say it"},` +
				`"tags":{"type":"array","maxItems":5,"items":{"type":"string"},"description":"two to five words, such as the subject and the object"}}}`,
		},
	}
	if s.Write {
		list = append(list, tool{
			name: "reflect", call: withArguments(s.keepLessons), writes: true,
			about: "Keep lessons of this session: what went wrong, and how it was fixed. One short sentence each, as a rule for later; " +
				"none is better than a weak one, and no secrets.",
			schema: `{"type":"object","additionalProperties":false,"properties":{` +
				`"mistakes":{"type":"array","maxItems":50,"items":{"type":"string"},"description":"what to avoid"},` +
				`"fixes":{"type":"array","maxItems":50,"items":{"type":"string"},"description":"what to do"},` +
				`"id":{"type":"string","description":"name of this reflection, if handing it in twice must count once"}}}`,
		}, tool{
			name: "feedback", call: withArguments(s.holdLesson), writes: true,
			about: "Say that a lesson is wrong or no longer holds. It is not shown any more until the user has looked at it.",
			schema: `{"type":"object","additionalProperties":false,"required":["id","why"],"properties":{` +
				`"id":{"type":"string","description":"id of the lesson, such as m-1f9c2a7e"},` +
				`"why":{"type":"string","description":"what shows that it is wrong, in one sentence"}}}`,
		})
	}
	return list
}

func (s Server) readContext(ctx context.Context, in struct {
	For    string `json:"for"`
	Budget *int   `json:"budget_tokens"`
}) (string, error) {
	if utf8.RuneCountInString(in.For) > maxTask {
		return "", fault.Usagef("for has more than %d characters: say what the task is about", maxTask)
	}
	budget, err := readNumber("budget_tokens", in.Budget, 0, MaxBudget)
	if err != nil {
		return "", err
	}
	text, err := s.Context(ctx, guard.Scrub(in.For), budget)
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

func (s Server) searchLessons(ctx context.Context, in struct {
	Query    *string `json:"query"`
	Limit    *int    `json:"limit"`
	Sessions bool    `json:"sessions"`
}) (string, error) {
	if in.Query == nil || strings.TrimSpace(*in.Query) == "" {
		return "", fault.Usagef("query is missing: say which words to look for")
	}
	if utf8.RuneCountInString(*in.Query) > maxQuery {
		return "", fault.Usagef("query has more than %d characters", maxQuery)
	}
	limit, err := readNumber("limit", in.Limit, usualLimit, maxLimit)
	if err != nil {
		return "", err
	}
	return encodePage(s.Search(ctx, Query{guard.Scrub(*in.Query), limit, in.Sessions}))
}

func (s Server) listLessons(ctx context.Context, in struct {
	Limit *int `json:"limit"`
}) (string, error) {
	limit, err := readNumber("limit", in.Limit, usualList, maxLimit)
	if err != nil {
		return "", err
	}
	return encodePage(s.Search(ctx, Query{Limit: limit}))
}

func (s Server) keepLessons(ctx context.Context, in Lessons) (string, error) {
	for _, side := range []struct {
		name    string
		lessons []string
	}{{"mistakes", in.Mistakes}, {"fixes", in.Fixes}} {
		if len(side.lessons) > maxLessons {
			return "", fault.Usagef("%s has %d lessons, more than %d: keep the best", side.name, len(side.lessons), maxLessons)
		}
		for i, l := range side.lessons {
			if n := utf8.RuneCountInString(l); n > maxLesson {
				return "", fault.Usagef("%s/%d has %d characters, more than %d: say it in one sentence", side.name, i, n, maxLesson)
			}
		}
	}
	if len(in.ID) > maxID {
		return "", fault.Usagef("id has more than %d bytes", maxID)
	}
	if strings.TrimSpace(strings.Join(in.Mistakes, "")+strings.Join(in.Fixes, "")) == "" {
		return "", fault.Usagef("there is no lesson: mistakes and fixes are both empty")
	}
	return encodeAnswer(s.Reflect(ctx, in))
}

func (s Server) keepLearning(ctx context.Context, in Learning) (string, error) {
	if n := utf8.RuneCountInString(in.Text); n > maxLesson || strings.Trim(in.Text, "- \n\t") == "" {
		return "", fault.Usagef("text is one lesson of at most %d characters", maxLesson)
	}
	return encodeAnswer(s.Learn(ctx, in))
}

func (s Server) holdLesson(ctx context.Context, in struct {
	ID  string `json:"id"`
	Why string `json:"why"`
}) (string, error) {
	switch {
	case in.ID == "" || len(in.ID) > maxID:
		return "", fault.Usagef("id is that of a lesson, such as m-1f9c2a7e")
	case strings.TrimSpace(in.Why) == "" || utf8.RuneCountInString(in.Why) > maxLesson:
		return "", fault.Usagef("why says in one sentence what shows that the lesson is wrong")
	}
	return encodeAnswer(s.Hold(ctx, in.ID, guard.Scrub(in.Why)))
}

// readNumber returns an argument from 1 to most, or the usual one if it is left out.
func readNumber(name string, n *int, usual, most int) (int, error) {
	switch {
	case n == nil:
		return usual, nil
	case *n < 1 || *n > most:
		return 0, fault.Usagef("%s is a number from 1 to %d, not %d", name, most, *n)
	}
	return *n, nil
}

// withArguments decodes the arguments of a tool before it calls f.
func withArguments[In any](f func(context.Context, In) (string, error)) func(context.Context, []byte) (string, error) {
	return func(ctx context.Context, args []byte) (string, error) {
		var in In
		if len(args) > 0 {
			if err := json.Unmarshal(args, &in, json.RejectUnknownMembers(true)); err != nil {
				return "", fault.Usagef("%s", explainArguments(err))
			}
		}
		return f(ctx, in)
	}
}

// explainArguments says what is wrong with arguments in the words of JSON, not of Go.
func explainArguments(err error) string {
	var e *json.SemanticError
	if !errors.As(err, &e) {
		return "the arguments are not JSON"
	}
	name := strings.TrimPrefix(string(e.JSONPointer), "/")
	switch {
	case errors.Is(err, json.ErrUnknownName):
		return fmt.Sprintf("there is no argument %q", name)
	case name == "" || e.GoType == nil:
		return "the arguments are a JSON object"
	}
	kind := "of another kind"
	switch e.GoType.Kind() {
	case reflect.Int:
		kind = "a whole number"
	case reflect.String:
		kind = "a text"
	case reflect.Bool:
		kind = "true or false"
	case reflect.Slice:
		kind = "a list of texts"
	}
	return name + " must be " + kind
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
