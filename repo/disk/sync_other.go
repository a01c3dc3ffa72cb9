//go:build !unix

package disk

import "os"

// syncFolder does nothing: Windows has no way to flush a folder, and writes the
// names of files through on its own.
func syncFolder(*os.File) error { return nil }

// noFollow makes opening a link fail instead of following it.
const noFollow = 0
