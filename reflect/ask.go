package reflect

import (
	"context"
	"errors"
	"strings"
	"time"

	"mem/oracle"
	"mem/session"
)

// The limits of an oracle's answer, those of pi-self-learning.
const (
	answerTokens  = 900
	answerTimeout = 90 * time.Second
	repairTimeout = 60 * time.Second
)

// answerSchema is the form of an answer, strict enough for every server: all
// members are required and there are no others. A lesson that is a string is
// as good, but some servers know no choice of types.
const answerSchema = `{"type":"object","properties":{"mistakes":{"type":"array","items":` + lessonSchema + `},` +
	`"fixes":{"type":"array","items":` + lessonSchema + `}},"required":["mistakes","fixes"],"additionalProperties":false}`

const lessonSchema = `{"type":"object","properties":{"text":{"type":"string"},` +
	`"domain":{"type":"string","enum":["technical","process","mistake","coding","communications","scheduling","finance","learning","general"]},` +
	`"tags":{"type":"array","items":{"type":"string"}},"severity":{"type":"string","enum":["normal","high"]}},` +
	`"required":["text","domain","tags","severity"],"additionalProperties":false}`

// request is the question about the events.
func (r Reflector) request(events []session.Event) oracle.Request {
	system, user := prompts(events, r.Global)
	return oracle.Request{
		Task: oracle.Reflect, System: system, Prompt: user, Schema: answerSchema,
		MaxTokens: answerTokens, Timeout: answerTimeout, Events: events,
	}
}

// ask puts the events to the oracles in order and returns the first usable
// answer. An oracle whose answer cannot be used is asked to repair it, once.
func (r Reflector) ask(ctx context.Context, events []session.Event) (answer, Reason, error) {
	req := r.request(events)
	reason := NoOracle
	for _, o := range r.Oracles {
		raw, err := o.Ask(ctx, req)
		if ctx.Err() != nil {
			return answer{}, "", ctx.Err()
		}
		if errors.Is(err, oracle.ErrSpent) && r.Wait {
			return answer{}, Spent, nil
		}
		if err != nil {
			r.complain(o, err)
			continue
		}
		a, ok := parseAnswer(raw)
		if !ok {
			a, ok = r.repair(ctx, o, raw)
		}
		if ctx.Err() != nil {
			return answer{}, "", ctx.Err()
		}
		if ok {
			a.model = oracle.By(o)
			return a, "", nil
		}
		reason = BadAnswer
		r.warn("%s: the answer holds no lessons in the form asked for", o.Name())
	}
	return answer{}, reason, nil
}

func (r Reflector) repair(ctx context.Context, o oracle.Oracle, raw string) (answer, bool) {
	if strings.TrimSpace(raw) == "" {
		return answer{}, false
	}
	fixed, err := o.Ask(ctx, oracle.Request{
		Task: oracle.Repair, Prompt: repairPrompt(scrub(raw)), Schema: answerSchema,
		MaxTokens: answerTokens, Timeout: repairTimeout,
	})
	if err != nil {
		r.complain(o, err)
		return answer{}, false
	}
	return parseAnswer(fixed)
}

// complain tells why an oracle did not answer. The words may be a server's.
func (r Reflector) complain(o oracle.Oracle, err error) {
	if !errors.Is(err, oracle.ErrUnavailable) && !errors.Is(err, context.Canceled) {
		r.warn("%s: %s", o.Name(), scrub(err.Error()))
	}
}
