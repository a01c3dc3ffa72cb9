package pack

import (
	"bytes"
	"encoding/binary"
	"iter"
)

// What a delta is made of: runs of the base, and bytes that it adds.
const (
	minRun = 16       // a shorter run of the base costs more than its bytes
	maxRun = 0xffffff // three bytes
	maxAdd = 0x7f
)

// How the place is found where two texts meet again.
const (
	anchor   = 32      // bytes of a line that are looked for
	nearby   = 8 << 10 // how far around the place where they parted, at first
	goodRun  = 256     // bytes in a row that are no chance: records are much alike
	maxLines = 8       // that are tried before the best run so far is taken
	maxPoor  = 32      // times that only a short run was found, before all lines of the base are noted
)

// Delta returns what turns base into target, in git's form.
//
// The two are versions of one file: most of it is the same, in the same order. So they are
// compared side by side; where they part, the next line of the target that is found nearby
// in the base, or else anywhere in it, is where they meet again.
func Delta(base, target []byte) []byte {
	w := deltaWriter{out: binary.AppendUvarint(binary.AppendUvarint(nil, uint64(len(base))), uint64(len(target)))}
	lines := finder{base: base}
	for i, j := 0, 0; j < len(target); {
		n := countCommon(base[i:], target[j:])
		if n >= minRun || n == len(target)-j {
			w.copyRun(i, n)
			i, j = i+n, j+n
			continue
		}
		next, at := lines.meet(target, j+n, i)
		// The bytes before the line may be equal, too.
		for next > j && at > 0 && target[next-1] == base[at-1] {
			next, at = next-1, at-1
		}
		w.add(target[j:next])
		i, j = at, next
	}
	return w.out
}

// countCommon returns how many bytes at the start of a and b are equal.
func countCommon(a, b []byte) int {
	n := min(len(a), len(b))
	const step = 4 << 10
	at := 0
	for at+step <= n && bytes.Equal(a[at:at+step], b[at:at+step]) {
		at += step
	}
	for at+8 <= n && binary.LittleEndian.Uint64(a[at:]) == binary.LittleEndian.Uint64(b[at:]) {
		at += 8
	}
	for at < n && a[at] == b[at] {
		at++
	}
	return at
}

// A finder finds lines of the target in the base.
type finder struct {
	base []byte
	poor int            // how often no good run was found
	all  map[string]int // where a line of the base begins, by its first bytes; negative for several
}

// meet returns the next line of the target after from that the base has too, and where: of the
// first few the one from which most is equal. Without one it returns the target's end.
func (f *finder) meet(target []byte, from, near int) (next, at int) {
	best := 0
	for line, tried := from, 0; tried < maxLines || best == 0; tried++ {
		n := bytes.IndexByte(target[line:], '\n')
		if n < 0 || line+n+1+anchor > len(target) {
			break
		}
		line += n + 1
		for place := range f.places(target[line:line+anchor], near) {
			if n := countCommon(f.base[place:min(len(f.base), place+goodRun)], target[line:]); n > best {
				next, at, best = line, place, n
			}
			if best == goodRun {
				return next, at
			}
		}
	}
	if f.poor++; best == 0 {
		return len(target), 0
	}
	return next, at
}

// places yields where the base has the beginning of a line: nearby, and anywhere.
func (f *finder) places(key []byte, near int) iter.Seq[int] {
	return func(yield func(int) bool) {
		end := min(len(f.base), near+nearby)
		for i := max(0, near-nearby); i < end; i++ {
			n := bytes.Index(f.base[i:end], key)
			if n < 0 {
				break
			}
			if i += n; !yield(i) {
				return
			}
		}
		if place := f.findFar(key); place >= 0 {
			yield(place)
		}
	}
}

// findFar returns where a line is that the base has once; negative for none. It looks only
// once it is clear that the two texts are not in the same order.
func (f *finder) findFar(key []byte) int {
	if f.poor < maxPoor {
		return -1
	}
	if f.all == nil {
		f.noteLines()
	}
	if at, found := f.all[string(key)]; found {
		return at
	}
	return -1
}

// noteLines notes where each line of the base begins.
func (f *finder) noteLines() {
	f.all = map[string]int{}
	for i := 0; i+anchor <= len(f.base); {
		key := string(f.base[i : i+anchor])
		if _, twice := f.all[key]; twice {
			f.all[key] = -1
		} else {
			f.all[key] = i
		}
		n := bytes.IndexByte(f.base[i:], '\n')
		if n < 0 {
			return
		}
		i += n + 1
	}
}

// A deltaWriter writes the instructions of a delta.
type deltaWriter struct{ out []byte }

// copyRun takes n bytes of the base at this place.
func (w *deltaWriter) copyRun(at, n int) {
	for n > 0 {
		run := min(n, maxRun)
		op := len(w.out)
		w.out = append(w.out, 0x80)
		for bit, b := range []byte{byte(at), byte(at >> 8), byte(at >> 16), byte(at >> 24), byte(run), byte(run >> 8), byte(run >> 16)} {
			if b != 0 {
				w.out[op] |= 1 << bit
				w.out = append(w.out, b)
			}
		}
		at, n = at+run, n-run
	}
}

// add takes bytes that the base does not have.
func (w *deltaWriter) add(data []byte) {
	for len(data) > 0 {
		n := min(len(data), maxAdd)
		w.out = append(append(w.out, byte(n)), data[:n]...)
		data = data[n:]
	}
}
