package oracle

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"mem/lazy"
)

const openAIURL = "https://api.openai.com/v1"

// An openAIModel is behind any server that speaks OpenAI's chat protocol: OpenAI, OpenRouter and Gemini far away, Ollama,
// llama.cpp, vLLM and LM Studio nearby. They differ in what they know of it. A server that does not like the form of a
// request is asked again in a simpler one. A library for the protocol would be one more list of models to keep up to date,
// and refused combinations that some servers need.
type openAIModel struct{ modelServer }

// A question is the body of a request. The limit of the answer has two names:
// OpenAI has given up the old one, and most other servers do not know the new
// one.
type openAIQuestion struct {
	Model               string          `json:"model"`
	Messages            []openAIMessage `json:"messages"`
	Stream              bool            `json:"stream"`
	MaxTokens           int             `json:"max_tokens,omitzero"`
	MaxCompletionTokens int             `json:"max_completion_tokens,omitzero"`
	Format              jsontext.Value  `json:"response_format,omitempty"`
}

// A message of an answer may have a refusal instead of content.
type openAIMessage struct {
	Role    string        `json:"role"`
	Content openAIContent `json:"content"`
	Refusal string        `json:"refusal,omitempty"`
}

// A content is a text. Some servers send it in parts.
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

// An answer is the body of a response.
type openAIAnswer struct {
	Choices []struct {
		Message      openAIMessage `json:"message"`
		FinishReason string        `json:"finish_reason"`
	} `json:"choices"`
	Usage struct {
		Total int `json:"total_tokens"`
	} `json:"usage"`
}

// Name returns "openai".
func (openAIModel) Name() string { return "openai" }

// Ask puts a request to the model. If it has a schema the server is asked to
// keep to it; where it cannot, to answer with JSON; and else just asked.
func (o openAIModel) Ask(ctx context.Context, r Request) (string, error) {
	return o.askWith(ctx, r, func(ctx context.Context, client Client) (string, error) {
		a, err := o.ask(ctx, client, r)
		if err != nil {
			return "", err
		}
		return o.text(a, r)
	})
}

// ask puts the question in one form after the other, until the server does not
// reject it for its form.
func (o openAIModel) ask(ctx context.Context, client Client, r Request) (a openAIAnswer, err error) {
	header := http.Header{}
	if client.Key != "" {
		header.Set("Authorization", "Bearer "+client.Key)
	}
	q, address := o.question(r), o.BaseURL+"/chat/completions"
	for _, q.Format = range formats(r.Schema) {
		err = client.post(ctx, address, header, q, &a)
		var status *statusError
		if errors.As(err, &status) && q.swapLimit(status) {
			err = client.post(ctx, address, header, q, &a)
		}
		if !errors.As(err, &status) || !status.rejects() {
			break
		}
	}
	return a, err
}

// formats are the forms of an answer to ask for, the strictest first.
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

// thinking matches the names of models for which OpenAI refuses the old name of
// the limit.
var thinking = lazy.New(`^(?:o[134]|gpt-[56])`)

func (o openAIModel) question(r Request) *openAIQuestion {
	q := &openAIQuestion{Model: o.ModelName}
	if r.System != "" {
		q.Messages = append(q.Messages, openAIMessage{Role: "system", Content: openAIContent(r.System)})
	}
	q.Messages = append(q.Messages, openAIMessage{Role: "user", Content: openAIContent(r.Prompt)})
	if strings.HasPrefix(o.BaseURL, "https://api.openai.com/") || thinking.Matches(o.ModelName) {
		q.MaxCompletionTokens = o.answerTokens(r)
	} else {
		q.MaxTokens = o.answerTokens(r)
	}
	return q
}

// swapLimit gives the limit of the answer its other name, if the server
// complains about the one it has.
func (q *openAIQuestion) swapLimit(status *statusError) bool {
	switch {
	case status.Code < 400 || status.Code >= 500:
	case q.MaxCompletionTokens > 0 && strings.Contains(status.Message, "max_completion_tokens"),
		q.MaxTokens > 0 && strings.Contains(status.Message, "max_tokens"):
		q.MaxTokens, q.MaxCompletionTokens = q.MaxCompletionTokens, q.MaxTokens
		return true
	}
	return false
}

// text returns the words of an answer that is whole.
func (o openAIModel) text(a openAIAnswer, r Request) (string, error) {
	if r.Report != nil {
		r.Report(a.Usage.Total)
	}
	if len(a.Choices) == 0 {
		return "", errNoText
	}
	c := a.Choices[0]
	switch {
	case c.FinishReason == "length":
		return "", o.cutOff(r)
	case c.FinishReason == "content_filter", c.Message.Refusal != "":
		return "", errDeclined
	}
	text := string(c.Message.Content)
	if thoughts, rest, ok := strings.Cut(text, "</think>"); ok && strings.HasPrefix(strings.TrimSpace(thoughts), "<think>") {
		text = rest // some local models think aloud first
	}
	if strings.TrimSpace(text) == "" {
		return "", errNoText
	}
	return text, nil
}
