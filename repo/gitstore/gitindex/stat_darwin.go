package gitindex

import (
	"syscall"
	"time"
)

// changeTime is when the node of a file last changed.
func changeTime(st *syscall.Stat_t) time.Time { return time.Unix(st.Ctimespec.Unix()) }
