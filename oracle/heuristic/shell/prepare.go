package shell

import (
	"slices"
	"strings"

	"mem/lazy"
)

// A Provision is what a command makes ready for others.
type Provision int

// The provisions.
const (
	Nothing Provision = iota
	Installs
	Builds
	MakesFolder
	Starts
	Migrates
	LogsIn
	Grants
	Configures
	CopiesSetup
)

// A preparation says which commands make one thing ready: those that any of
// the fields fits. Lists are words between blanks.
type preparation struct {
	gives    Provision
	programs string
	first    string // the first word of the subcommand or, if there is none, the first argument
	families []string
	sub      *lazy.Regexp
	word     string // anywhere
}

// preparations are tried in order; the first that fits decides.
var preparations = []preparation{
	{gives: MakesFolder, programs: "mkdir"},
	{gives: Grants, programs: "chmod chown"},
	{gives: CopiesSetup, programs: "cp ln"},
	{gives: Installs, programs: "corepack pip-sync", first: "install ci sync bootstrap restore", sub: lazy.New(`install|setup|bootstrap`),
		families: []string{"go mod download", "go mod tidy", "go mod vendor", "go get", "npm i", "npm add", "pnpm i", "pnpm add", "yarn", "yarn add",
			"bun i", "bun add", "mix deps.get", "uv pip install", "uv add", "poetry add", "cargo fetch", "cargo add", "git submodule update",
			"rustup component", "rustup target"}},
	{gives: Nothing, families: []string{"git start"}},
	{gives: Starts, programs: "redis-server pg_ctl service mongod", first: "start up serve", sub: lazy.New(`^compose up|^(run )?dev$`)},
	{gives: Migrates, programs: "createdb alembic", first: "db:create ecto.migrate ecto.create ecto.setup", sub: lazy.New(`migrat|db push`), word: "migrate"},
	{gives: LogsIn, first: "login", sub: lazy.New(`^(auth|sso) login$`)},
	{gives: Configures, programs: "nvm", first: "use", families: []string{"git config", "npm config", "git remote", "mise trust"}},
	{gives: Builds, programs: "make tsc protoc cmake", first: "compile gen", families: []string{"just"}, sub: lazy.New(`build|generate|codegen`)},
}

// Provides says what running a command makes ready.
func (s Simple) Provides() Provision {
	for _, p := range preparations {
		if p.fits(s) {
			return p.gives
		}
	}
	return Nothing
}

func (p preparation) fits(s Simple) bool {
	first, _, _ := strings.Cut(s.Sub, " ")
	if first == "" && len(s.Words) > 1 {
		first = s.Words[1].Text
	}
	return listed(p.programs, s.Program) || listed(p.first, first) || slices.Contains(p.families, s.Family()) ||
		p.sub != nil && p.sub.Matches(s.Sub) ||
		p.word != "" && slices.ContainsFunc(s.Words, func(w Word) bool { return w.Text == p.word })
}

// cures lists the provisions that can be what an error was about.
var cures = [Routine + 1][]Provision{
	NoCommand: {Installs, Builds},
	NoModule:  {Installs, Builds},
	NoFile:    {Installs, Builds, MakesFolder, CopiesSetup},
	NoService: {Starts},
	NoSchema:  {Migrates},
	NoLogin:   {LogsIn},
	NoRight:   {Grants},
	BadSetup:  {Installs, Configures, CopiesSetup},
}

// Cures reports whether what was provided is what an error of kind k was about.
func (p Provision) Cures(k Kind) bool { return slices.Contains(cures[k], p) }
