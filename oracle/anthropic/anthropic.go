// Package anthropic asks Anthropic's models, or a server that speaks their
// protocol, through the official library.
//
// What goes over the network, and what happens when that goes wrong, is the
// business of package wire. The library reads no variable of the environment
// here; who asks decides what is sent where.
package anthropic

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	sdk "github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"

	"mem/oracle"
	"mem/oracle/wire"
)

// BaseURL is where Anthropic is.
const BaseURL = "https://api.anthropic.com"

// An Oracle asks one model.
type Oracle struct {
	wire.Server

	// Bearer says that the key is a token to be sent as such, like the one in
	// ANTHROPIC_AUTH_TOKEN.
	Bearer bool
}

// Name returns "anthropic".
func (Oracle) Name() string { return "anthropic" }

// Ask puts a request to the model. If it has a schema the server is asked to
// keep to it and, where it cannot, asked again without.
func (o Oracle) Ask(ctx context.Context, r oracle.Request) (string, error) {
	if err := o.Fits(r); err != nil {
		return "", err
	}
	ctx, cancel, client, key, err := o.Prepare(ctx, r)
	if err != nil {
		return "", err
	}
	defer cancel()
	messages := sdk.NewMessageService(o.options(client, key)...)
	params, err := o.params(r)
	if err != nil {
		return "", err
	}
	answer, err := messages.New(ctx, params)
	var status *wire.StatusError
	if r.Schema != "" && errors.As(err, &status) && status.Rejects() {
		params.OutputConfig = sdk.OutputConfigParam{}
		answer, err = messages.New(ctx, params)
	}
	if err != nil {
		return "", client.Explain(err)
	}
	return o.text(answer, r)
}

func (o Oracle) options(client wire.Client, key string) []option.RequestOption {
	options := []option.RequestOption{option.WithHTTPClient(client), option.WithMaxRetries(0), option.WithBaseURL(o.BaseURL)}
	switch {
	case key == "":
	case o.Bearer:
		options = append(options, option.WithAuthToken(key))
	default:
		options = append(options, option.WithAPIKey(key))
	}
	return options
}

func (o Oracle) params(r oracle.Request) (sdk.MessageNewParams, error) {
	p := sdk.MessageNewParams{
		Model: o.ModelName, MaxTokens: int64(o.AnswerTokens(r)),
		Messages: []sdk.MessageParam{sdk.NewUserMessage(sdk.NewTextBlock(r.Prompt))},
	}
	if r.System != "" {
		p.System = []sdk.TextBlockParam{{Text: r.System}}
	}
	if r.Schema != "" {
		var schema map[string]any
		if err := json.Unmarshal([]byte(r.Schema), &schema); err != nil {
			return p, fmt.Errorf("schema of the answer: %w", err)
		}
		p.OutputConfig.Format.Schema = schema
	}
	return p, nil
}

// text returns the words of an answer that is whole.
func (o Oracle) text(m *sdk.Message, r oracle.Request) (string, error) {
	if u := m.Usage; r.Report != nil {
		r.Report(int(u.InputTokens + u.CacheCreationInputTokens + u.CacheReadInputTokens + u.OutputTokens))
	}
	switch m.StopReason {
	case sdk.StopReasonMaxTokens:
		return "", o.CutOff(r)
	case sdk.StopReasonRefusal:
		return "", wire.ErrDeclined
	case sdk.StopReasonModelContextWindowExceeded:
		return "", fmt.Errorf("the model's context is full: %w", oracle.ErrTooBig)
	}
	var b strings.Builder
	for _, block := range m.Content {
		if block.Type == "text" {
			b.WriteString(block.Text)
		}
	}
	if strings.TrimSpace(b.String()) == "" {
		return "", wire.ErrNoText
	}
	return b.String(), nil
}
