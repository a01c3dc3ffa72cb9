//go:build !linux

package envtest

func inMemory(bool) string { return "" }
