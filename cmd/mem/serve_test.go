package main

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"strings"
	"testing"

	"mem/envtest"
)

// TestServe asks the server of mem report as a browser does, and as one does that a page from elsewhere leads astray.
func TestServe(t *testing.T) {
	dir := t.TempDir()
	mem := func(ctx context.Context, out io.Writer, args ...string) int {
		return run(ctx, Env{In: strings.NewReader(""), Out: out, Err: io.Discard, World: newWorld(dir, "HOME="+dir+"/home", "MEM_HOOK_WORKER=false", "MEM_ROOT="+dir+"/m")}, args)
	}
	code := mem(t.Context(), io.Discard, "learn", "Run `make <all>` first")
	envtest.StopIf(t, code != 0, "exit code %d", code)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	read, write := io.Pipe()
	done := make(chan int)
	go func() { done <- mem(ctx, write, "report", "--serve", "localhost:0") }()
	url, err := bufio.NewReader(read).ReadString('\n')
	envtest.NoError(t, err)
	url = strings.TrimSpace(url)
	envtest.StopIf(t, !strings.HasPrefix(url, "http://127.0.0.1:"), "the page is at %q", url)
	ask := func(method, path, host string) (int, string, http.Header) {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), method, url+path, nil)
		envtest.NoError(t, err)
		r.Host = host
		answer, err := http.DefaultClient.Do(r)
		envtest.NoError(t, err)
		defer answer.Body.Close()
		body, err := io.ReadAll(answer.Body)
		envtest.NoError(t, err)
		return answer.StatusCode, string(body), answer.Header
	}
	_, port, _ := strings.Cut(strings.Trim(url, "/"), "127.0.0.1:")
	for _, row := range []struct {
		method, path, host string
		code               int
	}{
		{"GET", "", "evil.example:" + port, 403}, {"GET", "tip", "evil.example", 403}, {"GET", "", "localhost:" + port, 403}, {"GET", "", "127.0.0.1", 403}, {"POST", "", "", 405}, {"HEAD", "", "", 405},
		{"GET", "x", "", 404}, {"GET", "../m/core/index.json", "", 404}, {"GET", "tip", "", 200},
	} {
		if code, body, _ := ask(row.method, row.path, row.host); code != row.code || code != 200 && strings.Contains(body, "make") {
			t.Errorf("%s /%s of %q: %d %.80q, not %d", row.method, row.path, row.host, code, body, row.code)
		}
	}
	_, tip, _ := ask("GET", "tip", "")
	_, page, head := ask("GET", "", "")
	envtest.FailIf(t, !strings.Contains(page, `data-tip="`+tip+`"`) || !strings.Contains(page, "make &lt;all&gt;"),
		"the page of %q: %s", tip, page)
	_, policy, _ := strings.Cut(page, `Content-Security-Policy" content="`)
	policy, _, _ = strings.Cut(policy, `"`)
	for _, part := range []string{"default-src 'none'", "connect-src 'self'", "script-src 'sha256-"} {
		if !strings.Contains(policy, part) || strings.Contains(policy, "unsafe") || head.Get("Content-Security-Policy") != "frame-ancestors 'none'" {
			t.Errorf("the policy is %q, with %q", policy, head.Get("Content-Security-Policy"))
		}
	}
	code = mem(t.Context(), io.Discard, "learn", "Run `make qqnew` last")
	envtest.StopIf(t, code != 0, "exit code %d", code)
	_, now, _ := ask("GET", "tip", "")
	envtest.FailIf(t, now == tip, "a commit does not change the tip")
	_, page, _ = ask("GET", "", "")
	envtest.FailIf(t, !strings.Contains(page, "qqnew"), "the page is as it was before the commit")
	stop()
	envtest.Same(t, 0, <-done, "exit code after Ctrl-C")
}
