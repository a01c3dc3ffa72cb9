//go:build unix

package disk

import (
	"strconv"
	"syscall"
)

// FolderID tells this folder from a copy of it on the same machine; "" if
// the system cannot.
func (d *Dir) FolderID() string {
	info, err := d.Lstat(".")
	if err != nil {
		return ""
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return ""
	}
	return strconv.FormatUint(uint64(st.Ino), 10)
}
