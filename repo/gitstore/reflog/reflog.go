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
	// ByMem ends what mem says of a move that reads as git's.
	ByMem = " by mem"
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

// Moves are where a branch stood, as far as its log says.
type Moves struct {
	Own    []object.Hash        // what mem itself made it point to, and what was cloned, the newest first
	Made   map[object.Hash]bool // those, and what a person committed or reverted on top
	Others []object.Hash        // since the newest of Own, what was neither, the oldest first
	Synced bool                 // nothing but mem sync moved the branch since the newest of Own
}

// ReadMoves returns where a ref stood.
func ReadMoves(d *disk.Dir, ref string) Moves {
	m := Moves{Made: map[object.Hash]bool{{}: true}}
	for _, line := range readTail(d, ref) {
		said, by, _ := strings.Cut(line, "\t")
		old, said, _ := strings.Cut(said, " ")
		is, _, isWhole := strings.Cut(said, " ")
		if !isWhole {
			continue
		}
		from, isKnown := object.ParseHash(old) // else it is cut off
		to, _ := object.ParseHash(is)
		m.Synced = isBy(by, Own, "clone:") || m.Synced && isBy(by, "merge ") && strings.HasSuffix(by, ByMem)
		switch {
		case isBy(by, Own, "clone:"):
			m.Own, m.Made[to], m.Others = append(m.Own, to), true, nil
		case isKnown && m.Made[from] && isBy(by, "commit:", "commit (amend)", "commit (initial)", "revert:"):
			m.Made[to] = true
		case len(m.Own) > 0 && !m.Made[to]:
			m.Others = append(m.Others, to)
		}
	}
	slices.Reverse(m.Own)
	return m
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
