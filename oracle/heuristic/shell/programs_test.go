package shell

import (
	"strings"
	"testing"

	"mem/envtest"
)

// TestPrograms: a program stands in one row, so that one place says what is known of it.
func TestPrograms(t *testing.T) {
	seen := map[string]bool{}
	for _, p := range programs {
		for _, name := range strings.Fields(p.names) {
			envtest.FailIf(t, seen[name], "%s stands in two rows", name)
			seen[name] = true
		}
		envtest.FailIf(t, p.two != "" && p.is&commands == 0,
			"%s: two words for a subcommand, but no subcommands", p.names)
	}
}

func TestKin(t *testing.T) {
	tests := []struct {
		a, b string
		kin  bool
	}{
		{"npm", "pnpm", true},
		{"python", "python3", true},
		{"python3.11", "python", true},
		{"docker", "podman", true},
		{"pip", "uv", false},
		{"npx", "pnpm", false},
		{"mvn", "gradle", false},
		{"bun", "node", true},
		{"npm", "node", false},
		{"nose", "nosetests", false},
		{"ls", "cat", false},
	}
	for _, test := range tests {
		for _, pair := range [][2]string{{test.a, test.b}, {test.b, test.a}} {
			envtest.Same(t, test.kin, areKin(pair[0], pair[1]), pair[0], pair[1])
		}
	}
}

func TestProvides(t *testing.T) {
	for want, lines := range map[bool][]string{
		true: {"npm install", "yarn", "go mod tidy", "npm run setup", "./tool install", "make", "make migrate", "go generate ./...", "npm run build", "docker compose up -d",
			"npm run dev", "service postgresql start", "gh auth login", "nvm use 20", "git config a b", "supabase db push", "mkdir -p install", "flutter pub get",
			"dart run build_runner build", "bazel run //:gazelle", "bash ./scripts/setup.sh", "aws eks update-kubeconfig --name x", "bin/rails db:setup", "terraform init", "cp a b", "git submodule update"},
		false: {"kubectl get pods", "pytest tests/test_setup.py", "rm -rf build", "npm run lint:setup", "git status", "git commit -m build", "npx tsc --noEmit", "cat install", "ls", ""},
	} {
		for _, raw := range lines {
			envtest.Same(t, want, Parse(raw).MainPart().Provides(), raw)
		}
	}
}

func TestStandsIn(t *testing.T) {
	for pair, want := range map[[2]string]bool{
		{"python a.py", "python3 a.py"}:                  true,
		{"pytest -q", "uv run pytest -q"}:                true,
		{"docker-compose up -d", "docker compose up -d"}: true,
		{"npm install x", "pnpm add x"}:                  true,
		{"npm run lint", "yarn lint"}:                    true,
		{"npm run lint", "yarn test"}:                    false,
		{"npm test", "npm test"}:                         false,
		{"rtk bun run test", "bun run test src"}:         true,
		{"rtk bun run test", "bun run lint"}:             false,
		{"mypy src", "uv run mypy lib"}:                  true,
		{"make it", "vault-env -p dev -- make it"}:       true,
		{"make it", "vault-env -p dev -- make that"}:     false,
		{"ls a", "cat a"}:                                false,
		{"python", "python3"}:                            true,
		{"npm", "pnpm"}:                                  false,
	} {
		a, b := Parse(pair[0]).MainPart(), Parse(pair[1]).MainPart()
		envtest.Same(t, want, StandsIn(a, b), pair[0], pair[1])
	}
}

// TestGeneral: a script of a package manager has one name, and is not a command of its own.
func TestGeneral(t *testing.T) {
	for raw, want := range map[string]string{
		"npm run lint -- src": "npm run lint", "pnpm lint": "pnpm run lint", "yarn run test": "yarn test", "npm test": "npm test",
		"bun run build": "bun run build", "bun build": "bun build", "bun run test": "bun run test", "bun test": "bun test", "pnpm build": "pnpm run build",
		"pnpm --filter api run dev": "pnpm run dev", "npm install x": "npm install", "mise run e2e": "mise run e2e", "golangci-lint run --out json ./...": "golangci-lint run",
	} {
		envtest.Same(t, want, Parse(raw).MainPart().General(false), raw)
	}
}
