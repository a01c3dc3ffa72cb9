// Package reflog reads and appends git's logs of where a branch pointed.
package reflog

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"mem/repo/disk"
	"mem/repo/gitstore/object"
)

const (
	folder = ".git/logs/"
	limit  = 64 << 20 // bytes that are read
	tail   = 64 << 10 // bytes that are read of the newest

	// Own begins what mem says of a move.
	Own = "mem: "
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

// ReadOwn returns what mem itself made a ref point to, and what was cloned, the newest first, as far as its log says.
func ReadOwn(d *disk.Dir, ref string) (own []object.Hash) {
	for _, line := range slices.Backward(readTail(d, ref)) {
		said, by, _ := strings.Cut(line, "\t")
		if f := strings.Fields(said); len(f) > 2 && isBy(by, Own, "clone:") { // else it is cut off
			to, _ := object.ParseHash(f[1])
			own = append(own, to)
		}
	}
	return own
}

// HasOwn reports whether mem itself moved a ref here.
func HasOwn(d *disk.Dir, ref string) bool {
	return slices.ContainsFunc(readTail(d, ref), func(line string) bool {
		_, by, _ := strings.Cut(line, "\t")
		return isBy(by, Own)
	})
}

// readTail returns the newest lines of a ref's log.
func readTail(d *disk.Dir, ref string) []string {
	f, err := d.StreamFile(folder + ref)
	if err != nil {
		return nil
	}
	defer f.Close()
	size := int64(tail)
	if file, ok := f.(io.Seeker); ok {
		if end, err := file.Seek(0, io.SeekEnd); err == nil {
			size = min(size, end)
		}
		_, _ = file.Seek(-size, io.SeekEnd)
	}
	log := make([]byte, size)
	n, _ := io.ReadFull(f, log)
	return strings.Split(string(log[:n]), "\n")
}

// isBy reports whether what a log says of a move begins with one of these.
func isBy(by string, starts ...string) bool {
	return slices.ContainsFunc(starts, func(start string) bool { return strings.HasPrefix(by, start) })
}

// Append notes a move of the branch ref that is checked out where git looks for it.
func Append(d *disk.Dir, ref string, from, to object.Hash, signature, said string) error {
	return d.AppendTo(line(from, to, signature, said), folder+ref, folder+"HEAD")
}

// Start is Append for what disk.Dir.FlushAll makes durable with the batch.
func Start(d *disk.Dir, ref string, from, to object.Hash, signature, said string) (*disk.Batch, error) {
	return d.StartAppend(line(from, to, signature, said), folder+ref, folder+"HEAD")
}

func line(from, to object.Hash, signature, said string) []byte {
	return fmt.Appendf(nil, "%s %s %s\t%s\n", from, to, signature, said)
}
