package build

import (
	"strings"

	"github.com/go-json-experiment/json"

	"mem/session"
	"mem/trace/jsonl"
)

// ToolOrigin says whether what a tool answers comes from this machine.
func ToolOrigin(name string) session.Origin {
	if strings.HasPrefix(name, "mcp__") {
		return session.External // a server that mem knows nothing of
	}
	low := strings.ToLower(name)
	for _, part := range []string{"web", "fetch", "browse", "http", "url", "crawl"} {
		if strings.Contains(low, part) {
			return session.External
		}
	}
	return session.Tool
}

// ResultOrigin is ToolOrigin for a result whose tool may be unknown, which could
// be anything.
func ResultOrigin(tool string) session.Origin {
	if tool == "" {
		return session.External
	}
	return ToolOrigin(tool)
}

// CommandInput is the input of a shell tool that runs command.
func CommandInput(command string) string {
	v, err := json.Marshal(struct {
		Command string `json:"command"`
	}{command}, jsonl.ForeignOptions())
	if err != nil {
		return ""
	}
	return jsonl.Compact(v)
}
