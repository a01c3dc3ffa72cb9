package reflect

import (
	"context"
	"errors"
	"strings"
	"time"

	"mem/oracle"
	"mem/reflect/answer"
	"mem/reflect/record"
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

// newRequest is the question about the events.
func (r Reflector) newRequest(events []session.Event) oracle.Request {
	system, user := record.Prompts(events, r.Global)
	return oracle.Request{
		Task: oracle.Reflect, System: system, Prompt: user, Schema: answerSchema,
		MaxTokens: answerTokens, Timeout: answerTimeout, Events: events,
	}
}

// ask puts the events to the oracles in order and returns the first usable
// answer and the model that gave it. An oracle whose answer cannot be used is
// asked to repair it, once.
func (r Reflector) ask(ctx context.Context, events []session.Event) (a answer.Answer, model string, reason Reason, err error) {
	req := r.newRequest(events)
	reason = NoOracle
	for _, o := range r.Oracles {
		raw, err := o.Ask(ctx, req)
		switch {
		case ctx.Err() != nil:
			return a, "", "", ctx.Err()
		case errors.Is(err, oracle.ErrSpent) && r.Wait:
			return a, "", Spent, nil
		case err != nil:
			r.warnOf(o, err)
			continue
		}
		a, ok := answer.Parse(raw)
		if !ok {
			a, ok = r.askRepair(ctx, o, raw)
		}
		if ctx.Err() != nil {
			return a, "", "", ctx.Err()
		}
		if ok {
			return a, oracle.By(o), "", nil
		}
		reason = BadAnswer
		r.warnf("%s: the answer holds no lessons in the form asked for", o.Name())
	}
	return a, "", reason, nil
}

func (r Reflector) askRepair(ctx context.Context, o oracle.Oracle, raw string) (answer.Answer, bool) {
	if strings.TrimSpace(raw) == "" {
		return answer.Answer{}, false
	}
	fixed, err := o.Ask(ctx, oracle.Request{
		Task: oracle.Repair, Prompt: record.RepairPrompt(record.Scrub(raw)), Schema: answerSchema,
		MaxTokens: answerTokens, Timeout: repairTimeout,
	})
	if err != nil {
		r.warnOf(o, err)
		return answer.Answer{}, false
	}
	return answer.Parse(fixed)
}

// warnOf says why an oracle did not answer. The words may be a server's.
func (r Reflector) warnOf(o oracle.Oracle, err error) {
	if !errors.Is(err, oracle.ErrUnavailable) && !errors.Is(err, context.Canceled) {
		r.warnf("%s: %s", o.Name(), record.Scrub(err.Error()))
	}
}
