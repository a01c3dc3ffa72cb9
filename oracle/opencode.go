package oracle

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/go-json-experiment/json"
)

// opencodeOff is an agent without tools, and whatever would send a session elsewhere. It is
// merged over the person's settings.
const opencodeOff = `{"share":"disabled","snapshot":false,"permission":{"*":"deny"},` +
	`"agent":{"mem":{"mode":"primary","prompt":"Answer what you are asked.","permission":{"*":"deny"}}},"mcp":%s}`

const opencodeLock = `{"packages":{"":{"dependencies":{"@opencode-ai/plugin":"*"}}}}`

// opencode returns the environment in which opencode answers and does nothing else, in dir, and
// the model to use: the person's small one unless another is named. MCP servers are switched off
// by name, for which opencode is asked: its settings have comments, and several places.
func (p presetProgram) opencode(ctx context.Context, dir string) (environ []string, model string, err error) {
	environ = append(p.environ(dir), "OPENCODE_DB="+filepath.Join(dir, "opencode.db")) // the session goes with the question
	ask := command{Argv: []string{"opencode", "--pure", "debug", "config"}, Limit: time.Minute, Dir: filepath.Join(dir, "empty"), Environ: environ}
	printed, err := ask.Ask(ctx, Request{})
	type server struct {
		Enabled bool `json:"enabled"`
	}
	var own struct {
		Small string            `json:"small_model"`
		MCP   map[string]server `json:"mcp"`
	}
	if err == nil {
		err = json.Unmarshal([]byte(printed), &own, lenient())
	}
	for name := range own.MCP {
		own.MCP[name] = server{}
	}
	servers, failed := json.Marshal(own.MCP)
	if err = cmp.Or(err, failed); err != nil {
		return nil, "", fmt.Errorf("opencode: find its MCP servers: %w", err)
	}
	environ = append(environ, "OPENCODE_DISABLE_PROJECT_CONFIG=1", "OPENCODE_DISABLE_CLAUDE_CODE=1", "OPENCODE_DISABLE_EXTERNAL_SKILLS=1",
		"OPENCODE_DISABLE_AUTOUPDATE=1", "OPENCODE_DISABLE_LSP_DOWNLOAD=1", "OPENCODE_CONFIG_DIR=", `OPENCODE_PERMISSION={"*":"deny"}`,
		"OPENCODE_CONFIG_CONTENT="+fmt.Sprintf(opencodeOff, servers))

	// A folder for configuration with links to the settings alone: no AGENTS.md, no agents, no plugins. The
	// lock keeps opencode from installing packages there, which it does once for each such folder.
	from := filepath.Join(cmp.Or(p.getenv("XDG_CONFIG_HOME"), filepath.Join(p.home(), ".config")), "opencode")
	to := filepath.Join(dir, "config", "opencode")
	linked := os.MkdirAll(filepath.Join(to, "node_modules"), 0o700) == nil &&
		os.WriteFile(filepath.Join(to, "package-lock.json"), []byte(opencodeLock), 0o600) == nil
	for _, name := range []string{"config.json", "opencode.json", "opencode.jsonc"} {
		if _, err := os.Stat(filepath.Join(from, name)); err == nil {
			linked = linked && os.Symlink(filepath.Join(from, name), filepath.Join(to, name)) == nil
		}
	}
	if linked {
		environ = append(environ, "XDG_CONFIG_HOME="+filepath.Dir(to))
	}
	return environ, cmp.Or(p.ModelName, own.Small), nil
}
