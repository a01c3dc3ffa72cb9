package main

import (
	"slices"

	"mem/agent"
	"mem/recall"
	"mem/recall/shown"
)

// How much a session reads, in tokens of four bytes: less than agents cut off,
// and less still for one of several agents that work on a part.
const (
	sessionTokens  = agent.MaxAnswer/4 - 100
	subagentTokens = 600
)

// showLessons prints what the session should read, once: at its start, or with the
// first prompt if nothing was printed at the start. If something was, the first
// prompt gets what fits it and is new. Later prompts cost no more than a look at
// the note.
func (h *hooked) showLessons(p agent.Payload) string {
	now := shown.Record{Key: shown.CutKey(p.ReaderKey()), At: h.Now, Prompt: p.Moment == agent.Prompt}
	if now.Key == "" && now.Prompt {
		return "" // it may not be the first one
	}
	q := h.sessionWant(p)
	was := shown.FindRecord(h.root, now.Key)
	switch shown.FindDue(was, now.Prompt, p.StartsAnew()) {
	case shown.Nothing:
		return ""
	case shown.Rest:
		q.Budget, q.Only, q.Known = max(1, q.Budget/4), true, was.Items
		now.Items = was.Items
	}
	c, err := h.bundleContext(q)
	if err != nil {
		return "skipped: " + errorText(err)
	}
	text := p.FormatAnswer(c.Text)
	if text != "" {
		now.Items = slices.Concat(now.Items, c.Items)
	}
	isKept := text != "" || q.Only // what was looked for in vain is not looked for again
	if !shown.ClaimRecord(h.root, was, now, !isKept) || text == "" {
		return ""
	}
	h.env.Printf("%s", text)
	if p.Session != "" {
		h.KeepReceipt(c, p.Agent, p.Session)
	}
	return ""
}

// sessionWant is what the session of a hook should read.
func (h *hooked) sessionWant(p agent.Payload) recall.Options {
	q := recall.Options{Budget: min(sessionTokens, h.Config.BudgetTokens), For: p.Prompt, Small: p.Subagent != ""}
	if q.Small {
		q.Budget = min(subagentTokens, q.Budget)
	}
	return q
}
