package config_test

import (
	"fmt"
	"testing"

	"mem/config"
)

func TestListTop(t *testing.T) {
	for in, want := range map[string]string{
		"": "[]", "mcp_servers = 1": "[]", "[mcp_servers]": "[]", "[other.a]\nx = 1": "[]",
		"[mcp_servers.b]\ncommand = \"x\"\n[mcp_servers.b.env]\nA = \"1\"\n[mcp_servers.\"a.b\"]": "[a.b b]",
		"mcp_servers = {b = {}, a = {}}": "[a b]",
	} {
		if got, err := config.ListTop([]byte(in), "mcp_servers"); err != nil || fmt.Sprint(got) != want {
			t.Errorf("ListTop(%q) = %v, %v, want %s", in, got, err, want)
		}
	}
	if got, err := config.ListTop([]byte("[mcp_servers"), "mcp_servers"); err == nil {
		t.Errorf("a broken file: %v", got)
	}
}
