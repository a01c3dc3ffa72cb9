package shell

import (
	"strings"
	"testing"
)

// TestPrograms: a program stands in one row, so that one place says what is
// known of it.
func TestPrograms(t *testing.T) {
	seen := map[string]bool{}
	for _, p := range programs {
		for _, name := range strings.Fields(p.names) {
			if seen[name] {
				t.Errorf("%s stands in two rows", name)
			}
			seen[name] = true
		}
		if p.two != "" && p.is&commands == 0 {
			t.Errorf("%s: two words for a subcommand, but no subcommands", p.names)
		}
	}
}

func TestProgramsByTrait(t *testing.T) {
	tests := []struct {
		what      string
		has       func(string) bool
		yes, none []string
	}{
		{"subcommands", HasSubcommands, []string{"git", "npm", "manage.py"}, []string{"ls", "node", "", "unheard-of"}},
		{"prepares", Prepares, []string{"cd", "echo", "."}, []string{"git", "ls"}},
		{"looks around", LooksAround, []string{"ls", "grep", "[", "env"}, []string{"gsed", "npm"}},
		{"is a program", IsProgram, []string{"npm", "rg", "vitest"}, []string{"go", "make", "yarn", "NPM"}},
		{"is a tool", IsTool, []string{"npm", "NPM", "yarn", "git"}, []string{"go", "make", "just", "black"}},
	}
	for _, test := range tests {
		for _, name := range test.yes {
			if !test.has(name) {
				t.Errorf("%s: %q is not", test.what, name)
			}
		}
		for _, name := range test.none {
			if test.has(name) {
				t.Errorf("%s: %q is", test.what, name)
			}
		}
	}
}

func TestKinAndRivals(t *testing.T) {
	tests := []struct {
		a, b        string
		kin, rivals bool
	}{
		{"npm", "pnpm", true, true},
		{"python", "python3", true, true},
		{"python3.11", "python", true, true},
		{"docker", "podman", true, true},
		{"pip", "uv", false, true},
		{"npx", "pnpm", false, true},
		{"mvn", "gradle", false, true},
		{"bun", "node", true, true},
		{"npm", "node", false, false},
		{"nose", "nosetests", false, false},
		{"ls", "cat", false, false},
	}
	for _, test := range tests {
		for _, pair := range [][2]string{{test.a, test.b}, {test.b, test.a}} {
			if kin, rivals := AreKin(pair[0], pair[1]), AreRivals(pair[0], pair[1]); kin != test.kin || rivals != test.rivals {
				t.Errorf("%s and %s: kin %v, rivals %v; want %v, %v", pair[0], pair[1], kin, rivals, test.kin, test.rivals)
			}
		}
	}
}

func TestProvides(t *testing.T) {
	for raw, want := range map[string]Provision{
		"npm install": Installs, "yarn": Installs, "go mod tidy": Installs, "npm run setup": Installs, "./tool install": Installs,
		"make": Builds, "make install": Installs, "make migrate": Migrates, "go generate ./...": Builds, "npm run build": Builds,
		"docker compose up -d": Starts, "npm run dev": Starts, "service postgresql start": Starts,
		"gh auth login": LogsIn, "aws sso login": LogsIn, "nvm use 20": Configures, "git config a b": Configures,
		"python manage.py migrate": Migrates, "supabase db push": Migrates, "mkdir -p install": MakesFolder,
		"cp a b": CopiesSetup, "git status": Nothing, "npx tsc --noEmit": Nothing, "": Nothing,
	} {
		if got := Parse(raw).MainPart().Provides(); got != want {
			t.Errorf("%q provides %d, want %d", raw, got, want)
		}
	}
}

func TestSameJob(t *testing.T) {
	for pair, want := range map[[2]string]bool{
		{"python a.py", "python3 a.py"}:                  true,
		{"pytest -q", "uv run pytest -q"}:                true,
		{"docker-compose up -d", "docker compose up -d"}: true,
		{"npm install x", "pnpm add x"}:                  true,
		{"npm run lint", "yarn lint"}:                    true,
		{"npm run lint", "yarn test"}:                    false,
		{"npm test", "npm test"}:                         false,
		{"ls a", "cat a"}:                                false,
		{"python", "python3"}:                            true,
		{"npm", "pnpm"}:                                  false,
	} {
		a, b := Parse(pair[0]).MainPart(), Parse(pair[1]).MainPart()
		if got := SameJob(a, b); got != want {
			t.Errorf("SameJob(%q, %q) = %v, want %v", pair[0], pair[1], got, want)
		}
	}
}
