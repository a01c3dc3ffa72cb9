package agent_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mem/agent"
	"mem/render"
)

// What Claude Code keeps of a hook's words is found where it sends them again on
// resume, and nowhere else (agents.md M4).
func TestKeepsShown(t *testing.T) {
	fence := strings.NewReplacer("\n", `\n`).Replace(render.Fence("- Use pnpm\n", "seed"))
	attached := func(kind, more string) string {
		return `{"type":"attachment","uuid":"a"` + more + `,"attachment":{"type":"` + kind + `","hookEvent":"SessionStart","content":["` + fence + `"]}}` + "\n"
	}
	said := attached("hook_additional_context", "")
	const compacted = `{"type":"system","subtype":"compact_boundary","uuid":"c"}` + "\n"
	const prompt = `{"type":"user","uuid":"u","message":{"role":"user","content":"hi"}}` + "\n"
	long := strings.Repeat(`{"type":"user","uuid":"u","message":{"role":"user","content":"`+strings.Repeat("x", 1<<20)+`"}}`+"\n", 9)
	for _, tt := range []struct {
		name, agent, source, file string
		want                      bool
	}{
		{"kept", "claude", "resume", prompt + said + prompt, true},
		{"of a fork", "claude", "fork", said, true},
		{"as one string", "claude", "resume", strings.NewReplacer("[", "", "]", "").Replace(said), true},
		{"said after a compaction", "claude", "resume", said + compacted + prompt + said, true},
		{"compacted away", "claude", "resume", said + compacted + prompt, false},
		{"nothing was said", "claude", "resume", prompt, false},
		{"another hook", "claude", "resume", strings.ReplaceAll(said, "mem-notes", "my-notes"), false},
		{"a file that quotes it", "claude", "resume", attached("file", ""), false},
		{"a person who quotes it", "claude", "resume", strings.ReplaceAll(prompt, "hi", "hook_additional_context "+fence), false},
		{"said to a subagent", "claude", "resume", attached("hook_additional_context", `,"isSidechain":true`), false},
		{"said long ago", "claude", "resume", said + long, false},
		{"said lately", "claude", "resume", prompt + long + said, true},
		{"a new session", "claude", "startup", said, false},
		{"compacted", "claude", "compact", said, false},
		{"another agent", "codex", "resume", said, false},
		{"damaged", "claude", "resume", "{\n\x00" + said[:len(said)/2], false},
		{"no file", "claude", "resume", "", false},
	} {
		path := filepath.Join(t.TempDir(), "s.jsonl")
		if tt.file != "" {
			if err := os.WriteFile(path, []byte(tt.file), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		p := agent.Payload{Agent: tt.agent, Source: tt.source, Path: path}
		if _, got := p.KeepsShown(); got != tt.want {
			t.Errorf("%s: KeepsShown = %v, want %v", tt.name, got, tt.want)
		}
	}
	if _, kept := (agent.Payload{Agent: "claude", Source: "resume", Path: t.TempDir()}).KeepsShown(); kept {
		t.Error("a folder is read")
	}
}
