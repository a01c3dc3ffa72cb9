package reflect

import (
	"context"
	"errors"
	"strings"
	"time"

	"mem/oracle"
	"mem/trace"
)

// The limits of an oracle's answer, those of pi-self-learning.
const (
	answerTokens  = 900
	answerTimeout = 90 * time.Second
	repairTimeout = 60 * time.Second
)

// ask puts the events to the oracles in order and returns the first usable
// answer. An oracle whose answer cannot be used is asked to repair it, once.
func (r Reflector) ask(ctx context.Context, events []trace.Event) (answer, Reason, error) {
	system, user := prompts(events, r.Global)
	req := oracle.Request{
		Task: oracle.Reflect, System: system, Prompt: user, MaxTokens: answerTokens, Timeout: answerTimeout,
		Steps: steps(events),
	}
	reason := NoOracle
	for _, o := range r.Oracles {
		raw, err := o.Ask(ctx, req)
		if ctx.Err() != nil {
			return answer{}, "", ctx.Err()
		}
		if err != nil {
			if !errors.Is(err, oracle.ErrUnavailable) {
				r.warn("%s: %v", o.Name(), err)
			}
			continue
		}
		a, ok := parseAnswer(raw)
		if !ok {
			a, ok = r.repair(ctx, o, raw)
		}
		if ok {
			a.model = o.Name()
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
		Task: oracle.Repair, Prompt: repairPrompt(scrub(raw)), MaxTokens: answerTokens, Timeout: repairTimeout,
	})
	if err != nil {
		return answer{}, false
	}
	return parseAnswer(fixed)
}
