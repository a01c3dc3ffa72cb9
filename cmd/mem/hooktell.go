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
	Key    string    `json:"key"`
	At     time.Time `json:"at"`
	Items  []string  `json:"items"`
	Prompt bool      `json:"prompt,omitempty"` // its first prompt was answered as well
}

// same reports whether nothing was told in between.
func (t told) same(o told) bool {
	return t.At.Equal(o.At) && t.Prompt == o.Prompt && slices.Equal(t.Items, o.Items)
}

// A toldList is the sessions that were shown something, the latest last. One
// that was forgotten is told again, which is all that can happen.
type toldList []told

func parseTold(data []byte) (list toldList) {
	if json.Unmarshal(data, &list) != nil {
		return nil
	}
	return list
}

// of returns what a session was shown; nil for nothing.
func (l toldList) of(key string) *told {
	for i := range l {
		if l[i].Key == key {
			return &l[i]
		}
	}
	return nil
}

// tell prints what the session should read, once: at its start, or with the
// first prompt if nothing was said at the start. If something was, the first
// prompt gets what fits it and was not told. Later prompts cost no more than
// looking at the note.
func (h *hooked) tell(p agent.Payload) string {
	key := p.Key()
	key = key[:min(len(key), maxToldKey)]
	if key == "" && p.Moment == agent.Prompt {
		return "" // nobody can say whether this is the first one
	}
	var was *told
	if data, err := h.root.Kept(repo.NoteTold); err == nil && key != "" {
		was = parseTold(data).of(key)
	}
	q, now := h.wanted(p), told{Key: key, At: h.Now, Prompt: p.Moment == agent.Prompt}
	if was != nil && !p.Anew() {
		if !now.Prompt || was.Prompt {
			return ""
		}
		q.Budget, q.Only, q.Known = max(1, q.Budget/4), true, was.Items
		now.Items = was.Items
	}
	c, err := h.bundle(q)
	if err != nil {
		return "skipped: " + errorText(err)
	}
	text := p.Answer(c.Text)
	if text != "" {
		now.Items = slices.Concat(now.Items, c.Items)
	}
	says := text != "" || q.Only // what is looked for in vain is not looked for again
	if key != "" && (says || was != nil) && !h.claim(was, now, says) || text == "" {
		return ""
	}
	h.env.Printf("%s", text)
	if p.Session != "" {
		h.KeepReceipt(c, p.Agent, p.Session)
	}
	return ""
}

// claim notes what a session is told, before it is, or with says false that it
// is to be told anew; and reports whether no other process was faster, so that
// the note still says what it was. Where no note can be kept the session may be
// told twice, which is better than not at all.
func (h *hooked) claim(was *told, now told, says bool) (ours bool) {
	ours = true
	_ = h.root.Amend(repo.NoteTold, func(old []byte) []byte {
		list := parseTold(old)
		is := list.of(now.Key)
		if ours = (is == nil) == (was == nil) && (is == nil || is.same(*was)); !ours {
			return old
		}
		list = slices.DeleteFunc(list, func(t told) bool { return t.Key == now.Key })
		if says {
			list = append(list, now)
		}
		data, err := json.Marshal(list[max(0, len(list)-maxTold):])
		if err != nil {
			return old // a time that no calendar has
		}
		return data
	})
	return ours
}

// wanted is what a session should read.
func (h *hooked) wanted(p agent.Payload) want {
	q := want{
		Budget: min(tellTokens, h.Config.BudgetTokens), For: p.Prompt, Small: p.Subagent != "",
	} // the receipt waits until it is certain that this is what is shown
	if q.Small {
		q.Budget = min(smallTokens, q.Budget)
	}
	return q
}
