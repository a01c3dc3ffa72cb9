package shell

import (
	"slices"
	"strings"
	"sync"
)

// A program is a row of the table: the properties of one program, or of several that share them. Lists
// are words between blanks.
type program struct {
	names string
	is    trait
	kin   string   // programs of one kin do the same with the same arguments
	two   string   // subcommands that say nothing without a second word; "*" for all
	said  string   // subcommands that people name in prose
	runs  []string // what stands between it and another program that it runs: "exec"; "" for nothing
	wraps int      // how many words it takes before the command that it runs as it stands
	takes string   // its options with a value of their own, if others may come before what counts
}

// A trait is a property of a program.
type trait uint8

const (
	commands trait = 1 << iota // it has subcommands
	prepares                   // it only sets the scene or reports
	looks                      // it only looks at files or processes
	tool                       // work is done with it, and its name is not an English word
	sure                       // … nor anything but the program, even in small letters in prose
	packages                   // a package manager of the JavaScript world
)

// Subcommands that several programs share.
const (
	subsOfPackages = "run test install build ci add publish exec dev start lint fix check"
	ownOfPackages  = "test start install i ci add remove rm uninstall update up upgrade outdated link unlink publish pack exec x dlx create init why audit config cache info view version login run pm patch store import prune rebuild dedupe set"
	subsOfPip      = "run install sync pip add lock"
	subsOfMake     = "test build check lint fmt e2e generate gen dev install integration"
)

// programs is all that is known of single programs. A name stands in one row only.
var programs = []program{
	// Version control and its servers.
	{names: "git", is: commands | tool, two: "stash submodule worktree remote", takes: "-C -c",
		said: "push pull commit add rebase merge checkout stash reset revert diff log status restore fetch switch clean"},
	{names: "gh", is: commands | tool, two: "*", said: "pr issue run api create view diff release"},

	// JavaScript.
	{names: "npm", is: commands | sure | packages, takes: "-C -w --workspace", two: "run workspace", said: subsOfPackages},
	{names: "pnpm", is: commands | sure | packages, takes: "-C --dir -F --filter", two: "run workspace", said: subsOfPackages, runs: []string{"exec", "dlx"}},
	{names: "yarn", is: commands | tool | packages, two: "run workspace", said: subsOfPackages, runs: []string{"exec", "dlx"}},
	{names: "bun", is: commands | tool | packages, kin: "node", two: "run workspace", said: subsOfPackages},
	{names: "deno", is: commands | tool, kin: "node", two: "run workspace"},
	{names: "node", kin: "node"},
	{names: "tsx", is: sure, kin: "node"},
	{names: "ts-node", is: tool, kin: "node"},
	{names: "npx bunx uvx", is: sure, runs: []string{""}},
	{names: "nx turbo lerna vercel wrangler prisma firebase", is: commands},
	{names: "nvm jest mocha playwright cypress prettier webpack vite", is: tool},
	{names: "vitest", is: sure},
	{names: "eslint", is: sure, kin: "eslint"},
	{names: "biome", is: sure | commands, kin: "eslint"},
	{names: "tsc tsgo", is: sure, kin: "tsc"},

	// Python.
	{names: "python", is: tool, kin: "python", said: "-m", runs: []string{"-m"}},
	{names: "python3", is: sure, kin: "python", said: "-m", runs: []string{"-m"}},
	{names: "py", kin: "python"},
	{names: "pip pip3", is: commands | sure, kin: "pip", said: subsOfPip},
	{names: "pipx", is: tool, kin: "pip"},
	{names: "uv", is: commands | sure, two: "pip", said: subsOfPip, runs: []string{"run"}},
	{names: "poetry", is: commands | tool, said: subsOfPip, runs: []string{"run"}},
	{names: "pipenv pdm hatch", is: tool, runs: []string{"run"}},
	{names: "conda tox nox", is: commands | tool},
	{names: "unittest pylint flake8", is: tool},
	{names: "pytest mypy", is: sure},
	{names: "ruff", is: sure | commands},

	// Go, Rust, the JVM, Ruby and others.
	{names: "go", is: commands, two: "mod work tool", said: "test build run vet fmt mod tidy generate install get tool work"},
	{names: "gofmt goimports gofumpt clippy rustfmt", is: sure},
	{names: "golangci-lint sqlc", is: commands | sure},
	{names: "cargo", is: commands | tool, said: "test build run clippy fmt check add doc bench"},
	{names: "mvn mvnw", is: commands | tool, kin: "mvn"},
	{names: "gradle gradlew", is: commands | tool, kin: "gradle"},
	{names: "bazel", is: commands | tool},
	{names: "rails rake", is: commands, kin: "rake"},
	{names: "bundle", is: commands, runs: []string{"exec"}},
	{names: "hg jj alembic manage.py rustup sbt lein mix dotnet composer artisan flutter dart swift xcodebuild stack cabal zig buf", is: commands},

	// Tasks, machines and services.
	{names: "make", is: commands, takes: "-C", said: subsOfMake},
	{names: "just task", is: commands, said: subsOfMake},
	{names: "mise", is: commands | tool, two: "run workspace", said: "run exec fmt lint test", runs: []string{"exec", "x"}},
	{names: "direnv", runs: []string{"exec ."}},
	{names: "nix", is: commands, runs: []string{"develop -c"}},
	{names: "docker podman", is: commands | tool, kin: "docker", two: "compose image volume network", said: "compose up down build run exec"},
	{names: "docker-compose helm", is: commands | tool},
	{names: "kubectl", is: commands | sure, takes: "-n --namespace --context", said: "apply delete get"},
	{names: "terraform", is: commands | tool, said: "plan apply init destroy"},
	{names: "glab aws gcloud az supabase", is: commands, two: "*"},
	{names: "fly flyctl heroku ansible vagrant brew apt apt-get systemctl tmux", is: commands},

	// What everything else runs in and goes by.
	{names: "sudo", is: sure, wraps: 1, takes: "-u -g"},
	{names: "env command", is: looks, wraps: 1},
	{names: "time nohup exec builtin", wraps: 1},
	{names: "timeout gtimeout", wraps: 2, takes: "-k -s"},
	{names: "nice", wraps: 1, takes: "-n"},
	{names: "cd echo printf export set unset source . sleep true false pushd popd wait clear exit : trap ulimit umask shopt date", is: prepares},
	{names: "grep rg sed curl jq", is: looks | sure},
	{names: "ls cat head tail find fd wget egrep fgrep ag ack wc diff cmp test [ [[ tree pwd which stat file less more sort uniq cut tr yq xargs type whereis", is: looks},
	{names: "mem readlink awk kill pkill killall pgrep ps lsof realpath basename dirname du df printenv id whoami uname hostname nl tee comm", is: looks},
	{names: "cp mv rm touch ln rmdir mkdir strings xxd hexdump od open code lsd eza bat nc ping dig nslookup cut.exe", is: looks},
}

var programsByName = sync.OnceValue(func() map[string]*program {
	rows := map[string]*program{}
	for i := range programs {
		for _, name := range strings.Fields(programs[i].names) {
			rows[name] = &programs[i]
		}
	}
	return rows
})

func findProgram(name string) program {
	if p := programsByName()[name]; p != nil {
		return *p
	}
	return program{}
}

func listed(list, word string) bool { return slices.Contains(strings.Fields(list), word) }

// HasSubcommands reports whether a program is known to have subcommands.
func HasSubcommands(name string) bool { return findProgram(name).is&commands != 0 }

// Prepares reports whether a program only sets the scene or reports.
func Prepares(name string) bool { return findProgram(name).is&prepares != 0 }

// LooksAround reports whether a program only looks at files or processes: it
// fails when there is nothing to see, which teaches nothing.
func LooksAround(name string) bool { return findProgram(name).is&looks != 0 }

// IsCommon reports whether a general form names no more than a program that is run all the time, such
// as "ls" or "git status".
func IsCommon(general string) bool {
	program, more, _ := strings.Cut(general, " ")
	return more == "" && findProgram(program).is&(looks|prepares) != 0 || program == "git" && listed("status log diff show branch", more)
}

// OnlyReads reports whether a command changes nothing that matters: it looks around, reports or checks.
func OnlyReads(s Simple) bool {
	head, tail, _ := strings.Cut(s.Sub[strings.LastIndexByte(s.Sub, ' ')+1:], ":")
	reads := func(verb string) bool {
		return listed("status log diff show list ls view branch describe info help version test tests check lint vet typecheck logs search audit outdated", verb)
	}
	return LooksAround(s.Program) || tail != "fix" && (reads(head) || reads(tail))
}

// Voice returns the program whose errors a program prints: "" for one that mostly runs another, such as a script.
func Voice(name string) string {
	if p := findProgram(name); p.is&packages != 0 || p.runs != nil || p.kin == "node" {
		return ""
	}
	return name
}

// IsProgram reports whether a plain word in a text is surely a program.
func IsProgram(word string) bool { return findProgram(word).is&sure != 0 }

// IsTool reports whether a word, in any letters, surely names a program that
// work is done with. Programs with the name of an English word are left out.
func IsTool(word string) bool { return findProgram(strings.ToLower(word)).is&(tool|sure) != 0 }

// SubcommandsInProse returns the subcommands of a program that people name in prose.
func SubcommandsInProse(name string) []string { return strings.Fields(findProgram(name).said) }

func areKin(a, b string) bool {
	p, q := findProgram(a), findProgram(b)
	return a == b || a == "g"+b || b == "g"+a || unversioned(a) == unversioned(b) || p.kin != "" && p.kin == q.kin || p.is&q.is&packages != 0
}

func unversioned(name string) string { return strings.TrimRight(name, "0123456789.") }
