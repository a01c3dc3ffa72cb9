//go:build unix

package disk

import "os"

func syncDir(f *os.File) error { return f.Sync() }
