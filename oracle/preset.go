package oracle

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// A presetProgram is a coding agent that people have anyway, with the flags that make it answer one question and do nothing
// else: no tools, no MCP servers, no hooks, no session file, in an empty folder. What it reads may come from a stranger, so
// nothing is left to the person's settings that a flag can decide. It uses the login that it has; mem sees no key.
type presetProgram struct {
	Kind      string        // "claude", "codex", "gemini", "opencode" or "pi", which is also what it is called in PATH
	ModelName string        // the model to use; "" leaves it to the program
	Limit     time.Duration // for one answer; 0 leaves it to the request
	Environ   []string      // of the program
}

// Name returns "command".
func (presetProgram) Name() string { return "command" }

// Model names the program and, if there is one, the model that it is to use.
func (p presetProgram) Model() string {
	if p.ModelName == "" {
		return p.Kind
	}
	return p.Kind + "/" + p.ModelName
}

// Names of files in the folder of one question.
const (
	schemaFile = "schema.json"
	answerFile = "answer.json"
)

// Ask runs the program in a new folder and takes the answer out of what it prints or writes.
func (p presetProgram) Ask(ctx context.Context, r Request) (answer string, err error) {
	dir, err := os.MkdirTemp("", "mem-ask-")
	if err != nil {
		return "", fmt.Errorf("folder for %s: %w", p.Kind, err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	work := filepath.Join(dir, "empty")
	err = os.Mkdir(work, 0o700)
	if err == nil && r.Schema != "" {
		err = os.WriteFile(filepath.Join(dir, schemaFile), []byte(r.Schema), 0o600)
	}
	if err != nil {
		return "", fmt.Errorf("folder for %s: %w", p.Kind, err)
	}
	environ := p.environ(dir)
	if p.Kind == "opencode" {
		if environ, p.ModelName, err = p.opencode(ctx, dir); err != nil {
			return "", err
		}
	}
	argv, err := p.argv(r, dir, work)
	if err != nil {
		return "", err
	}
	command := command{Argv: argv, Limit: p.Limit, Dir: work, Environ: environ}
	printed, err := command.Ask(ctx, r)
	if late := lateArgs[p.Kind]; err != nil && late.arg != "" && strings.Contains(err.Error(), late.says) {
		command.Argv = slices.DeleteFunc(argv, func(arg string) bool { return arg == late.arg })
		printed, err = command.Ask(ctx, r)
	}
	if err != nil {
		return "", err
	}
	switch p.Kind {
	case "claude":
		return readClaude(printed, r.Report)
	case "gemini":
		return readGemini(printed)
	case "codex":
		return readAnswer(filepath.Join(dir, answerFile))
	}
	return printed, nil
}

// lateArgs are arguments that older versions may reject, and their error message; these versions are asked without
// them. The arguments keep AGENTS.md out of what pi sends, and disable the multi-agent tools of Codex models.
var lateArgs = map[string]struct{ arg, says string }{
	"pi":    {"--no-context-files", "--no-context-files"},
	"codex": {"--config=agents.enabled=false", "in `agents`"},
}

// fixedArgs are how programs are run, whatever the request is. Those of codex depend on its version.
var fixedArgs = map[string][]string{
	"claude": {
		"claude", "-p", "--output-format", "json", "--no-session-persistence",
		"--settings", `{"disableAllHooks":true}`, "--tools", "", "--strict-mcp-config",
	},
	"gemini":   {"gemini", "-p", "Answer what was given on standard input.", "--output-format", "json"},
	"opencode": {"opencode", "--pure", "run", "--agent", "mem", "--title", "mem"}, // for a title it would ask a model
	// A word for each of its system prompts keeps the person's SYSTEM.md and
	// APPEND_SYSTEM.md out; the whole request is on standard input.
	"pi": {
		"pi", "-p", "--no-session", "--no-tools", "--no-extensions", "--no-skills",
		"--system-prompt", "Answer what you are asked.", "--append-system-prompt", "Use no tools.", lateArgs["pi"].arg,
	},
}

// argv is the program with its arguments. The prompt goes to its input.
func (p presetProgram) argv(r Request, dir, work string) (argv []string, err error) {
	argv = slices.Clone(fixedArgs[p.Kind])
	schema := []string{"--json-schema", r.Schema}
	if p.Kind == "codex" {
		if argv, err = p.codex(); err != nil {
			return nil, err
		}
		argv = append(argv, "-C", work, "-o", filepath.Join(dir, answerFile))
		schema = []string{"--output-schema", filepath.Join(dir, schemaFile)}
	}
	if r.Schema != "" && (p.Kind == "claude" || p.Kind == "codex") {
		argv = append(argv, schema...)
	}
	if p.ModelName != "" {
		argv = append(argv, "--model", p.ModelName)
	}
	if p.Kind == "codex" {
		argv = append(argv, "-") // the prompt is on standard input
	}
	return argv, nil
}

// sessionVariables tell a program that it runs inside a session of an agent, which this one must not believe.
var sessionVariables = [...]string{"CLAUDECODE", "CLAUDE_CODE_CHILD_SESSION", "CLAUDE_CODE_ENTRYPOINT", "CLAUDE_CODE_SESSION_ID", "CLAUDE_PROJECT_DIR"}

// ownVariables keep Claude Code from sending CLAUDE.md or an output style along, and from keeping a memory of each
// question in a folder of its own. A version that does not know them ignores them, which it would not do with a flag.
var ownVariables = [...]string{"CLAUDE_CODE_DISABLE_CLAUDE_MDS", "CLAUDE_CODE_DISABLE_AUTO_MEMORY", "CLAUDE_CODE_SAFE_MODE"}

// environ is the program's environment: what it leaves in its folder for temporary files goes with the question's.
func (p presetProgram) environ(dir string) []string {
	list := slices.DeleteFunc(slices.Clone(p.Environ), func(kv string) bool {
		name, _, _ := strings.Cut(kv, "=")
		return slices.Contains(sessionVariables[:], name) || slices.Contains(ownVariables[:], name)
	})
	for _, name := range ownVariables {
		list = append(list, name+"=1")
	}
	if p.Kind == "codex" {
		if home := p.hideInstructions(dir); home != "" {
			list = append(list, "CODEX_HOME="+home)
		}
	}
	// Gemini CLI answers in a trusted folder only; this one is empty. opencode believes PWD.
	return append(list, "GEMINI_CLI_TRUST_WORKSPACE=true", "PWD="+filepath.Join(dir, "empty"), "TMPDIR="+dir)
}

// readClaude takes the answer out of Claude Code's envelope. What is not an envelope
// is taken for the answer, which the caller checks anyway.
func readClaude(printed string, report func(int)) (string, error) {
	var said struct {
		IsError    bool           `json:"is_error"`
		Result     string         `json:"result"`
		Structured jsontext.Value `json:"structured_output"`
		Usage      struct {
			In     int `json:"input_tokens"`
			Stored int `json:"cache_creation_input_tokens"`
			Cached int `json:"cache_read_input_tokens"`
			Out    int `json:"output_tokens"`
		} `json:"usage"`
	}
	if json.Unmarshal([]byte(printed), &said, lenient()) != nil {
		return printed, nil
	}
	if report != nil {
		report(said.Usage.In + said.Usage.Stored + said.Usage.Cached + said.Usage.Out)
	}
	switch {
	case said.IsError:
		return "", fmt.Errorf("claude: %s", Client{}.clean(said.Result))
	case len(said.Structured) > 0 && string(said.Structured) != "null":
		return string(said.Structured), nil
	case said.Result != "":
		return said.Result, nil
	}
	return printed, nil
}

func readGemini(printed string) (string, error) {
	var said struct {
		Response string `json:"response"`
		Error    *struct {
			Message string `json:"message"`
		} `json:"error"`
	}
	switch {
	case json.Unmarshal([]byte(printed), &said, lenient()) != nil:
		return printed, nil
	case said.Error != nil:
		return "", fmt.Errorf("gemini: %s", Client{}.clean(said.Error.Message))
	case said.Response != "":
		return said.Response, nil
	}
	return printed, nil
}

func readAnswer(path string) (string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", errors.New("codex: it left no answer")
	}
	if info.Size() > maxAnswer {
		return "", fmt.Errorf("codex: %w", errTooLong)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return "", fmt.Errorf("codex: read the answer: %w", err)
	}
	return string(data), nil
}
