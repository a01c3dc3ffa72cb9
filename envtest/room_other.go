//go:build !linux

package envtest

func inMemory() string { return "" }
