//go:build !unix

package gitconfig

import "mem/repo/disk"

// checkOwner does nothing: there are no Unix owners to compare.
func checkOwner(*disk.Dir) error { return nil }
