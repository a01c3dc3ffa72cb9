package record

import (
	"path"
	"slices"
	"strings"

	"mem/lazy"
	"mem/session"
)

// MarkFetched returns a session in which what a tool of this machine fetched from
// outside, or read from what was fetched, is external, and so is what a subagent
// says that read something from there. s is not changed.
//
// Only what worked counts: why a command failed is the program's own word, and
// lessons live from it. answer holds back what repeats it to the letter.
func MarkFetched(s *session.Session) *session.Session { return markFetched(s, false) }

// markFetched is MarkFetched. For showing it also marks what a command printed that asked
// another machine and failed, as it may be that machine's answer.
func markFetched(s *session.Session, forShow bool) *session.Session {
	marked := *s
	marked.Events = slices.Clone(s.Events)
	calls := fetches{forShow: forShow, reach: map[string]reach{}, brought: map[string]bool{}}
	told := reports{forShow: forShow, events: marked.Events, calls: map[string]int{}}
	for i := range marked.Events {
		e := &marked.Events[i]
		isAnswer := e.Kind != session.ToolResult || e.Cause == session.OK || forShow && (e.Cause == session.Failed || e.Cause == session.TimedOut)
		if calls.bring(e) && isAnswer {
			e.Origin = session.External
		}
		if told.isFromOutside(i) && isAnswer {
			e.Origin = session.External
		}
	}
	return &marked
}

// fetches tell which calls get something from outside.
type fetches struct {
	forShow bool
	reach   map[string]reach // of calls
	brought map[string]bool  // names of files
	goesOn  bool             // a command that asked another machine may not have printed all yet
}

// polling are the tools that read what a command in the background printed since.
var polling = lazy.New(`(?i)^(functions\.)?((bash|task)_?output|write_stdin)$`)

// bring reports whether an event is what a call got from outside. It is asked for each
// event in order.
func (f *fetches) bring(e *session.Event) bool {
	switch {
	case e.CallID == "" || e.Origin == session.Injected:
	case e.Kind == session.ToolCall:
		f.reach[e.CallID] = f.follow(e)
	case e.Kind == session.ToolResult && e.Origin == session.Tool:
		return f.reach[e.CallID] == asked || f.reach[e.CallID] == taken && e.Cause == session.OK
	}
	return false
}

// follow says how far a call goes.
func (f *fetches) follow(e *session.Event) reach {
	args := readArguments(e.Input)
	far := findReach(args, f.brought)
	if f.forShow && slices.ContainsFunc(args.commands, pushing.Matches) || f.goesOn && polling.Matches(e.Tool) {
		far = asked
	}
	if far == asked && (strings.Contains(e.Input, "run_in_background") || strings.HasSuffix(e.Tool, "exec_command")) {
		f.goesOn = true
	}
	return far
}

// A reach says how far a call goes.
type reach int

const (
	here  reach = iota // this machine alone
	taken              // it reads what others made, or installs it
	asked              // it prints what another machine, or a file that came from there, says
)

// findReach says how far a call goes; brought has the names of files that came from outside
// and gets new ones.
func findReach(a arguments, brought map[string]bool) (far reach) {
	for _, place := range append([]string{a.file()}, a.commands...) {
		if foreignFolder.Matches(place) {
			far = max(far, taken)
		}
		if namesBrought(place, brought) {
			far = asked
		}
	}
	for _, command := range a.commands {
		asks, installs := fetching.Matches(command) || remoteURL.Matches(command), installing.Matches(command)
		if asks {
			far = asked
		}
		if asks || installs {
			far = max(far, taken)
			noteBrought(command, brought)
		}
	}
	return far
}

// noteBrought notes the files that a command that fetches may write.
func noteBrought(command string, brought map[string]bool) {
	for _, m := range target.Get().FindAllStringSubmatch(command, 8) {
		note(m[1], brought)
	}
	for _, url := range remoteURL.Get().FindAllString(command, 8) {
		note(strings.TrimSuffix(url, ".git"), brought)
	}
	if words := strings.Fields(command); strings.Contains(command, " clone ") {
		note(strings.TrimSuffix(words[len(words)-1], ".git"), brought)
	}
}

func note(name string, brought map[string]bool) {
	name = path.Base(strings.Trim(name, `"'/`))
	if len(name) > 2 && name != "null" && len(brought) < 256 {
		brought[name] = true
	}
}

// namesBrought reports whether a path, or a command with paths, names a file that was brought.
func namesBrought(s string, brought map[string]bool) bool {
	for word := range strings.FieldsFuncSeq(s, func(r rune) bool { return strings.ContainsRune(" \t\n/\"'=;|&<>()", r) }) {
		if brought[word] {
			return true
		}
	}
	return false
}

// packagers match the beginning of a command of a package manager.
const packagers = `(?:pip3?|uv|poetry|conda|mamba|gem|cargo|brew|apt|apt-get|dnf|yum|apk|pacman|snap|composer|go|dotnet|nuget|mvn|helm|docker|podman|bundle|mix|cpan|luarocks|opam|stack|cabal)\s+(?:pip\s+)?`

var (
	// fetching matches a command that asks another machine, or prints what others
	// wrote: commits, packages, issues.
	fetching = lazy.New("(?:^|[\\s;&|(`\"'/])(?:(?:curl|wget2?|xh|https?|aria2c|lynx|w3m|elinks|links|ftp|sftp|scp|rsync|ssh|nc|ncat|telnet|socat|gh|glab|hub|tea|jira|slack|aws|gcloud|gsutil|az|kubectl|heroku|vercel|netlify|yt-dlp|youtube-dl|whois|dig|llm|ollama|gemini)\\s" +
		`|git\s+(?:-\S+\s+(?:\S+\s+)?)*(?:log|show|blame|annotate|shortlog|whatchanged|fetch|pull|clone|ls-remote|submodule|am|cat-file|rev-list|for-each-ref|notes|tag\s+-n|range-diff|diff\s+\S*(?:origin|upstream|FETCH_HEAD))\b` +
		`|(?:npm|pnpm|yarn|bun)\s+(?:view|info|show|search|audit|outdated|docs|fund|explain)\b` +
		`|` + packagers + `(?:show|search|info|view|doc|readme)\b)`)
	// pushing matches a command whose server may explain why it refused.
	pushing = lazy.New(`\bgit\s+(?:-\S+\s+(?:\S+\s+)?)*push\b`)
	// installing matches a command that brings the packages of others.
	installing = lazy.New("(?:^|[\\s;&|(`\"'/])(?:(?:npm|pnpm|yarn|bun)\\s+(?:install|i|ci|add|update|upgrade|create|dlx|pack)\\b" +
		`|` + packagers + `(?:install|add|get|download|update|upgrade|pull|fetch|require|restore|mod\s+download)\b)`)
	remoteURL     = lazy.New(`(?i)\b(?:https?|ftp|ssh|git|wss?)://[^\s"'<>|;)]+|\bgit@[\w.-]+:[^\s"']+|(?:urllib|requests\.|httpx|aiohttp|urlopen|http\.client|fetch\(|Invoke-WebRequest|/dev/tcp/)`)
	target        = lazy.New(`(?:\s(?:-o|-O|-P|--output|--output-document|--output-dir|-D|--dir)[ =]?|>>?\s*|\btee\s+(?:-a\s+)?)([\w./~@%+-][^\s"';|&()]*)`)
	foreignFolder = lazy.New(`(?:^|[\s/"'=])(?:node_modules/(?:[^.\s/]|\.[^b])|vendor/|site-packages/|dist-packages/|bower_components/|third_party/|Pods/|\.cargo/registry|go/pkg/mod|pkg/mod/|\.m2/repository|\.gradle/caches|\.yarn/(?:cache|unplugged)|\.pnpm/|\.npm/|\.nuget/|gems/|elm-stuff/|deps/[\w-]+/README|Downloads/|/usr/share/(?:doc|man)/|/usr/lib/(?:python|node))`)
)
