package disktest

import "bytes"

// A Loss is what a power cut does to what was not flushed.
type Loss struct {
	Name string
	Keep func(seq int) bool               // whether a change of a name lasts
	Torn func(flushed, now []byte) []byte // what a file holds of which only the beginning was flushed
}

// The first of these lose every content that was not flushed, the others what file systems
// have been seen to leave of it under a name that lasts.
var (
	None = &Loss{"none kept", func(int) bool { return false }, empty}
	All  = &Loss{"all kept", func(int) bool { return true }, empty}
	Even = &Loss{"even kept", func(seq int) bool { return seq%2 == 0 }, empty}
	Odd  = &Loss{"odd kept", func(seq int) bool { return seq%2 != 0 }, empty}

	Losses = []*Loss{
		None, All, Even, Odd,
		{"all kept, cut", All.Keep, cut}, {"all kept, zeroed", All.Keep, zeroed},
		{"all kept, last page zeroed", All.Keep, halfZeroed}, {"all kept, whole", All.Keep, whole},
		{"thirds kept, cut", func(seq int) bool { return seq%3 == 0 }, cut}, {"thirds missing, zeroed", func(seq int) bool { return seq%3 != 0 }, zeroed},
		{"mixed, whole", func(seq int) bool { return seq*seq%7 < 3 }, whole}, {"mixed the other way, whole", func(seq int) bool { return seq*seq%7 > 1 }, whole},
	}
)

func empty(flushed, _ []byte) []byte { return flushed }
func whole(_, now []byte) []byte     { return now }
func cut(flushed, now []byte) []byte { return now[:(len(flushed)+len(now))/2] }

func zeroed(flushed, now []byte) []byte {
	return append(bytes.Clone(flushed), make([]byte, len(now)-len(flushed))...)
}

func halfZeroed(flushed, now []byte) []byte { return zeroed(cut(flushed, now), now) }
