// Package reflog reads and appends git's logs of where a branch pointed.
package reflog

import (
	"slices"
	"strings"

	"mem/repo/disk"
	"mem/repo/gitstore/object"
)

const (
	folder = ".git/logs/"
	limit  = 64 << 20 // bytes that are read
)

// ReadTips returns what a ref pointed to, newest first, as far as its log can be read;
// exists says that there is a log.
func ReadTips(d *disk.Dir, ref string) (tips []object.Hash, exists bool) {
	log, err := d.ReadFile(folder+ref, limit)
	for line := range strings.Lines(string(log)) {
		if f := strings.Fields(line); len(f) > 1 {
			if tip, ok := object.ParseHash(f[1]); ok {
				tips = append(tips, tip)
			}
		}
	}
	slices.Reverse(tips)
	return tips, err == nil && len(log) > 0
}

// DescribeLast says where a ref last pointed.
func DescribeLast(d *disk.Dir, ref string) string {
	if tips, _ := ReadTips(d, ref); len(tips) > 0 {
		return "its log says that it pointed to " + tips[0].String()
	}
	return "its log is gone too"
}

// Append notes a move of the branch ref that is checked out where git looks for it.
func Append(d *disk.Dir, ref string, line []byte) error {
	return d.AppendTo(line, folder+ref, folder+"HEAD")
}
