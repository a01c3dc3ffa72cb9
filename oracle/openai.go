package oracle

import (
	"context"
	"errors"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"mem/lazy"
)

const openAIURL = "https://api.openai.com/v1"

// An openAIQuestion is the body of a request. The limit of the answer has two names: OpenAI has given up the old one,
// and most other servers do not know the new one.
type openAIQuestion struct {
	Model               string          `json:"model"`
	Messages            []openAIMessage `json:"messages"`
	Stream              bool            `json:"stream"`
	MaxTokens           int             `json:"max_tokens,omitzero"`
	MaxCompletionTokens int             `json:"max_completion_tokens,omitzero"`
	Format              jsontext.Value  `json:"response_format,omitempty"`
}

// An openAIMessage of an answer may have a refusal instead of content.
type openAIMessage struct {
	Role    string        `json:"role"`
	Content openAIContent `json:"content"`
	Refusal string        `json:"refusal,omitempty"`
}

// An openAIContent is a text. Some servers send it in parts.
type openAIContent string

func (c *openAIContent) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	if dec.PeekKind() != '[' {
		return json.UnmarshalDecode(dec, (*string)(c))
	}
	var parts []struct {
		Text string `json:"text"`
	}
	if err := json.UnmarshalDecode(dec, &parts); err != nil {
		return err
	}
	for _, p := range parts {
		*c += openAIContent(p.Text)
	}
	return nil
}

type openAIAnswer struct {
	Choices []struct {
		Message      openAIMessage `json:"message"`
		FinishReason string        `json:"finish_reason"`
	} `json:"choices"`
	Usage struct {
		Total int `json:"total_tokens"`
	} `json:"usage"`
}

// askOpenAI asks any server that speaks OpenAI's chat protocol: OpenAI, OpenRouter and Gemini far away, Ollama,
// llama.cpp, vLLM and LM Studio nearby. They support different parts of it. If a server rejects the form of a
// question, it gets the next form: with the schema, with a request for JSON, then with neither. A library for the
// protocol would be one more list of models to keep up to date, and refused combinations that some servers need.
func (s modelServer) askOpenAI(ctx context.Context, c Client, r Request) (text string, tokens int, err error) {
	q, address, header := s.newOpenAIQuestion(r), s.BaseURL+"/chat/completions", c.keyHeader("Authorization", "Bearer ")
	var a openAIAnswer
	for _, q.Format = range formats(r.Schema) {
		err = c.post(ctx, address, header, q, &a)
		if q.swapLimit(err) {
			err = c.post(ctx, address, header, q, &a)
		}
		if !isRejected(err) {
			break
		}
	}
	if tokens = a.Usage.Total; err != nil || len(a.Choices) == 0 {
		return "", tokens, err
	}
	said := a.Choices[0]
	switch {
	case said.FinishReason == "length":
		return "", tokens, s.cutOff(r)
	case said.FinishReason == "content_filter", said.Message.Refusal != "":
		return "", tokens, errDeclined
	}
	text = string(said.Message.Content)
	if thoughts, rest, ok := strings.Cut(text, "</think>"); ok && strings.HasPrefix(strings.TrimSpace(thoughts), "<think>") {
		text = rest // some local models think aloud first
	}
	return text, tokens, nil
}

func formats(schema string) []jsontext.Value {
	if schema == "" {
		return []jsontext.Value{nil}
	}
	return []jsontext.Value{
		jsontext.Value(`{"type":"json_schema","json_schema":{"name":"answer","strict":true,"schema":` + schema + `}}`),
		jsontext.Value(`{"type":"json_object"}`),
		nil,
	}
}

// thinking matches the names of models for which OpenAI refuses the old name of the limit.
var thinking = lazy.New(`^(?:o[134]|gpt-[56])`)

func (s modelServer) newOpenAIQuestion(r Request) *openAIQuestion {
	q := &openAIQuestion{Model: s.ModelName}
	if r.System != "" {
		q.Messages = append(q.Messages, openAIMessage{Role: "system", Content: openAIContent(r.System)})
	}
	q.Messages = append(q.Messages, openAIMessage{Role: "user", Content: openAIContent(r.Prompt)})
	if strings.HasPrefix(s.BaseURL, "https://api.openai.com/") || thinking.Matches(s.ModelName) {
		q.MaxCompletionTokens = s.answerTokens(r)
	} else {
		q.MaxTokens = s.answerTokens(r)
	}
	return q
}

// swapLimit gives the limit of the answer its other name, if the server complains about the one it has.
func (q *openAIQuestion) swapLimit(err error) bool {
	switch status, ok := errors.AsType[*statusError](err); {
	case !ok || status.Code < 400 || status.Code >= 500:
	case q.MaxCompletionTokens > 0 && strings.Contains(status.Message, "max_completion_tokens"),
		q.MaxTokens > 0 && strings.Contains(status.Message, "max_tokens"):
		q.MaxTokens, q.MaxCompletionTokens = q.MaxCompletionTokens, q.MaxTokens
		return true
	}
	return false
}
