package console

import (
	"strings"
	"testing"

	"mem/envtest"
)

func TestParseKeys(t *testing.T) {
	for sent, want := range map[string]string{
		"j":                       "j",
		"né":                      "n é",
		"\x1b":                    "esc",
		"\x1b[A\x1bOB":            "up down",
		"\x1b[5~\x1b[6~\x1b[H":    "pgup pgdn home",
		"\x1b[1;5C\x1b[200~a":     "a",
		"\x1bq":                   "esc q",
		"\r\x7f\x03\x01\x00":      "enter backspace ctrl-c",
		"a\xff\xe2\x80\x8eb\x1b[": "a b esc [",
	} {
		envtest.Same(t, want, strings.Join(parseKeys([]byte(sent)), " "), sent)
	}
}
