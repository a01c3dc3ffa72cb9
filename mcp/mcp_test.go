package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"mem/envtest"
	"mem/fault"
)

var errGone = fault.New(fault.Missing, "no memory here yet", "make one")

// fake is a server over functions that always work.
func fake() Server {
	lessons := func(n int) Page {
		p := Page{File: ".mem/core/index.json", LeftOut: 3}
		for i := range n {
			p.Items = append(p.Items, map[string]string{"text": fmt.Sprintf("lesson %d", i)})
		}
		return p
	}
	return Server{
		Version: "test", Write: true,
		Context: func(_ context.Context, task string, budget int) (string, error) {
			return fmt.Sprintf("context of %d for %q", budget, task), nil
		},
		Search: func(_ context.Context, q Query) (Page, error) {
			if q.Sessions {
				return Page{File: "sessions", Items: []any{fmt.Sprintf("%d about %s", q.Limit, q.Text)}}, nil
			}
			p := lessons(q.Limit)
			if q.Text != "" {
				p.Items[0] = q.Text
			}
			return p, nil
		},
		Status:  func(context.Context) (any, error) { return map[string]int{"lessons": 7}, nil },
		Reflect: func(_ context.Context, l Lessons) (any, error) { return l, nil },
		Learn:   func(_ context.Context, l Learning) (any, error) { return l, nil },
		Hold:    func(_ context.Context, id, why string) (any, error) { return id + " " + why, nil },
	}
}

// dial connects the SDK's own client to a server.
func dial(t *testing.T, s Server) *sdk.ClientSession {
	t.Helper()
	ours, theirs := sdk.NewInMemoryTransports()
	ctx, cancel := context.WithCancel(context.Background()) // that of t ends before the cleanup
	done := make(chan error, 1)
	go func() { done <- s.runOver(ctx, ours) }()
	client, err := sdk.NewClient(&sdk.Implementation{Name: "test"}, nil).Connect(ctx, theirs, nil)
	envtest.NoError(t, err)
	t.Cleanup(func() {
		err := client.Close()
		envtest.FailIf(t, err != nil, "%v", err)
		err = <-done
		envtest.FailIf(t, err != nil, "the server ended with %v", err)
		cancel()
	})
	return client
}

// call returns the text of a tool's answer, and whether it is a failure.
func call(t *testing.T, c *sdk.ClientSession, name string, args any) (text string, failed bool) {
	t.Helper()
	res, err := c.CallTool(t.Context(), &sdk.CallToolParams{Name: name, Arguments: args})
	envtest.StopIf(t, err != nil, "%s %v: %v", name, args, err)
	envtest.StopIf(t, len(res.Content) != 1 || res.StructuredContent != nil,
		"%s %v: %d contents", name, args, len(res.Content))
	return res.Content[0].(*sdk.TextContent).Text, res.IsError
}

type object map[string]any

func TestTools(t *testing.T) {
	for _, write := range []bool{false, true} {
		s := fake()
		s.Write = write
		c := dial(t, s)
		got := map[string]bool{}
		for tool, err := range c.Tools(t.Context(), nil) {
			envtest.NoError(t, err)
			got[tool.Name] = tool.Annotations.ReadOnlyHint
			envtest.FailIf(t, tool.Description == "", "%s has no description", tool.Name)
		}
		want := map[string]bool{"context": true, "search": true, "list": true, "status": true, "learn": false}
		if write {
			want["reflect"], want["feedback"] = false, false
		}
		envtest.Same(t, want, got, "write", write, "tools that only read")
		if got := c.InitializeResult().Instructions; got != instructions || !strings.Contains(got, "mem learn") {
			t.Error("no instructions")
		}
	}
}

func TestCalls(t *testing.T) {
	c := dial(t, fake())
	for _, tt := range []struct {
		tool string
		args any
		want string
	}{
		{"context", nil, `context of 0 for ""`},
		{"context", object{"budget_tokens": 500}, `context of 500 for ""`},
		{"context", object{"for": "the e2e\u202e tests"}, `context of 0 for "the e2e tests"`},
		{"context", object{"for": "", "budget_tokens": 500}, `context of 500 for ""`},
		{"context", object{"for": strings.Repeat("é", 20_000)}, `context of 0 for "` + strings.Repeat("é", 20_000) + `"`},
		{"search", object{"query": "go test", "limit": 1}, "{\n  \"file\": \".mem/core/index.json\",\n  \"items\": [\n    \"go test\"\n  ],\n  \"leftOut\": 3\n}"},
		{"search", object{"query": "go test", "limit": 1, "sessions": true}, "{\n  \"file\": \"sessions\",\n  \"items\": [\n    \"1 about go test\"\n  ],\n  \"leftOut\": 0\n}"},
		{"list", object{"limit": 1}, "{\n  \"file\": \".mem/core/index.json\",\n  \"items\": [\n    {\n      \"text\": \"lesson 0\"\n    }\n  ],\n  \"leftOut\": 3\n}"},
		{"status", object{}, "{\n  \"lessons\": 7\n}"},
		{"reflect", object{"mistakes": []string{"guessing"}}, "{\n  \"id\": \"\",\n  \"mistakes\": [\n    \"guessing\"\n  ],\n  \"fixes\": []\n}"},
		{"learn", object{"text": "Use tabs", "tags": []string{"go"}}, "{\n  \"text\": \"Use tabs\",\n  \"domain\": \"\",\n  \"tags\": [\n    \"go\"\n  ]\n}"},
		{"feedback", object{"id": "m-1", "why": "gone ghp_0123456789abcdefghijABCDEFGHIJ012345"}, `"m-1 gone [redacted:github-token]"`},
	} {
		got, failed := call(t, c, tt.tool, tt.args)
		diff := cmp.Diff(tt.want, got)
		envtest.FailIf(t, diff != "" || failed, "%s %v: failed %t (-want +got):\n%s", tt.tool, tt.args, failed, diff)
	}
}

// TestUsual is how much is shown by default.
func TestUsual(t *testing.T) {
	c := dial(t, fake())
	for tool, want := range map[string]int{"search": usualLimit, "list": usualList} {
		text, _ := call(t, c, tool, map[string]object{"search": {"query": "x"}, "list": {}}[tool])
		var got struct{ Items []any }
		if err := json.Unmarshal([]byte(text), &got); err != nil || len(got.Items) != want {
			t.Errorf("%s shows %d items, want %d (%v)", tool, len(got.Items), want, err)
		}
	}
}

func TestBadArguments(t *testing.T) {
	c := dial(t, fake())
	for _, tt := range []struct {
		tool string
		args any
		want string
	}{
		{"context", object{"budget_tokens": 0}, "budget_tokens: minimum"},
		{"context", object{"budget_tokens": "many"}, "budget_tokens: type"},
		{"context", object{"budget_tokens": 1.5}, "budget_tokens: type"},
		{"context", object{"budget_tokens": 1e30}, "budget_tokens: maximum"},
		{"context", object{"budget": 1}, `"budget"`},
		{"context", object{"for": 1}, "for: type"},
		{"context", object{"for": []string{"x"}}, "for: type"},
		{"context", object{"for": strings.Repeat("é", 20_001)}, "for: maxLength"},
		{"search", object{}, `"query"`},
		{"search", object{"query": " \n"}, "query: pattern"},
		{"search", object{"query": 7}, "query: type"},
		{"search", object{"query": "x", "sessions": "yes"}, "sessions: type"},
		{"search", object{"query": strings.Repeat("ü", 1001)}, "query: maxLength"},
		{"search", object{"query": "x", "limit": 101}, "limit: maximum"},
		{"list", object{"limit": -1}, "limit: minimum"},
		{"list", []int{1}, "unmarshaling arguments"},
		{"status", object{"all": true}, `"all"`},
		{"reflect", object{}, "there is no lesson: mistakes and fixes are both empty"},
		{"reflect", object{"mistakes": []string{" "}, "fixes": []string{}}, "there is no lesson: mistakes and fixes are both empty"},
		{"reflect", object{"fixes": "one"}, "fixes: type"},
		{"reflect", object{"fixes": []any{"a", 1}}, "type: 1 has type"},
		{"reflect", object{"fixes": make([]string, 51)}, "fixes: maxItems"},
		{"reflect", object{"mistakes": []string{strings.Repeat("a", 2001)}}, "maxLength"},
		{"reflect", object{"id": strings.Repeat("a", 201), "fixes": []string{"a"}}, "id: maxLength"},
		{"learn", object{"text": "-"}, "text: pattern"},
		{"learn", object{"text": strings.Repeat("a", 2001)}, "text: maxLength"},
		{"feedback", object{"id": "m-1"}, `"why"`},
		{"feedback", object{"id": "m-1", "why": strings.Repeat("a", 2001)}, "why: maxLength"},
		{"feedback", object{"why": "gone"}, `"id"`},
		{"feedback", object{"id": "m-1", "why": "gone", "helped": true}, `"helped"`},
		{"reflect", object{"origin": "user", "fixes": []string{"a"}}, `"origin"`},
	} {
		if got, failed := call(t, c, tt.tool, tt.args); !strings.Contains(got, tt.want) || !failed {
			t.Errorf("%s %v: failed %t, %q, want %q", tt.tool, tt.args, failed, got, tt.want)
		}
	}
	_, err := c.CallTool(t.Context(), &sdk.CallToolParams{Name: "purge"})
	envtest.FailIf(t, err == nil, "a tool that there is not answered")
}

// TestFailures are answers, in mem's own words, and the server goes on.
func TestFailures(t *testing.T) {
	s := fake()
	s.Context = func(context.Context, string, int) (string, error) { return "", errGone }
	s.Search = func(_ context.Context, q Query) (Page, error) {
		if q.Text != "" {
			panic("a defect")
		}
		return Page{Items: []any{func() {}}}, nil
	}
	s.Status = func(context.Context) (any, error) {
		return nil, errors.New("token ghp_0123456789abcdefghijABCDEFGHIJ012345\x1b[2J" + strings.Repeat("x", 3000))
	}
	c := dial(t, s)
	for tool, want := range map[string]string{
		"context": "no memory here yet\nhint: make one", "search": "search failed: this is a defect of mem", "list": "write result: ",
	} {
		got, failed := call(t, c, tool, map[string]object{"search": {"query": "x"}}[tool])
		envtest.FailIf(t, !strings.HasPrefix(got, want) || !failed, "%s: failed %t, %q, want %q", tool, failed, got, want)
	}
	got, failed := call(t, c, "status", nil)
	envtest.FailIf(t, !failed || strings.Contains(got, "ghp_") || strings.Contains(got, "\x1b") || len(got) > maxText+10,
		"status: failed %t, %q", failed, got)
}

// TestHostile has nothing that others wrote reach the client as it was.
func TestHostile(t *testing.T) {
	bad := "tag\U000e0041 \u202e bidi \x1b[31m ghp_0123456789abcdefghijABCDEFGHIJ012345 \xff \"}]"
	s := fake()
	s.Context = func(context.Context, string, int) (string, error) { return bad, nil }
	s.Search = func(context.Context, Query) (Page, error) {
		return Page{Items: []any{object{bad: bad}, object{"text": strings.Repeat("long ", 9000)}}}, nil
	}
	s.Status = func(context.Context) (any, error) { return object{bad: []string{bad}}, nil }
	c := dial(t, s)
	for _, tool := range []string{"context", "list", "status"} {
		got, failed := call(t, c, tool, nil)
		envtest.FailIf(t, failed, "%s failed: %s", tool, got)
		for _, mark := range []string{"\U000e0041", "\u202e", "\x1b", "ghp_", `\u001b`, `\u202e`} {
			envtest.FailIf(t, strings.Contains(got, mark), "%s holds %q: %q", tool, mark, got)
		}
		envtest.FailIf(t, tool != "context" && !json.Valid([]byte(got)), "%s is no JSON: %s", tool, got)
		envtest.FailIf(t, len(got) > 2*maxText+500, "%s has %d bytes", tool, len(got))
	}
}

// TestBounds has no answer get out of hand: whole items, and how many are not
// shown.
func TestBounds(t *testing.T) {
	s := fake()
	s.Search = func(_ context.Context, q Query) (Page, error) {
		p := Page{LeftOut: 1}
		for range q.Limit {
			p.Items = append(p.Items, strings.Repeat("a", maxText))
		}
		return p, nil
	}
	s.Status = func(context.Context) (any, error) { return make([]int, maxResult), nil }
	s.Context = func(context.Context, string, int) (string, error) { return strings.Repeat("a", maxContext+1), nil }
	c := dial(t, s)
	text, _ := call(t, c, "list", object{"limit": 100})
	var got struct {
		Items   []string
		LeftOut int `json:"leftOut"`
	}
	envtest.NoError(t, json.Unmarshal([]byte(text), &got))
	envtest.FailIf(t, len(text) > maxResult+1000 || len(got.Items) < 10 || len(got.Items)+got.LeftOut != 101,
		"%d bytes, %d items, %d left out", len(text), len(got.Items), got.LeftOut)
	for _, tool := range []string{"status", "context"} {
		got, failed := call(t, c, tool, nil)
		envtest.FailIf(t, !failed || len(got) > 100, "%s: failed %t, %d bytes", tool, failed, len(got))
	}
}

// TestEmpty says so, instead of nothing.
func TestEmpty(t *testing.T) {
	s := fake()
	s.Context = func(context.Context, string, int) (string, error) { return "", nil }
	s.Search = func(context.Context, Query) (Page, error) { return Page{}, nil }
	c := dial(t, s)
	got, _ := call(t, c, "context", nil)
	envtest.FailIf(t, got != "There is no lesson yet, or none that fits.", "context: %q", got)
	got, _ = call(t, c, "list", nil)
	envtest.FailIf(t, got != "{\n  \"file\": \"\",\n  \"items\": [],\n  \"leftOut\": 0\n}", "list: %s", got)
}

// TestCancel ends the work of a call that the client no longer waits for.
func TestCancel(t *testing.T) {
	s := fake()
	started, ended := make(chan bool), make(chan error, 1)
	s.Search = func(ctx context.Context, _ Query) (Page, error) {
		close(started)
		<-ctx.Done()
		ended <- ctx.Err()
		return Page{}, ctx.Err()
	}
	c := dial(t, s)
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-started
		cancel()
	}()
	_, err := c.CallTool(ctx, &sdk.CallToolParams{Name: "search", Arguments: object{"query": "x"}})
	envtest.Wraps(t, context.Canceled, err, "err")
	select {
	case err := <-ended:
		envtest.Wraps(t, context.Canceled, err, "err")
	case <-time.After(5 * time.Minute):
		t.Fatal("the work went on")
	}
	got, failed := call(t, c, "status", nil)
	envtest.FailIf(t, failed, "after a cancelled call: %s", got)
}

// TestStop has a server end, and the work in it, when its context does.
func TestStop(t *testing.T) {
	s := fake()
	started := make(chan bool)
	s.Status = func(ctx context.Context) (any, error) {
		close(started)
		<-ctx.Done()
		return nil, ctx.Err()
	}
	in, request := io.Pipe()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- s.Run(ctx, in, io.Discard) }()
	_, err := io.WriteString(request, requests(`{"name":"status"}`))
	envtest.NoError(t, err)
	<-started
	cancel()
	select {
	case err := <-done:
		envtest.Wraps(t, context.Canceled, err, "err")
	case <-time.After(5 * time.Minute):
		t.Fatal("the server went on")
	}
}

// requests are lines of a client that calls tools, with an id from 2 on.
func requests(params ...string) string {
	lines := []string{
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`,
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
	}
	for i, p := range params {
		lines = append(lines, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":%s}`, i+2, p))
	}
	return strings.Join(lines, "\n") + "\n"
}

// TestLastAct has a call answered although the input is over.
func TestLastAct(t *testing.T) {
	s := fake()
	s.Reflect = func(ctx context.Context, l Lessons) (any, error) {
		select {
		case <-time.After(50 * time.Millisecond):
			return l, nil
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	var out strings.Builder
	in := requests(`{"name":"reflect","arguments":{"fixes":["a"]}}`, `{"name":"context"}`, `{"name":"nosuch"}`)
	envtest.NoError(t, s.Run(t.Context(), strings.NewReader(in), &out))
	for _, id := range []string{`"id":2,"result"`, `"id":3,"result"`, `"id":4,"error"`} {
		envtest.FailIf(t, !strings.Contains(out.String(), id), "no answer %s in %s", id, out.String())
	}
	for range 20 {
		out.Reset()
		if err := s.Run(t.Context(), strings.NewReader(requests()+`{"jsonrpc":"2.0","id":5,"method":"ping"}`), &out); err != nil || !strings.Contains(out.String(), `"id":5,"result"`) {
			t.Fatalf("no answer in %s: %v", out.String(), err)
		}
	}
}

// TestCancelledLastAct does not wait for a result without a reader.
func TestCancelledLastAct(t *testing.T) {
	s := fake()
	s.Status = func(ctx context.Context) (any, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	in := requests(`{"name":"status"}`) + `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}` + "\n"
	done := make(chan error, 1)
	go func() { done <- s.Run(t.Context(), strings.NewReader(in), io.Discard) }()
	select {
	case err := <-done:
		envtest.FailIf(t, err != nil, "%v", err)
	case <-time.After(5 * time.Minute):
		t.Fatal("the server went on")
	}
}

// A line that is not a message gets an answer, and what follows it gets its own.
func TestNoise(t *testing.T) {
	const call = `{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"context"}}`
	other := strings.Replace(call, "9", "8", 1)
	for noise, want := range map[string]string{
		"debug: not json\n": "-32700", "{\n": "-32700", "\"\xff\"\n": "-32700", strings.Repeat("[", 5000) + "\n": "-32700",
		strings.Repeat("x", maxLine+1) + "\n": "-32700", call + call + "\n": "-32700",
		"[]\n": "-32600", "null\n": "-32600", "7\n": "-32600", `{"jsonrpc":"1.0","id":5,"method":"ping"}` + "\n": "-32600", `{"jsonrpc":"2.0"}` + "\n": "-32600",
		"\n \r\n": "", "\ufeff" + other + "\n": `"id":8,"result"`, "[" + other + ",7]\n": `"id":8,"result"`,
	} {
		var out strings.Builder
		err := fake().Run(t.Context(), strings.NewReader(requests()+noise+call), &out)
		envtest.FailIf(t, err != nil, "%.20q: %v", noise, err)
		envtest.FailIf(t, !strings.Contains(out.String(), want) || !strings.Contains(out.String(), `"id":9,"result"`),
			"%.20q is answered by %s, want %s and that of the call", noise, out.String(), want)
	}
	err := fake().Run(t.Context(), strings.NewReader(""), io.Discard)
	envtest.FailIf(t, err != nil, "nothing: %v", err)
}

// FuzzArguments has every tool answer whatever it is called with.
func FuzzArguments(f *testing.F) {
	for _, seed := range []string{``, `null`, `{"query":"x","limit":1}`, `{"fixes":["a"],"id":"r"}`, `{"limit":"x"}`, `[`, `{"a":1,"a":2}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, args []byte) {
		if !utf8.Valid(args) || !json.Valid(args) || bytes.ContainsAny(args, "\r\n") {
			t.Skip("not a line of JSON")
		}
		for _, tool := range []string{"context", "search", "list", "status", "learn", "reflect", "feedback"} {
			var out strings.Builder
			in := requests(fmt.Sprintf(`{"name":%q,"arguments":%s}`, tool, args))
			if err := fake().Run(t.Context(), strings.NewReader(in), &out); err != nil || !strings.Contains(out.String(), `"id":2,`) {
				t.Errorf("%s %q: %v, %s", tool, args, err, out.String())
			}
		}
	})
}
