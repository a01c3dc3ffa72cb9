# Everything that CI does, and the benchmarks, which CI does not do.

.PHONY: check test race lint vuln fuzz sweeps bench eval soak agents ab pictures build install release release-twice home home-copy

check: export MEM_HISTORIES ?= 60
check: lint test vuln race fuzz sweeps home-copy
	go mod tidy -diff
	GOOS=windows go vet ./...
	GOOS=darwin go vet ./...

test:
	go test ./...

# Where several goroutines meet. It needs a C compiler.
race: export CGO_ENABLED = 1
race:
	go test -race ./curate/evidence ./index/... ./mcp ./oracle ./recall/... ./repo/disk/... ./repo/gitstore/...
	go test -race -run 'Writers|Moved|Reader|While|Beside' ./repo

lint:
	@test -z "$$(gofmt -l .)" || { gofmt -l .; exit 1; }
	go vet ./...
	go tool staticcheck ./...

# Known holes in what is linked. It needs a network, so CI does without.
vuln:
	go run golang.org/x/vuln/cmd/govulncheck@latest ./...

# Each decoder, for a little while.
FUZZTIME ?= 20s
fuzz:
	@grep -rHo --include='*_test.go' '^func Fuzz[A-Za-z]*' . | sed 's/[^/]*:func / /' | sort | \
		while read -r room target; do .ci/fuzz "$$room" "$$target" $(FUZZTIME) || exit 1; done

# The sweeps with their stops closer to each other than in CI, and all of the long lives.
sweeps:
	MEM_EVERY=3 go test ./repo ./curate/evidence ./workspace -run Sweep -timeout 30m
	MEM_EVERY=1 go test ./reflect -run 'TestParity|TestNoSecretIsKept'
	MEM_EVERY=1 go test ./cmd/mem -run TestWaysIn

# Whole processes against the git command line and, if MEM_BEFORE names one, another build; only the ratios
# mean anything.
bench:
	go test -run '^$$' -bench Reflect -benchtime 9x -timeout 30m ./cmd/mem
	go test -run '^$$' -bench Hook -benchtime 40x ./cmd/mem
	go test -run '^$$' -bench Score -benchtime 30x ./recall
	go test -run '^$$' -bench Look -benchtime 10x ./curate/evidence

# How much of what a careful engineer would note the heuristics find, and how
# much of what they say is worth it: in sessions that they were made for, and
# in those that they were not. Then how much of what helps with a task is among
# the first ten lessons shown and with a session's first prompt, and how well tags
# tell lessons about the same trouble from others. Last, how many of the secrets that
# were planted leak, and how many ordinary lines change. Everything with EVAL=-v.
# DIR names folders of sessions with labels and of conversations that decide something:
# each lesson that they give is listed first, with the label that it answers. A folder with one
# project's sessions is lived through in order: what its hooks would have shown, and what it learned.
eval:
	MEM_EVAL="$(DIR)" go test ./reflect -run 'TestMeasured|TestAnswered' -count=1 -v | grep $(if $(EVAL),.,==)
	go test ./reflect -run TestEval -count=1 -v | grep $(if $(EVAL),.,==)
	MEM_EVAL="$(DIR)" go test ./recall ./workspace/inspect -run 'TestRetrieval|TestMeasured' -count=1 -v | grep $(if $(EVAL),.,'== [rs]e')
	go test ./topic -run TestSimilar -count=1 -v | grep -E '== (similar|filed)'
	go test ./guard -run TestEval -count=1 -v | grep $(if $(EVAL),.,==)
	MEM_EVAL="$(DIR)" go test ./cmd/mem -run 'TestLives$$' -count=1 -v -timeout 60m | grep $(if $(EVAL),.,==)

# Random histories of clones in real git, against a model that reads no file; MEM_HISTORIES=FROM-TO
# does some of them again.
soak: export MEM_HISTORIES ?= 2000
soak:
	go test ./cmd/mem -run 'TestHistories$$' -count=1 -timeout 24h -v
	MEM_EVERY=1 go test ./cmd/mem ./purge ./reflect -run 'TestSweepCommands|BrokenOff|SweepDefer|TestWaysIn' -count=1 -timeout 24h
	MEM_EVERY=1 go test ./repo ./workspace ./curate/evidence ./curate/ingest -run 'Sweep|Beside|Maintenance' -count=1 -timeout 24h

# Claude Code, Codex, pi, Gemini CLI and opencode themselves, as far as they are on the PATH, with a model that is
# a script on this machine: what a learned lesson says is in the request after the failure.
agents: export MEM_AGENTS = 1
agents:
	go test ./cmd/mem -run TestRealAgents -count=1 -v

# An agent on twelve small tasks, with and without a memory: docs/ab.md. AGENT=scripted needs no model; any other one costs
# what its runs cost. TASKS, ARMS, RUNS, SEED, OUT, MODEL and LEARN as there.
ab: export MEM ?= $(abspath $(BIN))
ab: build
	fixtures/ab/run

BIN ?= mem
build:
	CGO_ENABLED=0 go build -trimpath -ldflags='-s -w' -o $(BIN) ./cmd/mem

# The program, its manual pages, and what completes commands in bash, zsh and fish. DESTDIR stands before every path,
# for those who make packages.
PREFIX ?= /usr/local
DESTDIR ?=
install: build
	mkdir -p $(DESTDIR)$(PREFIX)/bin
	install -m 755 $(BIN) $(DESTDIR)$(PREFIX)/bin/mem
	packaging/share $(abspath $(BIN)) $(DESTDIR)$(PREFIX)/share "$$(git describe --tags --always)" "$$(git log -1 --format=%cs)"

# The pictures of docs/report.md, of a project that is invented. It needs git and chromium.
pictures: build
	stats/page/testdata/pictures.sh ./mem

# All that is published, in dist/, see docs/install.md. A tag such as v1.2.3 on the commit is its version. It needs no
# network, but GNU tar. The same commit and the same Go make the same bytes, wherever and whenever they are made.
export SYSTEMS ?= linux-amd64 linux-arm64 darwin-amd64 darwin-arm64 windows-amd64
release: export GOFLAGS =
release: export GOPROXY = off
release: export GOTOOLCHAIN = local
release:
	@test -z "$$(git status --porcelain)" || { echo "the work tree has changes that no commit has"; exit 1; }
	rm -rf dist
	packaging/release dist
	@cat dist/SHA256SUMS

# The same again from a clone elsewhere, with everything compiled anew: the bytes must be the same.
release-twice: release
	dir=$$(mktemp -d) && git clone -q . $$dir/clone && GOCACHE=$$dir/cache $(MAKE) -C $$dir/clone release && \
		diff -r $$dir/clone/dist dist && rm -rf $$dir && echo "the same bytes twice"

# Where mem lives: its module's path, and its address and names in all that is published.
home:
	packaging/set-home "$(HOME_URL)" "$(MODULE)"

# A copy that got another home builds as this one does.
home-copy:
	dir=$$(mktemp -d) && git clone -q . $$dir && cd $$dir && packaging/set-home https://code.example.org/you/mem && \
		go build -trimpath ./... && go vet -trimpath ./cmd/mem && rm -rf $$dir
