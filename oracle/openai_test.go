package oracle

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"mem/envtest"
)

// askOpenAI asks a server that answers with statuses in turn, with the body of file
// for 200, and returns what it was sent.
func askOpenAI(t *testing.T, model, file string, r Request, refusals ...string) (got string, sent []map[string]any, err error) {
	t.Helper()
	recorded := envtest.Read(t, "testdata/"+file)
	t.Setenv("OPENAI_API_KEY", "of-the-environment")
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.String() != "/v1/chat/completions" || r.Method != http.MethodPost || r.Header.Get("Authorization") != "Bearer k1" {
			t.Errorf("%s %s with %q", r.Method, r.URL, r.Header.Get("Authorization"))
		}
		body, _ := io.ReadAll(r.Body)
		var one map[string]any
		envtest.Wraps(t, nil, json.Unmarshal(body, &one))
		sent = append(sent, one)
		if len(sent) <= len(refusals) {
			w.WriteHeader(http.StatusBadRequest)
			fmt.Fprintf(w, `{"error":{"message":%q}}`, refusals[len(sent)-1])
			return
		}
		w.Write([]byte(recorded))
	}))
	defer server.Close()
	got, err = modelServer{Kind: "openai",
		ModelName: model, BaseURL: server.URL + "/v1", Key: func(context.Context) (string, error) { return "k1", nil },
	}.Ask(t.Context(), r)
	return got, sent, err
}

// TestAskOpenAI checks what is sent, and what is made of recorded answers.
func TestAskOpenAI(t *testing.T) {
	for _, file := range []string{"openai.json", "ollama.json"} {
		tokens := 0
		got, sent, err := askOpenAI(t, "m", file, Request{
			System: "sys", Prompt: "say", Schema: `{"type":"object"}`, MaxTokens: 900, Report: func(n int) { tokens += n },
		})
		if want := `{"mistakes":[],"fixes":["Run make regen"]}`; err != nil || got != want && got != "\n\n"+want {
			t.Errorf("%s: Ask = %q, %v, want %q", file, got, err, want)
		}
		want := []map[string]any{{
			"model": "m", "max_tokens": 900., "stream": false,
			"messages": []any{map[string]any{"role": "system", "content": "sys"}, map[string]any{"role": "user", "content": "say"}},
			"response_format": map[string]any{"type": "json_schema", "json_schema": map[string]any{
				"name": "answer", "strict": true, "schema": map[string]any{"type": "object"},
			}},
		}}
		envtest.Same(t, want, sent, file)
		envtest.Same(t, 2000, tokens, file)
	}
}

// TestFallback checks that a server which refuses a form is asked in the next.
func TestFallback(t *testing.T) {
	forms := func(sent []map[string]any) (list []string) {
		for _, s := range sent {
			form := "text"
			if f, ok := s["response_format"].(map[string]any); ok {
				form = f["type"].(string)
			}
			limit := "old"
			if s["max_completion_tokens"] != nil {
				limit = "new"
			}
			list = append(list, form+" "+limit)
		}
		return list
	}
	for _, tt := range []struct {
		name, model, schema string
		refusals            []string
		want                []string
	}{
		{"knows all", "m", `{}`, nil, []string{"json_schema old"}},
		{"no schemas", "m", `{}`, []string{"json_schema is not supported"}, []string{"json_schema old", "json_object old"}},
		{"no formats", "m", `{}`, []string{"no", "no response_format here"}, []string{"json_schema old", "json_object old", "text old"}},
		{"none was asked for", "m", "", nil, []string{"text old"}},
		{"knows the new limit only", "m", `{}`, []string{"Unsupported parameter: 'max_tokens'"}, []string{"json_schema old", "json_schema new"}},
		{"a model that thinks", "gpt-5-mini", `{}`, nil, []string{"json_schema new"}},
		{"knows the old limit only", "gpt-5-mini", "", []string{"unknown max_completion_tokens"}, []string{"text new", "text old"}},
	} {
		_, sent, err := askOpenAI(t, tt.model, "openai.json", Request{Prompt: "say", Schema: tt.schema}, tt.refusals...)
		envtest.Same(t, tt.want, forms(sent), tt.name)
		envtest.Wraps(t, nil, err, tt.name)
	}
	_, sent, err := askOpenAI(t, "m", "openai.json", Request{Schema: `{}`}, "This model's maximum context length is 8192 tokens")
	envtest.FailIf(t, err == nil || len(sent) != 1, "a full context: asked %d times, %v", len(sent), err)
}
