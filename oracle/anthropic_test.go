package oracle

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"mem/envtest"
)

// TestAskAnthropic checks what is sent, and what is made of a recorded answer.
func TestAskAnthropic(t *testing.T) {
	recorded := envtest.Read(t, "testdata/anthropic.json")
	// None of these may have a say: who asks decides what goes where.
	t.Setenv("ANTHROPIC_API_KEY", "of-the-environment")
	t.Setenv("ANTHROPIC_AUTH_TOKEN", "of-the-environment")
	t.Setenv("ANTHROPIC_BASE_URL", "http://127.0.0.1:1")
	t.Setenv("ANTHROPIC_CUSTOM_HEADERS", "X-Mine: of-the-environment")
	for _, tt := range []struct {
		name, key  string
		bearer     bool
		apiKey, id string
	}{{"key", "k1", false, "k1", ""}, {"token", "t1", true, "", "Bearer t1"}, {"none", "", false, "", ""}} {
		var header http.Header
		var path string
		var sent map[string]any
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			header, path = r.Header.Clone(), r.Method+" "+r.URL.String()
			body, _ := io.ReadAll(r.Body)
			envtest.Wraps(t, nil, json.Unmarshal(body, &sent))
			w.Header().Set("Content-Type", "application/json")
			w.Write([]byte(recorded))
		}))
		defer server.Close()
		tokens := 0
		o := modelServer{
			Kind: "anthropic", Bearer: tt.bearer,
			ModelName: "claude-haiku-5-5", BaseURL: server.URL, Key: func(context.Context) (string, error) { return tt.key, nil },
		}
		got, err := o.Ask(t.Context(), Request{
			System: "sys", Prompt: "say", Schema: `{"type":"object"}`, MaxTokens: 900, Report: func(n int) { tokens += n },
		})
		if want := `{"mistakes": [], "fixes": ["Run make regen"]}`; err != nil || got != want {
			t.Errorf("%s: Ask = %q, %v, want %q", tt.name, got, err, want)
		}
		envtest.Same(t, 2095+10+20+503, tokens, tt.name)
		want := map[string]any{
			"model": "claude-haiku-5-5", "max_tokens": 900.,
			"system":        []any{map[string]any{"type": "text", "text": "sys"}},
			"messages":      []any{map[string]any{"role": "user", "content": []any{map[string]any{"type": "text", "text": "say"}}}},
			"output_config": map[string]any{"format": map[string]any{"type": "json_schema", "schema": map[string]any{"type": "object"}}},
		}
		envtest.Same(t, want, sent, tt.name)
		if path != "POST /v1/messages" || header.Get("X-Api-Key") != tt.apiKey || header.Get("Authorization") != tt.id || header.Get("Anthropic-Version") != "2023-06-01" {
			t.Errorf("%s: %s with %v", tt.name, path, header)
		}
		for name, values := range header {
			envtest.FailIf(t, strings.Contains(strings.Join(values, " "), "of-the-environment"),
				"%s: %s comes from the environment", tt.name, name)
		}
		envtest.Same(t, "anthropic/claude-haiku-5-5", By(o), "By")
	}
}
