package preset

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"mem/config"
)

// codexOff is all that Codex may do besides answering, as settings that take it
// away. A version that does not know one of them ignores it.
var codexOff = []string{
	"features.shell_tool=false", "features.multi_agent=false", "features.apps=false", "features.plugins=false",
	"features.hooks=false", `web_search="disabled"`,
}

// codexServer is what Codex takes for the name of an MCP server.
var codexServer = regexp.MustCompile(`^[A-Za-z0-9_-]+$`)

// codex is codex exec without anything that reaches out of it. It has no flag for
// MCP servers that leaves the person's model and provider alone (an empty
// mcp_servers is merged with theirs), so each one is switched off by its name.
func (p Program) codex() ([]string, error) {
	argv := []string{"codex", "exec", "--ephemeral", "--skip-git-repo-check", "-s", "read-only"}
	off := codexOff
	names, err := p.codexServers()
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		if codexServer.MatchString(name) { // Codex starts no others
			off = append(off[:len(off):len(off)], "mcp_servers."+name+".enabled=false")
		}
	}
	for _, setting := range off {
		argv = append(argv, "-c", setting)
	}
	return argv, nil
}

// codexServers lists the MCP servers in the person's settings of Codex. Codex is
// not asked if they cannot be read: it could start any.
func (p Program) codexServers() ([]string, error) {
	home := cmp.Or(p.getenv("CODEX_HOME"), filepath.Join(cmp.Or(p.getenv("HOME"), p.getenv("USERPROFILE")), ".codex"))
	data, err := os.ReadFile(filepath.Join(home, "config.toml"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var names []string
	if err == nil {
		names, err = config.ListTop(data, "mcp_servers")
	}
	if err != nil {
		return nil, fmt.Errorf("codex: find its MCP servers: %w", err)
	}
	return names, nil
}

// getenv returns a variable of the program; the last one counts.
func (p Program) getenv(name string) (value string) {
	for _, kv := range p.Environ {
		if is, v, ok := strings.Cut(kv, "="); ok && is == name {
			value = v
		}
	}
	return value
}
