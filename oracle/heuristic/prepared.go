package heuristic

import (
	"path"
	"slices"
	"strings"
)

// A step in preparation: what a command made ready for others.
type provision int

const (
	nothing provision = iota
	installs
	builds
	makesFolder
	starts
	migrates
	logsIn
	grants
	configures
	copiesSetup
)

// provides says what running a simple command makes ready.
func provides(c simple) provision {
	first, _, _ := strings.Cut(c.sub, " ")
	if args := c.operands(); first == "" && len(args) > 0 {
		first = args[0]
	}
	script := strings.TrimPrefix(c.sub, "run ")
	switch {
	case c.program == "mkdir":
		return makesFolder
	case c.program == "chmod" || c.program == "chown":
		return grants
	case c.program == "cp" || c.program == "ln":
		return copiesSetup
	case slices.Contains([]string{"install", "ci", "sync", "bootstrap", "restore"}, first),
		slices.Contains([]string{"go mod download", "go mod tidy", "go mod vendor", "go get", "go install", "npm i", "yarn", "mix deps.get",
			"uv pip install", "cargo fetch", "pnpm i", "npm add", "yarn add", "pnpm add", "poetry add", "uv add", "cargo add",
			"corepack", "bun i", "bun add", "git submodule update", "pip-sync", "rustup component", "rustup target"}, c.family()),
		c.program == "corepack" || strings.Contains(script, "install") || strings.Contains(script, "setup") || strings.Contains(script, "bootstrap"):
		return installs
	case strings.HasPrefix(c.sub, "compose up") || first == "start" && c.program != "git" || first == "up" || first == "serve" ||
		c.program == "redis-server" || c.program == "pg_ctl" || c.program == "service" || c.program == "mongod" || script == "dev":
		return starts
	case strings.Contains(c.sub, "migrat") || first == "db:create" || c.program == "createdb" || strings.Contains(c.sub, "db push") ||
		c.program == "alembic" || first == "ecto.migrate" || first == "ecto.create" || first == "ecto.setup" || hasWord(c, "migrate"):
		return migrates
	case first == "login" || c.sub == "auth login" || c.sub == "sso login":
		return logsIn
	case c.family() == "git config" || c.family() == "npm config" || c.family() == "git remote" || c.family() == "mise trust" ||
		c.family() == "direnv allow" || c.program == "nvm" || first == "use":
		return configures
	case strings.Contains(script, "build") || strings.Contains(script, "generate") || strings.Contains(script, "codegen") ||
		first == "compile" || first == "gen" || c.program == "make" || c.program == "tsc" || c.program == "protoc" || c.program == "cmake" ||
		c.family() == "just" || c.program == "go" && first == "generate":
		return builds
	}
	return nothing
}

func hasWord(c simple, w string) bool {
	return slices.ContainsFunc(c.words, func(x word) bool { return x.val == w })
}

// cures reports whether what was provided is what a failure was about.
func (p provision) cures(k kind) bool {
	switch k {
	case noModule:
		return p == installs || p == builds
	case noCommand:
		return p == installs || p == builds
	case noFile:
		return p == builds || p == makesFolder || p == copiesSetup || p == installs
	case noService:
		return p == starts
	case noSchema:
		return p == migrates
	case noLogin:
		return p == logsIn
	case noRight:
		return p == grants
	case badSetup:
		return p == configures || p == copiesSetup || p == installs
	}
	return false
}

// byPreparation: the same command, after something was made ready.
func (s *timeline) byPreparation(r resolution, edited bool) []finding {
	helper, from := s.preparation(r, edited)
	if helper == "" {
		return s.bySetupFile(r)
	}
	r.refs = append(slices.Clone(r.refs), from.refs...)
	cmd := code(s.display(r.bad))
	return s.pair(r, helper,
		"running "+cmd+" before "+code(helper)+": "+because(r.failed.fault),
		"Run "+code(helper)+" before "+cmd+": otherwise "+because(r.failed.fault))
}

// preparation returns the last command between failure and success that made
// ready what was missing. Where nothing was edited, the only preparation of
// any sort will do for a failure that explains nothing by itself.
func (s *timeline) preparation(r resolution, edited bool) (string, *call) {
	calls := s.between(r.failed, r.worked)
	if r.failed.at != r.worked.at {
		calls = append(calls, r.worked) // "make build && npm test"
	}
	var helper simple
	var from *call
	loose := 0
	for _, c := range calls {
		if c.class != shell || !c.worked() {
			continue
		}
		for _, seg := range c.cmd.segs {
			p := provides(seg)
			if p == nothing || equalWords(seg, r.bad) || slices.ContainsFunc(seg.words, func(w word) bool { return isTemp(w.val) }) {
				continue
			}
			switch {
			case p.cures(r.failed.fault.kind):
				helper, from = seg, c
			case r.failed.fault.kind == unknown && !edited && p != makesFolder && p != copiesSetup:
				loose++
				helper, from = seg, c
			}
		}
	}
	if from == nil || loose > 1 {
		return "", nil
	}
	shown := s.display(helper)
	if d := s.paths.dir(from.cmd.dir); d != "" && d != s.paths.dir(r.failed.cmd.dir) && !isTemp(from.cmd.dir) {
		shown = "cd " + d + " && " + shown
	}
	return shown, from
}

// bySetupFile: the same command, after the very file that the error names was
// written.
func (s *timeline) bySetupFile(r resolution) []finding {
	if r.failed.fault.kind != noFile && r.failed.fault.kind != badSetup {
		return nil
	}
	for _, c := range s.between(r.failed, r.worked) {
		base := path.Base(c.args.file)
		if c.class != writeFile || !c.worked() || len(base) < 4 || !containsWord(r.failed.out, base) || isTemp(c.args.file) {
			continue
		}
		r.refs = append(slices.Clone(r.refs), c.refs...)
		cmd, file := code(s.display(r.bad)), code(s.paths.file(c.args.file))
		return s.pair(r, base,
			"running "+cmd+" without "+file+": "+because(r.failed.fault),
			"Create "+file+" before running "+cmd+": without it, "+because(r.failed.fault))
	}
	return nil
}
