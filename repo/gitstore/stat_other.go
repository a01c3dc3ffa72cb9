//go:build !linux && !darwin

package gitstore

import (
	"io/fs"

	"github.com/go-git/go-git/v5/plumbing/format/index"
)

// putNode leaves zeros, which make git look at the file itself.
func putNode(*index.Entry, fs.FileInfo) {}
