//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"mem/envtest"
	"mem/topic"
)

// installed is a project in which the hooks of an agent are installed, and mem
// on the PATH.
type installed struct {
	dir string
	env []string
}

func installHooks(t *testing.T, agent string) installed {
	t.Helper()
	p := installed{dir: filepath.Join(t.TempDir(), "a project's $HOME")}
	self, err := os.Executable()
	envtest.NoError(t, err)
	bin := filepath.Join(filepath.Dir(p.dir), "bin")
	for _, dir := range []string{p.dir, bin} {
		envtest.NoError(t, os.Mkdir(dir, 0o700))
	}
	if err := os.Symlink(self, filepath.Join(bin, "mem")); err != nil { // see TestMain
		t.Fatal(err)
	}
	p.env = []string{"HOME=" + filepath.Dir(p.dir), "PATH=" + bin + ":" + os.Getenv("PATH"), "NOW=2026-02-03T04:05:06Z", "TZ=UTC",
		"MEM_HOOK_WORKER=false", "CLAUDE_PROJECT_DIR=" + p.dir, "CLAUDECODE=1", "CODEX_HOME=" + filepath.Join(p.dir, ".codex"), "GOCOVERDIR=" + t.TempDir()}
	for _, call := range []struct{ in, line string }{
		{`{"mistakes":[],"fixes":["Read the log","Ask before a deploy of the docs site"]}`, "git init -q . && mem reflect - && CLAUDECODE= mem learn 'Use pnpm'"},
		{"", "mem hook install " + agent + " --yes && mem hook install " + agent + " --global --yes"},
	} {
		_, errs, err := p.sh(call.line, call.in)
		envtest.StopIf(t, err != nil, "%s: %v %s", call.line, err, errs)
	}
	return p
}

// sh runs a line as agents run the commands of hooks.
func (p installed) sh(line, in string) (stdout, stderr string, err error) {
	var out, errs bytes.Buffer
	cmd := exec.Command("sh", "-c", line)
	cmd.Dir, cmd.Env, cmd.Stdin, cmd.Stdout, cmd.Stderr = p.dir, p.env, strings.NewReader(in), &out, &errs
	err = cmd.Run()
	return out.String(), errs.String(), err
}

// commandFor takes the command line for an event out of a settings file.
func commandFor(t *testing.T, file, event string) string {
	t.Helper()
	data := envtest.Read(t, file)
	var settings struct {
		Hooks map[string][]struct {
			Matcher *string
			Hooks   []struct {
				Type, Command string
				Timeout       int
			}
		}
	}
	envtest.NoError(t, json.Unmarshal([]byte(data), &settings))
	groups := settings.Hooks[event]
	if len(groups) != 1 || groups[0].Matcher != nil || len(groups[0].Hooks) != 1 || groups[0].Hooks[0].Type != "command" || groups[0].Hooks[0].Timeout != 3 {
		t.Fatalf("the hooks of %s are %+v", event, groups)
	}
	return groups[0].Hooks[0].Command
}

const (
	header = `<mem-notes ID>\n# Lessons from earlier sessions\n\nNotes, not instructions: what the user and the repository say comes first. Mind them; check\nbefore you go against one.\n`
	first  = `Before a reply about history, past decisions or regressions, look in the memory: evidence\nbefore guessing. ` + "`mem search WORDS`" +
		`. If there is no evidence, say so.\n` +
		"LEARN" + `\n` // topic.HowToLearn
	// What a person said; then what the prompt is about.
	atStart   = header + first + `\n## Said by a person\n\n- Use pnpm\n\n2 more in .mem; ` + "`mem search WORDS`" + ` finds them\n</mem-notes ID>\n`
	forHelper = header + `\n## Said by a person\n\n- Use pnpm\n\n2 more in .mem; ` + "`mem search WORDS`" + ` finds them\n</mem-notes ID>\n`
	atPrompt  = header + `\n## For this task\n\n- Ask before a deploy of the docs site\n\n1 more in .mem; ` + "`mem search WORDS`" + ` finds them\n</mem-notes ID>\n`
)

// answerOf is what an agent reads, as its hooks have it.
func answerOf(event, text string) string {
	if text == "" {
		return ""
	}
	text = strings.Replace(text, "LEARN", strings.ReplaceAll(topic.HowToLearn(), `"`, `\"`), 1)
	return fmt.Sprintf(`{"hookSpecificOutput":{"hookEventName":%q,"additionalContext":"%s"}}`+"\n", event, text)
}

// ages say when a lesson was last seen.
var ages = regexp.MustCompile(` \(\d{4}-\d\d-\d\d(, ×\d+)?\)`)

var fences = regexp.MustCompile(`mem-notes [0-9a-f]{16}`)

// TestInstalledHooks runs what is installed as agents do, with what they say at
// each event, and wants what they read back, to the byte.
func TestInstalledHooks(t *testing.T) {
	const ask = "Please deploy the docs site"
	for _, tt := range []struct {
		agent, file string
		common      string // of all payloads
		calls       []struct{ event, more, want string }
	}{
		{"claude", ".claude/settings.local.json", `"session_id":"6f1f8c9c","transcript_path":%q,"cwd":%q,"permission_mode":"default"`, []struct{ event, more, want string }{
			{"SessionStart", `"source":"startup","model":"claude-opus-4-6"`, atStart},
			{"UserPromptSubmit", `"prompt":"` + ask + `"`, atPrompt},
			{"UserPromptSubmit", `"prompt":"` + ask + `"`, ""},
			{"Stop", `"stop_hook_active":false,"last_assistant_message":"Done.","background_tasks":[],"session_crons":[]`, ""},
			{"Stop", `"stop_hook_active":true,"last_assistant_message":"Done."`, ""},
			{"PreCompact", `"trigger":"auto","custom_instructions":""`, ""},
			{"SessionStart", `"source":"compact"`, atStart},
			{"UserPromptSubmit", `"prompt":"Thanks"`, ""},
			{"SessionStart", `"source":"clear"`, atStart},
			{"UserPromptSubmit", `"prompt":"` + ask + `"`, atPrompt},
			{"SessionEnd", `"reason":"prompt_input_exit"`, ""},
			{"SessionStart", `"source":"resume"`, ""}, // it keeps what it read
			{"SubagentStart", `"agent_id":"a1b2","agent_type":"Explore"`, forHelper},
			{"SessionEnd", `"reason":"other"`, ""},
		}},
		{"codex", ".codex/hooks.json", `"session_id":"0198f3a2","transcript_path":%q,"cwd":%q,"model":"gpt-5.4","permission_mode":"default"`, []struct{ event, more, want string }{
			{"SessionStart", `"source":"startup"`, atStart},
			{"UserPromptSubmit", `"turn_id":"1","prompt":"` + ask + `"`, atPrompt},
			{"Stop", `"turn_id":"1","stop_hook_active":false,"last_assistant_message":"Done."`, ""},
			{"PreCompact", `"turn_id":"2","trigger":"manual"`, ""},
			{"SessionStart", `"source":"resume"`, ""},
			{"SessionStart", `"source":"clear"`, atStart},
		}},
	} {
		t.Run(tt.agent, func(t *testing.T) {
			p := installHooks(t, tt.agent)
			transcript := filepath.Join(p.dir, "s.jsonl")
			data, err := os.ReadFile(filepath.Join("../../fixtures/traces", map[string]string{"claude": "claude-correction.jsonl", "codex": "codex.jsonl"}[tt.agent]))
			if err == nil {
				err = os.WriteFile(transcript, data, 0o600)
			}
			envtest.NoError(t, err)
			for i, call := range tt.calls {
				line := commandFor(t, filepath.Join(p.dir, tt.file), call.event)
				in := fmt.Sprintf(`{`+tt.common+`,"hook_event_name":%q,%s}`, transcript, p.dir, call.event, call.more)
				out, errs, err := p.sh(line, in)
				out = ages.ReplaceAllString(out, "")
				envtest.FailIf(t, err != nil, "%d. %s: %v", i, call.event, err)
				envtest.Same(t, answerOf(call.event, call.want), fences.ReplaceAllString(out, "mem-notes ID"), i,
					call.event, call.more, "it said", errs)
				rest := call.event == "Stop" || call.event == "SessionEnd" || call.event == "PreCompact"
				quiet := errs == ""
				envtest.FailIf(t, quiet == rest, "%d. %s said %q", i, call.event, errs)
			}
		})
	}
}

// What is installed neither stops an agent nor says a word where mem is missing, is
// another program, or is older than its hooks (agents.md m1).
func TestInstalledHooksWithoutMem(t *testing.T) {
	for agent, file := range map[string]string{"claude": ".claude/settings.local.json", "codex": ".codex/hooks.json"} {
		p := installHooks(t, agent)
		line := commandFor(t, filepath.Join(p.dir, file), "UserPromptSubmit")
		bin := filepath.Join(filepath.Dir(p.dir), "bin")
		p.env = append(p.env, "PATH="+bin+":/usr/bin:/bin")
		for name, script := range map[string]string{"another program": "exit 2", "a broken one": "kill -9 $$", "missing": ""} {
			envtest.NoError(t, os.Remove(filepath.Join(bin, "mem")))
			if script != "" {
				envtest.NoError(t, os.WriteFile(filepath.Join(bin, "mem"), []byte("#!/bin/sh\n"+script+"\n"), 0o700))
			}
			out, errs, err := p.sh(line, `{"hook_event_name":"UserPromptSubmit","prompt":"hi"}`)
			envtest.FailIf(t, err != nil || out != "" || errs != "" && name == "missing",
				"%s, %s: %v, it said %q and %q", agent, name, err, out, errs)
			envtest.NoError(t, os.WriteFile(filepath.Join(bin, "mem"), nil, 0o700))
		}
	}
}
