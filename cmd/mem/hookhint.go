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
	keys := sync.OnceValue(func() []cue.Key { return hint.ListKeys(call, p.CWD, "") })
	if p.Failed { // to understand an error takes as long as to open the memory
		go func() {
			defer func() { _ = recover() }() // it comes again below
			keys()
		}()
	} else if len(keys()) == 0 && (!call.Over || call.NameRun() == "") {
		return
	}
	if h.openMemory(g, p) != "" || h.HooksOff().CoversSession(p.Session) {
		return
	}
	about := keys()
	if !call.Over { // files are named as seen from the project
		about = hint.ListKeys(call, p.CWD, h.At.Project)
	}
	lines := hint.DropOutdone(cue.Find(h.ReadCues(), about))
	name, failed := call.NameRun(), call.Failed || len(about) > 0
	switch {
	case !h.Config.Hook.Remind:
	case !call.Over && call.Changes(): // what fails then and works later was the code's fault
		h.root.ForgetFailures(reader)
	case !call.Over || name == "":
	case failed && len(lines) == 0: // what a lesson is about is known
		h.root.NoteFailure(reader, name)
	case !failed && h.root.TakeFailure(reader, name) && h.root.ClaimReminder(reader, "cured"):
		h.env.Printf("%s", p.FormatAnswer(h.remind(ifCured)))
	}
	for _, line := range lines {
		if h.Config.Hook.Action && hint.IsAbout(line.Said(), call.Line(), line.Key) && !call.Holds(line.Remedy, line.Key, p.CWD) && h.root.ClaimHint(reader, line.ID) {
			h.printHint(p, line)
			return
		}
	}
}

// What an agent is reminded of, in the words of topic.HowToLearn.
const (
	ifCorrected = "If this corrects you or asks you to remember something, note it once it is clear: `mem learn \"…\"`"
	ifCured     = "That failed before in this session. If you know why by now, note it: `mem learn \"…\"`"
)

func (h *hooked) remind(line string) string { return render.Fence(line+"\n", h.ShowPath(h.At.Root)) }

// remindsToNote reports whether a prompt reads as if there were something to note, which the agent
// was not reminded of lately.
func (h *hooked) remindsToNote(p agent.Payload) bool {
	reader := p.ReaderKey()
	if p.Moment != agent.Prompt || reader == "" || !h.Config.Hook.Remind {
		return false
	}
	h.root.PassPrompt(reader)
	return hint.AsksToNote(p.Prompt) && h.root.ClaimReminder(reader, "corrected")
}

// printHint tells the agent what a lesson says, unless a lot keeps it back.
func (h *hooked) printHint(p agent.Payload, line cue.Line) {
	c := recall.Context{Held: []string{line.ID}}
	if !h.IsHeld(p.Session, line.ID) {
		text := render.Fence("From an earlier session: "+guard.Line(line.Text)+"\n", h.ShowPath(h.At.Root))
		h.env.Printf("%s", p.FormatAnswer(text))
		c = recall.Context{Items: []string{line.ID}, Tokens: recall.Tokens(text), Why: []recall.Reason{{ID: line.ID}}}
		if line.Own {
			c.Why[0].Memory = "global"
		}
	}
	r := shown.NewReceipt(c, shown.AtAction, p.Agent, p.Session, h.Now)
	r.Over, r.Lot, r.Subagent = p.Moment == agent.After, h.Config.Holdout, p.Subagent != ""
	h.KeepReceipt(r)
}
