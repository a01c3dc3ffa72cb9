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

// A Server is a model behind an address.
type modelServer struct {
	ModelName     string // as the server calls it
	BaseURL       string
	MaxTokens     int // of an answer; 0 leaves it to the request
	ContextTokens int // of prompt and answer together; 0 means unknown

	// Key returns the key; "" means that there is none. It is asked for once
	// per question. Nil is a server without keys.
	Key func(context.Context) (string, error)

	HTTP Client
}

// Model returns the model, as the server calls it.
func (s modelServer) Model() string { return s.ModelName }

// defaultAnswer is how many tokens an answer has if no setting says.
const defaultAnswer = 2048

// answerTokens is how many tokens the answer may have.
func (s modelServer) answerTokens(r Request) int {
	return cmp.Or(s.MaxTokens, r.MaxTokens, defaultAnswer)
}

// askWith calls ask with the client for a request, which has the key, and with a
// context that has the request's time limit, or the client's if that is shorter.
// A key is not sent over plain HTTP to another machine: then there is none. A
// request that does not fit is refused.
func (s modelServer) askWith(ctx context.Context, r Request, ask func(context.Context, Client) (string, error)) (string, error) {
	// Servers cut prompts that do not fit without a word, and an answer to a half
	// is worse than none.
	need, answer := Estimate(r.System)+Estimate(r.Prompt)+Estimate(r.Schema), s.answerTokens(r)
	if s.ContextTokens > 0 && need+answer > s.ContextTokens {
		return "", fmt.Errorf("about %d tokens and %d for the answer, in context_tokens = %d: %w", need, answer, s.ContextTokens, errTooBig)
	}
	c := s.HTTP
	if r.Timeout > 0 && (c.Limit == 0 || r.Timeout < c.Limit) {
		c.Limit = r.Timeout
	}
	if c.Limit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, c.Limit)
		defer cancel()
	}
	if s.Key != nil && s.takesKey() {
		var err error
		if c.Key, err = s.Key(ctx); err != nil {
			return "", fmt.Errorf("read the key: %w", err)
		}
		if strings.ContainsFunc(c.Key, func(r rune) bool { return r <= ' ' || r >= 0x7f }) {
			return "", errors.New("the key holds characters that no key has")
		}
	}
	return ask(ctx, c)
}

// takesKey reports whether a key may be sent to the server.
func (s modelServer) takesKey() bool {
	u, err := url.Parse(s.BaseURL)
	return err == nil && (u.Scheme == "https" || isLocal(s.BaseURL))
}

// Local reports whether an address is on this machine.
func isLocal(address string) bool {
	u, err := url.Parse(address)
	if err != nil {
		return false
	}
	host := u.Hostname()
	ip := net.ParseIP(host)
	return host == "localhost" || strings.HasSuffix(host, ".localhost") || ip != nil && ip.IsLoopback()
}

// cutOff is the error for an answer that ended before it was complete.
func (s modelServer) cutOff(r Request) error {
	return fmt.Errorf("the answer was cut off at %d tokens; a larger max_tokens may help", s.answerTokens(r))
}

// Errors of providers.
var (
	errDeclined = errors.New("the model declined to answer") // or its provider did
	errNoText   = errors.New("the model's answer is empty")
)
