package build

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"mem/lazy"
	"mem/session"
	"mem/trace/jsonl"
)

// localTools are the tools of the agents that mem knows whose answers come from
// this machine, in small letters and without marks between their words.
var localTools = strings.Fields(`
	bash bashoutput killshell killbash shell exec execcommand localshell localshellcall runshellcommand runcommand
	runterminalcmd executecommand containerexec shellcommand terminal writestdin unifiedexec powershell process command
	read readfile view viewimage readmanyfiles notebookread edit editfile multiedit strreplace strreplaceeditor
	strreplacebasededittool applypatch replace notebookedit write writefile writetofile createfile deletefile
	glob grep find ls listdir listdirectory listfiles searchfiles grepfiles grepsearch filesearch codebasesearch lsp
	task agent taskoutput agentoutput taskcreate taskupdate tasklist taskget taskstop todowrite todoread updateplan
	askuserquestion exitplanmode enterplanmode requestuserinput skill slashcommand toolsearch structuredoutput
	enterworktree exitworktree monitor sendmessage spawnagent wait waitagent sendinput closeagent resumeagent
	jsrepl multitooluseparallel test make diagnostics getdiagnostics readlints`)

// ToolOrigin says whether what a tool answers comes from this machine. A tool
// that mem does not know could be anything, and so could one without a name.
func ToolOrigin(name string) session.Origin {
	plain := strings.ToLower(strings.NewReplacer("_", "", "-", "", ".", "", " ", "").Replace(name))
	if slices.Contains(localTools, strings.TrimPrefix(plain, "functions")) {
		return session.Tool
	}
	return session.External
}

// EncodeInput is the input of a tool with one argument, such as the "command"
// of a shell.
func EncodeInput(name, value string) string {
	v, _ := json.Marshal(map[string]string{name: value}, jsonl.Foreign) // strings can be encoded
	return jsonl.Compact(v)
}

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
		d := jsontext.NewDecoder(strings.NewReader(said), jsonl.Foreign)
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
