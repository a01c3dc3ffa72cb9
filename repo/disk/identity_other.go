//go:build !unix

package disk

// FolderID tells this folder from a copy of it on the same machine; "" if
// the system cannot.
func (d *Dir) FolderID() string { return "" }
