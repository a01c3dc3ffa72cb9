package hugepage

import (
	"bufio"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
	"unsafe"
)

func TestMake(t *testing.T) {
	for _, most := range []int{0, 1, 1000, 300_000, 3_000_000} {
		s := Make[int64](most/2, most)
		if len(s) != most/2 || cap(s) != most {
			t.Errorf("Make(%d, %d) has %d of %d", most/2, most, len(s), cap(s))
		}
		for i := range s[:cap(s)] {
			if s[:cap(s)][i] != 0 {
				t.Fatalf("element %d is not zero", i)
			}
			s[:cap(s)][i] = int64(i)
		}
	}
}

// TestAdvice: the system was asked for large pages where the slice lies.
func TestAdvice(t *testing.T) {
	if _, err := os.Stat("/sys/kernel/mm/transparent_hugepage"); err != nil {
		t.Skip("this system has no large pages to ask for")
	}
	quick := asker{advise: advise, now: func() time.Time { return time.Time{} }}
	s := make([]byte, 5<<20)
	quick.touch(unsafe.Pointer(&s[0]), uintptr(len(s)))
	for _, i := range []int{0, 1 << 20, len(s) - 1} {
		if flags := flagsOf(t, uintptr(unsafe.Pointer(&s[i]))); !strings.Contains(flags+" ", " hg ") {
			t.Errorf("the flags of the memory at %d are %q, without hg", i, flags)
		}
	}
}

// TestSlowPage: each large page that holds a part of a slice is asked for once, until one is slow; then
// none is, for any slice.
func TestSlowPage(t *testing.T) {
	const pages = 5
	s := make([]byte, pages*size)
	first := unsafe.Pointer(&s[(size-uintptr(unsafe.Pointer(&s[0]))%size)%size]) // of a large page
	for slow := range pages {
		for _, off := range []uintptr{0, 1, size - 1} {
			var asked []uintptr
			var now time.Time
			a := asker{
				advise: func(start, n uintptr) { asked = append(asked, start-uintptr(first), n) },
				now: func() time.Time {
					if len(asked) == 2*slow {
						now = now.Add(2 * maxTouch)
					}
					return now
				},
			}
			a.touch(unsafe.Add(first, off), 3*size)
			a.touch(first, size)
			whole := 3
			if off > 0 {
				whole++ // a part of the last one
			}
			var want []uintptr
			for i := range whole {
				want = append(want, uintptr(i)*size, size)
			}
			if want = append(want, 0, size); 0 < slow && slow <= whole {
				want = want[:2*slow]
			}
			if !slices.Equal(asked, want) {
				t.Errorf("from %d, page %d slow: asked for %d, want %d", off, slow, asked, want)
			}
		}
	}
}

// flagsOf returns the flags of the mapping that an address is in.
func flagsOf(t *testing.T, at uintptr) string {
	t.Helper()
	maps, err := os.Open("/proc/self/smaps")
	if err != nil {
		t.Fatal(err)
	}
	defer maps.Close()
	inside := false
	for lines := bufio.NewScanner(maps); lines.Scan(); {
		var start, end uintptr
		if n, _ := fmt.Sscanf(lines.Text(), "%x-%x ", &start, &end); n == 2 {
			inside = start <= at && at < end
		}
		if flags, isFlags := strings.CutPrefix(lines.Text(), "VmFlags:"); inside && isFlags {
			return flags
		}
	}
	t.Fatalf("no mapping holds %x", at)
	return ""
}
