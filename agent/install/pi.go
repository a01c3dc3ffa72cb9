package install

import (
	"bytes"
	_ "embed" // for the extension
	"fmt"
)

// extension is for pi, which has no hooks but takes TypeScript. It is written so
// that it is JavaScript as well.
//
//go:embed mem.ts
var extension []byte

// extensionMark is how an extension starts that mem wrote, in this version or
// another one.
const extensionMark = `// Written by "mem hook install pi"`

// AddExtension returns the file with the extension for pi.
func AddExtension(data []byte) ([]byte, error) {
	if data != nil && !bytes.HasPrefix(data, []byte(extensionMark)) {
		return nil, fmt.Errorf("%w: mem did not write it", ErrRefused)
	}
	return bytes.Clone(extension), nil
}

// RemoveExtension returns nil: the whole file is mem's.
func RemoveExtension(data []byte) ([]byte, error) {
	if data != nil && !bytes.HasPrefix(data, []byte(extensionMark)) {
		return nil, fmt.Errorf("%w: mem did not write it", ErrRefused)
	}
	return nil, nil
}
