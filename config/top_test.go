package config_test

import (
	"errors"
	"fmt"
	"testing"

	"mem/config"
)

func TestAddTop(t *testing.T) {
	const value, line = `["mem", "hook", "codex"]`, `notify = ["mem", "hook", "codex"]`
	for _, tt := range []struct{ before, after string }{
		{"", line},
		{"\n", line + "\n\n"},
		{"\xef\xbb\xbf", "\xef\xbb\xbf" + line},
		{"# mine\nmodel = \"x\"\n[features]\nhooks = true", line + "\n# mine\nmodel = \"x\"\n[features]\nhooks = true"},
		{"[tui]\r\nx = 1\r\n", line + "\r\n[tui]\r\nx = 1\r\n"},
		{"\xef\xbb\xbf[tui]\nnotify = 1\n", "\xef\xbb\xbf" + line + "\n[tui]\nnotify = 1\n"},
		{"a = '''\n" + line + "\n'''\n", line + "\na = '''\n" + line + "\n'''\n"},
	} {
		got, err := config.AddTop([]byte(tt.before), "notify", value)
		if err != nil || string(got) != tt.after {
			t.Errorf("AddTop(%q) = %q, %v, want %q", tt.before, got, err, tt.after)
			continue
		}
		if again, err := config.AddTop(got, "notify", value); err != nil || string(again) != tt.after {
			t.Errorf("a second time: %q, %v, want %q", again, err, tt.after)
		}
		if back, err := config.RemoveTop(got, "notify", value); err != nil || string(back) != tt.before || back == nil {
			t.Errorf("RemoveTop(%q) = %q, %v, want %q", got, back, err, tt.before)
		}
	}
	got, err := config.AddTop(nil, "notify", value)
	if err != nil || string(got) != line+"\n" {
		t.Errorf("AddTop(nil) = %q, %v", got, err)
	}
	if back, err := config.RemoveTop(got, "notify", value); err != nil || back != nil {
		t.Errorf("RemoveTop = %q, %v, want no file", back, err)
	}
}

func TestAddTopRefused(t *testing.T) {
	for in, want := range map[string]error{
		`notify = ["say"]`:              config.ErrTaken,
		`notify = "mem hook codex"`:     config.ErrTaken,
		"notify = [":                    config.ErrInvalid,
		"a = 1\na = 2\n":                config.ErrInvalid,
		"\xff\xfen\x00o\x00t\x00i\x00f": config.ErrInvalid,
	} {
		if got, err := config.AddTop([]byte(in), "notify", `["mem"]`); !errors.Is(err, want) {
			t.Errorf("AddTop(%q) = %q, %v, want %v", in, got, err, want)
		}
	}
	const other = "notify = [\"say\"]\n"
	if got, err := config.RemoveTop([]byte(other), "notify", `["mem"]`); err != nil || string(got) != other {
		t.Errorf("RemoveTop(%q) = %q, %v", other, got, err)
	}
}

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
