package console

import "testing"

// More arguments than the stack has room for are no reason to crash.
func TestGrowStack(t *testing.T) {
	for _, args := range []int{1, 40 << 10, 1 << 20} {
		GrowStack(args)
	}
}
