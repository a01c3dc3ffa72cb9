package gitstore

import "syscall"

// changeTime is when the node of a file last changed.
func changeTime(st *syscall.Stat_t) (sec, nsec int64) { return st.Ctim.Unix() }
