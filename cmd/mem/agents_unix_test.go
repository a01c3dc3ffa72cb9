//go:build unix

package main

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"mem/envtest"
)

// TestRealAgents runs the agents themselves, as far as they are on the PATH, with a model
// that is a script: it runs a command that fails twice. The lesson about the failure is to
// be in the request after the first one, and nothing new after the second. Then the model does what
// it was told of notes, and the note is the agent's own. It is not part
// of CI: MEM_AGENTS=1 runs it, as does 'make agents'. Nothing leaves this machine.
func TestRealAgents(t *testing.T) {
	if os.Getenv("MEM_AGENTS") == "" {
		t.Skip("MEM_AGENTS is not set")
	}
	bin := build(t, "mem", ".")
	for _, a := range []realAgent{
		{"claude", []string{"-p", "Run the tests", "--allowedTools", "Bash"}, nil},
		{"codex", []string{"exec", "--skip-git-repo-check", "--dangerously-bypass-hook-trust", "-s", "danger-full-access", "Run the tests"}, map[string]string{
			".codex/config.toml": "model = \"scripted\"\nmodel_provider = \"here\"\ncheck_for_update_on_startup = false\n[model_providers.here]\nname = \"here\"\nbase_url = \"URL/v1\"\nenv_key = \"OPENAI_API_KEY\"\nwire_api = \"responses\"\n[analytics]\nenabled = false\n",
		}},
		{"pi", []string{"-p", "Run the tests"}, map[string]string{
			".pi/agent/settings.json": `{"defaultProvider":"here","defaultModel":"scripted"}`,
			".pi/agent/models.json":   `{"providers":{"here":{"baseUrl":"URL/v1","api":"openai-completions","apiKey":"none","models":[{"id":"scripted","name":"scripted","reasoning":false,"input":["text"],"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0},"contextWindow":128000,"maxTokens":4000}]}}}`,
		}},
		{"gemini", []string{"-m", "scripted", "--yolo", "-p", "Run the tests"}, map[string]string{
			".gemini/settings.json": `{"security":{"auth":{"selectedType":"gemini-api-key"}},"general":{"enableAutoUpdate":false},"privacy":{"usageStatisticsEnabled":false}}`,
		}},
		{"opencode", []string{"run", "Run the tests"}, map[string]string{
			".config/opencode/opencode.json": `{"autoupdate":false,"model":"here/scripted","provider":{"here":{"npm":"@ai-sdk/openai-compatible","options":{"baseURL":"URL/v1","apiKey":"none"},"models":{"scripted":{"tool_call":true,"limit":{"context":128000,"output":4000}}}}}}`,
		}},
		{"copilot", []string{"-p", "Run the tests"}, nil},
		{"qwen", []string{"--auth-type", "openai", "-y", "-p", "Run the tests"}, nil},
	} {
		t.Run(a.name, func(t *testing.T) {
			if _, err := exec.LookPath(a.name); err != nil {
				t.Skip(err)
			}
			a.run(t, bin)
		})
	}
}

// A realAgent is an agent, how it is run without a terminal, and its settings.
type realAgent struct {
	name  string
	args  []string
	files map[string]string // below the home; URL/v1 stands for the model's server
}

const learnedBefore = `{"format":"mem-trace","version":1,"agent":"robot","id":"s0"}
{"kind":"user","text":"Please run the tests of the shop"}
{"kind":"tool_call","tool":"bash","call_id":"1","input":{"command":"bun test"}}
{"kind":"tool_result","call_id":"1","cause":"failed","text":"error: Cannot find module 'left-pad' from 'src/pad.ts'"}
{"kind":"tool_call","tool":"bash","call_id":"2","input":{"command":"bun install"}}
{"kind":"tool_result","call_id":"2","text":"12 packages installed"}
{"kind":"tool_call","tool":"bash","call_id":"3","input":{"command":"bun test"}}
{"kind":"tool_result","call_id":"3","text":"14 pass, 0 fail"}
`

func (a realAgent) run(t *testing.T, bin string) {
	model := &scriptedModel{}
	server := httptest.NewServer(model)
	defer server.Close()
	home, project := t.TempDir(), t.TempDir()
	environ := append(os.Environ(), "HOME="+home, "PWD="+project, "XDG_CONFIG_HOME="+home+"/.config", "XDG_STATE_HOME="+home+"/.state", "CODEX_HOME="+home+"/.codex",
		"PATH="+filepath.Dir(bin)+":"+os.Getenv("PATH"), "MEM_HOOK_WORKER=false", "ANTHROPIC_BASE_URL="+server.URL, "ANTHROPIC_API_KEY=none", "OPENAI_API_KEY=none",
		"GOOGLE_GEMINI_BASE_URL="+server.URL, "GEMINI_API_KEY=none", "GEMINI_CLI_TRUST_WORKSPACE=true",
		"COPILOT_OFFLINE=true", "COPILOT_ALLOW_ALL=true", "COPILOT_AUTO_UPDATE=false", "COPILOT_MODEL=scripted", "COPILOT_PROVIDER_BASE_URL="+server.URL+"/v1", "COPILOT_PROVIDER_API_KEY=none",
		"OPENAI_BASE_URL="+server.URL+"/v1", "OPENAI_MODEL=scripted",
		"OPENCODE_DISABLE_MODELS_FETCH=1", "OPENCODE_DISABLE_AUTOUPDATE=1", "npm_config_fetch_retries=0", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "DISABLE_TELEMETRY=1", "DISABLE_AUTOUPDATER=1")
	run := func(in, name string, args ...string) {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), name, args...)
		cmd.Dir, cmd.Env, cmd.Stdin = project, environ, strings.NewReader(in)
		out, err := cmd.CombinedOutput()
		envtest.StopIf(t, err != nil, "%s %q: %v\n%s", name, args, err, out)
	}
	files := map[string]string{".profile": "PATH=" + filepath.Dir(bin) + ":$PATH\n"} // Codex runs commands in a login shell
	maps.Copy(files, a.files)
	for name, text := range files {
		path := filepath.Join(home, name)
		envtest.Write(t, strings.ReplaceAll(text, "URL/v1", server.URL+"/v1"), path)
	}
	run("", "git", "init", "-q")
	envtest.NoError(t, os.WriteFile(filepath.Join(project, "bun"), []byte("#!/bin/sh\necho \"error: Cannot find module 'left-pad' from 'src/pad.ts'\"\nexit 1\n"), 0o700))
	run(learnedBefore, bin, "reflect", "-")
	run(strings.ReplaceAll(learnedBefore, `"s0"`, `"s1"`), bin, "reflect", "-")
	run("", bin, "hook", "install", a.name, "--global", "--yes")
	run("", a.name, a.args...)
	const hint = "From an earlier session: Run `bun install` before"
	for n, body := range model.requests {
		envtest.Same(t, min(n, 1), strings.Count(body, hint), "request", n+1, "holds the lesson times")
	}
	envtest.Same(t, 4, len(model.requests), "requests")
	index, err := os.ReadFile(filepath.Join(project, ".mem/core/index.json"))
	_, note, found := strings.Cut(string(index), `"text": "`+ownNote+`"`)
	if note, _, _ = strings.Cut(note, `"text": `); err != nil || !found || !strings.Contains(note, `"origin": "agent"`) {
		t.Errorf("the note of the agent: %v, %q", err, note)
	}
	keepRequests(t, a.name, model.requests)
}

// keepRequests writes what the model was sent, a file each, where MEM_AGENTS_KEEP names a folder.
func keepRequests(t *testing.T, agent string, requests []string) {
	for n, body := range requests {
		if dir := os.Getenv("MEM_AGENTS_KEEP"); dir != "" {
			err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("%s-%d.json", agent, n+1)), []byte(body), 0o600)
			envtest.FailIf(t, err != nil, "%v", err)
		}
	}
}

const ownNote = "Run bun install before bun test: zod is not there"

// A scriptedModel runs a command twice, notes a lesson if it was told how, and says that it is done, in the words of
// Anthropic's messages, OpenAI's responses and chat completions, and Google's Gemini.
type scriptedModel struct {
	mu       sync.Mutex
	requests []string // of the conversation
}

func (m *scriptedModel) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	data, err := io.ReadAll(r.Body)
	if err != nil || r.Method != http.MethodPost {
		return
	}
	body := string(data)
	turn := strings.Count(body, `"tool_result"`) + strings.Count(body, `"function_call_output"`) + strings.Count(body, `"role":"tool"`) + strings.Count(body, `"functionResponse"`)
	command := "./bun test"
	if turn == 2 && strings.Contains(body, "note it: `mem learn --domain process --tags ") {
		command = "mem learn --domain process --tags bun,install '" + ownNote + "'"
	} else if turn == 2 {
		turn++ // it was told nothing
	}
	args := map[string]string{"command": command, "description": "Run the tests"}
	if strings.HasSuffix(r.URL.Path, "/responses") {
		args = map[string]string{"cmd": command}
	}
	call, err := json.Marshal(args)
	if err != nil {
		return
	}
	format, ok := replies[r.URL.Path[strings.LastIndex(r.URL.Path, "/"):]]
	if !ok || !strings.Contains(body, "Run the tests") || !strings.Contains(body, `"tools"`) { // such as a title
		return
	}
	m.mu.Lock()
	m.requests = append(m.requests, body)
	m.mu.Unlock()
	w.Header().Set("Content-Type", "text/event-stream")
	for _, event := range format(turn, call) {
		name, data, _ := strings.Cut(event, " ")
		if strings.Contains(body, `"run_shell_command"`) { // Qwen Code's
			data = strings.Replace(data, `"name":"bash"`, `"name":"run_shell_command"`, 1)
		}
		if name != "-" { // Gemini CLI does not read the names of events
			fmt.Fprintf(w, "event: %s\n", name)
		}
		fmt.Fprintf(w, "data: %s\n\n", data)
	}
}

// replies are what the model says at a turn, by the end of the path: events, each with its
// name before it.
var replies = map[string]func(turn int, call []byte) []string{
	"/messages": func(turn int, call []byte) []string {
		block, delta, stop := `{"type":"text","text":""}`, `{"type":"text_delta","text":"It fails."}`, "end_turn"
		if turn < 3 {
			block = fmt.Sprintf(`{"type":"tool_use","id":"toolu_%d","name":"Bash","input":{}}`, turn)
			delta, stop = fmt.Sprintf(`{"type":"input_json_delta","partial_json":%q}`, call), "tool_use"
		}
		return []string{
			`message_start {"type":"message_start","message":{"id":"msg","type":"message","role":"assistant","model":"scripted","content":[],"usage":{"input_tokens":1,"output_tokens":1}}}`,
			`content_block_start {"type":"content_block_start","index":0,"content_block":` + block + `}`,
			`content_block_delta {"type":"content_block_delta","index":0,"delta":` + delta + `}`,
			`content_block_stop {"type":"content_block_stop","index":0}`,
			`message_delta {"type":"message_delta","delta":{"stop_reason":"` + stop + `"},"usage":{"input_tokens":1,"output_tokens":1}}`,
			`message_stop {"type":"message_stop"}`,
		}
	},
	"/responses": func(turn int, call []byte) []string {
		item := `{"type":"message","role":"assistant","id":"msg","status":"completed","content":[{"type":"output_text","text":"It fails.","annotations":[]}]}`
		if turn < 3 {
			item = fmt.Sprintf(`{"type":"function_call","id":"fc_%d","call_id":"call_%[1]d","name":"exec_command","arguments":%q,"status":"completed"}`, turn, call)
		}
		return []string{
			`response.created {"type":"response.created","response":{"id":"r","object":"response","status":"in_progress","output":[]}}`,
			`response.output_item.done {"type":"response.output_item.done","output_index":0,"item":` + item + `}`,
			`response.completed {"type":"response.completed","response":{"id":"r","object":"response","status":"completed","output":[` + item + `],"usage":{"input_tokens":1,"input_tokens_details":{"cached_tokens":0},"output_tokens":1,"output_tokens_details":{"reasoning_tokens":0},"total_tokens":2}}}`,
		}
	},
	"/scripted:streamGenerateContent": func(turn int, call []byte) []string {
		part := `{"text":"It fails."}`
		if turn < 3 {
			part = fmt.Sprintf(`{"functionCall":{"name":"run_shell_command","args":%s}}`, call)
		}
		return []string{`- {"candidates":[{"content":{"role":"model","parts":[` + part + `]},"finishReason":"STOP","index":0}],"usageMetadata":{"totalTokenCount":2}}`}
	},
	"/completions": func(turn int, call []byte) []string {
		delta, stop := `{"role":"assistant","content":"It fails."}`, "stop"
		if turn < 3 {
			delta = fmt.Sprintf(`{"role":"assistant","tool_calls":[{"index":0,"id":"call_%d","type":"function","function":{"name":"bash","arguments":%q}}]}`, turn, call)
			stop = "tool_calls"
		}
		chunk := `message {"id":"c","object":"chat.completion.chunk","created":1,"model":"scripted","choices":[{"index":0,"delta":%s,"finish_reason":%s}]}`
		return []string{fmt.Sprintf(chunk, delta, "null"), fmt.Sprintf(chunk, "{}", `"`+stop+`"`), "message [DONE]"}
	},
}
