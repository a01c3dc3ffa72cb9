//go:build !linux && !darwin

package gitindex

import "io/fs"

func statOf(fs.FileInfo) fileStat { return fileStat{} }
