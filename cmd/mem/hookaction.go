package main

import (
	"sync"

	"mem/agent"
	"mem/guard"
	"mem/index/cue"
	"mem/recall"
	"mem/recall/hint"
	"mem/recall/shown"
	"mem/render"
)

// showHint prints what a lesson says about what the agent is about to do, or has just
// done: one, once for each reader. It is silent about everything else, as the agent does
// this all the time.
func (h *hooked) showHint(g *globals, p agent.Payload) {
	call := hint.Call{
		Tool: p.Tool, Input: p.Input, Output: render.StripFenced(p.Output),
		Over: p.Moment == agent.After, Failed: p.Failed, Unsure: p.Agent == agent.Codex,
	}
	reader := p.ReaderKey()
	if reader == "" || p.FormatAnswer("x") == "" {
		return
	}
	keys := sync.OnceValue(func() []cue.Key { return hint.ListKeys(call, p.CWD) })
	if p.Failed { // to understand an error takes as long as to open the memory
		go func() {
			defer func() { _ = recover() }() // it comes again below
			keys()
		}()
	} else if len(keys()) == 0 {
		return
	}
	if h.openMemory(g, p) != "" || !h.Config.Hook.Action || h.HooksOff().CoversSession(p.Session) {
		return
	}
	for i, table := range h.ReadCues() {
		for _, line := range cue.Find(table, keys()) {
			if h.root.ClaimHint(reader, line.ID) {
				h.printHint(p, line, i > 0)
				return
			}
		}
	}
}

// printHint tells the agent what a lesson says, which may be of the person's own memory.
func (h *hooked) printHint(p agent.Payload, line cue.Line, isOwn bool) {
	text := render.Fence("From an earlier session: "+guard.Line(line.Text)+"\n", h.ShowPath(h.At.Root))
	h.env.Printf("%s", p.FormatAnswer(text))
	c := recall.Context{Items: []string{line.ID}, Tokens: recall.Tokens(text), Why: []recall.Reason{{ID: line.ID}}}
	if isOwn {
		c.Why[0].Memory = "global"
	}
	h.KeepReceipt(shown.NewReceipt(c, shown.AtAction, p.Agent, p.Session, h.Now))
}
