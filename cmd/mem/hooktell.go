package main

import (
	"encoding/json"
	"slices"
	"time"

	"mem/agent"
	"mem/repo"
)

// How much a session reads, in tokens of four bytes: less than agents cut off,
// and less still for one of several agents at work on a part.
const (
	tellTokens  = agent.MaxAnswer/4 - 100
	smallTokens = 600
)

// maxTold is how many sessions are remembered, and maxToldKey the length of
// what names one.
const (
	maxTold    = 64
	maxToldKey = 200
)

// told is what one session was shown.
type told struct {
	Key   string    `json:"key"`
	At    time.Time `json:"at"`
	Items []string  `json:"items"`
}

// readTold lists the sessions that were shown something, the latest last. One
// that was forgotten is told again, which is all that can happen.
func readTold(root *repo.Root) []told {
	var list []told
	data, err := root.Kept(repo.NoteTold)
	if err != nil || json.Unmarshal(data, &list) != nil {
		return nil
	}
	return list
}

// tell prints what the session should read, once: at its start, or with the
// first prompt if nothing was said at the start. Later prompts cost no more than
// looking at the note.
func (h *hooked) tell(p agent.Payload) string {
	key := p.Key()
	key = key[:min(len(key), maxToldKey)]
	if key == "" && p.Moment == agent.Prompt {
		return "" // nobody can say whether this is the first one
	}
	list := readTold(h.root)
	at := slices.IndexFunc(list, func(t told) bool { return t.Key == key })
	now := told{Key: key, At: h.now}
	if at >= 0 && !p.Anew() {
		return ""
	}
	c, err := h.bundle(h.wanted(p))
	if err != nil {
		return "skipped: " + errorText(err)
	}
	if text := p.Answer(c.Text); text != "" {
		h.env.Printf("%s", text)
		now.Items = c.Items
	}
	if key == "" || len(now.Items) == 0 {
		return ""
	}
	list = slices.DeleteFunc(list, func(t told) bool { return t.Key == key })
	list = append(list, now)
	if data, err := json.Marshal(list[max(0, len(list)-maxTold):]); err == nil {
		_ = h.root.Keep(repo.NoteTold, data) // else the session is told twice
	}
	return ""
}

// wanted is what a session should read.
func (h *hooked) wanted(p agent.Payload) want {
	q := want{
		Budget: min(tellTokens, h.cfg.BudgetTokens), For: p.Prompt, Agent: p.Agent, Session: p.Session,
		Small: p.Subagent != "",
	}
	if q.Small {
		q.Budget = min(smallTokens, q.Budget)
	}
	return q
}
