package main

import (
	"fmt"
	"strings"

	"mem/agent"
	"mem/cmd/mem/console"
	"mem/guard"
	"mem/index"
	"mem/recall"
	"mem/render"
	"mem/repo"
	"mem/words"
)

// What a person sees of a hook is one line, beside what the agent shows: who it is from, and at most this many cells.
const (
	noticeMark  = "mem ▸ "
	noticeCells = 100
)

// say hands a text to the agent, and shows a line to the person, who does not talk to a subagent.
func (h *hooked) say(p agent.Payload, text, line string) {
	if p.Subagent != "" || !h.Config.Hook.Notice {
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

// fitNotice returns what a lesson says, in the room that a line has but for some cells: if that is too long, its first
// clause or what it tells to run, and else its beginning.
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

// noteNews remembers what was learned since a person was told so, for the line that describeNews makes of it. Where
// no person looks nothing is said.
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
