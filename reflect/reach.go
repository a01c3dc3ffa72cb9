package reflect

import "mem/lazy"

// packagers match the beginning of a command of a package manager.
const packagers = `(?:pip3?|uv|poetry|conda|mamba|gem|cargo|brew|apt|apt-get|dnf|yum|apk|pacman|snap|composer|go|dotnet|nuget|mvn|helm|bundle|mix|cpan|luarocks` +
	`|opam|stack|cabal|pod|carthage|(?:flutter|dart) pub|ansible-galaxy|terraform|asdf|nvm|rustup|pre-commit|swift package)\s+(?:pip\s+)?`

// begins stands before the name of a program.
const begins = "(?:^|[\\s(`\"'/])"

// remoteRef matches what came from another repository, unless it is where a range begins.
const remoteRef = `(?:(?:origin|upstream)/[\w/-]+(?:\.[\w/-]+)*(?:[^\w./-]|$)|FETCH_HEAD|refs/(?:pull|remotes|merge-requests)/)`

const git = `git\s+(?:-\S+\s+(?:\S+\s+)?)*`

var (
	// fetching matches a command that asks another machine, or prints what others
	// wrote: packages, issues, commits that came from there.
	fetching = lazy.New(begins + `(?:(?:curl|wget2?|xh|https?|aria2c|lynx|w3m|elinks|links|ftp|sftp|scp|rsync|ssh|nc|ncat|telnet|socat|gh|glab|hub|tea|jira|slack|aws|gcloud|gsutil|az` +
		`|kubectl|heroku|vercel|netlify|yt-dlp|youtube-dl|whois|dig|llm|ollama|gemini)\s` +
		`|` + git + `(?:clone|ls-remote|submodule|am|notes|(?:log|show|diff|blame|cat-file|shortlog|rev-list|range-diff)\b.*\b` + remoteRef + `)` +
		`|(?:npm|pnpm|yarn|bun)\s+(?:view|info|show|search|audit|outdated|docs|fund|explain)\b` +
		`|` + packagers + `(?:show|search|info|view|doc|readme)\b)`)
	// posting matches a command that prints where what it wrote is, and no word of another.
	posting = lazy.New(begins + `gh\s+(?:pr|issue)\s+(?:create|edit|comment)\b`)
	// serving matches a command of git to which a server may say something.
	serving = lazy.New(begins + git + `(?:push|pull|fetch)\b`)
	// installing matches a command that brings and runs what others made.
	installing = lazy.New(begins + `(?:(?:npm|pnpm|yarn|bun)\s+(?:install|i|ci|add|update|upgrade|create|dlx|pack|rebuild)\b|yarn\s*$` +
		`|` + packagers + `(?:install|add|get|download|update|upgrade|pull|fetch|require|restore|init|sync|resolve|bootstrap|mod\s+download)\b` +
		`|(?:docker|podman|nerdctl)(?:[- ]compose)?\s+(?:-\S+\s+)*(?:build|buildx|run|logs|up|pull|start|attach)\b|go\s+run\s+\S+@)`)
	// running matches a command that runs a package which may be brought for it.
	running  = lazy.New(begins + `(?:npx|bunx|uvx|pnpx|pipx\s+run|npm\s+(?:exec|create|init)|uv\s+tool\s+run|deno\s+run)\s`)
	ownTools = lazy.New(`\s(?:tsc|jest|vitest|mocha|ava|eslint|prettier|biome|oxlint|stylelint|next|vite|webpack|rollup|esbuild|turbo|nx|lerna|prisma|drizzle-kit|playwright|cypress` +
		`|tsx|ts-node|tailwindcss|svelte-check|vue-tsc|astro|husky|lint-staged|commitlint|knip|ruff|black|mypy|pytest|jscodeshift|typedoc|storybook|nodemon|concurrently|changeset)(?:\s|$)`)

	remoteURL = lazy.New(`(?i)\b(?:https?|ftp|ssh|git|wss?)://[^\s"'<>|;)]+|\bgit@[\w.-]+:[^\s"']+|(?:urllib|requests\.|httpx|aiohttp|urlopen|http\.client|fetch\(|Invoke-WebRequest|/dev/tcp/)`)
	target    = lazy.New(`(?:\s(?:-o|-O|-P|--output|--output-document|--output-dir|-D|--dir)[ =]?|>>?\s*|\btee\s+(?:-a\s+)?)([\w./~@%+-][^\s"';|&()]*)`)
	// foreignFolder matches a path to what others wrote.
	foreignFolder = lazy.New(`(?:^|[\s/"'=])(?:node_modules/(?:[^.\s/]|\.[^b])|vendor/|site-packages/|dist-packages/|bower_components/|third[_-]party/|external/|Pods/|Carthage/|\.terraform/` +
		`|\.cargo/registry|go/pkg/mod|pkg/mod/|\.m2/repository|\.gradle/caches|\.yarn/(?:cache|unplugged)|\.pnpm/|\.npm/|\.nuget/|gems/|elm-stuff/|deps/[\w-]+/README|Downloads/` +
		`|\.(?:claude|codex|gemini|cursor|vscode|copilot)/(?:plugins|extensions|marketplaces)/|plugins/(?:cache|marketplaces)/|\.bundle/|\.tox/|jspm_packages/|/usr/share/(?:doc|man)/|/usr/lib/(?:python|node))`)
	isPicture = lazy.New(`(?i)\.(?:png|jpe?g|gif|webp|bmp|tiff?|heic|avif|pdf)$`)

	// checkingOut matches a command behind which the work tree is that of a stranger's pull
	// request, goingBack one that leaves it.
	checkingOut = lazy.New(`\b(?:gh|glab|hub|tea)\s+(?:pr|mr|pulls?)\s+(?:checkout|co)\b|\bgit\s[^;&|]*\b(?:pull|pulls|merge-requests|pr)/\d+|\bgit\s+(?:checkout|switch)\s[^;&|]*FETCH_HEAD`)
	goingBack   = lazy.New(`\bgit\s+(?:checkout|switch)\s+(?:-|main|master|develop|trunk)(?:\s|$)`)

	separators   = lazy.New(`&&|\|\|?|;|\n`)
	hereDocument = lazy.New(`(?s)(\b(?:cat|tee)\b[^\n]*<<[^\n]*)\n.*?\n\s*(?:E\w+|[A-Z_]{2,}|__\w+)\s*(?:\n|\)|$)`)
	quoted       = lazy.New(`(?s)'[^']*'|"(?:[^"\\$\x60]|\\.|\$[^(])*"`) // but not what a shell runs
	// saying matches a command that only says, writes or looks for what it is given.
	saying = lazy.New(`^\s*(?:\w+=\S*\s+|sudo\s+|time\s+|rtk\s+)*(?:printf|echo|cat|tee|sed|grep|rg|ag|jq|export|alias|` + git + `(?:commit|remote|config|tag|add|status|grep|branch))\b`)
	// moving matches a command that does not print what is in the files that it names.
	moving = lazy.New(`^\s*(?:\w+=\S*\s+|sudo\s+|time\s+|rtk\s+)*(?:ls|mv|rm|cp|mkdir|rmdir|chmod|chown|touch|stat|wc|du|ln|open|` + git + `(?:add|commit|mv|rm|checkout|switch|restore|stash|status|reset|push))\b`)
	// writing matches a tool with which the agent writes a file.
	writing = lazy.New(`(?i)^(functions\.)?(write|write_?file|create_?file)$`)

	// ofServer matches what a server says, by way of git.
	ofServer = lazy.New(`^\s*remote:\s*\S`)
	// ofHost matches what git's own server, and hosts of repositories, say by themselves.
	ofHost = lazy.New(`^\s*remote:\s*(?:(?:Resolving|Enumerating|Counting|Compressing|Total|Bypassed rule)\b|This repository moved|Create a pull request|Please use the new|(?:https?://|git@)\S+\s*$|To create a merge request|Visit|View merge)`)
	// ofInstaller matches what an installer counts and names, in which no package has a word.
	ofInstaller = lazy.New(`^\s*(?:[+-] [@\w./-]+[@ ][\w.+^~-]+|[+-]*|bun (?:install|add) v[\d.]+ \(\w+\)` +
		`|(?:Resolving dependencies|Resolved, downloaded and extracted \[\d+\]|Saved lockfile|\d+ packages? installed)(?: \[[\d.]+m?s\])?` +
		`|(?:(?:up to date|(?:added|removed|changed|(?:and )?audited) \d+ packages?),? ?)+(?:in [\d.]+m?s)?|found 0 vulnerabilities` +
		`|\d+ packages? (?:is|are) looking for funding|run .npm fund. for details|Packages: [+\d -]+|Done in [\d.]+m?s)\s*$`)
	// ofProgram matches what a program that asks elsewhere says of itself.
	ofProgram = lazy.New(`^(?:(?:Error: )?Exit code \d+|curl: \(\d+\)|wget: |ssh: |gh: |fatal: |hint: |E: (?:Unable|Package|Version|Could)|W: |go: |YN\d{4}|\s?ERR_PNPM_\w+|ERROR: (?:Could not|No matching|Cannot|Ignored|Failed building)` +
		`|error: (?:failed to|could not|no matching|pathspec|src refspec|Your local|lockfile|package \x60)|npm (?:ERR!|error|WARN|warn) (?:code|errno|syscall|path|dest|ERESOLVE|EBADENGINE|notarget|4\d\d|Found:|peer|missing:|Missing|Invalid: lock|Could not|Conflicting|Fix the|package\.json and package-lock|.npm ci. can only|Please update your lock)` +
		`|Traceback |command not found|\S+: command not found|docker: |Cannot connect to the Docker|Unable to find image|no such service|service "\S+" is not running|GraphQL: |HTTP \d{3})`)
)
