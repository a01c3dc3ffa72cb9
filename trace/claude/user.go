package claude

import (
	"cmp"
	"slices"
	"strings"

	"mem/lazy"
	"mem/session"
	"mem/trace/jsonl"
)

// wrappers start the texts that the client puts into a user line itself.
var wrappers = []string{
	"<command-name>", "<command-message>", "<command-args>",
	"<local-command-stdout>", "<local-command-stderr>", "<local-command-caveat>",
	"Caveat: The messages below were generated",
	reminder, "<tick>", "<goal>",
}

const (
	interrupted = "[Request interrupted by user"
	continued   = "This session is being continued from a previous conversation"
	reminder    = "<system-reminder>"
)

// slash matches a command of the client, which is not meant for the model.
var slash = lazy.New(`^/[A-Za-z][\w:-]*(\s|$)`)

func (r *reader) readUser(l *line) {
	blocks := l.Message.Content
	results := 0
	for i := range blocks {
		if blocks[i].Type == "tool_result" {
			results++
		}
	}
	if results > 1 {
		l.ToolUseResult.text, l.ToolUseResult.Questions = "", nil // it does not say of which of them it speaks
	}
	for i := range blocks {
		switch b := &blocks[i]; b.Type {
		case "text":
			if l.IsCompactSummary {
				r.EmitCompaction(b.Text)
				continue
			}
			r.readUserText(l, b.Text)
		case "tool_result":
			r.readResult(l, b)
		}
	}
	r.EmitInjected(r.notices...)
	r.notices = nil
}

func (r *reader) readUserText(l *line, s string) {
	trimmed := strings.TrimSpace(s)
	switch {
	case strings.HasPrefix(trimmed, interrupted):
		r.readInterrupt(l, trimmed)
		return
	case strings.HasPrefix(trimmed, "<bash-input>") && !l.IsMeta:
		r.shell = r.Key
		r.EmitCall(session.Human, "bash", r.shell, jsonl.EncodeInput("command", between(trimmed, "<bash-input>", "</bash-input>")))
		return
	case strings.HasPrefix(trimmed, "<bash-stdout>"), strings.HasPrefix(trimmed, "<bash-stderr>"):
		r.readShellResult(trimmed)
		return
	case strings.HasPrefix(trimmed, continued):
		r.EmitCompaction(s)
		return
	}
	if injected(l, trimmed) {
		if r.findQueued(trimmed, session.Injected) < 0 {
			r.EmitInjected(s)
		}
		return
	}
	s, notices := splitWords(s)
	r.notices = append(r.notices, notices...)
	who, seq := r.Speaker(session.Human), -1
	if who == session.Human {
		if s != "" {
			r.joinPrompt()
		}
		seq = r.findQueued(s, who)
	}
	if seq < 0 {
		seq = r.EmitText(session.UserText, who, s)
	}
	if e := r.FindEvent(seq); e != nil && who == session.Human {
		plan := strings.TrimSpace(l.PlanContent)
		e.Planned = plan != "" && strings.Contains(trimmed, plan)
		e.Pasted = slices.ContainsFunc(l.Message.Content, func(b block) bool { return b.Type == "image" })
	}
	r.MarkHeadless(seq, l.isHeadless())
}

// isHeadless reports whether a program started the run, as claude -p does.
func (l *line) isHeadless() bool {
	return l.PromptSource == "sdk" || l.PromptSource == "" && (strings.HasPrefix(l.Entrypoint, "sdk") || strings.HasSuffix(l.Entrypoint, "-action"))
}

// injected reports whether the client, a hook or a program wrote the text of a user line.
func injected(l *line, trimmed string) bool {
	return l.IsMeta || l.IsVisibleInTranscriptOnly || l.SourceToolUseID != "" || l.Origin.isProgram() ||
		l.PromptSource == "system" || wrapped(trimmed)
}

// wrapped reports whether a text starts with one of the client's wrappers. A reminder may stand
// before what the person typed.
func wrapped(trimmed string) bool {
	said, _ := splitWords(trimmed)
	return said == "" || slices.ContainsFunc(wrappers, func(w string) bool { return strings.HasPrefix(said, w) })
}

// splitWords separates a person's words from the reminders and notices among them.
func splitWords(s string) (said string, notices []string) {
	rest, reminders := splitReminders(s)
	said, notices = jsonl.SplitNotices(rest)
	return said, slices.Concat(reminders, notices)
}

func splitReminders(s string) (rest string, reminders []string) {
	for {
		before, more, _ := strings.Cut(s, reminder)
		inside, after, closed := strings.Cut(more, "</system-reminder>")
		if !closed {
			return rest + s, reminders
		}
		rest, reminders, s = rest+before, append(reminders, inside), after
	}
}

// readInterrupt emits an Interrupt. Words after the marker are the person's.
func (r *reader) readInterrupt(l *line, s string) {
	marker, rest, _ := strings.Cut(s, "]")
	r.EmitInterrupt(marker + "]")
	if strings.TrimSpace(rest) != "" {
		r.readUserText(l, rest)
	}
}

func (r *reader) readShellResult(s string) {
	out := between(s, "<bash-stdout>", "</bash-stdout>")
	if err := between(s, "<bash-stderr>", "</bash-stderr>"); err != "" {
		out = strings.TrimPrefix(out+"\n"+err, "\n")
	}
	r.EmitResult(session.Event{Tool: "bash", CallID: r.shell, Text: out})
	r.shell = ""
}

// between returns what stands between two tags, or after the first one if the second is missing.
func between(s, start, end string) string {
	_, s, _ = strings.Cut(s, start)
	s, _, _ = strings.Cut(s, end)
	return s
}

func (r *reader) readAttachment(a *attachment) {
	switch a.Type {
	case "queued_command":
		r.readSteering(a)
	case "hook_additional_context", "nested_memory":
		r.EmitInjected(string(a.Content))
	case "edited_text_file": // outside of the session, by a person or a program that they run
		if s := strings.TrimSpace(a.Filename + "\n" + string(a.Snippet)); s != "" {
			r.Emit(session.Event{Kind: session.UserText, Origin: session.Injected, Text: s, Edited: true})
		}
	case "hook_blocking_error":
		r.EmitInjected(string(a.BlockingError.BlockingError))
		if a.ToolUseID != "" {
			r.ReviseCause(a.ToolUseID, session.Failed, session.BlockedByHook)
		}
	}
}

// queueOperation emits a queued prompt when it is typed, which is when it
// corrects something. It is written again when it is delivered.
func (r *reader) queueOperation(l *line) {
	switch l.Operation {
	case "enqueue":
		s, _ := splitWords(string(l.Content))
		if s == "" || wrapped(s) || slash.Matches(s) {
			return
		}
		if !l.Timestamp.IsZero() {
			r.Key = r.UniqueKey("queue-" + l.Timestamp.Format("20060102T150405.000Z"))
		}
		r.Stopped = false
		r.queue[s] = append(r.queue[s], r.Emit(session.Event{Kind: session.UserText, Origin: session.Human, Text: s}))
	case "popAll": // back into the editor: the model never saw it
		for _, seqs := range r.queue {
			for _, seq := range seqs {
				if e := r.FindEvent(seq); e != nil {
					e.Kind = ""
				}
			}
		}
		clear(r.queue)
	}
}

// findQueued returns the number of the event of s if it was queued before, and corrects its origin; -1 if it was not.
func (r *reader) findQueued(s string, origin session.Origin) int {
	seqs := r.queue[s]
	if len(seqs) == 0 {
		return -1
	}
	r.queue[s] = seqs[1:]
	e := r.FindEvent(seqs[0])
	if e == nil {
		return -1
	}
	e.Origin = r.Speaker(origin)
	r.nodeOf[e.ID] = r.node
	return seqs[0]
}

// readSteering handles a queued prompt that is delivered while the agent works.
func (r *reader) readSteering(a *attachment) {
	s, notices := splitWords(string(a.Prompt))
	origin := session.Injected
	if (a.CommandMode == "" || a.CommandMode == "prompt") && !wrapped(strings.TrimSpace(string(a.Prompt))) && !a.Origin.isProgram() {
		origin = session.Human
	}
	s = cmp.Or(s, string(a.Prompt))
	if r.findQueued(s, origin) < 0 {
		r.EmitText(session.UserText, origin, s)
	}
	if origin != session.Injected {
		r.EmitInjected(notices...)
	}
}
