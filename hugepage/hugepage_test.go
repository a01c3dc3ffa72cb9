package hugepage

import (
	"bufio"
	"fmt"
	"os"
	"strings"
	"testing"
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
	s := Make[byte](5<<20, 5<<20)
	if flags := flagsOf(t, uintptr(unsafe.Pointer(&s[1<<20]))); !strings.Contains(flags+" ", " hg ") {
		t.Errorf("the flags of its memory are %q, without hg", flags)
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
