package gitstore

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mem/envtest"
	"mem/repo/disk"
)

const (
	renames = "[merge]\n\trenames = false\n\tdirectoryRenames = false\n"
	section = "[merge \"mem\"]\n" + driver
	driver  = "\tdriver = \"sh -c 'l(){ grep -m1 \\\"x\\\" \\\"$1\\\"; }' - %O %B\"\n"
)

// install lets git know of the driver in a folder with these files, and returns the
// files and the warnings.
func install(t *testing.T, config, attributes string) (got [2]string, warned []string) {
	t.Helper()
	dir := t.TempDir()
	names := [2]string{filepath.Join(dir, ".git", "config"), filepath.Join(dir, ".git", "info", "attributes")}
	for i, data := range []string{config, attributes} {
		if data == "" {
			continue
		}
		envtest.NoError(t, os.MkdirAll(filepath.Dir(names[i]), 0o700))
		if target, isLink := strings.CutPrefix(data, "link:"); isLink {
			if err := os.Symlink(target, names[i]); err != nil {
				t.Skip(err)
			}
			continue
		}
		envtest.NoError(t, os.WriteFile(names[i], []byte(data), 0o640))
	}
	d, err := disk.Open(dir)
	envtest.NoError(t, err)
	defer d.Close()
	for range 2 { // the second time nothing changes
		warned = nil
		InstallDrivers(d, []Driver{{Name: "mem", Command: `sh -c 'l(){ grep -m1 "x" "$1"; }' - %O %B`, Patterns: []string{"a.md", "b/*.md"}}}, func(s string) { warned = append(warned, s) })
		again := [2]string{}
		for i, name := range names {
			data, err := os.ReadFile(name)
			envtest.StopIf(t, err != nil && !os.IsNotExist(err), "%v", err)
			again[i] = string(data)
		}
		if got != [2]string{} && got != again {
			t.Error(cmp.Diff(got, again))
		}
		got = again
	}
	return got, warned
}

func TestInstallDrivers(t *testing.T) {
	const core, both = "[core]\n\tbare = false\n", "a.md merge=mem\nb/*.md merge=mem\n"
	for _, tt := range []struct{ name, config, attributes, wantConfig, wantAttributes string }{
		{"new", core, "", core + section + renames, both},
		{"no end of line", strings.TrimSpace(core), "*.png -diff", core + section + renames, "*.png -diff\n" + both},
		{"a person's own lines", core + "# mine\n\n" + section + "\t; mine\n[alias]\n\tdriver = x\n", "b/*.md merge=mem\na.md text\n", core + "# mine\n\n" + section + "\t; mine\n[alias]\n\tdriver = x\n" + renames, "b/*.md merge=mem\na.md text\na.md merge=mem\n"},
		{"an older driver of mem's", core + "[merge \"mem\"]\n\tname = x\n\tdriver = \"old \\\"a\\\" %A\"\n\trecursive = binary\n[x]\n\ty = 1\n", both, core + "[merge \"mem\"]\n\tname = x\n" + driver + "\trecursive = binary\n[x]\n\ty = 1\n" + renames, both},
		{"the same line elsewhere", core + "[x]\n\tdriver = \"old\"\n[merge \"mem\"]\n\tdriver = old\n", both, core + "[x]\n\tdriver = \"old\"\n[merge \"mem\"]\n\tdriver = old\n" + section + renames, both},
		{"a line that goes on", core + "[merge \"mem\"]\n\tdriver = a \\\n  b\n", both, core + "[merge \"mem\"]\n\tdriver = a \\\n  b\n" + section + renames, both},
		{"a header with more in its line", core + "[merge \"mem\"] ; mine\n\tdriver = old\n", both, core + "[merge \"mem\"] ; mine\n\tdriver = old\n" + section + renames, both},
		{"a person wants renames", core + "[merge]\n\tdirectoryRenames = true\n", both, core + "[merge]\n\tdirectoryRenames = true\n" + section, both},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, warned := install(t, tt.config, tt.attributes)
			diff := cmp.Diff([2]string{tt.wantConfig, tt.wantAttributes}, got)
			envtest.FailIf(t, diff != "" || warned != nil, "%v %v", diff, warned)
		})
	}
}

// TestInstallDriversLeavesAlone: what is not a file, or of an unknown form, is named, and the
// other file is written all the same.
func TestInstallDriversLeavesAlone(t *testing.T) {
	for _, config := range []string{"link:elsewhere", "[core\n", "[x]\n\ty = a \\"} {
		got, warned := install(t, config, "")
		envtest.FailIf(t, len(warned) != 1 || !strings.Contains(warned[0], "config") || got[1] == "",
			"%q: %q, %q", config, warned, got)
		envtest.FailIf(t, !strings.HasPrefix(config, "link:") && got[0] != config, "%q became %q", config, got[0])
	}
	got, warned := install(t, "[x]\n", "link:elsewhere")
	envtest.FailIf(t, len(warned) != 1 || got[0] == "[x]\n" || got[1] != "", "%q, %q", warned, got)
}
