package shell

import (
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"mem/lazy"
)

// The lengths of a command and of an error line in a lesson, in characters, and of a word in bytes.
const (
	maxCommand = 90
	maxWord    = 48
	maxError   = 100
)

// ShowCommand writes a simple command the way a person would type it, without redirections and wrappers such as sudo.
func (p Project) ShowCommand(c Simple) string {
	var parts []string
	for _, e := range c.Settings {
		parts = append(parts, ShowSetting(e))
	}
	if c.Runner != "" {
		parts = append(parts, c.Runner)
	}
	whole := true
	for _, w := range c.Words {
		if isPayload(w.Text) && c.HasPayload() {
			break // a script says nothing about other runs
		}
		whole = whole && len(w.Raw) <= maxWord && !strings.Contains(w.Raw, "\n") // a text rather than a name
		parts = append(parts, w.Raw)
	}
	if shown := p.ShowText(strings.Join(parts, " ")); whole && utf8.RuneCountInString(shown) <= maxCommand {
		return shown
	}
	return c.General(true)
}

// ShowSetting shows an assignment, without a value that looks private or is long.
func ShowSetting(assign string) string {
	name, value, _ := strings.Cut(assign, "=")
	if rePrivate.Matches(name) || len(value) > maxWord || strings.ContainsAny(value, "\n`") {
		return name + "=…"
	}
	return assign
}

// Code sets text as code, between backticks.
func Code(text string) string {
	text = strings.TrimSpace(strings.ReplaceAll(text, "`", "'"))
	if text == "" {
		return ""
	}
	return "`" + text + "`"
}

// clip shortens text to n characters at the end of a word, closes an open backtick and marks the cut by "…".
func clip(text string, n int) string {
	if utf8.RuneCountInString(text) <= n {
		return text
	}
	cut := string([]rune(text)[:n-2]) // room for the mark and a backtick
	if i := strings.LastIndexByte(cut, ' '); i > len(cut)/2 {
		cut = cut[:i]
	}
	cut = strings.TrimRight(cut, " ,;:-(&|")
	switch before, open := strings.CutSuffix(cut, "`"); {
	case strings.Count(cut, "`")%2 == 0:
		return cut + "…"
	case open:
		return strings.TrimRight(before, " ") + "…"
	}
	return cut + "…`"
}

// OneLine makes text one line of at most n characters, without marks at its end.
func OneLine(text string, n int) string {
	return strings.TrimRight(clip(strings.Join(strings.Fields(text), " "), n), " .,;:-")
}

// showError writes an error line as shown in a lesson: without what only holds for
// one run, such as positions, times and ids.
func (p Project) showError(line string) string {
	line = p.stripRun(line)
	if i := strings.Index(line, ". "); i > 20 && line[i-1] != ' ' && utf8.RuneCountInString(line) > maxError {
		line = line[:i]
	}
	if utf8.RuneCountInString(line) > maxError {
		line = reLongName.Get().ReplaceAllString(line, "'…'") // which a cut would hide in one line and not in the next
	}
	if i := strings.LastIndex(line, " ("); i > 20 && !strings.Contains(line[i:], ")") {
		line = line[:i] // what it says in brackets was cut
	}
	return clip(line, maxError)
}

// stripRun takes from an error line what only holds for one run.
func (p Project) stripRun(line string) string {
	line = reOfRun.Get().ReplaceAllString(rePrefix.Get().ReplaceAllString(line, ""), "")
	line = strings.Join(strings.Fields(p.ShowText(reHex.Get().ReplaceAllString(line, "…"))), " ")
	return strings.TrimRight(line, " .:,;-([{")
}

// Signature reduces an error line to what stays the same when the error comes
// back, on another day, for another file, on another machine: as showError, but
// with "#" for numbers and '…' for quoted names, in small letters. The signature
// of a signature is itself.
func (p Project) Signature(line string) string {
	for line != "" { // as of most lessons: a dozen expressions need not be compiled for that
		masked := p.stripRun(line)
		masked = reQuoted.Get().ReplaceAllString(masked, "$1'…'")
		if masked = MaskNumbers(masked); masked == line {
			return line
		}
		line = masked // what was cut may have uncovered more
	}
	return line
}

// MaskNumbers reduces a line to small letters without its numbers.
func MaskNumbers(line string) string {
	return reDigits.Get().ReplaceAllString(strings.ToLower(line), "#")
}

// A Project is where the work of a session was done. What is shown of commands
// and errors is written relative to it.
type Project struct {
	Root string // absolute; "" if it is not known
}

// ProjectIn returns the project of a session that began in a folder. That of a person, or one at the top, is none.
func ProjectIn(dir string) (p Project) {
	if above := path.Dir(dir); path.Dir(above) != above && above != "/home" && above != "/Users" {
		p.Root = dir
	}
	return p
}

// ShowText writes text with paths relative to the project, and without the names of
// people and of temporary folders.
func (p Project) ShowText(s string) string {
	if r := p.Root; r != "" && strings.Contains(s, r) {
		pairs := []string{"file://" + r + "/", "", r + "/", ""}
		for _, after := range []string{" ", "'", `"`, "`", ":", ";", ",", ")", "]", "\n"} {
			pairs = append(pairs, r+after, "."+after)
		}
		s = strings.TrimSuffix(strings.NewReplacer(pairs...).Replace(s+"\n"), "\n")
	}
	return reHome.Get().ReplaceAllString(reTemporary.Get().ReplaceAllString(s, "/tmp/…"), "~$1")
}

// IsLasting reports whether a text says the same in another session: it holds no temporary or home folder, no commit,
// no number of a pull request, no time, and no command that was cut.
func IsLasting(text string) bool { return !reFleeting.Matches(text) }

// IsTemporary reports whether a path lies in a folder for temporary files.
func IsTemporary(p string) bool {
	return slices.ContainsFunc([]string{"/tmp/", "/private/tmp/", "/var/folders/", "/dev/", "/proc/", "$TMPDIR/", "${TMPDIR}/"}, func(dir string) bool {
		return strings.HasPrefix(p+"/", dir)
	})
}

var (
	rePrivate = lazy.New(`(?i)KEY|TOKEN|SECRET|PASS|CRED|AUTH|DSN|URL`)
	rePrefix  = lazy.New(`^(?:\(eval\):\d+: |(?:(?:/\S*/)?(?:ba|z|da|k)?sh: ?)?(?:line \d+: |\d+: )?)(?:(?:\S+\.\w{1,5}|\S+/\S+)(?::\d+(?::\d+)?|\(\d+,\d+\)):? ?(?:- )?)?`)
	reOfRun   = lazy.New(`\((?:node|pid|process|#PID):? ?<?[\d.]+>?\) ?|\[\d{3,}\] ?|\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d)?[.,\d]*(Z|[+-]\d\d:?\d\d)?\]? ?|\b\d\d:\d\d:\d\d(\.\d+)?\b ?|(?i:,? (at|on|in)? ?line \d+(,? col(umn)? \d+)?|:\d+:\d+\b)|` +
		` \(os error \d+\)| \[\d+(\.\d+)?m?s\]| in \d+(\.\d+)?m?s$|,? (?:imported )?from '?\S+$|; to add it:?$|:? see above for more details.*`)
	reHex       = lazy.New(`\b(0x[0-9a-f]{4,}|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{22,}|[0-9a-f]*[0-9][0-9a-f]*[a-f][0-9a-f]{6,}|[0-9a-f]{12,})\b`)
	reQuoted    = lazy.New(`(^|[^\pL\pN_])(?:'[^']+'|"[^"]+"|` + "`[^`]+`" + `|‘[^’]+’|“[^”]+”)`)
	reLongName  = lazy.New(`'[^' ]*/[^' ]*'`)
	reDigits    = lazy.New(`\d+`)
	reFleeting  = lazy.New(`/tmp/|~/|\b[0-9a-f]*(?:\d[a-f]|[a-f]\d)[0-9a-f]{6,}\b|#\d{2,}|\bgh \w+ \w+ \d+|/(?:pull|issues)/\d|\b20\d\d-\d\d-\d\d|[^=]…` + "[^`]*` (?:before|from|without|for|instead)" + `|REDACTED`)
	reTemporary = lazy.New("(?:/private)?(?:/tmp|/var/folders|\\$\\{?TMPDIR\\}?)/[^\\s'\"`:,;)\\]]+")
	reHome      = lazy.New(`(?:/Users|/home)/[^/\s'"]+((?:/|\b))`)
)
