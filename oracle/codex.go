package oracle

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"mem/config"
	"mem/lazy"
)

// codexOff is all that Codex may do besides answering, and all of the person's that it would send along, as settings
// that take it away. A version that does not know one of them ignores it. What some models bring along themselves, code
// mode and apply_patch, fails: there is no host for it and nothing to write to.
var codexOff = []string{
	"features.shell_tool=false", "features.multi_agent=false", "features.multi_agent_v2=false", "features.apps=false", "features.plugins=false",
	"features.hooks=false", "features.codex_hooks=false", "features.code_mode=false", "features.code_mode_host=false", "features.goals=false",
	"features.image_generation=false", "features.memories=false", "features.tool_suggest=false", "features.view_image=false",
	"tools.update_plan.enabled=false", "tools.experimental_request_user_input.enabled=false",
	"skills.include_instructions=false", `web_search="disabled"`, `developer_instructions=""`, "notify=[]",
}

// codexServer is what Codex takes for the name of an MCP server.
var codexServer = lazy.New(`^[A-Za-z0-9_-]+$`)

// codex is codex exec without anything that reaches out of it. It has no flag for MCP servers that leaves the person's
// model and provider alone (an empty mcp_servers is merged with theirs), so each one is switched off by its name.
func (p presetProgram) codex() ([]string, error) {
	argv := []string{"codex", "exec", "--ephemeral", "--skip-git-repo-check", "-s", "read-only", lateArgs["codex"].arg}
	off := codexOff
	names, err := p.codexServers()
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		if codexServer.Get().MatchString(name) { // Codex starts no others
			off = append(off[:len(off):len(off)], "mcp_servers."+name+".enabled=false")
		}
	}
	for _, setting := range off {
		argv = append(argv, "-c", setting)
	}
	return argv, nil
}

func (p presetProgram) codexHome() string {
	return cmp.Or(p.getenv("CODEX_HOME"), filepath.Join(p.home(), ".codex"))
}

func (p presetProgram) home() string { return cmp.Or(p.getenv("HOME"), p.getenv("USERPROFILE")) }

// codexServers lists the MCP servers in the person's settings of Codex. Codex is
// not asked if they cannot be read: it could start any.
func (p presetProgram) codexServers() ([]string, error) {
	data, err := os.ReadFile(filepath.Join(p.codexHome(), "config.toml"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var all map[string]any
	if err == nil {
		all, err = config.ReadTables(data)
	}
	if err != nil {
		return nil, fmt.Errorf("codex: find its MCP servers: %w", err)
	}
	servers, _ := all["mcp_servers"].(map[string]any)
	return slices.Sorted(maps.Keys(servers)), nil
}

// hideInstructions makes a home of Codex in dir that links to all of the person's but the AGENTS.md in it, which no
// setting keeps out; "" if there is no need, or no way to keep the login. Codex writes auth.json where the link points.
// A login that is in no file is found by the path of the home, which must stay.
func (p presetProgram) hideInstructions(dir string) string {
	from, to := p.codexHome(), filepath.Join(dir, "home")
	all, _ := fs.Glob(os.DirFS(from), "*") // only a bad pattern is an error
	own, _ := fs.Glob(os.DirFS(from), "AGENTS*.md")
	if len(own) == 0 || !slices.Contains(all, "auth.json") || os.Mkdir(to, 0o700) != nil {
		return ""
	}
	for _, name := range all {
		if !slices.Contains(own, name) && os.Symlink(filepath.Join(from, name), filepath.Join(to, name)) != nil {
			return ""
		}
	}
	return to
}

// getenv returns a variable of the program; the last one counts.
func (p presetProgram) getenv(name string) (value string) {
	for _, kv := range p.Environ {
		if is, v, ok := strings.Cut(kv, "="); ok && is == name {
			value = v
		}
	}
	return value
}
