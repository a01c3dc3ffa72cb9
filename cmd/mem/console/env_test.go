package console

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"testing"

	"mem/envtest"
	"mem/workspace"
)

func TestGetenv(t *testing.T) {
	env := workspace.Environ{"A=1", "AB=2", "A=3", "B"}
	for key, want := range map[string]string{"A": "1", "AB": "2", "B": "", "C": ""} {
		envtest.Same(t, want, env.Getenv(key), "Getenv", key)
	}
	for want, environ := range map[string][]string{"h": {"USERPROFILE=u", "HOME=h"}, "u": {"USERPROFILE=u"}, "": nil} {
		envtest.Same(t, want, workspace.Environ(environ).Home(), "Home() with", environ)
	}
}

// TestConfirm checks that no question is asked without a terminal.
func TestConfirm(t *testing.T) {
	var out bytes.Buffer
	env := Env{In: strings.NewReader("y\n"), Err: &out}
	if err := env.Confirm(t.Context(), "Really?", "doing it"); !errors.Is(err, errNeedsYes) || out.Len() > 0 {
		t.Errorf("Confirm = %v, asked %q, want no and no question", err, out.String())
	}
}

// TestPiped checks when standard input counts as given. An agent's shell may
// hand over a pipe without a writer.
func TestPiped(t *testing.T) {
	pipe := func(text string, closed bool) *os.File {
		r, w, err := os.Pipe()
		envtest.NoError(t, err)
		_, err = io.WriteString(w, text)
		envtest.NoError(t, err)
		if closed {
			w.Close()
		}
		t.Cleanup(func() { w.Close(); r.Close() })
		return r
	}
	null, err := os.Open(os.DevNull)
	envtest.NoError(t, err)
	t.Cleanup(func() { null.Close() })
	for _, test := range []struct {
		name string
		in   io.Reader
		want bool
	}{
		{"text", pipe("{}", true), true},
		{"text, still open", pipe("{}", false), true},
		{"closed", pipe("", true), false},
		{"silent", pipe("", false), false},
		{"device", null, false},
		{"none", nil, false},
	} {
		in, got := Env{In: test.in, Err: io.Discard}.PipedInput(t.Context())
		envtest.Same(t, test.want, got, test.name, "piped")
		if got && test.name == "text" {
			if data, err := io.ReadAll(in); string(data) != "{}" || err != nil {
				t.Errorf("%s: read %q, %v: the first byte was lost", test.name, data, err)
			}
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, got := (Env{In: pipe("", false), Err: io.Discard}).PipedInput(ctx)
	envtest.FailIf(t, got, "cancelled: piped = true")
}
