//go:build !linux || arm

package system

import "os"

// StartFlush does nothing where the system has no way to flush without waiting.
func StartFlush(*os.File) {}
