package heuristic

import (
	"path"
	"slices"
	"strings"
)

// A simple is one simple command, understood.
type simple struct {
	op      string
	env     []string // NAME=value, as written
	words   []word   // program and arguments, wrappers such as sudo removed
	program string   // base name of the program
	sub     string   // subcommand, such as "push" or "run build"; "" if it has none
	wrapper string   // what it was run through, such as "npx" or "uv run"; "" if nothing
}

// A command is a whole command line, understood.
type command struct {
	raw  string
	dir  string // where a leading cd went; "" if nowhere
	segs []simple
}

// parseCommand understands a command line. It runs nothing.
func parseCommand(raw string) command {
	segs := split(raw)
	for range 2 { // bash -lc "…"
		if len(segs) != 1 || len(segs[0].words) != 3 || !reShellRun().MatchString(segs[0].words[0].val+" "+segs[0].words[1].val) {
			break
		}
		segs = split(segs[0].words[2].val)
	}
	c := command{raw: raw}
	for _, seg := range segs {
		s := understand(seg)
		switch {
		case s.program == "" && len(s.env) == 0:
		case s.program == "cd" && len(c.segs) == 0:
			if len(s.words) > 1 {
				c.dir = path.Join(c.dir, s.words[1].val)
				if path.IsAbs(s.words[1].val) {
					c.dir = s.words[1].val
				}
			}
		case s.program == "export" && len(c.segs) == 0:
			// Settings for what follows; they are picked up by envOf.
			c.segs = append(c.segs, s)
		default:
			c.segs = append(c.segs, s)
		}
	}
	return c
}

// understand finds the program of a segment behind assignments and wrappers.
func understand(seg segment) simple {
	s := simple{op: seg.op, words: seg.words}
	for len(s.words) > 0 {
		w := s.words[0].val
		switch {
		case reAssign().MatchString(w):
			s.env = append(s.env, s.words[0].raw)
			s.words = s.words[1:]
			continue
		case slices.Contains([]string{"sudo", "env", "time", "nohup", "command", "exec", "builtin", "!", "then", "do", "else", "if"}, w):
			s.words = s.words[1:]
			continue
		case (w == "timeout" || w == "gtimeout" || w == "nice") && len(s.words) > 2:
			s.words = s.words[2:]
			continue
		}
		break
	}
	if len(s.words) == 0 {
		return s
	}
	s.wrapper, s.words = unwrap(s.words)
	s.program = path.Base(s.words[0].val)
	s.sub = subcommand(s.program, s.words[1:])
	return s
}

// unwrap takes off a runner such as npx or "uv run".
func unwrap(words []word) (string, []word) {
	for _, r := range runners() {
		n := len(r)
		if len(words) <= n {
			continue
		}
		match := true
		for i, w := range r {
			match = match && words[i].val == w
		}
		if !match || strings.HasPrefix(words[n].val, "-") && words[n].val != "--" {
			continue
		}
		if words[n].val == "--" && len(words) > n+1 {
			n++
		}
		return strings.Join(r, " "), words[n:]
	}
	return "", words
}

func runners() [][]string {
	return [][]string{
		{"npx"}, {"bunx"}, {"uvx"}, {"pnpm", "exec"}, {"pnpm", "dlx"}, {"yarn", "exec"}, {"yarn", "dlx"},
		{"uv", "run"}, {"poetry", "run"}, {"pipenv", "run"}, {"pdm", "run"}, {"hatch", "run"},
		{"bundle", "exec"}, {"mise", "exec"}, {"mise", "x"}, {"direnv", "exec", "."}, {"nix", "develop", "-c"},
		{"python", "-m"}, {"python3", "-m"},
	}
}

// subcommand returns the word that says what a program of many faces does.
func subcommand(program string, args []word) string {
	if !hasSubcommands(program) {
		return ""
	}
	var subs []string
	for i := 0; i < len(args); i++ {
		v := args[i].val
		if strings.HasPrefix(v, "-") {
			if program == "git" && (v == "-C" || v == "-c") || v == "--prefix" || v == "--cwd" || v == "--filter" || v == "-f" {
				i++
			}
			continue
		}
		if !reBareWord().MatchString(v) {
			break
		}
		subs = append(subs, v)
		if len(subs) == 2 || !takesTwo(program, v) {
			break
		}
	}
	return strings.Join(subs, " ")
}

func hasSubcommands(program string) bool {
	switch program {
	case "git", "npm", "pnpm", "yarn", "bun", "deno", "go", "cargo", "docker", "docker-compose", "podman",
		"kubectl", "helm", "gh", "glab", "pip", "pip3", "poetry", "uv", "mise", "make", "just", "task", "mix",
		"bundle", "rails", "rake", "terraform", "aws", "gcloud", "az", "brew", "apt", "apt-get", "systemctl",
		"dotnet", "gradle", "gradlew", "mvn", "mvnw", "composer", "artisan", "flutter", "dart", "swift",
		"xcodebuild", "rustup", "conda", "nx", "turbo", "lerna", "supabase", "vercel", "fly", "flyctl",
		"wrangler", "prisma", "alembic", "manage.py", "tox", "nox", "stack", "cabal", "zig", "hg", "jj", "golangci-lint",
		"tmux", "bazel", "sbt", "lein", "nix", "buf", "sqlc", "ansible", "vagrant", "heroku", "firebase":
		return true
	}
	return false
}

// takesTwo reports whether the subcommand needs a second word to mean
// something, as in "npm run build" or "docker compose up".
func takesTwo(program, sub string) bool {
	switch program {
	case "npm", "pnpm", "yarn", "bun", "mise", "deno":
		return sub == "run" || sub == "workspace"
	case "docker", "podman":
		return sub == "compose" || sub == "image" || sub == "volume" || sub == "network"
	case "gh", "glab", "aws", "gcloud", "az", "supabase":
		return true
	case "go":
		return sub == "mod" || sub == "work" || sub == "tool"
	case "git":
		return sub == "stash" || sub == "submodule" || sub == "worktree" || sub == "remote"
	case "uv":
		return sub == "pip"
	}
	return false
}

// family names what a simple command does, whatever it does it to.
func (s simple) family() string {
	if s.sub == "" {
		return s.program
	}
	return s.program + " " + s.sub
}

// operands are the arguments without redirections: program left out.
func (s simple) operands() []string {
	var out []string
	for i, w := range s.words {
		if i > 0 {
			out = append(out, w.val)
		}
	}
	return out
}

// main returns the simple command that a command line is about: the last one
// that neither prepares, reports nor only filters what another one prints.
func (c command) main() simple {
	best := simple{}
	for _, s := range c.segs {
		if s.op == "|" || s.program == "" || prepares(s.program) && best.program != "" {
			continue
		}
		if best.program == "" || prepares(best.program) || !looksAround(s.program) {
			best = s
		}
	}
	return best
}

// blame returns the simple command that an error is about, if the words of
// the error tell, and otherwise the main one.
func (c command) blame(line string) simple {
	main := c.main()
	hits := 0
	var hit simple
	for _, s := range c.segs {
		if s.op != "|" && s.program != "" && !prepares(s.program) &&
			(strings.HasPrefix(line, s.program+":") || s.sub != "" && containsWord(line, s.family())) {
			hits++
			hit = s
		}
	}
	if hits == 1 {
		return hit
	}
	return main
}

// env returns the settings in force for s: its own and those exported before.
func (c command) env(s simple) []string {
	var out []string
	for _, g := range c.segs {
		if g.program == "export" {
			for _, w := range g.words[1:] {
				out = append(out, w.raw)
			}
		}
	}
	return append(out, s.env...)
}

// hidesExit reports whether the exit code may belong to something else than
// the main command.
func (c command) hidesExit() bool {
	return slices.ContainsFunc(c.segs, func(s simple) bool { return s.op == "|" || s.op == ";" || s.op == "||" })
}

// prepares reports whether a program only sets the scene or reports.
func prepares(program string) bool {
	switch program {
	case "cd", "echo", "printf", "export", "set", "unset", "source", ".", "sleep", "true", "false", "pushd", "popd",
		"wait", "clear", "exit", "date", ":", "trap", "ulimit", "umask", "shopt", "done", "fi", "for", "while", "case":
		return true
	}
	return false
}

// looksAround reports whether a program only looks at files or processes: it
// fails when there is nothing to see, which teaches nothing.
func looksAround(program string) bool {
	switch program {
	case "ls", "cat", "head", "tail", "grep", "egrep", "fgrep", "rg", "ag", "ack", "find", "fd", "sed", "awk", "wc", "diff",
		"cmp", "test", "[", "[[", "tree", "pwd", "which", "stat", "file", "kill", "pkill", "killall", "pgrep", "ps",
		"lsof", "less", "more", "sort", "uniq", "cut", "tr", "jq", "yq", "xargs", "type", "whereis", "command", "readlink",
		"realpath", "basename", "dirname", "du", "df", "env", "printenv", "id", "whoami", "uname", "hostname", "nl", "tee",
		"cp", "mv", "rm", "touch", "ln", "rmdir", "strings", "xxd", "hexdump", "od", "open", "code", "lsd", "eza", "bat", "comm",
		"curl", "wget", "nc", "ping", "dig", "nslookup", "cut.exe", "mkdir":
		return true
	}
	return false
}

var (
	reAssign   = lazy(`^[A-Za-z_][A-Za-z0-9_]*=`)
	reShellRun = lazy(`^(?:/\S*/)?(?:ba|z)?sh -\w*c$`)
	reBareWord = lazy(`^[A-Za-z][A-Za-z0-9_:.-]*$`)
)
