package workspace_test

import (
	"testing"
	"time"

	"mem/envtest"
	"mem/workspace"
)

// TestFindNewer notes what a person had looked up, and says so as long as it is newer than the build.
func TestFindNewer(t *testing.T) {
	w := workspace.World{Environ: []string{"XDG_STATE_HOME=" + t.TempDir()}, Clock: func() time.Time { return time.Date(2026, 3, 4, 0, 0, 0, 0, time.UTC) }}
	envtest.Same(t, "", w.FindNewer(), "before anything was looked up")
	envtest.NoError(t, w.NoteNewest("v0.10.0"))
	for version, want := range map[string]string{
		"v0.9.3":                             "mem v0.10.0 is published (looked up on 2026-03-04); this is v0.9.3",
		"v0.10.0-0.20260101000000-abcdef012": "mem v0.10.0 is published (looked up on 2026-03-04); this is v0.10.0-0.20260101000000-abcdef012",
		"v0.10.0":                            "",
		"v1.0.0":                             "",
		"devel-0123456789ab":                 "",
	} {
		w.Version = version
		envtest.Same(t, want, w.FindNewer(), version)
	}
}
