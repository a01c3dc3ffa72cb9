package oracle

import (
	"context"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"
)

const (
	anthropicURL     = "https://api.anthropic.com"
	anthropicVersion = "2023-06-01" // of the protocol
)

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

// A textBlock is a block of a question or an answer. Answers have blocks of other types too.
type textBlock struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

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

// askAnthropic asks one of Anthropic's models, or a server that speaks their protocol. No variable of the environment is
// read here.
func (s modelServer) askAnthropic(ctx context.Context, c Client, r Request) (text string, tokens int, err error) {
	q, forms := anthropicQuestion{
		Model: s.ModelName, MaxTokens: s.answerTokens(r),
		Messages: []anthropicMessage{{"user", []textBlock{{"text", r.Prompt}}}},
	}, []jsontext.Value{nil}
	if r.System != "" {
		q.System = []textBlock{{"text", r.System}}
	}
	if r.Schema != "" {
		forms = []jsontext.Value{jsontext.Value(`{"format":{"type":"json_schema","schema":` + r.Schema + `}}`), nil}
	}
	header := c.keyHeader("X-Api-Key", "")
	if s.Bearer {
		header = c.keyHeader("Authorization", "Bearer ")
	}
	header.Set("Anthropic-Version", anthropicVersion)
	var a anthropicAnswer
	for _, q.OutputConfig = range forms {
		if err = c.post(ctx, s.BaseURL+"/v1/messages", header, q, &a); !isRejected(err) {
			break
		}
	}
	if err != nil {
		return "", 0, err
	}
	tokens = a.Usage.Input + a.Usage.CacheWrites + a.Usage.CacheReads + a.Usage.Output
	switch a.StopReason {
	case "max_tokens":
		return "", tokens, s.cutOff(r)
	case "refusal":
		return "", tokens, errDeclined
	case "model_context_window_exceeded":
		return "", tokens, fmt.Errorf("the model's context is full: %w", errTooBig)
	}
	for _, block := range a.Content {
		if block.Type == "text" {
			text += block.Text
		}
	}
	return text, tokens, nil
}
