//go:build linux || darwin

package gitstore

import (
	"io/fs"
	"syscall"

	"github.com/go-git/go-git/v5/plumbing/format/index"
)

// putNode notes what git's index holds of a file beyond fs.FileInfo.
func putNode(e *index.Entry, info fs.FileInfo) {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		e.CreatedAt = asTime(changeTime(st))
		e.Dev, e.Inode, e.UID, e.GID = uint32(st.Dev), uint32(st.Ino), st.Uid, st.Gid
	}
}
