package preset

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"mem/oracle"
)

// opencodeVariables keep opencode from all that it would read or load beside the question. A
// version that does not know one of them ignores it.
var opencodeVariables = []string{
	"OPENCODE_DISABLE_PROJECT_CONFIG=1", "OPENCODE_DISABLE_CLAUDE_CODE=1", "OPENCODE_DISABLE_EXTERNAL_SKILLS=1",
	"OPENCODE_DISABLE_AUTOUPDATE=1", "OPENCODE_DISABLE_LSP_DOWNLOAD=1", "OPENCODE_CONFIG_DIR=", `OPENCODE_PERMISSION={"*":"deny"}`,
}

// opencodeSettings are merged over the person's own: an agent without tools, and no MCP server.
type opencodeSettings struct {
	Share      string                    `json:"share"`
	Snapshot   bool                      `json:"snapshot"`
	Permission map[string]string         `json:"permission"`
	MCP        map[string]opencodeServer `json:"mcp"`
	Agent      map[string]opencodeAgent  `json:"agent"`
}

type opencodeServer struct {
	Enabled bool `json:"enabled"`
}

type opencodeAgent struct {
	Mode       string            `json:"mode"`
	Prompt     string            `json:"prompt"`
	Permission map[string]string `json:"permission"`
}

// opencodeTimeout is how long opencode may take to print its settings.
const opencodeTimeout = 30 * time.Second

// opencode returns the environment in which opencode only answers, in dir, and the model to use:
// the person's small one unless another is named. MCP servers are switched off by their names, which opencode itself
// is asked for: its settings have comments, and come from several files.
func (p Program) opencode(ctx context.Context, dir string) (environ []string, model string, err error) {
	environ = append(p.environ(dir), "OPENCODE_DB="+filepath.Join(dir, "opencode.db")) // the session goes with the question
	ask := oracle.Command{Argv: []string{"opencode", "--pure", "debug", "config"}, Limit: opencodeTimeout, Dir: filepath.Join(dir, "empty"), Environ: environ}
	printed, err := ask.Ask(ctx, oracle.Request{})
	var own struct {
		Small string                    `json:"small_model"`
		MCP   map[string]jsontext.Value `json:"mcp"`
	}
	if err == nil {
		err = json.Unmarshal([]byte(printed), &own, oracle.LenientJSON())
	}
	if err != nil {
		return nil, "", fmt.Errorf("opencode: find its MCP servers: %w", err)
	}
	deny := map[string]string{"*": "deny"}
	off := opencodeSettings{Share: "disabled", Permission: deny, MCP: map[string]opencodeServer{},
		Agent: map[string]opencodeAgent{"mem": {"primary", "Answer what you are asked.", deny}}}
	for name := range own.MCP {
		off.MCP[name] = opencodeServer{}
	}
	settings, err := json.Marshal(off)
	if err != nil {
		return nil, "", fmt.Errorf("settings for opencode: %w", err)
	}
	environ = append(append(environ, opencodeVariables...), "OPENCODE_CONFIG_CONTENT="+string(settings))
	if home := p.linkSettings(dir); home != "" {
		environ = append(environ, "XDG_CONFIG_HOME="+home)
	}
	return environ, cmp.Or(p.ModelName, own.Small), nil
}

// linkSettings makes a folder for configuration in dir with links to the person's settings of
// opencode and nothing else: no AGENTS.md, no agents, no plugins; "" where there are no links.
func (p Program) linkSettings(dir string) string {
	home := filepath.Join(dir, "config")
	from, to := filepath.Join(cmp.Or(p.getenv("XDG_CONFIG_HOME"), filepath.Join(p.home(), ".config")), "opencode"), filepath.Join(home, "opencode")
	if os.MkdirAll(to, 0o700) != nil {
		return ""
	}
	for _, name := range []string{"config.json", "opencode.json", "opencode.jsonc"} {
		if _, err := os.Stat(filepath.Join(from, name)); err == nil && os.Symlink(filepath.Join(from, name), filepath.Join(to, name)) != nil {
			return ""
		}
	}
	return home
}
