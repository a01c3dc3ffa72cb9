//go:build !unix

package disk

// Identity tells this folder from a copy of it on the same machine; "" if
// the system cannot.
func (d *Dir) Identity() string { return "" }
