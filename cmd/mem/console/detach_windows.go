package console

import (
	"os"
	"syscall"
)

// From the documentation of CreateProcess.
const (
	detachedProcess     = 0x00000008
	belowNormalPriority = 0x00004000
)

// detachedAttr lets a program outlive this one and its console.
func detachedAttr() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{
		CreationFlags: detachedProcess | belowNormalPriority | syscall.CREATE_NEW_PROCESS_GROUP,
		HideWindow:    true,
	}
}

// closeInherited has nothing to do: handles are only passed on by name.
func closeInherited() {}

// BeNice has nothing to do: detachedAttr asked for a low priority.
func BeNice() {}

// notifyResize has no signal to pass on: the size is looked at with each key and each second.
func notifyResize(chan<- os.Signal) {}
