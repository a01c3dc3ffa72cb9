package console

import (
	"context"
	"testing"

	"mem/envtest"
)

// A hook lives through a defect in a reader, so it must come up where the
// hook catches it.
func TestReadingPanics(t *testing.T) {
	defer func() {
		p := recover()
		envtest.FailIf(t, p != "torn", "recovered %v, want what the reader panicked with", p)
	}()
	_, err := ReadUnlessDone(t.Context(), func() (int, error) { panic("torn") })
	t.Errorf("no panic, and error %v", err)
}

func TestReadingInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	n, err := ReadUnlessDone(ctx, func() (int, error) { select {} })
	envtest.FailIf(t, n != 0 || err != context.Canceled, "reading = %d, %v, want an interruption", n, err)
}
