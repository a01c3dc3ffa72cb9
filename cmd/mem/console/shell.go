package console

import (
	"os"
	"strings"
	"unicode"
)

// InShell quotes a path, as far as that is needed to paste it.
func InShell(path string) string {
	odd := func(r rune) bool {
		return r <= unicode.MaxASCII && !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != os.PathSeparator && !strings.ContainsRune("/._-+,:@%", r)
	}
	if !strings.ContainsFunc(path, odd) {
		return path
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "$", `\$`, "`", "\\`").Replace(path) + `"`
}
