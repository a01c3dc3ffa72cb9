// Package reflog reads and appends git's logs of where a branch pointed.
package reflog

import (
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

// FindOwn returns the commits that mem itself made a ref point to, newest first, and the
// one that was cloned; none if its log says of none. isOwn says that what came after
// them was made here: a person committed or reverted, and pulled nothing.
func FindOwn(d *disk.Dir, ref string) (tips []object.Hash, isOwn bool) {
	isOwn = true
	for _, line := range slices.Backward(readTail(d, ref)) {
		said, by, _ := strings.Cut(line, "\t")
		fields := strings.Fields(said)
		if len(fields) > 1 && isBy(by, Own, "clone:") {
			tip, _ := object.ParseHash(fields[1])
			tips = append(tips, tip)
		}
		isOwn = isOwn && (len(tips) > 0 || line == "" || isBy(by, "commit:", "commit (amend)", "revert:"))
	}
	return tips, isOwn || len(tips) == 0
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
	if file, ok := f.(io.Seeker); ok {
		_, _ = file.Seek(-tail, io.SeekEnd) // of a shorter one all is read
	}
	log, _ := io.ReadAll(io.LimitReader(f, limit))
	return strings.Split(string(log), "\n")
}

// isBy reports whether what a log says of a move begins with one of these.
func isBy(by string, starts ...string) bool {
	return slices.ContainsFunc(starts, func(start string) bool { return strings.HasPrefix(by, start) })
}

// Append notes a move of the branch ref that is checked out where git looks for it.
func Append(d *disk.Dir, ref string, line []byte) error {
	return d.AppendTo(line, folder+ref, folder+"HEAD")
}
