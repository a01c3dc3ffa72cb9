package workspace

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"mem/repo/disk"
)

// NoteNewest notes in the person's state folder which version of mem was the newest when they asked.
func (w World) NoteNewest(version string) error {
	at := w.stateFolder()
	if at == "" {
		return errors.New("no home folder to note it in")
	}
	files := disk.Files{Fault: w.Fault}
	if err := files.MakeFolder(at); err != nil {
		return err
	}
	return files.WriteFile(filepath.Join(at, "newest"), fmt.Appendf(nil, "%s %s\n", version, w.Clock().UTC().Format(time.DateOnly)), 0o600)
}

// FindNewer says that a newer version was there when the person last asked; "" if not, or if they never did: mem looks up
// nothing by itself.
func (w World) FindNewer() string {
	data, err := disk.Files{}.ReadShared(filepath.Join(w.stateFolder(), "newest"))
	version, day, ok := strings.Cut(strings.TrimSpace(string(data)), " ")
	if err != nil || !ok || !IsNewer(version, w.Version) {
		return ""
	}
	return fmt.Sprintf("mem %s is published (looked up on %s); this is %s", version, day, w.Version)
}

// IsNewer reports whether a version such as v1.2.3 is newer than another. It is false if either has another form.
func IsNewer(version, than string) bool {
	a, okA := numbersOf(version)
	b, okB := numbersOf(than)
	if !okA || !okB {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return a[i] > b[i]
		}
	}
	return strings.Contains(than, "-") && version != than // of a commit before it
}

func numbersOf(version string) (n [3]int, ok bool) {
	release, _, _ := strings.Cut(version, "-")
	_, err := fmt.Sscanf(release+"\n", "v%d.%d.%d\n", &n[0], &n[1], &n[2])
	return n, err == nil
}
