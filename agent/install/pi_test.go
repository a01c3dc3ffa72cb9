package install

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"mem/agent"
	"mem/envtest"
)

// pluginOf is the file of an agent that has one of mem.
func pluginOf(name string) (file struct {
	add, remove func([]byte) ([]byte, error)
}) {
	file.add, file.remove = editionOf(agent.Find(name), agent.Find(name).Files[0])
	return file
}

func TestExtension(t *testing.T) {
	text, err := pluginOf("pi").add(nil)
	envtest.NoError(t, err)
	again, err := pluginOf("pi").add([]byte("// Written by \"mem hook install pi\" long ago\n"))
	envtest.FailIf(t, err != nil || !bytes.Equal(again, text), "an older one is not replaced: %v", err)
	rest, err := pluginOf("pi").remove(text)
	envtest.FailIf(t, err != nil || rest != nil, "RemoveExtension leaves %q, %v", rest, err)
	for _, f := range []func([]byte) ([]byte, error){pluginOf("pi").add, pluginOf("pi").remove} {
		got, err := f([]byte("export default 1\n"))
		envtest.Wraps(t, ErrRefused, err, "another's extension", got)
	}
	// All that it may reach is Node's own way to run a program.
	for line := range strings.Lines(string(text)) {
		if strings.Contains(line, "import") && line != "import { execFile, spawn } from \"node:child_process\";\n" {
			t.Errorf("it imports something else: %s", line)
		}
	}
}

// host runs the extension in a host that is like pi, with a mem that is the
// given shell script, or none. It returns what came of each event and command,
// and what mem was run with, once it was as often as a hook that the host does not wait for.
func host(t *testing.T, mem string, hooks int) (said, calls string) {
	node, err := exec.LookPath("node")
	if err != nil || runtime.GOOS == "windows" {
		t.Skip("it takes node and a shell")
	}
	dir := t.TempDir()
	text, err := pluginOf("pi").add(nil)
	envtest.NoError(t, err)
	files := map[string][]byte{"mem.mjs": text, "host.mjs": []byte(envtest.Read(t, "testdata/host.mjs"))}
	if mem != "" {
		files["bin/mem"] = []byte("#!/bin/sh\n" + mem)
	}
	envtest.NoError(t, os.Mkdir(filepath.Join(dir, "bin"), 0o700))
	for name, data := range files {
		envtest.NoError(t, os.WriteFile(filepath.Join(dir, name), data, 0o700))
	}
	cmd := exec.Command(node, "host.mjs")
	cmd.Dir = dir
	cmd.Env = []string{"PATH=" + filepath.Join(dir, "bin") + ":/usr/bin:/bin", "HOME=" + dir, "LOG=" + filepath.Join(dir, "log")}
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err = cmd.Run()
	envtest.StopIf(t, err != nil || errs.Len() > 0, "the host: %v\n%s%s", err, &out, &errs)
	log, _ := os.ReadFile(filepath.Join(dir, "log"))
	for bytes.Count(log, []byte("hook ")) < hooks && t.Context().Err() == nil {
		time.Sleep(10 * time.Millisecond)
		log, _ = os.ReadFile(filepath.Join(dir, "log"))
	}
	return strings.ReplaceAll(out.String(), dir, "$DIR"), strings.ReplaceAll(string(log), dir, "$DIR")
}

const (
	setUp = `["events",["agent_end","before_agent_start","session_before_compact","session_shutdown","tool_result"]]
["commands",["learning-daily","learning-model","learning-model-global","learning-month","learning-now","learning-redistill","learning-status","learning-toggle"]]
["notify error","nothing to learn: there are no messages yet"]
`
	lessons = `{"customType":"mem","content":"lessons\n","display":false}`
)

// The lessons arrive once, and again after a compaction; every command of pi-self-learning runs one of mem. A model is
// chosen by pi's name or mem's, for the branch of the session; a bad one changes nothing, and the model of the session
// is named with every call.
func TestExtensionInHost(t *testing.T) {
	said, calls := host(t, `
case "$1 $#" in
"hook 2") case "$(cat)" in
   *'"tool_result"'*'"tool_name":"bash","tool_input":{"command":"make"},"tool_response":"no such file","is_error":true}') echo hint; printf '%s\n' "mem: noted" "mem ▸ Run make gen" >&2 ;;
   *'"is_error":false}') echo note ;;
   *'"source":"told"}') ;;
   *) echo lessons ;;
   esac ;;
daily*) echo "$@" >>"$LOG"; echo "ran $1 $MEM_ORACLE_SESSION_MODEL" ;;
*) echo "$@" >>"$LOG"; if [ "$MEM_ORACLE_COMMAND_PRESET" = vim ]; then echo "invalid configuration" >&2; exit 6; fi
   echo "ran $1" "$MEM_ORACLE_ORDER" "$MEM_ORACLE_OPENAI_MODEL" "$MEM_ORACLE_COMMAND_PRESET" "$MEM_ORACLE_COMMAND_MODEL" ;;
esac
`, 2)
	want := setUp + `["prompt one",` + lessons + `]
["prompt two",null]
["prompt three",` + lessons + `]
["prompt four",null]
["prompt five",null]
["tool false",null]
["notify info","mem ▸ Run make gen"]
["tool true",[{"type":"text","text":"hint\n"}]]
["tool false",[{"type":"text","text":"note\n"}]]
["notify info","ran reflect"]
["notify info","ran reflect"]
["notify info","ran month"]
["notify info","ran redistill"]
["notify info","ran daily zai/glm-4.6"]
["notify info","ran status"]
["notify info","ran toggle"]
["notify info","ran toggle"]
["entry",["mem-model",["openai","qwen3:8b"]]]
["notify info","ran model lessons,openai qwen3:8b"]
["notify info","ran status lessons,openai qwen3:8b"]
["entry",["mem-model",[]]]
["notify info","ran model"]
["notify info","ran model"]
["notify info","ran model"]
["notify info","ran model"]
["entry",["mem-model",["command","pi/google/gemini-2.5-flash"]]]
["notify info","ran model lessons,command  pi google/gemini-2.5-flash"]
["notify info","ran status lessons,command  pi google/gemini-2.5-flash"]
["notify error","google/nothing is not a model that pi can use, nor one of command, anthropic, openai, heuristic; nothing was changed"]
["notify error","nonsense is not a model that pi can use, nor one of command, anthropic, openai, heuristic; nothing was changed"]
["notify error","invalid configuration"]
["notify info","ran status lessons,command  pi google/gemini-2.5-flash"]
["notify info","ran model lessons,command  pi google/gemini-2.5-flash"]
["entry",["mem-model",[]]]
["notify info","ran model"]
["notify error","this session is kept in no file"]
["entry","mem-headless"]
["prompt six",null]
["notify error","Cannot read properties of undefined (reading 'getSessionId')"]
["end",null]
`
	envtest.Same(t, want, said)
	var hooks, commands []string
	for line := range strings.Lines(calls) {
		if strings.HasPrefix(line, "hook ") {
			hooks = append(hooks, line)
		} else {
			commands = append(commands, line)
		}
	}
	if len(hooks) != 2 || !strings.Contains(hooks[0]+hooks[1], `hook pi {"hook_event_name":"agent_end","session_id":"p1","session_file":"s.jsonl","cwd":"$DIR"}`) {
		t.Errorf("hooks are run as %q", hooks)
	}
	wantCalls := `reflect s.jsonl --label manual
reflect s.jsonl --label manual --oracle heuristic
month 2026-01
redistill 20 --dry-run
daily
status --session=p1
toggle --session=p1
toggle off --session=p1
model
status --session=p1
model
model
model set anthropic x/y --global
model set default --global
model
status --session=p1
model
status --session=p1
model set command pi/google/gemini-2.5-flash --global
model
`
	envtest.Same(t, wantCalls, strings.Join(commands, ""), "commands")
}

// Nothing is thrown, and no session waits for long, when mem is not there, does not end, or fails.
func TestExtensionWithoutMem(t *testing.T) {
	const silent = "[\"prompt one\",null]\n[\"prompt two\",null]\n[\"prompt three\",null]\n[\"prompt four\",null]\n[\"prompt five\",null]\n[\"tool false\",null]\n[\"tool true\",null]\n[\"tool false\",null]\n"
	for _, tt := range []struct{ name, mem, said string }{
		{"missing", "", `"mem was not found on the PATH"`},
		{"failing", "echo half; echo broken >&2; echo x >>$LOG; exit 1\n", `"half\nbroken"`},
		{"slow", "case $1 in hook) echo half; sleep 120 ;; esac\n", `["notify info","done"]`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			start := time.Now()
			said, _ := host(t, tt.mem, 0)
			if !strings.HasPrefix(said, setUp+silent) || !strings.Contains(said, tt.said) || !strings.HasSuffix(said, "[\"end\",null]\n") {
				t.Errorf("with a mem that is %s:\n%s", tt.name, said)
			}
			took := time.Since(start)
			envtest.FailIf(t, took > 100*time.Second, "it took %s", took)
		})
	}
}
