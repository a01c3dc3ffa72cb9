package console

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
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
		if diff := cmp.Diff(want, strings.Join(parseKeys([]byte(sent)), " ")); diff != "" {
			t.Errorf("%q: %s", sent, diff)
		}
	}
}
