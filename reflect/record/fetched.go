package record

import (
	"path"
	"slices"
	"strings"

	"mem/lazy"
	"mem/session"
)

// MarkFetched returns a session in which what a tool of this machine fetched from
// outside, or read from what was fetched, is external. s is not changed.
//
// Only what worked counts: why a command failed is the program's own word, and
// lessons live from it. answer holds back what repeats it to the letter.
func MarkFetched(s *session.Session) *session.Session {
	marked := *s
	marked.Events = slices.Clone(s.Events)
	fetched := map[string]bool{} // calls
	brought := map[string]bool{} // names of files
	for i := range marked.Events {
		e := &marked.Events[i]
		switch {
		case e.CallID == "":
		case e.Kind == session.ToolCall && e.Origin != session.Injected:
			if isFetch(readArguments(e.Input), brought) {
				fetched[e.CallID] = true
			}
		case e.Kind == session.ToolResult && e.Origin == session.Tool && e.Cause == session.OK && fetched[e.CallID]:
			e.Origin = session.External
		}
	}
	return &marked
}

// isFetch reports whether a call gets something from outside, or reads a file
// that came from there; brought has the names of those and gets new ones.
func isFetch(a arguments, brought map[string]bool) bool {
	fetches := isForeignPath(a.file(), brought)
	for _, command := range a.commands {
		if isForeignPath(command, brought) {
			fetches = true
		}
		if fetching.Matches(command) || remoteURL.Matches(command) {
			fetches = true
			noteBrought(command, brought)
		}
	}
	return fetches
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

// isForeignPath reports whether a path, or a command with paths, leads into a
// folder of the packages of others or names a file that was brought.
func isForeignPath(s string, brought map[string]bool) bool {
	if s == "" {
		return false
	}
	if foreignFolder.Matches(s) {
		return true
	}
	for word := range strings.FieldsFuncSeq(s, func(r rune) bool { return strings.ContainsRune(" \t\n/\"'=;|&<>()", r) }) {
		if brought[word] {
			return true
		}
	}
	return false
}

var (
	// fetching matches a command that asks another machine, or prints what others
	// wrote: commits, packages, issues.
	fetching = lazy.New("(?:^|[\\s;&|(`\"'/])(?:(?:curl|wget2?|xh|https?|aria2c|lynx|w3m|elinks|links|ftp|sftp|scp|rsync|ssh|nc|ncat|telnet|socat|gh|glab|hub|tea|jira|slack|aws|gcloud|gsutil|az|kubectl|heroku|vercel|netlify|yt-dlp|youtube-dl|whois|dig|llm|ollama|gemini)\\s" +
		`|git\s+(?:-\S+\s+(?:\S+\s+)?)*(?:log|show|blame|annotate|shortlog|whatchanged|fetch|pull|clone|ls-remote|submodule|am|cat-file|rev-list|for-each-ref|notes|tag\s+-n|range-diff|diff\s+\S*(?:origin|upstream|FETCH_HEAD))\b` +
		`|(?:npm|pnpm|yarn|bun)\s+(?:install|i|ci|add|update|upgrade|view|info|show|search|audit|outdated|docs|create|dlx|pack|fund|explain)\b` +
		`|(?:pip3?|uv|poetry|conda|mamba|gem|cargo|brew|apt|apt-get|dnf|yum|apk|pacman|snap|composer|go|dotnet|nuget|mvn|helm|docker|podman|bundle|mix|cpan|luarocks|opam|stack|cabal)\s+(?:pip\s+)?(?:install|add|get|download|show|search|info|update|upgrade|pull|fetch|view|require|restore|mod\s+download|doc|readme)\b)`)
	remoteURL     = lazy.New(`(?i)\b(?:https?|ftp|ssh|git|wss?)://[^\s"'<>|;)]+|\bgit@[\w.-]+:[^\s"']+|(?:urllib|requests\.|httpx|aiohttp|urlopen|http\.client|fetch\(|Invoke-WebRequest|/dev/tcp/)`)
	target        = lazy.New(`(?:\s(?:-o|-O|-P|--output|--output-document|--output-dir|-D|--dir)[ =]?|>>?\s*|\btee\s+(?:-a\s+)?)([\w./~@%+-][^\s"';|&()]*)`)
	foreignFolder = lazy.New(`(?:^|[\s/"'=])(?:node_modules/(?:[^.\s/]|\.[^b])|vendor/|site-packages/|dist-packages/|bower_components/|third_party/|Pods/|\.cargo/registry|go/pkg/mod|pkg/mod/|\.m2/repository|\.gradle/caches|\.yarn/(?:cache|unplugged)|\.pnpm/|\.npm/|\.nuget/|gems/|elm-stuff/|deps/[\w-]+/README|Downloads/|/usr/share/(?:doc|man)/|/usr/lib/(?:python|node))`)
)
