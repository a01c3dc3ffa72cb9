//go:build linux || darwin

package gitindex

import (
	"io/fs"
	"syscall"
	"time"
)

func statOf(info fs.FileInfo) fileStat {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return fileStat{ctime: time.Unix(0, 0)}
	}
	return fileStat{changeTime(st), uint32(st.Dev), uint32(st.Ino), st.Uid, st.Gid}
}
