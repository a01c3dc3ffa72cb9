//go:build !linux

package system

func adviseHuge([]byte) {}
