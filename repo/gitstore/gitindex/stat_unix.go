//go:build linux || darwin

package gitindex

import (
	"io/fs"
	"syscall"
)

func statOf(info fs.FileInfo) fileStat {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return fileStat{}
	}
	sec, nsec := changeTime(st)
	return fileStat{uint32(sec), uint32(nsec), uint32(st.Dev), uint32(st.Ino), st.Uid, st.Gid}
}
