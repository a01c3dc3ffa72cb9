package shell

import (
	"strings"

	"mem/lazy"
)

// ShowError writes an error line as shown in a lesson: without what only holds
// for one run, such as positions, times and ids, with paths relative to the
// project.
func (p Project) ShowError(line string) string {
	return Clip(p.stripRun(line), maxError)
}

// stripRun takes from an error line what only holds for one run.
func (p Project) stripRun(line string) string {
	for _, re := range []*lazy.Regexp{reShellPrefix, rePosition, rePid, reTime, reLineNo} {
		line = re.Get().ReplaceAllString(line, "")
	}
	line = reHex.Get().ReplaceAllString(line, "…")
	line = reAddress.Get().ReplaceAllString(line, "")
	line = strings.Join(strings.Fields(p.ShowText(line)), " ")
	return strings.TrimRight(line, " .:,;-([{")
}

// Signature reduces an error line to what stays the same when the error comes
// back, on another day, for another file, on another machine. Paths below the
// project are relative, temporary folders and homes are left out, times,
// positions and process ids are gone, hashes are "…", numbers "#" and quoted
// names '…', all in small letters.
//
// Signature is pure, and the signature of a signature is itself.
func (p Project) Signature(line string) string {
	for {
		masked := p.stripRun(line)
		masked = reQuoted.Get().ReplaceAllString(masked, "$1'…'")
		if masked = MaskNumbers(masked); masked == line {
			return line
		}
		line = masked // what was cut may have uncovered more
	}
}

// MaskNumbers reduces a line to small letters without its numbers: the same
// error about the same names. It is a coarse step towards Signature, which
// masks the names as well.
func MaskNumbers(line string) string {
	return reDigits.Get().ReplaceAllString(strings.ToLower(line), "#")
}

var (
	reShellPrefix = lazy.New(`^(?:(?:/\S*/)?(?:ba|z|da|k)?sh: ?)?(?:line \d+: |\d+: )?|^\(eval\):\d+: `)
	rePosition    = lazy.New(`^(?:\S+\.\w{1,5}|\S+/\S+)(?::\d+(?::\d+)?|\(\d+,\d+\)):? ?(?:- )?`)
	rePid         = lazy.New(`\((node|pid|process):? ?\d+\) ?|\[\d{3,}\] ?`)
	reTime        = lazy.New(`\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d)?[.,\d]*(Z|[+-]\d\d:?\d\d)?\]? ?|\b\d\d:\d\d:\d\d(\.\d+)?\b ?`)
	reLineNo      = lazy.New(`(?i),? (at|on|in)? ?line \d+(,? col(umn)? \d+)?|:\d+:\d+\b`)
	reHex         = lazy.New(`\b(0x[0-9a-f]{4,}|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{22,}|[0-9a-f]*[0-9][0-9a-f]*[a-f][0-9a-f]{6,}|[0-9a-f]{12,})\b`)
	reAddress     = lazy.New(` \(os error \d+\)| \[\d+(\.\d+)?m?s\]| in \d+(\.\d+)?m?s$|,? imported from \S+|; to add it:?$|:? see above for more details.*`)
	reQuoted      = lazy.New(`(^|[^\pL\pN_])(?:'[^']+'|"[^"]+"|` + "`[^`]+`" + `|‘[^’]+’|“[^”]+”)`)
	reDigits      = lazy.New(`\d+`)
)
