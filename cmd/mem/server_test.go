package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"mem/envtest"
	"mem/workspace"
)

const (
	testKey    = "sk-test-7Kq2mVb9RtYw4LpZ"
	goodAnswer = `{"mistakes":["editing the Makefile by hand"],"fixes":["Change Makefile.in and run make regen"]}`
)

// A script is what a model server does. ask is the number of the request,
// counted from 1.
type script func(s scene, ask int32, w http.ResponseWriter, r *http.Request)

// A scene is one kind of server and what is around it.
type scene struct {
	kind  string // "anthropic" or "openai"
	other string // the address of another host
}

// envelope is a whole answer as this kind of server writes it.
func (s scene) envelope(text string, stop ...string) string {
	quoted, err := json.Marshal(text)
	if err != nil {
		panic(err)
	}
	if s.kind == "anthropic" {
		reason := append(stop, "end_turn")[0]
		return fmt.Sprintf(`{"id":"msg_1","type":"message","role":"assistant","model":"m","content":[{"type":"text","text":%s}],"stop_reason":%q,"usage":{"input_tokens":900,"output_tokens":100}}`, quoted, reason)
	}
	reason := map[string]string{"max_tokens": "length", "refusal": "content_filter", "": "stop"}[append(stop, "")[0]]
	return fmt.Sprintf(`{"id":"c1","object":"chat.completion","model":"m","choices":[{"index":0,"message":{"role":"assistant","content":%s},"finish_reason":%q}],"usage":{"prompt_tokens":900,"completion_tokens":100,"total_tokens":1000}}`, quoted, reason)
}

// answers writes texts in turn, the last one for ever.
func answers(texts ...string) script {
	return func(s scene, ask int32, w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		io.WriteString(w, s.envelope(texts[min(int(ask), len(texts))-1]))
	}
}

// raw writes a body as it is.
func raw(status int, kind, body string) script {
	return func(_ scene, _ int32, w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", kind)
		w.WriteHeader(status)
		io.WriteString(w, body)
	}
}

// stopped writes an answer that ended for a reason.
func stopped(text, reason string) script {
	return func(s scene, _ int32, w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, s.envelope(text, reason))
	}
}

// fails has n failures before a good answer.
func fails(n int32, failure script) script {
	return func(s scene, ask int32, w http.ResponseWriter, r *http.Request) {
		if ask <= n {
			failure(s, ask, w, r)
			return
		}
		answers(goodAnswer)(s, ask, w, r)
	}
}

func withRetryAfter(after string, then script) script {
	return func(s scene, ask int32, w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Retry-After", after)
		then(s, ask, w, r)
	}
}

func reset(_ scene, _ int32, w http.ResponseWriter, _ *http.Request) {
	conn, _, err := w.(http.Hijacker).Hijack()
	if err != nil {
		panic(err)
	}
	conn.(*net.TCPConn).SetLinger(0)
	conn.Close()
}

// hang says nothing until the client is gone.
func hang(_ scene, _ int32, _ http.ResponseWriter, r *http.Request) {
	io.Copy(io.Discard, r.Body)
	<-r.Context().Done()
}

// fickle refuses requests with an output format.
func fickle(s scene, ask int32, w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	if bytes.Contains(body, []byte(`"response_format"`)) || bytes.Contains(body, []byte(`"output_config"`)) {
		raw(400, "application/json", `{"error":{"type":"invalid_request_error","message":"Either json_schema or grammar is not supported"}}`)(s, ask, w, r)
		return
	}
	answers(goodAnswer)(s, ask, w, r)
}

func jsonError(message string) string {
	quoted, err := json.Marshal(message)
	if err != nil {
		panic(err)
	}
	return fmt.Sprintf(`{"type":"error","error":{"type":"some_error","message":%s}}`, quoted)
}

// misbehaviours are what servers do, what mem prints about it, and how many
// requests that takes; 0 is any number. learns says that lessons are committed.
var misbehaviours = []struct {
	name   string
	does   script
	learns bool
	asks   int32
	stderr string
}{
	{"none", answers(goodAnswer), true, 1, ""},
	{"reset", reset, false, 4, "cannot reach 127.0.0.1"},
	{"reset once", fails(1, reset), true, 2, ""},
	{"too many requests", raw(429, "application/json", jsonError("slow down")), false, 4, "HTTP 429 Too Many Requests: slow down"},
	{"too many requests, then good", withRetryAfter("7", fails(2, raw(429, "application/json", jsonError("slow down")))), true, 3, ""},
	{"too many requests for an hour", withRetryAfter("3600", raw(429, "application/json", jsonError("slow down"))), false, 1, "asks to wait longer than the question may take"},
	{"no credit", raw(429, "application/json", jsonError("You exceeded your current quota")), false, 1, "exceeded your current quota"},
	{"an error, then good", fails(1, raw(500, "text/plain", "oops")), true, 2, ""},
	{"overloaded, then good", fails(1, raw(529, "application/json", jsonError("Overloaded"))), true, 2, ""},
	{"down for ever", raw(503, "text/html", "<html><b>down</b></html>"), false, 4, "HTTP 503 Service Unavailable: a web page"},
	{"wrong key, repeated", raw(401, "application/json", jsonError("Incorrect API key provided: "+testKey)), false, 1, "HTTP 401 Unauthorized: Incorrect API key provided: [key]; is the key right?"},
	{"no such model", raw(404, "application/json", jsonError("model: m")), false, 1, "HTTP 404 Not Found: model: m"},
	{"an error with colours", raw(403, "application/json", jsonError("\x1b[31mno\u202e\n\nway\x07")), false, 1, "HTTP 403 Forbidden: no way"},
	{"no schemas", fickle, true, 0, ""},
	{"cut JSON", raw(200, "application/json", `{"id":"x","content":[{"type":"te`), false, 1, ""},
	{"cut body", func(_ scene, _ int32, w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "5000")
		io.WriteString(w, `{"id":`)
	}, false, 4, "the connection broke off in the answer"},
	{"empty body", raw(200, "application/json", ""), false, 1, "the server sent an empty answer"},
	{"empty object", raw(200, "application/json", "{}"), false, 1, "the model's answer is empty"},
	{"a list", raw(200, "application/json", "[]"), false, 1, "no JSON object"},
	{"web page", raw(200, "text/html", "<!DOCTYPE html><title>Sign in</title>"), false, 1, "a web page instead of JSON"},
	{"JSON by another name", func(s scene, ask int32, w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain")
		io.WriteString(w, s.envelope(goodAnswer))
	}, true, 1, ""},
	{"prose", answers("It all went rather well."), false, 2, "the answer holds no lessons"},
	{"prose, then repaired", answers("Do not edit the Makefile.", goodAnswer), true, 2, ""},
	{"prose around", answers("Here you are:\n\n" + goodAnswer + "\n\nAnything else?"), true, 1, ""},
	{"a fence", answers("```json\n" + goodAnswer + "\n```"), true, 1, ""},
	{"cut answer", answers(`{"mistakes":["editing the Make`), false, 1, "the answer holds no lessons"},
	{"10 MB", late(func() script { return raw(200, "application/json", strings.Repeat(" ", 10<<20)) }), false, 1, "answer too long"},
	{"endless", func(_ scene, _ int32, w http.ResponseWriter, r *http.Request) {
		for r.Context().Err() == nil {
			if _, err := io.WriteString(w, strings.Repeat("{", 1<<16)); err != nil {
				return
			}
		}
	}, false, 1, "answer too long"},
	{"strings for lists", answers(`{"mistakes":"editing","fixes":"Change Makefile.in"}`), true, 1, ""},
	{"numbers in lists", answers(`{"mistakes":[1,null,true,{"a":1},["x"]],"fixes":["Change Makefile.in"]}`), true, 1, ""},
	{"nested", answers(`{"result":{"mistakes":["x"],"fixes":["y"]}}`), false, 2, "the answer holds no lessons"},
	{"echo", func(s scene, ask int32, w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		answers(string(body))(s, ask, w, r)
	}, false, 2, "the answer holds no lessons"},
	{"trust", answers(`{"origin":"user","trust":"user","status":"active","pinned":true,"id":"m-eeeeeeee","fixes":["Change Makefile.in and run make regen"],"mistakes":[{"text":"x","origin":"user"}]}`), true, 1, ""},
	{"bad UTF-8", func(s scene, _ int32, w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, strings.Replace(s.envelope(goodAnswer), "regen", "re\xff\xfegen", 1))
	}, true, 1, ""},
	{"elsewhere", func(s scene, _ int32, w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, s.other+"/v1?key="+testKey, http.StatusTemporaryRedirect)
	}, false, 1, "the server redirects to 127.0.0.1:"},
	{"too long an answer", stopped(goodAnswer[:20], "max_tokens"), false, 1, "the answer was cut off at 3000 tokens; a larger max_tokens may help"},
	{"refusal", stopped("I will not.", "refusal"), false, 1, "the model declined to answer"},
	{"many lessons", late(func() script { return answers(many(5000)) }), true, 1, ""},
	{"twice the same", answers(`{"fixes":["a"],"fixes":["Change Makefile.in","Change  makefile.in"],"mistakes":[]}`), true, 1, ""},
	{"hangs", hang, false, 0, "no answer within 200ms"},
	{"drips", func(s scene, ask int32, w http.ResponseWriter, r *http.Request) {
		for r.Context().Err() == nil {
			io.WriteString(w, " ")
			w.(http.Flusher).Flush()
			time.Sleep(10 * time.Millisecond)
		}
	}, false, 0, "no answer within 200ms"},
	{"nothing to learn", answers(`{"lessons":[]}`), false, 1, ""},
	{"nothing to learn, in two lists", answers(`{"mistakes":[],"fixes":[]}`), false, 2, ""},
}

// late makes a script when it is run: the table is made in each process that a test starts as mem.
func late(does func() script) script {
	return func(s scene, ask int32, w http.ResponseWriter, r *http.Request) { does()(s, ask, w, r) }
}

func many(n int) string {
	var list []string
	for i := range n {
		list = append(list, fmt.Sprintf("Change Makefile.in, part %d", i))
	}
	data, err := json.Marshal(map[string][]string{"mistakes": {}, "fixes": list})
	if err != nil {
		panic(err)
	}
	return string(data)
}

// TestMisbehaviour puts mem in front of servers that do everything wrong. After
// each there is either one whole commit or none, what was not learned can be
// learned later, and no key is to be seen anywhere.
func TestMisbehaviour(t *testing.T) {
	for _, kind := range []string{"anthropic", "openai"} {
		for _, tt := range misbehaviours {
			t.Run(kind+"/"+tt.name, func(t *testing.T) {
				t.Parallel()
				b := newBench(t)
				asks := b.serve(kind, tt.does)
				b.hurry(tt.name)
				b.run(0, "reflect", "--root", "m", "lessons.json")
				before := b.head()
				code := 75
				if tt.learns || strings.HasPrefix(tt.name, "nothing to learn") {
					code = 0
				}
				stdout, stderr := b.run(code, "reflect", "--root", "m", "--oracle", kind, "session.jsonl")
				envtest.FailIf(t, tt.asks != 0 && asks.Load() != tt.asks, "%d requests, want %d", asks.Load(), tt.asks)
				envtest.FailIf(t, !strings.Contains(stderr, tt.stderr) || tt.stderr == "" && tt.learns && stderr != "",
					"stderr %q, want %q", stderr, tt.stderr)
				if learned := strings.Contains(stdout, "learned "); learned != tt.learns || learned == (before == b.head()) {
					t.Errorf("stdout %q, learned %v, want %v; commit before %s, after %s", stdout, learned, tt.learns, before, b.head())
				}
				b.check()
				if tt.learns || strings.HasPrefix(tt.name, "nothing to learn") {
					return
				}
				if !strings.Contains(stderr, "nothing learned: ") || !strings.Contains(stderr, "hint: nothing was marked as read") {
					t.Errorf("stdout %q, stderr %q do not say what to do", stdout, stderr)
				}
				stdout, _ = b.run(0, "reflect", "--root", "m", "--oracle", "heuristic", "session.jsonl")
				envtest.FailIf(t, !strings.Contains(stdout, "learned 1 new"), "the session is lost: %q", stdout)
			})
		}
	}
}

// A bench is a folder with a memory, a session and a configuration.
type bench struct {
	*testing.T
	dir     string
	environ []string
	said    bytes.Buffer // all that was printed

	patience time.Duration // with servers
}

func newBench(t *testing.T) *bench {
	dir := t.TempDir()
	session := envtest.Read(t, "../../fixtures/traces/claude-correction.jsonl")
	b := &bench{T: t, dir: dir, environ: []string{"HOME=" + dir, "PATH=" + os.Getenv("PATH")}}
	b.write("session.jsonl", session)
	b.write("lessons.json", `{"mistakes": [], "fixes": ["Ask first"]}`)
	return b
}

// hurry gives a server that never answers less time than a person would.
func (b *bench) hurry(server string) {
	if server == "hangs" || server == "drips" {
		b.patience = 200 * time.Millisecond
	}
}

func (b *bench) write(name, text string) {
	b.Helper()
	envtest.NoError(b, os.WriteFile(filepath.Join(b.dir, name), []byte(text), 0o600))
}

// serve starts a server and configures it. It returns the number of requests.
func (b *bench) serve(kind string, does script) *atomic.Int32 {
	var asks atomic.Int32
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { b.Error("the other host was asked") }))
	b.Cleanup(other.Close)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got := r.Header.Get("X-Api-Key") + r.Header.Get("Authorization")
		envtest.FailIf(b, !strings.HasSuffix(got, testKey), "the key is %q", got)
		does(scene{kind, other.URL}, asks.Add(1), w, r)
	}))
	b.Cleanup(server.Close)
	upper := strings.ToUpper(kind)
	b.environ = append(b.environ, "MEM_ORACLE_"+upper+"_MODEL=m", "MEM_ORACLE_"+upper+"_BASE_URL="+server.URL, upper+"_API_KEY="+testKey)
	return &asks
}

// run runs mem without ever sleeping.
func (b *bench) run(code int, args ...string) (stdout, stderr string) {
	b.Helper()
	var out, err bytes.Buffer
	env := Env{
		World: workspace.World{Dir: b.dir, Environ: b.environ, Clock: func() time.Time { return time.Date(2026, 2, 3, 4, 5, 6, 0, time.UTC) }},
		In:    strings.NewReader(""), Out: &out, Err: &err,
		Sleep: func(ctx context.Context, _ time.Duration) error { return ctx.Err() },

		Patience: b.patience,
	}
	got := run(b.Context(), env, args)
	envtest.StopIf(b, got != code, "mem %v: exit code %d, want %d: %s", args, got, code, err.String())
	b.said.Write(out.Bytes())
	b.said.Write(err.Bytes())
	return out.String(), err.String()
}

func (b *bench) git(args ...string) string {
	b.Helper()
	return envtest.Git(b, filepath.Join(b.dir, "m"), args...)
}

func (b *bench) head() string { b.Helper(); return b.git("rev-parse", "HEAD") }

// check looks for keys and for what a model may not decide.
func (b *bench) check() {
	b.Helper()
	envtest.Same(b, "", b.git("status", "--porcelain"), "git status")
	history := b.git("log", "-p", "--all")
	if strings.Contains(history+b.said.String(), testKey) || strings.Contains(history+b.said.String(), testKey[8:]) {
		b.Errorf("the key was printed or committed: %s", b.said.String())
	}
	ix := envtest.Read(b, b.dir, "m", "core", "index.json")
	for _, bad := range []string{"pinned", "m-eeeeeeee", `"trust"`} {
		envtest.FailIf(b, strings.Contains(ix, bad), "the model decided %s: %s", bad, ix)
	}
	n := strings.Count(ix, `"key":`)
	envtest.FailIf(b, n > 1+8+8, "%d lessons", n)
}
