//go:build !linux

package disk

func adviseHuge([]byte) {}
