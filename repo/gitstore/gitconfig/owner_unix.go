//go:build unix

package gitconfig

import (
	"fmt"
	"os"
	"syscall"

	"mem/repo/disk"
)

// checkOwner refuses a repository that another user controls: its contents could
// make mem, or a person's git, do what that user wants.
func checkOwner(d *disk.Dir) error {
	for _, name := range []string{".", gitDir} {
		info, err := d.Lstat(name)
		if err != nil {
			return err
		}
		st, ok := info.Sys().(*syscall.Stat_t)
		if !ok {
			continue
		}
		if int(st.Uid) != os.Geteuid() {
			return fmt.Errorf("%w: %s belongs to another user", ErrUnsupported, name)
		}
		if info.Mode().Perm()&0o002 != 0 {
			return fmt.Errorf("%w: every user may write to %s", ErrUnsupported, name)
		}
	}
	return nil
}
