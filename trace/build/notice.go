package build

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"mem/lazy"
	"mem/trace/jsonl"
)

// noticeTags enclose what programs put into a prompt, beside a person's words.
var noticeTags = []string{
	"system_instruction", "system-instruction", "task-notification", "teammate-message",
	"user-prompt-submit-hook", "session-start-hook", "ide_opened_file", "ide_selection", "ide_diagnostics",
}

// hookWords matches how a hook's answer begins when it stands in for a prompt.
var hookWords = lazy.New(`^[A-Z]\w+(?::\S+)? hook (?:feedback|error|blocking error|additional context|stopped|success)\b`)

// afterTask matches what the client adds to a notice of a task that ended.
var afterTask = lazy.New(`^\s*(?:Read the output file to retrieve the [^\n]*|Full transcript available at:[^\n]*)`)

// SplitNotices separates a person's words from the notices of programs around
// them. What a notice quotes may hold its own end, so a notice reaches to the
// last one. A notice without an end is all there is.
func SplitNotices(prompt string) (said string, notices []string) {
	said = strings.TrimSpace(prompt)
	if hookWords.Matches(said) {
		return "", []string{said}
	}
	for strings.HasPrefix(said, `{"task_id":`) {
		d := jsontext.NewDecoder(strings.NewReader(said), jsonl.ForeignOptions())
		if _, err := d.ReadValue(); err != nil {
			return "", append(notices, said)
		}
		end := int(d.InputOffset())
		notices, said = append(notices, said[:end]), strings.TrimSpace(said[end:])
	}
	for _, tag := range noticeTags {
		from := strings.Index(said, "<"+tag)
		if from < 0 || !slices.Contains([]byte("> \n"), (said + " ")[from+len(tag)+1]) {
			continue
		}
		to := len(said)
		if end := "</" + tag + ">"; strings.LastIndex(said, end) > from {
			to = strings.LastIndex(said, end) + len(end)
		}
		to += len(afterTask.Get().FindString(said[to:]))
		notices = append(notices, said[from:to])
		said = strings.TrimSpace(said[:from] + "\n" + said[to:])
	}
	return said, notices
}

// EmitNotices emits what programs put into an entry.
func (b *Builder) EmitNotices(notices []string) {
	for _, n := range notices {
		b.EmitInjected(n)
	}
}
