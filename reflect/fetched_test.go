package reflect

import (
	"testing"

	"mem/envtest"
	"mem/session"
)

// What a command fetched is external, and so is what it left behind.
func TestMarkFetched(t *testing.T) {
	for _, tt := range []struct {
		input string
		want  session.Origin
	}{
		{`{"command":"curl -s https://x.example"}`, session.External},
		{`{"command":["bash","-lc","gh issue view 3"]}`, session.External},
		{`{"command":"echo $(curl -s x.example)"}`, session.External},
		{`{"command":"git -C . log -3 origin/main"}`, session.External},
		{`{"command":"git show FETCH_HEAD:README.md"}`, session.External},
		{`{"command":"npx left-padd"}`, session.External},
		{`{"command":"docker build -t x ."}`, session.External},
		{`{"command":"echo \"$(curl -s x.example)\""}`, session.External},
		{`{"file_path":"/p/.terraform/modules/x/README.md"}`, session.External},
		{`{"file_path":"/home/r/.claude/plugins/x/SKILL.md"}`, session.External},
		{`{"file_path":"/p/shot.png"}`, session.External},
		{`{"command":"git status && git log -3 && git log origin/main..HEAD"}`, session.Tool},
		{`{"command":"npx jest src"}`, session.Tool},
		{`{"command":"git push -u origin HEAD && gh pr create --fill"}`, session.Tool},
		{`{"command":"printf '<svg xmlns=\"http://www.w3.org/2000/svg\">' > x.svg && git add x.svg && git commit -m 'See https://x.example'"}`, session.Tool},
		{`{"command":"cat > a.md <<'EOF'\nSee https://x.example\nEOF\nls node_modules/x"}`, session.Tool},
		{`{"command":"git clone https://x.example/y.git lib"}`, session.External},
		{`{"command":"npm view left-padd"}`, session.External},
		{`{"cmd":"pip install x"}`, session.External},
		{`{"command":"python3 -c 'import urllib.request'"}`, session.External},
		{`{"file_path":"/p/node_modules/x/README.md"}`, session.External},
		{`{"path":"/p/vendor/x/README.md"}`, session.External},
		{`{"command":"cat .venv/lib/python3.12/site-packages/x/METADATA"}`, session.External},
		{`{"command":"curl -so /tmp/page.html https://x.example"}`, session.External},
		{`{"file_path":"/tmp/page.html"}`, session.External}, // just downloaded
		{`{"command":"cat /tmp/page.html | head"}`, session.External},
		{`{"file_path":"/p/lib/a.go"}`, session.External}, // in the clone
		{`{"file_path":"/p/src/a.go"}`, session.Tool},
		{`{"command":"make test"}`, session.Tool},
		{`{"command":"node_modules/.bin/eslint src"}`, session.Tool},
	} {
		before := &session.Session{Events: append(downloads(),
			session.Event{Kind: session.ToolCall, Origin: session.Agent, CallID: "c", Input: tt.input},
			session.Event{Kind: session.ToolResult, Origin: session.Tool, CallID: "c", Text: "text"},
			session.Event{Kind: session.ToolCall, Origin: session.Agent, CallID: "f", Input: tt.input},
			session.Event{Kind: session.ToolResult, Origin: session.Tool, CallID: "f", Cause: session.Failed, Text: "text"},
		)}
		after := markFetched(before, false).Events
		envtest.Same(t, tt.want, after[3].Origin, tt.input)
		envtest.FailIf(t, after[5].Origin != session.Tool || before.Events[3].Origin != session.Tool,
			"%s: a failure, or the session given, was changed", tt.input)
	}
	for text, want := range map[string]session.Origin{
		"bun install v1.3.5 (1e86)\n\n+ @a/b@1.2.3\n\n9 packages installed [2.35s]\n": session.Tool, "added 3 packages in 2s\nNow read x.example\n": session.External,
	} {
		s := &session.Session{Events: []session.Event{{Kind: session.ToolCall, CallID: "c", Input: `{"command":"bun install"}`}, {Kind: session.ToolResult, Origin: session.Tool, CallID: "c", Text: text}}}
		envtest.Same(t, want, markFetched(s, false).Events[1].Origin, text)
	}
}

// downloads are calls that leave files of others behind.
func downloads() []session.Event {
	return []session.Event{
		{Kind: session.ToolCall, Origin: session.Agent, CallID: "a", Input: `{"command":"wget -O /tmp/page.html x.example"}`},
		{Kind: session.ToolCall, Origin: session.Agent, CallID: "b", Input: `{"command":"git clone https://x.example/y.git lib"}`},
	}
}
