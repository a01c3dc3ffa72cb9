// Package oracle answers prompts by asking a program, a coding agent, Anthropic, or any server that speaks OpenAI's
// protocol, and makes those that the configuration names. The built-in heuristics have a sub-room.
//
// An oracle only ever proposes text; other packages decide whether it counts.
// oracle knows no memory roots and is never called while one is locked.
package oracle

import (
	"context"
	"errors"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"mem/fault"
	"mem/session"
)

// AskLater is what a person can do when no oracle gives an answer.
const AskLater = "run the command again later, or ask another one with --oracle; 'mem model' lists them"

// ErrUnusable is wrapped when a person's request failed because no oracle gave a usable answer.
var ErrUnusable = fault.New(fault.Later, "no oracle gave an answer that can be used", AskLater)

// A Request is one question to an oracle.
type Request struct {
	System    string        // what the answer must look like; "" if the prompt says it all
	Prompt    string        // complete and already redacted
	MaxTokens int           // output limit asked of models; 0 leaves it to the oracle
	Timeout   time.Duration // 0 means no limit beyond the context's

	// Schema is the JSON schema of the answer, or "" for free text. It is a
	// wish: the caller must still check the answer.
	Schema string

	// Report, if not nil, gets the number of tokens that the request took, in and out, from an oracle that knows.
	Report func(tokens int)

	// Events is the session in structured form, cleaned and redacted like Prompt. Models are given Prompt alone.
	Events []session.Event
}

// Errors that say why an oracle that is there did not answer.
var (
	// ErrSpent means that the day's budget for models is used up. The same request can be answered tomorrow.
	ErrSpent = errors.New("the day's budget for models is spent")
	// errTooLong means that an answer was larger than maxAnswer.
	errTooLong = errors.New("answer too long")
	// errTooBig means that a prompt does not fit the model's context.
	errTooBig = errors.New("the prompt does not fit")
)

// An Oracle answers requests.
type Oracle interface {
	// Name is what people call it in the configuration and in commits.
	Name() string
	// Ask returns the raw answer. The answer is untrusted text of at most maxAnswer bytes.
	Ask(ctx context.Context, r Request) (string, error)
}

// broken is an oracle that is configured and cannot be asked: a question fails with Why.
type broken struct{ Who, Why string }

// Name returns Who.
func (b broken) Name() string { return b.Who }

// Ask fails.
func (b broken) Ask(context.Context, Request) (string, error) { return "", errors.New(b.Why) }

// maxAnswer is the size in bytes beyond which an answer is refused.
const maxAnswer = 1 << 20

// lenient returns the options for JSON that agents and servers wrote: a name that comes twice or in other letters, or
// what is not UTF-8, does not cost the rest.
func lenient() json.Options {
	return json.JoinOptions(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true), json.MatchCaseInsensitiveNames(true))
}

// Code is the name of the oracle that is code and asks no model.
const Code = "heuristic"

// Rules represents the code's own rules among the oracles. It is never asked: package reflect takes what the rules find.
var Rules Oracle = broken{Code, "this needs a model"}

// By returns who answers, for commits: the oracle and, if it is known, its model.
func By(o Oracle) string {
	if b, ok := o.(budgeted); ok {
		o = b.Oracle
	}
	if m, ok := o.(interface{ Model() string }); ok && m.Model() != "" {
		return o.Name() + "/" + m.Model()
	}
	return o.Name()
}

// Estimate is about how many tokens a text has.
func Estimate(text string) int { return (len(text) + 3) / 4 }
