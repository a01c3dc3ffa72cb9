package words_test

import (
	"strings"
	"testing"

	"mem/words"
)

func TestBase64(t *testing.T) {
	const common = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
	for i := range 256 {
		c := byte(i)
		want := strings.IndexByte(common, c)
		switch c {
		case '+', '-':
			want = 62
		case '/', '_':
			want = 63
		}
		if got := words.Base64Value(c); got != want {
			t.Errorf("Base64Value(%q) = %d, want %d", c, got, want)
		}
		if got, want := words.IsBase64(c), want >= 0 || c == '='; got != want {
			t.Errorf("IsBase64(%q) = %t, want %t", c, got, want)
		}
	}
}
