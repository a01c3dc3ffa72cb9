package main

import (
	"fmt"
	"slices"
	"strings"

	"mem/agent"
	"mem/cmd/mem/console"
	"mem/guard"
	"mem/index"
	"mem/recall"
	"mem/render"
	"mem/repo"
	"mem/topic"
	"mem/words"
	"mem/workspace/inspect"
)

// showHint prints what a lesson says about the agent's next or last action: one lesson, once for each reader.
// It is silent otherwise, because an agent acts all the time.
func (h *hooked) showHint(g *globals, p agent.Payload) {
	call := recall.Call{
		Tool: p.Tool, Input: p.Input, Output: render.StripFenced(p.Output),
		Over: p.Moment == agent.After, Failed: p.Failed, Unsure: p.Row().Unsure,
	}
	reader := p.ReaderKey()
	if reader == "" || !p.IsRead("x") {
		return
	}
	about := recall.ListKeys(call, p.CWD, "")
	if !p.Failed && len(about) == 0 && (!call.Over || call.NameRun() == "") {
		return
	}
	if h.openMemory(g, p) != "" || h.HooksOff().CoversSession(p.Session) {
		return
	}
	if !call.Over { // files are named as seen from the project
		about = recall.ListKeys(call, p.CWD, h.At.Project)
		for _, key := range call.RunKeys() {
			about = slices.Insert(about, 0, key.OfCure())
		}
	}
	lines := index.DropOutdone(index.FindCues(h.ReadCues(), about), func(l index.CueLine) index.Saying { return index.Saying{Text: l.Said(), Seen: l.Seen} })
	if h.Config.Hook.Remind {
		h.remindOfCure(p, call, call.Failed || len(about) > 0, len(lines) > 0)
	}
	for _, line := range lines {
		if line.Key.IsOfCure() {
			recall.NoteCure(h.root, reader, line.ID)
			continue
		}
		if h.Config.Hook.Action && call.IsFailure(line, p.CWD) && recall.IsAbout(line.Said(), call.Line(), line.Key) && !call.Holds(line.Remedy, line.Key, p.CWD) &&
			(call.Over || !recall.IsCured(h.root, reader, line.ID)) && recall.ClaimHint(h.root, reader, line.ID) {
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

// namePast names past sessions that began like a prompt for which there is no lesson; "" for none.
func (h *hooked) namePast(p agent.Payload) string {
	if p.Moment != agent.Prompt || p.Subagent != "" || !h.Config.Hook.Sessions {
		return ""
	}
	list := inspect.SessionSearch{Text: p.Prompt, Asking: p.Session, ForAgent: true}.ListAlike(h.Workspace, func(id string) bool {
		return recall.ClaimHint(h.root, p.ReaderKey(), "session "+id)
	})
	if len(list) == 0 {
		return ""
	}
	return h.remind("Past sessions that began like this one; open one if it helps:\n\n" + strings.Join(list, "\n"))
}

// tell prints what a session should read, and that there may be something to note.
func (h *hooked) tell(p agent.Payload) (why string) {
	text := ""
	if p.Source != "told" { // pi's session has it
		text, why = h.chooseLessons(p)
	}
	if reader := p.ReaderKey(); h.Config.Hook.Remind && reader != "" && p.Moment == agent.Prompt {
		if p.Prompt != "" { // Qwen Code calls between tools, too
			recall.PassPrompt(h.root, reader)
		}
		if recall.AsksToNote(p.Prompt) && recall.ClaimReminder(h.root, reader, "corrected") {
			if more := text + h.remind(ifCorrected); p.IsRead(more) {
				text = more
			}
		}
	}
	h.say(p, text, h.describeNews())
	return why
}

// teachToLearn returns the instructions for noting a lesson, for an agent that is shown nothing else at its start.
func (h *hooked) teachToLearn(p agent.Payload) string {
	text := h.remind(topic.HowToLearn())
	if p.Source != "startup" || p.Subagent != "" || p.ReaderKey() == "" || !h.Config.Hook.Remind || h.Config.InstructionMode == "off" || !p.IsRead(text) {
		return ""
	}
	return text
}

// remindOfCure records a failed command about which nothing is known, and reminds the agent once the command works.
func (h *hooked) remindOfCure(p agent.Payload, call recall.Call, failed, known bool) {
	reader, name := p.ReaderKey(), call.NameRun()
	switch {
	case call.Changes(): // what works later failed for what was edited
		recall.ForgetFailures(h.root, reader)
	case !call.Over || name == "" || known:
	case failed:
		recall.NoteFailure(h.root, reader, name)
	case recall.TakeFailure(h.root, reader, name) && recall.ClaimReminder(h.root, reader, "cured"):
		h.say(p, h.remind(ifCured), "")
	}
}

func (h *hooked) printHint(p agent.Payload, line index.CueLine) {
	text := render.Fence("From an earlier session: "+guard.Line(line.Text)+"\n", h.ShowPath(h.At.Root))
	h.say(p, text, describeTold(line))
	c := recall.Context{Items: []string{line.ID}, Tokens: recall.Tokens(text), Why: []recall.Reason{{ID: line.ID}}}
	if line.Own {
		c.Why[0].Memory = "global"
	}
	h.keepTold(p, c, recall.AtAction)
}

// What a person sees of a hook is one line, beside what the agent shows: who it is from, and at most this many cells.
const (
	noticeMark  = "mem ▸ "
	noticeCells = 100
)

// say hands a text to the agent, and shows a line to the person, who does not talk to a subagent, unless the configuration
// forbids it; before that is read nothing does.
func (h *hooked) say(p agent.Payload, text, line string) {
	if p.Subagent != "" || h.Workspace != nil && !h.Config.Hook.Notice {
		line = ""
	}
	printed, beside := p.FormatAnswer(text, line)
	if h.env.Printf("%s", printed); beside != "" {
		console.PrintClean(h.person, "%s\n", beside)
	}
}

// describeTold is the line for a lesson that the agent is told.
func describeTold(l index.CueLine) string {
	more := ""
	if l.Sessions > 1 {
		more = fmt.Sprintf(" (seen in %d sessions)", l.Sessions)
	}
	return noticeMark + fitNotice(l.Said(), l.Remedy, len(more)) + more
}

// fitNotice shortens what a lesson says to the room of a line minus taken cells: if it is too long, to its
// first clause or its command, else to its beginning.
func fitNotice(said, remedy string, taken int) string {
	said = guard.Line(said)
	room := noticeCells - len([]rune(noticeMark)) - taken
	clause, _, _ := strings.Cut(said, ": ")
	for _, form := range []string{said, clause, "use `" + remedy + "`"} {
		has := form == said || remedy != "" && strings.Contains(said, remedy) && strings.Contains(form, remedy)
		if has && render.CutAtWord(form, room) == form {
			return form
		}
	}
	return render.CutAtWord(said, room)
}

// noteNews remembers the lessons learned since the person was last shown any, for describeNews. If no person is
// watching it does nothing.
func (h *hooked) noteNews(p agent.Payload, m *repo.Memory) {
	printed, beside := p.FormatAnswer("", "x")
	isWatched := printed+beside != "" && p.Subagent == "" && !strings.HasPrefix(h.env.Getenv("CLAUDE_CODE_ENTRYPOINT"), "sdk")
	if root, _ := h.ListRoots(); root != nil && h.Config.Hook.Notice && isWatched {
		h.news = recall.ClaimNews(root, m.Index)
	}
}

// describeNews is the line for what was learned; "" for nothing.
func (h *hooked) describeNews() string {
	if len(h.news) == 0 {
		return ""
	}
	latest, remedy := h.news[0], ""
	if latest.Remedy != nil {
		remedy = latest.Remedy.Command
	}
	line := "learned " + render.Count(len(h.news), "lesson: ", "lessons, the latest: ")
	return noticeMark + line + fitNotice(words.FoldSpace(latest.ShownText()), remedy, len(line))
}
