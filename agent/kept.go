package agent

import (
	"strings"

	"mem/render"
	"mem/trace/jsonl"
)

// KeepsShown reports whether a session of Claude Code that is resumed is sent again
// what hooks of mem said in it before. Since 2.1 the session's file keeps that, up
// to the next compaction; earlier versions keep nothing, and a fork may not have a
// file yet.
func (p Payload) KeepsShown() (kept bool) {
	if p.Agent != Claude || p.Source != "resume" && p.Source != "fork" {
		return false
	}
	src, err := jsonl.Open(p.Path, jsonl.TailBytes)
	if err != nil {
		return false
	}
	t := jsonl.ReadObjects(src, func(l *keptLine, at jsonl.Span) {
		switch {
		case bool(l.IsSidechain), src.Cut && at.Off < jsonl.HeadBytes: // what was left out may be a compaction
		case l.Type == "system" && l.Subtype == "compact_boundary":
			kept = false
		case l.Type == "attachment" && l.Attachment.V.Type == "hook_additional_context":
			text := string(l.Attachment.V.Content)
			kept = kept || strings.TrimSpace(text) != strings.TrimSpace(render.StripFenced(text))
		}
	})
	return kept && !t.Cut
}

// A keptLine is what counts of a line of Claude Code's for KeepsShown.
type keptLine struct {
	Type        jsonl.Text `json:"type"`
	Subtype     jsonl.Text `json:"subtype"`
	IsSidechain jsonl.Flag `json:"isSidechain"`
	Attachment  jsonl.Object[struct {
		Type    jsonl.Text  `json:"type"`
		Content jsonl.Prose `json:"content"`
	}] `json:"attachment"`
}
