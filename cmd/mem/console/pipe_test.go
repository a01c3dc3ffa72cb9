package console

import (
	"context"
	"io"
	"strings"
	"testing"
)

// A hook lives through a defect in a reader, so it must come up where the
// hook catches it.
func TestReadingPanics(t *testing.T) {
	defer func() {
		if p := recover(); p != "torn" {
			t.Errorf("recovered %v, want what the reader panicked with", p)
		}
	}()
	_, err := ReadUnlessDone(t.Context(), func() (int, error) { panic("torn") })
	t.Errorf("no panic, and error %v", err)
}

func TestReadingInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	n, err := ReadUnlessDone(ctx, func() (int, error) { select {} })
	if n != 0 || err != context.Canceled {
		t.Errorf("reading = %d, %v, want an interruption", n, err)
	}
}

// Of a message that does not end, what came of it counts.
func TestMessageUnended(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	var err strings.Builder
	in := io.MultiReader(strings.NewReader(`{"session_id":"s",`), readFunc(func([]byte) (int, error) { cancel(); select {} }))
	got := string(Env{In: in, Err: &err}.ReadMessage(ctx))
	if got != `{"session_id":"s",` || !strings.Contains(err.String(), "did not end") {
		t.Errorf("read %q, and said %q", got, &err)
	}
}
