package oracle

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"mem/envtest"
)

// A call is what a program was called with.
type call struct {
	Args   []string
	Input  string
	Schema string // content of the schema's file
	Empty  bool   // the folder it runs in
	Env    []string
	Home   []string // names in $CODEX_HOME
}

// playAgent keeps the call in $CALL and says $SAY, or puts it where -o says.
func playAgent() error {
	if slices.Contains(os.Args, "debug") {
		_, err := fmt.Print(os.Getenv("SETTINGS"))
		return err
	}
	in, err := io.ReadAll(os.Stdin)
	if err != nil {
		return err
	}
	inside, err := os.ReadDir(".")
	if err != nil {
		return err
	}
	c := call{Args: os.Args[1:], Input: string(in), Empty: len(inside) == 0 && filepath.Base(os.Getenv("PWD")) == "empty", Env: os.Environ()}
	if dir := os.Getenv("CODEX_HOME"); dir != "" {
		names, err := filepath.Glob(filepath.Join(dir, "*"))
		if err != nil {
			return err
		}
		for _, name := range names {
			c.Home = append(c.Home, filepath.Base(name))
		}
		if name := os.Getenv("WRITE"); name != "" {
			if err := os.WriteFile(filepath.Join(dir, name), []byte("new"), 0o600); err != nil {
				return err
			}
		}
	}
	out := ""
	if dir := os.Getenv("XDG_CONFIG_HOME"); dir != "" {
		if c.Home, err = filepath.Glob(filepath.Join(dir, "*", "*")); err != nil {
			return err
		}
	}
	for i, a := range c.Args[:len(c.Args)-1] {
		switch a {
		case "--output-schema":
			data, err := os.ReadFile(c.Args[i+1])
			if err != nil {
				return err
			}
			c.Schema, c.Args[i+1] = string(data), "SCHEMA"
		case "-o":
			out, c.Args[i+1] = c.Args[i+1], "OUT"
		case "-C":
			c.Args[i+1] = "DIR"
		}
	}
	data, err := json.Marshal(c)
	if err != nil {
		return err
	}
	if err := os.WriteFile(os.Getenv("CALL"), data, 0o600); err != nil {
		return err
	}
	if os.Getenv("SAY") == "fail" {
		return errors.New("please log in")
	}
	if flag := os.Getenv("UNKNOWN"); flag != "" && slices.Contains(c.Args, flag) {
		return errors.New(cmp.Or(os.Getenv("COMPLAINT"), "Error: Unknown option: "+flag))
	}
	if _, err := os.MkdirTemp("", "fswatch-probe-"); err != nil { // as Claude Code leaves it
		return err
	}
	if out != "" {
		fmt.Println("reading the prompt…")
		if os.Getenv("SAY") == "" {
			return nil
		}
		return os.WriteFile(out, []byte(os.Getenv("SAY")), 0o600)
	}
	fmt.Print(os.Getenv("SAY"))
	return nil
}

// installAgents puts the programs into PATH and returns where they keep their calls.
func installAgents(t *testing.T) string {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("no symbolic links")
	}
	self, err := os.Executable()
	envtest.NoError(t, err)
	bin := t.TempDir()
	for _, name := range agentNames {
		envtest.NoError(t, os.Symlink(self, filepath.Join(bin, name)))
	}
	t.Setenv("PATH", bin)
	t.Setenv("TMPDIR", t.TempDir())
	return filepath.Join(bin, "call")
}

const schema = `{"type":"object"}`

func TestPresets(t *testing.T) {
	file := installAgents(t)
	claudeArgs := []string{"-p", "--output-format", "json", "--no-session-persistence", "--settings", `{"disableAllHooks":true}`, "--tools", "", "--strict-mcp-config"}
	codexArgs := func(more ...string) []string {
		return append([]string{"exec", "--ephemeral", "--skip-git-repo-check", "-s", "read-only", "--config=agents.enabled=false",
			"-c", "features.shell_tool=false", "-c", "features.multi_agent=false", "-c", "features.multi_agent_v2=false", "-c", "features.apps=false", "-c", "features.plugins=false",
			"-c", "features.hooks=false", "-c", "features.codex_hooks=false", "-c", "features.code_mode=false", "-c", "features.code_mode_host=false", "-c", "features.goals=false",
			"-c", "features.image_generation=false", "-c", "features.memories=false", "-c", "features.tool_suggest=false", "-c", "features.view_image=false",
			"-c", "tools.update_plan.enabled=false", "-c", "tools.experimental_request_user_input.enabled=false",
			"-c", "skills.include_instructions=false", "-c", `web_search="disabled"`, "-c", `developer_instructions=""`, "-c", "notify=[]",
			"-c", "mcp_servers.docs.enabled=false", "-c", "mcp_servers.mem.enabled=false", "-C", "DIR", "-o", "OUT"}, more...)
	}
	// What people have in Codex: everything allowed, and servers. See agents.md M2.
	home := t.TempDir()
	err := os.WriteFile(filepath.Join(home, "config.toml"), []byte("sandbox_mode = \"danger-full-access\"\n[mcp_servers.mem]\ncommand = \"mem\"\n[mcp_servers.docs]\nurl = \"x\"\n[mcp_servers.\"not; one\"]\n"), 0o600)
	envtest.NoError(t, err)
	for _, tt := range []struct {
		kind, model, schema, says string
		args                      []string
		want                      string
		tokens                    int
	}{
		{"claude", "", schema, `{"type":"result","is_error":false,"result":"x","structured_output":{"fixes":[]},"usage":{"input_tokens":5,"cache_creation_input_tokens":10,"cache_read_input_tokens":100,"output_tokens":7}}`,
			append(claudeArgs, "--json-schema", schema), `{"fixes":[]}`, 122},
		{"claude", "haiku", "", `{"is_error":false,"result":"# Wins"}`, append(claudeArgs, "--model", "haiku"), "# Wins", 0},
		{"claude", "", "", "plain words", claudeArgs, "plain words", 0},
		{"codex", "", schema, `{"fixes":[]}`, codexArgs("--output-schema", "SCHEMA", "-"), `{"fixes":[]}`, 0},
		{"codex", "gpt-5", "", "# Wins", codexArgs("--model", "gpt-5", "-"), "# Wins", 0},
		{"gemini", "", schema, `{"response":"{\"fixes\":[]}","stats":{}}`, []string{"-p", "Answer what was given on standard input.", "--output-format", "json"}, `{"fixes":[]}`, 0},
		{"pi", "", schema, `{"fixes":[]}`, []string{"-p", "--no-session", "--no-tools", "--no-extensions", "--no-skills",
			"--system-prompt", "Answer what you are asked.", "--append-system-prompt", "Use no tools.", "--no-context-files"}, `{"fixes":[]}`, 0},
	} {
		p := presetProgram{Kind: tt.kind, ModelName: tt.model, Environ: []string{"CALL=" + file, "SAY=" + tt.says, "CLAUDECODE=1", "CLAUDE_CODE_OAUTH_TOKEN=t", "CODEX_HOME=" + home, "TMPDIR=" + os.Getenv("TMPDIR")}}
		tokens := 0
		got, err := p.Ask(t.Context(), Request{System: "sys", Prompt: "say", Schema: tt.schema, Report: func(n int) { tokens += n }})
		envtest.FailIf(t, err != nil || got != tt.want || tokens != tt.tokens,
			"%s: Ask = %q, %v, %d tokens, want %q, %d", tt.kind, got, err, tokens, tt.want, tt.tokens)
		var c call
		envtest.NoError(t, json.Unmarshal([]byte(envtest.Read(t, file)), &c))
		envtest.Same(t, "", gocmp.Diff(tt.args, c.Args), tt.kind)
		envtest.FailIf(t, c.Input != "sys\n\nsay" || !c.Empty || tt.kind == "codex" && c.Schema != tt.schema,
			"%s: %+v", tt.kind, c)
		if !slices.Contains(c.Env, "MEM_CHILD=1") || slices.Contains(c.Env, "CLAUDECODE=1") ||
			!slices.Contains(c.Env, "GEMINI_CLI_TRUST_WORKSPACE=true") || !slices.Contains(c.Env, "CLAUDE_CODE_DISABLE_CLAUDE_MDS=1") || !slices.Contains(c.Env, "CLAUDE_CODE_SAFE_MODE=1") || !slices.Contains(c.Env, "CLAUDE_CODE_DISABLE_AUTO_MEMORY=1") || !slices.Contains(c.Env, "CLAUDE_CODE_OAUTH_TOKEN=t") {
			t.Errorf("%s: environment %q", tt.kind, c.Env)
		}
	}
	left, err := os.ReadDir(os.Getenv("TMPDIR"))
	envtest.FailIf(t, err != nil || len(left) > 0, "left behind: %v, %v", left, err)
}

// A pi that fails over the flag that keeps AGENTS.md out is asked without it, a Codex
// (0.144 speaks so) over a setting of later ones, and no other program is (agents.md M3). Codex is not asked if the servers that it would
// start are not known (M2).
func TestPresetsOfOtherVersions(t *testing.T) {
	file := installAgents(t)
	for _, tt := range []struct{ kind, unknown, says, want string }{
		{"pi", "--no-context-files", "", ""},
		{"pi", "--no-skills", "", "Unknown option: --no-skills"},
		{"claude", "--strict-mcp-config", "", "Unknown option: --strict-mcp-config"},
		{"codex", "--config=agents.enabled=false", "Error loading config.toml: invalid type: boolean `false`, expected struct AgentRoleToml\nin `agents`\n", ""},
		{"codex", "--ephemeral", "error: unexpected argument '--ephemeral' found", "unexpected argument"},
	} {
		p := presetProgram{Kind: tt.kind, Environ: []string{"CALL=" + file, "SAY=# Wins", "UNKNOWN=" + tt.unknown, "COMPLAINT=" + tt.says, "GOCOVERDIR=" + t.TempDir()}}
		got, err := p.Ask(t.Context(), Request{Prompt: "say"})
		if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) || err == nil && got != "# Wins" {
			t.Errorf("%s without %s: %q, %v, want %q", tt.kind, tt.unknown, got, err, tt.want)
		}
	}
	home := t.TempDir()
	envtest.NoError(t, os.Mkdir(filepath.Join(home, ".codex"), 0o700))
	envtest.NoError(t, os.WriteFile(filepath.Join(home, ".codex", "config.toml"), []byte("[mcp_servers"), 0o600))
	envtest.NoError(t, os.Remove(file))
	p := presetProgram{Kind: "codex", Environ: []string{"CALL=" + file, "SAY=# Wins", "HOME=" + home}}
	if got, err := p.Ask(t.Context(), Request{Prompt: "say"}); err == nil || !strings.Contains(err.Error(), "codex: find its MCP servers: ") {
		t.Errorf("broken settings: %q, %v", got, err)
	}
	_, err := os.Stat(file)
	envtest.FailIf(t, err == nil, "codex ran")
}

// Codex finds all of its home but AGENTS.md, and writes its login where it was. It finds its own home where there is
// nothing to hide, or where the login is in no file and is found by the path.
func TestCodexReadsNoInstructions(t *testing.T) {
	file := installAgents(t)
	for _, tt := range []struct {
		name   string
		files  []string
		hidden bool
	}{
		{"to hide", []string{"AGENTS.md", "AGENTS.override.md", "auth.json", "config.toml"}, true},
		{"nothing to hide", []string{"auth.json", "config.toml"}, false},
		{"the login elsewhere", []string{"AGENTS.md", "config.toml"}, false},
	} {
		home := t.TempDir()
		for _, name := range tt.files {
			envtest.NoError(t, os.WriteFile(filepath.Join(home, name), nil, 0o600))
		}
		p := presetProgram{Kind: "codex", Environ: []string{"CALL=" + file, "SAY=# Wins", "CODEX_HOME=" + home, "WRITE=auth.json"}}
		if _, err := p.Ask(t.Context(), Request{Prompt: "say"}); err != nil {
			t.Fatal(err)
		}
		var c call
		data, err := os.ReadFile(file)
		if err == nil {
			err = json.Unmarshal(data, &c)
		}
		envtest.NoError(t, err)
		if slices.Contains(c.Env, "CODEX_HOME="+home) == tt.hidden || tt.hidden && !slices.Equal(c.Home, []string{"auth.json", "config.toml"}) || !tt.hidden && !slices.Equal(c.Home, tt.files) {
			t.Errorf("%s: Codex found %q", tt.name, c.Home)
		}
		if login, err := os.ReadFile(filepath.Join(home, "auth.json")); slices.Contains(tt.files, "auth.json") && (err != nil || string(login) != "new") {
			t.Errorf("%s: the login is %q, %v", tt.name, login, err)
		}
		left, err := os.ReadDir(home)
		envtest.FailIf(t, err != nil || len(left) != len(tt.files) && tt.hidden, "%s: left %v, %v", tt.name, left, err)
	}
}

// opencode answers without tools, MCP servers, instructions or a session that stays, with its
// small model unless another is named; and not at all if its servers are not known.
func TestOpencode(t *testing.T) {
	file, home := installAgents(t), t.TempDir()
	for _, name := range []string{"AGENTS.md", "opencode.jsonc", "plugins"} {
		envtest.NoError(t, os.MkdirAll(filepath.Join(home, ".config", "opencode", name), 0o700))
	}
	for _, tt := range []struct{ settings, model, args, want string }{
		{`{"small_model":"here/small","mcp":{"docs":{}}}`, "", "--model here/small", `"mcp":{"docs":{"enabled":false}}`},
		{`{"small_model":"here/small"}`, "here/big", "--model here/big", `"mcp":{}`},
		{`{}`, "", "--title mem", `"permission":{"*":"deny"}`},
		{"broken", "", "", ""},
	} {
		_ = os.Remove(file)
		p := presetProgram{Kind: "opencode", ModelName: tt.model, Environ: []string{"HOME=" + home, "CALL=" + file, "SAY=# Wins", "SETTINGS=" + tt.settings, "OPENCODE_CONFIG_DIR=/mine", "TMPDIR=" + os.Getenv("TMPDIR")}}
		got, err := p.Ask(t.Context(), Request{Prompt: "say"})
		var c call
		data, unread := os.ReadFile(file)
		if tt.args == "" {
			envtest.FailIf(t, err == nil || !strings.Contains(err.Error(), "opencode: find its MCP servers: ") || unread == nil,
				"%s: %v, %v", tt.settings, err, unread)
			continue
		}
		err = errors.Join(err, unread, json.Unmarshal(data, &c))
		envtest.StopIf(t, err != nil || got != "# Wins", "%s: %q, %v", tt.settings, got, err)
		env := strings.Join(c.Env, "\n")
		if !strings.HasSuffix(strings.Join(c.Args, " "), tt.args) || !strings.Contains(env, tt.want) || strings.Contains(env, "=/mine") ||
			!strings.Contains(env, "OPENCODE_DB="+os.Getenv("TMPDIR")) || len(c.Home) != 3 || !strings.HasSuffix(c.Home[1], "opencode.jsonc") || !c.Empty {
			t.Errorf("%s: %+v", tt.settings, c)
		}
	}
}

func TestPresetsFail(t *testing.T) {
	file := installAgents(t)
	for _, tt := range []struct{ kind, says, want string }{
		{"claude", `{"is_error":true,"result":"Invalid API key\n· Please run /login"}`, "claude: Invalid API key · Please run /login"},
		{"gemini", `{"error":{"type":"x","message":"quota"}}`, "gemini: quota"},
		{"codex", "", "codex: it left no answer"},
		{"codex", strings.Repeat("x", 100_000), ""},
		{"claude", "fail", "please log in"},
		{"vim", "", "no command is configured"},
	} {
		// Built for coverage, the program complains without a place for it.
		p := presetProgram{Kind: tt.kind, Environ: []string{"CALL=" + file, "SAY=" + tt.says, "GOCOVERDIR=" + t.TempDir()}}
		_, err := p.Ask(t.Context(), Request{Prompt: "say"})
		envtest.FailIf(t, (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want),
			"%s: %v, want %q", tt.kind, err, tt.want)
	}
	t.Setenv("PATH", t.TempDir())
	_, err := (presetProgram{Kind: "claude"}).Ask(t.Context(), Request{})
	envtest.FailIf(t, err == nil, "without the program: %v", err)
	envtest.Same(t, "command/claude/haiku", By(presetProgram{Kind: "claude", ModelName: "haiku"}), "By")
}
