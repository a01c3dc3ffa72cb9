package install

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"mem/envtest"
)

// opencodeHost is to the plugin what opencode is: it prompts, runs a command well and one
// that fails, and comes to rest, twice around a compaction.
const opencodeHost = `
import { Mem } from "./mem.mjs";
const session = { get: async ({ path }) => ({ data: { id: path.id, parentID: path.id === "sub" ? "s1" : undefined } }), messages: async () => ({ data: [{ info: { id: "m" }, parts: [] }] }) };
const print = (what, value) => console.log(JSON.stringify([what, value ?? null]));
const tui = { showToast: async (toast) => print("toast", toast) };
const hooks = await Mem({ client: { session, tui }, directory: process.cwd() });
const prompt = async (text) => {
  const parts = [{ id: "prt_1", type: "text", text }, { id: "prt_2", type: "text", text: "a file", synthetic: true }];
  await hooks["chat.message"]({ sessionID: "s1" }, { message: { id: "m1" }, parts });
  print("prompt", parts.slice(2));
};
const tool = async (exit) => {
  const result = { output: "no such file", metadata: { exit } };
  await hooks["tool.execute.after"]({ tool: "bash", sessionID: "s1", callID: "c", args: { command: "make" } }, result);
  print("tool", result.output);
};
await prompt("one");
await hooks.event({ event: { type: "session.compacted", properties: { sessionID: "s1" } } });
await prompt("two");
await tool(0);
await tool(2);
await tool(0);
await hooks["tool.execute.after"]({ tool: "read", sessionID: "s1", args: {} }, undefined);
for (const sessionID of ["s1", "sub"]) await hooks.event({ event: { type: "session.idle", properties: { sessionID } } });
print("end");
`

// The plugin hands over what mem reads and hands back what it says; the copy of a session
// is gone afterwards, and opencode goes on where mem is missing or fails.
func TestOpencodePlugin(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil || runtime.GOOS == "windows" {
		t.Skip("it takes node and a shell")
	}
	run := func(mem string) (said, log string) {
		dir := t.TempDir()
		plugin, err := pluginOf("opencode").add(nil)
		envtest.NoError(t, err)
		files := map[string]string{"mem.mjs": string(plugin), "host.mjs": opencodeHost, "tmp/x": "", "bin/x": ""}
		if mem != "" {
			files["bin/mem"] = "#!/bin/sh\n" + mem
		}
		for name, text := range files {
			envtest.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700))
			envtest.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o700))
		}
		cmd := exec.Command(node, "host.mjs")
		cmd.Dir = dir
		cmd.Env = []string{"PATH=" + filepath.Join(dir, "bin") + ":/usr/bin:/bin", "HOME=" + dir, "LOG=" + filepath.Join(dir, "log"), "TMPDIR=" + filepath.Join(dir, "tmp")}
		out, err := cmd.CombinedOutput()
		envtest.StopIf(t, err != nil, "the host: %v\n%s", err, out)
		left, err := os.ReadDir(filepath.Join(dir, "tmp"))
		envtest.FailIf(t, err != nil || len(left) != 1, "left behind: %v, %v", left, err)
		data, _ := os.ReadFile(filepath.Join(dir, "log"))
		return string(out), strings.ReplaceAll(string(data), dir, "$DIR")
	}
	said, log := run(`in=$(cat); echo "$* $in" | sed 's/mem-[^/]*/mem-X/' >>"$LOG"
case $in in
*agent_end*) cat "$(echo "$in" | sed 's/.*"session_file":"\([^"]*\)".*/\1/')" >>"$LOG" ;;
*tool_result*) echo told; echo "mem ▸ Run make gen" >&2 ;;
*) echo told ;;
esac
`)
	want := `["prompt",[{"id":"prt_2m","sessionID":"s1","messageID":"m1","type":"text","text":"told","synthetic":true}]]
["prompt",[{"id":"prt_2m","sessionID":"s1","messageID":"m1","type":"text","text":"told","synthetic":true}]]
["tool","no such file"]
["toast",{"body":{"message":"mem ▸ Run make gen","variant":"info"}}]
["tool","no such file\ntold"]
["toast",{"body":{"message":"mem ▸ Run make gen","variant":"info"}}]
["tool","no such file\ntold"]
["end",null]
`
	wantLog := `hook opencode {"hook_event_name":"before_agent_start","session_id":"s1","cwd":"$DIR","prompt":"one","source":""}
hook opencode {"hook_event_name":"before_agent_start","session_id":"s1","cwd":"$DIR","prompt":"two","source":"compact"}
hook opencode {"hook_event_name":"tool_result","session_id":"s1","cwd":"$DIR","tool_name":"bash","tool_input":{"command":"make"},"tool_response":"no such file","is_error":true}
hook opencode {"hook_event_name":"tool_result","session_id":"s1","cwd":"$DIR","tool_name":"bash","tool_input":{"command":"make"},"tool_response":"no such file","is_error":false}
hook opencode {"hook_event_name":"agent_end","session_id":"s1","cwd":"$DIR","session_file":"$DIR/tmp/mem-X/session.json"}
{"info":{"id":"s1"},"messages":[{"info":{"id":"m"},"parts":[]}]}`
	envtest.Same(t, want, said, "said")
	envtest.Same(t, wantLog, log, "mem was run with")
	nothing := "[\"prompt\",[]]\n[\"prompt\",[]]\n[\"tool\",\"no such file\"]\n[\"tool\",\"no such file\"]\n[\"tool\",\"no such file\"]\n[\"end\",null]\n"
	for name, mem := range map[string]string{"missing": "", "failing": "echo x; exit 2\n"} {
		said, _ := run(mem)
		envtest.FailIf(t, said != nothing, "%s: %s", name, said)
	}
}
