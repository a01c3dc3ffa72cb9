package remote

import (
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"mem/envtest"
)

// newGit makes a repository with one commit, as a served one is.
func newGit(t *testing.T) gitCLI {
	t.Helper()
	g := gitCLI{Folder: t.TempDir(), Environ: append(os.Environ(), "HOME="+t.TempDir(), "GIT_CONFIG_NOSYSTEM=1")}
	for _, args := range [][]string{
		{"init", "-q", "-b", "main"}, {"commit", "-q", "--allow-empty", "-m", "one"}, {"update-server-info"},
	} {
		envtest.Git(t, g.Folder, args...)
	}
	return g
}

// TestSilence ends an exchange with a side that says nothing, or talks without end, and what git started for
// it; such a side counts as one that is away.
func TestSilence(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a script of the shell")
	}
	for script, limit := range map[string]time.Duration{"exec sleep 600": 0, "while echo wait >&2; do sleep 0.02; done": 300 * time.Millisecond} {
		g, ssh := newGit(t), filepath.Join(t.TempDir(), "ssh")
		envtest.NoError(t, os.WriteFile(ssh, []byte("#!/bin/sh\n"+script+"\n"), 0o700))
		g.Environ, g.Limit = append(g.Environ, "GIT_SSH_COMMAND="+ssh), limit
		if limit == 0 {
			g.Idle = 50 * time.Millisecond
		}
		_, err := g.listRefs(t.Context(), "ssh://host/x")
		envtest.Wraps(t, errOffline, err, script)
	}
}

// TestAsksNothing keeps git, ssh and what holds passwords from asking anyone.
func TestAsksNothing(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a script of the shell")
	}
	g := newGit(t)
	asked := filepath.Join(t.TempDir(), "asked")
	program := filepath.Join(t.TempDir(), "ask")
	envtest.NoError(t, os.WriteFile(program, []byte("#!/bin/sh\necho \"$@\" >>"+asked+"\nenv >>"+asked+"\n"), 0o700))
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("WWW-Authenticate", `Basic realm="x"`)
		w.WriteHeader(http.StatusUnauthorized)
	}))
	defer server.Close()
	g.Environ = append(g.Environ, "GIT_ASKPASS="+program, "SSH_ASKPASS="+program, "DISPLAY=:0")
	_, err := g.listRefs(t.Context(), server.URL+"/x")
	envtest.FailIf(t, err == nil || !strings.Contains(err.Error(), "terminal prompts disabled"),
		"a side that wants a password: %v", err)
	if text, err := os.ReadFile(asked); err == nil {
		t.Errorf("asked: %s", text)
	}
	g.Environ = append(g.Environ, "GIT_SSH_COMMAND="+program)
	_, _ = g.listRefs(t.Context(), "ssh://host/x")
	text, _ := os.ReadFile(asked)
	for _, want := range []string{"-oBatchMode=yes", "GIT_TERMINAL_PROMPT=0", "GCM_INTERACTIVE=never"} {
		envtest.FailIf(t, !strings.Contains(string(text), want), "ssh was called without %s:\n%s", want, text)
	}
}

// TestAnswersAnyone tells a public address from one that wants a person to sign in, also
// where the person's own settings do that by themselves.
func TestAnswersAnyone(t *testing.T) {
	g := newGit(t)
	files := http.FileServer(http.Dir(filepath.Join(g.Folder, ".git")))
	isOpen := false
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, _, ok := r.BasicAuth(); ok || isOpen {
			files.ServeHTTP(w, r)
			return
		}
		w.Header().Set("WWW-Authenticate", `Basic realm="x"`)
		w.WriteHeader(http.StatusUnauthorized)
	}))
	defer server.Close()
	envtest.NoError(t, exec.Command("git", "-C", g.Folder, "config", "http.extraHeader", "Authorization: Basic eDp5").Run())
	refs, err := g.listRefs(t.Context(), server.URL)
	envtest.FailIf(t, err != nil || refs["refs/heads/main"] == "", "signed in: %v, %v", refs, err)
	envtest.FailIf(t, g.answersAnyone(t.Context(), server.URL), "an address that wants a password counts as public")
	isOpen = true
	envtest.FailIf(t, !g.answersAnyone(t.Context(), server.URL), "an address that answers anyone does not count as public")
	server.Close()
	_, err = g.listRefs(t.Context(), server.URL)
	envtest.Wraps(t, errOffline, err, "a server that is gone")
}
