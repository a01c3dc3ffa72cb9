package oracle

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"
)

type modelServer struct {
	Kind          string // the protocol, which is what people call it: "anthropic" or "openai"
	ModelName     string // as the server calls it
	BaseURL       string
	MaxTokens     int // of an answer; 0 leaves it to the request
	ContextTokens int // of prompt and answer together; 0 means unknown

	// Key returns the key; "" means that there is none. It is asked for once
	// per question. Nil is a server without keys.
	Key    func(context.Context) (string, error)
	Bearer bool // of Anthropic: the key is a token to be sent as such, like the one in ANTHROPIC_AUTH_TOKEN

	HTTP Client
}

// Name returns the protocol.
func (s modelServer) Name() string { return s.Kind }

// Model returns the model, as the server calls it.
func (s modelServer) Model() string { return s.ModelName }

// Ask sends a request to the model. If it has a schema the server is told to keep to it; if the server
// cannot, Ask tries simpler forms.
func (s modelServer) Ask(ctx context.Context, r Request) (string, error) {
	if s.HTTP.Limit = cmp.Or(s.HTTP.Limit, r.Timeout); r.Timeout > 0 {
		s.HTTP.Limit = min(s.HTTP.Limit, r.Timeout)
	}
	if s.HTTP.Limit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, s.HTTP.Limit)
		defer cancel()
	}
	c, err := s.clientFor(ctx, r)
	if err != nil {
		return "", err
	}
	ask := s.askOpenAI
	if s.Kind == "anthropic" {
		ask = s.askAnthropic
	}
	text, tokens, err := ask(ctx, c, r)
	if tokens > 0 && r.Report != nil {
		r.Report(tokens)
	}
	switch {
	case err != nil:
		return "", err
	case strings.TrimSpace(text) == "":
		return "", errors.New("the model's answer is empty")
	}
	return text, nil
}

// errDeclined says that the model gave no answer, or its provider did not pass it on.
var errDeclined = errors.New("the model declined to answer")

func (s modelServer) answerTokens(r Request) int {
	const usual = 2048 // if no setting says
	return cmp.Or(s.MaxTokens, r.MaxTokens, usual)
}

func (s modelServer) cutOff(r Request) error {
	return fmt.Errorf("the answer was cut off at %d tokens; a larger max_tokens may help", s.answerTokens(r))
}

// clientFor returns the client for a request, which has the key. A key is not sent over
// plain HTTP to another machine: then there is none. A request that does not fit is refused.
func (s modelServer) clientFor(ctx context.Context, r Request) (c Client, err error) {
	// Servers cut prompts that do not fit without a word, and an answer to a half is worse than none.
	need, answer := Estimate(r.System)+Estimate(r.Prompt)+Estimate(r.Schema), s.answerTokens(r)
	if s.ContextTokens > 0 && need+answer > s.ContextTokens {
		return c, fmt.Errorf("about %d tokens and %d for the answer, in context_tokens = %d: %w", need, answer, s.ContextTokens, errTooBig)
	}
	c = s.HTTP
	if s.Key != nil && s.takesKey() {
		if c.Key, err = s.Key(ctx); err != nil {
			return c, fmt.Errorf("read the key: %w", err)
		}
		if strings.ContainsFunc(c.Key, func(r rune) bool { return r <= ' ' || r >= 0x7f }) {
			return c, errors.New("the key holds characters that no key has")
		}
	}
	return c, nil
}

func (s modelServer) takesKey() bool {
	u, err := url.Parse(s.BaseURL)
	return err == nil && (u.Scheme == "https" || isLocal(s.BaseURL))
}

func isLocal(address string) bool {
	u, err := url.Parse(address)
	if err != nil {
		return false
	}
	host := u.Hostname()
	ip := net.ParseIP(host)
	return host == "localhost" || strings.HasSuffix(host, ".localhost") || ip != nil && ip.IsLoopback()
}
