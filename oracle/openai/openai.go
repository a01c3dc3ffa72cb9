// Package openai asks any server that speaks OpenAI's chat protocol: OpenAI,
// OpenRouter and Gemini far away, Ollama, llama.cpp, vLLM and LM Studio nearby.
//
// They differ in what they know of it. A server that does not like the form of
// a request is asked again in a simpler one. What goes over the network, and
// what happens when that goes wrong, is the business of package wire.
package openai

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	sdk "github.com/sashabaranov/go-openai"

	"mem/oracle"
	"mem/oracle/wire"
)

// BaseURL is where OpenAI is.
const BaseURL = "https://api.openai.com/v1"

// An Oracle asks one model.
type Oracle struct{ wire.Server }

// Name returns "openai".
func (Oracle) Name() string { return "openai" }

// Ask puts a request to the model. If it has a schema the server is asked to
// keep to it; where it cannot, to answer with JSON; and else just asked.
func (o Oracle) Ask(ctx context.Context, r oracle.Request) (string, error) {
	if err := o.Fits(r); err != nil {
		return "", err
	}
	ctx, cancel, client, key, err := o.Prepare(ctx, r)
	if err != nil {
		return "", err
	}
	defer cancel()
	config := sdk.DefaultConfig(key)
	config.BaseURL, config.HTTPClient = o.BaseURL, client
	server := sdk.NewClientWithConfig(config)
	q := o.question(r)
	for _, format := range formats(r.Schema) {
		var answer sdk.ChatCompletionResponse
		q.ResponseFormat = format
		answer, err = server.CreateChatCompletion(ctx, q)
		var status *wire.StatusError
		if errors.As(err, &status) && swapLimit(&q, status) {
			answer, err = server.CreateChatCompletion(ctx, q)
		}
		if err == nil {
			return o.text(answer, r)
		}
		if !errors.As(err, &status) || !status.Rejects() {
			break
		}
	}
	return "", client.Explain(err)
}

// formats are the forms of an answer to ask for, the strictest first.
func formats(schema string) []*sdk.ChatCompletionResponseFormat {
	if schema == "" {
		return []*sdk.ChatCompletionResponseFormat{nil}
	}
	return []*sdk.ChatCompletionResponseFormat{
		{Type: sdk.ChatCompletionResponseFormatTypeJSONSchema, JSONSchema: &sdk.ChatCompletionResponseFormatJSONSchema{
			Name: "answer", Strict: true, Schema: json.RawMessage(schema),
		}},
		{Type: sdk.ChatCompletionResponseFormatTypeJSONObject},
		nil,
	}
}

func (o Oracle) question(r oracle.Request) sdk.ChatCompletionRequest {
	q := sdk.ChatCompletionRequest{Model: o.ModelName}
	if r.System != "" {
		q.Messages = append(q.Messages, sdk.ChatCompletionMessage{Role: sdk.ChatMessageRoleSystem, Content: r.System})
	}
	q.Messages = append(q.Messages, sdk.ChatCompletionMessage{Role: sdk.ChatMessageRoleUser, Content: r.Prompt})
	// OpenAI itself has a new name for the limit and refuses the old one for
	// some models; other servers may know the old one only.
	old := oldLimit(&q)
	if *old = o.AnswerTokens(r); strings.HasPrefix(o.BaseURL, "https://api.openai.com/") || sdk.NewReasoningValidator().Validate(q) != nil {
		q.MaxCompletionTokens, *old = *old, 0
	}
	return q
}

// oldLimit is the limit of the answer under its old name, which OpenAI has
// given up and most other servers have not.
func oldLimit(q *sdk.ChatCompletionRequest) *int {
	//lint:ignore SA1019 see above
	return &q.MaxTokens
}

// swapLimit gives the limit of the answer its other name, if the server
// complains about the one it has.
func swapLimit(q *sdk.ChatCompletionRequest, status *wire.StatusError) bool {
	old := oldLimit(q)
	switch {
	case status.Code < 400 || status.Code >= 500:
	case q.MaxCompletionTokens > 0 && strings.Contains(status.Message, "max_completion_tokens"),
		*old > 0 && strings.Contains(status.Message, "max_tokens"):
		*old, q.MaxCompletionTokens = q.MaxCompletionTokens, *old
		return true
	}
	return false
}

// text returns the words of an answer that is whole.
func (o Oracle) text(a sdk.ChatCompletionResponse, r oracle.Request) (string, error) {
	if r.Report != nil {
		r.Report(a.Usage.TotalTokens)
	}
	if len(a.Choices) == 0 {
		return "", wire.ErrNoText
	}
	switch c := a.Choices[0]; {
	case c.FinishReason == sdk.FinishReasonLength:
		return "", o.CutOff(r)
	case c.FinishReason == sdk.FinishReasonContentFilter, c.Message.Refusal != "":
		return "", wire.ErrDeclined
	}
	text := said(a.Choices[0].Message)
	if strings.TrimSpace(text) == "" {
		return "", wire.ErrNoText
	}
	return text, nil
}

// said returns the text of a message without the thoughts that some local
// models put before it.
func said(m sdk.ChatCompletionMessage) string {
	text := m.Content
	for _, part := range m.MultiContent {
		text += part.Text
	}
	if thoughts, rest, ok := strings.Cut(text, "</think>"); ok && strings.HasPrefix(strings.TrimSpace(thoughts), "<think>") {
		return rest
	}
	return text
}
