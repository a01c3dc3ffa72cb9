package words_test

import (
	"strings"
	"testing"

	"mem/envtest"
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
		envtest.Same(t, want, words.Base64Value(c), "Base64Value", c)
		envtest.Same(t, want >= 0 || c == '=', words.IsBase64(c), "IsBase64", c)
	}
}
