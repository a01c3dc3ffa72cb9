package hugepage

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
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

// TestRead reads what is shorter than it was said to be, too, and where one half fails.
func TestRead(t *testing.T) {
	for _, size := range []int{0, 1, 2*minHalf - 1, 2 * minHalf, 2*minHalf + 1, 6*minHalf + 1} {
		content := make([]byte, size)
		for i := range content {
			content[i] = byte(i * i >> 7)
		}
		for _, asked := range []int{size / 3, size, size + 1, 3*size + 2*minHalf} {
			got, err := Read(bytes.NewReader(content), asked)
			if err != nil || !bytes.Equal(got, content[:min(asked, size)]) {
				t.Errorf("%d of %d bytes: read %d, %v", asked, size, len(got), err)
			}
		}
		for _, bad := range []int64{0, int64(size / 2)} {
			got, err := Read(broken{bytes.NewReader(content), bad}, size)
			if isRead := bad > 0 && size < 2*minHalf; errors.Is(err, io.ErrClosedPipe) == isRead || isRead && !bytes.Equal(got, content) {
				t.Errorf("%d bytes that cannot be read from %d: read %d, %v", size, bad, len(got), err)
			}
		}
	}
}

// A broken reader fails from a place on.
type broken struct {
	io.ReaderAt
	from int64
}

func (b broken) ReadAt(p []byte, at int64) (int, error) {
	if at >= b.from {
		return 0, io.ErrClosedPipe
	}
	return b.ReaderAt.ReadAt(p, at)
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
