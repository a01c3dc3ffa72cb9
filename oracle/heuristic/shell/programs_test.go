package shell

import (
	"slices"
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
		{"looks around", LooksAround, []string{"ls", "grep", "[", "env", "mem"}, []string{"gsed", "npm"}},
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
		"dotnet tool restore": Installs, "flutter pub get": Installs, "Rscript -e 'renv::restore()'": Installs, "dart run build_runner build": Builds,
		"bazel run //:gazelle": Builds, "bash ./scripts/setup.sh": Installs, "kubectl get pods": Nothing, "pytest tests/test_setup.py": Nothing, "rm -rf build": Nothing, "npm run lint:setup": Nothing,
		"aws eks update-kubeconfig --name x": LogsIn, "./vendor/bin/sail up -d": Starts, "bin/rails db:setup": Migrates, "terraform init": Configures,
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
		{"make it", "vault-env -p dev -- make it"}:       true,
		{"make it", "vault-env -p dev -- make that"}:     false,
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

// TestGeneral: a script of a package manager has one name, and is not a command of its own.
func TestGeneral(t *testing.T) {
	for raw, want := range map[string]string{
		"npm run lint -- src": "npm run lint", "pnpm lint": "pnpm run lint", "yarn run test": "yarn test", "npm test": "npm test",
		"bun run build": "bun run build", "bun build": "bun build", "bun run test": "bun run test", "bun test": "bun test", "pnpm build": "pnpm run build",
		"pnpm --filter api run dev": "pnpm run dev", "npm install x": "npm install", "mise run e2e": "mise run e2e", "golangci-lint run --out json ./...": "golangci-lint run",
	} {
		if got := Parse(raw).MainPart().General(false); got != want {
			t.Errorf("%q in general is %q, want %q", raw, got, want)
		}
	}
}

func TestFindAdvice(t *testing.T) {
	for _, test := range []struct {
		out, raw string
		want     bool
	}{
		{"Run `poetry lock [--no-update]` to fix it", "poetry lock --no-update", true},
		{"To make it visible, run:\n    git -C \"/src\" add \"a.nix\"", "git add a.nix", true},
		{"Please use 'flutter pub' instead.", "flutter pub get", true},
		{"try running npm install first", "npm install", true},
		{"run it with make", "make", false},
		{"run npm install", "npm test", false},
		{"I used to run git add here", "git commit", false},
	} {
		advised := func(s Simple) bool { return SameFamily(s, Parse(test.raw).MainPart()) }
		if got := slices.ContainsFunc(FindAdvice(test.out), advised); got != test.want {
			t.Errorf("%q is advised by %q: %v", test.raw, test.out, got)
		}
	}
}

func TestSuggests(t *testing.T) {
	for _, test := range []struct {
		out, word string
		want      bool
	}{
		{"task 'x' not found. Candidates are: 'testDebugUnitTest'", ":app:testDebugUnitTest", true},
		{"invalid value; possible values: json, text", "--format=json", true},
		{"task 'testDebugUnitTest' failed", ":app:testDebugUnitTest", false},
		{"did you mean x?", "x", false},
	} {
		if got := Suggests(test.out, test.word); got != test.want {
			t.Errorf("%q suggests %q: %v", test.out, test.word, got)
		}
	}
}
