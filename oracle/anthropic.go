package oracle

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

const (
	anthropicURL     = "https://api.anthropic.com"
	anthropicVersion = "2023-06-01" // of the protocol
)

// An anthropicModel is one of Anthropic's models, or of a server that speaks their protocol. No variable of the
// environment is read here.
type anthropicModel struct {
	modelServer

	// Bearer says that the key is a token to be sent as such, like the one in
	// ANTHROPIC_AUTH_TOKEN.
	Bearer bool
}

// A question is the body of a request.
type anthropicQuestion struct {
	Model        string             `json:"model"`
	MaxTokens    int                `json:"max_tokens"`
	System       []textBlock        `json:"system,omitempty"`
	Messages     []anthropicMessage `json:"messages"`
	OutputConfig jsontext.Value     `json:"output_config,omitempty"` // the form that the answer must have
}

type anthropicMessage struct {
	Role    string      `json:"role"`
	Content []textBlock `json:"content"`
}

// A text is a block of a question or an answer. Answers have blocks of other
// types too.
type textBlock struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

// An answer is the body of a response.
type anthropicAnswer struct {
	Content    []textBlock `json:"content"`
	StopReason string      `json:"stop_reason"`
	Usage      struct {
		Input       int `json:"input_tokens"`
		CacheWrites int `json:"cache_creation_input_tokens"`
		CacheReads  int `json:"cache_read_input_tokens"`
		Output      int `json:"output_tokens"`
	} `json:"usage"`
}

// Name returns "anthropic".
func (anthropicModel) Name() string { return "anthropic" }

// Ask puts a request to the model. If it has a schema the server is asked to
// keep to it and, where it cannot, asked again without.
func (o anthropicModel) Ask(ctx context.Context, r Request) (string, error) {
	return o.askWith(ctx, r, func(ctx context.Context, client Client) (string, error) {
		q, address, header := o.question(r), o.BaseURL+"/v1/messages", o.header(client.Key)
		var a anthropicAnswer
		err := client.post(ctx, address, header, q, &a)
		var status *statusError
		if r.Schema != "" && errors.As(err, &status) && status.rejects() {
			q.OutputConfig = nil
			err = client.post(ctx, address, header, q, &a)
		}
		if err != nil {
			return "", err
		}
		return o.text(a, r)
	})
}

func (o anthropicModel) header(key string) http.Header {
	h := http.Header{"Anthropic-Version": {anthropicVersion}}
	switch {
	case key == "":
	case o.Bearer:
		h.Set("Authorization", "Bearer "+key)
	default:
		h.Set("X-Api-Key", key)
	}
	return h
}

func (o anthropicModel) question(r Request) anthropicQuestion {
	q := anthropicQuestion{
		Model: o.ModelName, MaxTokens: o.answerTokens(r),
		Messages: []anthropicMessage{{"user", []textBlock{{"text", r.Prompt}}}},
	}
	if r.System != "" {
		q.System = []textBlock{{"text", r.System}}
	}
	if r.Schema != "" {
		q.OutputConfig = jsontext.Value(`{"format":{"type":"json_schema","schema":` + r.Schema + `}}`)
	}
	return q
}

// text returns the words of an answer that is whole.
func (o anthropicModel) text(a anthropicAnswer, r Request) (string, error) {
	if u := a.Usage; r.Report != nil {
		r.Report(u.Input + u.CacheWrites + u.CacheReads + u.Output)
	}
	switch a.StopReason {
	case "max_tokens":
		return "", o.cutOff(r)
	case "refusal":
		return "", errDeclined
	case "model_context_window_exceeded":
		return "", fmt.Errorf("the model's context is full: %w", errTooBig)
	}
	var b strings.Builder
	for _, block := range a.Content {
		if block.Type == "text" {
			b.WriteString(block.Text)
		}
	}
	if strings.TrimSpace(b.String()) == "" {
		return "", errNoText
	}
	return b.String(), nil
}
