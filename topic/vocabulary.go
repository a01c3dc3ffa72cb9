package topic

// The vocabulary. A topic is a tag, the domain that it speaks for, and the
// words that stand for it, the most specific topics first: when a text has
// more than MaxTags, the first ones are kept. A line without a colon continues
// the topic before.
//
// A word stands alone, in any case. "commit~" is all its forms: commits,
// committed, committing. "$go" counts at the beginning of code in backticks
// only. A dot is one, as in ".py" and "go.mod"; a space is any other gap, as in
// pull-request. The longest phrase counts, and hides the words in it that are
// not names. A word may stand for several topics.
//
// The tags that let a rule be applied without asking, such as import-order,
// are missing on purpose: a person has to say those.

// names are languages, libraries, programs and services.
const names = `
go coding: golang, goroutine~, go test, go build, go mod, go vet, go run, go get, go install, go generate,
  go tool, go work, go code, go module~, .go, go.mod, go.sum, gofmt, gopls, gorm, staticcheck, $go
python coding: python, python3, .py, pytest, pip, pip3, poetry, uv run, uv sync, virtualenv~, venv, pyproject,
  requirements.txt, mypy, ruff, django, flask, fastapi, pandas, numpy, polars, conda, jupyter, notebook~, tox,
  pyenv, traceback~, modulenotfounderror, asyncio, pydantic, sqlalchemy, alembic
typescript coding: typescript, tsc, .ts, .tsx, tsconfig, tsconfig.json, ts, tsx, zod
javascript coding: javascript, .js, .mjs, .cjs, .jsx, jsx, es modules, esm, commonjs, cjs, jest, vitest, mocha,
  eslint, prettier, node modules, node.js, nodejs, npx, lodash, express, package.json, err module not found,
  $node
rust coding: rust, rustc, cargo, clippy, .rs, crate~, borrow checker, rustfmt, tokio, serde
java coding: java, jvm, maven, mvn, gradle, gradlew, spring boot, junit, .java, nullpointerexception, classpath~
kotlin coding: kotlin, .kt
swift coding: swift, xcode, xcodebuild, swiftui, cocoapods, .swift
c coding: gcc, clang, cmake, .cpp, .hpp, segfault~, segmentation fault~, valgrind, undefined reference~,
  linker error~
csharp coding: csharp, dotnet, nuget, .cs, asp.net
ruby coding: ruby, rails, rspec, rubocop, bundler, bundle exec, bundle install, gemfile~, .rb, rake
php coding: php, composer install, composer update, laravel, symfony, phpunit, .php
elixir coding: elixir, phoenix, mix test, mix deps, .exs
react coding: react, useeffect, usestate, jsx, react hook~, hydration, redux, next.js, nextjs
vue coding: vue, nuxt, pinia
svelte coding: svelte, sveltekit
css coding: css, scss, sass, tailwind, stylesheet~, flexbox
sql coding: sql, .sql, join~, left join~, group by
shell technical: bash, zsh, shell, shell script~, shellcheck, set euo pipefail, pipefail, .sh, sed, awk, xargs,
  heredoc~, subshell~, quoting
graphql coding: graphql, apollo
grpc coding: grpc, protobuf, proto, protoc, .proto, buf generate, buf breaking, $buf
npm technical: npm, npm install, npx, package lock.json, .npmrc
pnpm technical: pnpm, pnpm lock.yaml, pnpm workspace~
yarn technical: yarn, yarn.lock
bun technical: bun, bunx, bun.lockb
node technical: nvm, fnm, nvmrc, .nvmrc, node version~, node module version, node options, nodejs
pip technical: pip, pip3, requirements.txt
uv technical: uv, uvx, uv.lock, uv sync, uv run
poetry technical: poetry, poetry.lock
cargo technical: cargo, cargo.toml, cargo.lock
gradle technical: gradle, gradlew
maven technical: maven, mvn, pom.xml
make technical: makefile~, make test, make check, make build, make lint, make install, $make
cmake technical: cmake, cmakelists.txt
bazel technical: bazel, bazelisk
nix technical: nix, flake.nix, nixos, nixpkgs
docker technical: docker, docker compose, dockerfile~, container~, mounted volume~, docker volume~, bind mount~,
  dockerd, podman, colima, docker image~, compose.yaml, compose.yml, compose up, $compose
kubernetes technical: kubernetes, k8s, kubectl, helm, pod~, cluster~, kubeconfig, replica~, readiness probe~,
  liveness probe~, ingress
helm technical: helm, helmfile, chart.yaml
terraform technical: terraform, tofu, tfstate, .tf, terragrunt
ansible technical: ansible, playbook~
aws technical: aws, s3, ec2, lambda function~, dynamodb, cloudwatch, cloudformation, iam role~, sqs
gcp technical: gcp, gcloud, bigquery, cloud run
azure technical: azure
vercel technical: vercel, netlify
cloudflare technical: cloudflare, wrangler
nginx technical: nginx, caddy, traefik
postgres technical: postgres, postgresql, psql, pg, pg dump, pg restore, timescale, hypertable~, plpgsql,
  sqlstate
mysql technical: mysql, mariadb
sqlite technical: sqlite, sqlite3
mongodb technical: mongodb, mongo, mongoose
redis technical: redis, valkey
kafka technical: kafka, rabbitmq, nats
elastic technical: elasticsearch, opensearch
orm coding: prisma, gorm, sqlalchemy, hibernate, drizzle, typeorm, activerecord, orm
git technical: git, .gitignore, gitignore, git lfs, lfs, git hook~, worktree~, work tree~, submodule~, stash~,
  bisect, cherry pick~, detached head, .husky, husky
github technical: github, gh pr, gh run, gh issue, github actions, $gh
gitlab technical: gitlab, glab
browser coding: browser~, chrome, chromium, firefox, safari, dom, devtools, service worker~, localstorage
playwright technical: playwright, cypress, selenium, puppeteer
vite technical: vite, webpack, esbuild, rollup, turbopack, swc, babel, bundler~, source map~, tree shaking
ssh technical: ssh, scp, rsync, known hosts
systemd technical: systemd, systemctl, journalctl
brew technical: brew, homebrew
apt technical: apt, apt get, dpkg
curl technical: curl, wget, httpie
prometheus technical: prometheus, grafana, opentelemetry, sentry, datadog
llm technical: llm~, claude, openai, anthropic, gpt, ollama, prompt~, token limit~, subagent~, sub agent~, mcp
`

// matters are what goes wrong and what it goes wrong with, then what people and
// agents do.
const matters = `
out-of-memory technical: out of memory, oom, oomkilled, heap out of memory, exit code 137, max old space size,
  memory limit~, memory leak~
disk-space technical: disk space, enospc, no space left, disk full, inode~
exit-code coding: exit code~, exit status~, exitcode
time-zone coding: time zone~, timezone~, utc, gmt, dst, daylight saving, iana, clock change~, clocks change~,
  summer time, localtime, local time, europe amsterdam
date coding: date~, timestamp~, calendar day~, leap year~, rfc 3339, iso 8601, midnight, unix time, epoch,
  instant, datetime~, moment.js, dayjs
clock coding: clock~, fake timer~, usefaketimers, freeze time, frozen time, time.now, date.now, freezegun
encoding coding: encoding~, utf 8, utf8, utf 16, unicode, bom, byte order mark~, latin 1, charset~, mojibake,
  surrogate~, ascii, codepoint~, normalization, encode~, decode~, unicodedecodeerror
line-ending coding: line ending~, crlf, lf, autocrlf, carriage return~, newline~, trailing newline~, line break~
number coding: float~, floating point, decimal~, rounding, round, integer~, overflow~, precision, bigint, money
null-handling coding: null~, nil, undefined is not, optional chaining, none type, nonetype, nullable,
  null pointer~, nil pointer~, nullpointerexception, panic~
type-check coding: type check~, typecheck~, type error~, type safe, tsc, mypy, pyright, as any, any type~,
  unknown type~, cast~, $any, to any, strict mode, strict, type hint~, type annotation~, generic~, infer~,
  narrow~, typeerror, enum~
concurrency coding: concurrent, concurrently, concurrency, race, data race~, race condition~, deadlock~,
  goroutine~, mutex~, thread~, parallel, lock~, locking, in parallel, simultaneous, async, await, promise~
error-handling coding: error handling, ignore the error~, ignore error~, ignored error~, check each error,
  check every error, check the error~, returned error~, wrap error~, wrapped error~, wrap~, unwrap~, swallow~,
  catch, try catch, except clause~, bare except, unhandled, exception~, errors.is
regex coding: regex~, regexp~, regular expression~
json coding: json, jsonl, json.parse, ndjson
yaml coding: yaml, yml
toml coding: toml
csv coding: csv, csv parse
xml coding: xml
html coding: html
markdown technical: markdown, mdx
import coding: import~, require, barrel~, circular import~, import cycle~, module not found, cannot find module,
  err module not found, modulenotfounderror, no module named, import path~, default import~, export~
generated-code coding: generated, generator~, codegen, code generation, regenerate~, generate~, stub~,
  prisma generate, go generate, api generate, buf generate, protoc
api coding: api~, endpoint~, rest api~, openapi, swagger, breaking change~, public api~, api client~, webhook~,
  route~
http coding: http, get request~, post request~, http status, 404, 500, 401, 403, status code~, header~, cookie~,
  fetch~, multipart, content type~, request body~, idempotency key~, middleware
cors coding: cors, preflight, access control allow origin
csrf coding: csrf, xsrf
pagination coding: pagination, paginate~, offset, cursor~
retry coding: retry~, backoff, at least once, idempotent, idempotency, come twice, sent twice, run twice,
  created twice, delivered twice, processed twice, customers twice
rate-limit technical: rate limit~, rate limited, 429, throttle~, requests a minute, requests per,
  too many requests
validation coding: validate~, validation~, sanitize~, schema validation~, zod, pydantic, whitelist~, allowlist~
injection coding: sql injection~, injection~, xss, escape~, escaping, parameterized, prepared statement~,
  placeholder~
auth coding: auth, authentication, authorization, login~, sign in, oauth, jwt~, aud, session token~,
  access token~, bearer, sso, requirescope, scope claim~
secret technical: secret~, api key~, password~, credential~, token leak~, .env, sops, vault, keychain, .pem,
  private key~, redact~
tls technical: tls, ssl, certificate~, cert~, x509, self signed, mkcert, err cert date invalid
dns technical: dns, enotfound, getaddrinfo, hostname~, no such host
port technical: port~, eaddrinuse, address already in use, lsof, localhost, 127.0.0.1
network technical: network~, connection refused, econnrefused, connection reset, econnreset,
  refused connection~, connection~, socket~, firewall~, vpn, proxy~, unreachable, offline, dial tcp
timeout technical: timeout~, time out, times out, timed out, deadline exceeded, etimedout, hang~, hung, hangs,
  never returns, never finishes, stuck, watch mode, watches
signal coding: sigterm, sigint, sigkill, ctrl c, graceful shutdown, shutdown
permission technical: permission~, permission denied, eacces, eperm, chmod, chown, sudo, root user, as root,
  access denied, read only, not permitted, executable bit
working-directory technical: working directory, current directory, another directory, other directory, cwd, cd,
  pwd, relative path~, repository root, repo root, project root
path technical: path~, absolute path~, relative path~, working directory, cwd, directory~, folder~,
  no such file, enoent, file not found, not found in path, symlink~, home directory, cd, glob~, pwd
platform technical: windows, macos, mac, macbook, linux, alpine, ubuntu, debian, arm64, amd64,
  exec format error~, powershell, wsl, cross platform, bsd, gnu
environment technical: environment variable~, environment, environ, env, .env, env var~, process.env, dotenv,
  direnv, pythonpath, gopath
config technical: config~, configuration~, setting~, configure~, .toml, .ini, default value~, appsettings
feature-flag technical: feature flag~, behind a flag, feature toggle~, launchdarkly, flag on, flag off
dependency technical: use npm, using npm, prefer npm, instead of npm, use pnpm, using pnpm, prefer pnpm,
  instead of pnpm, use yarn, using yarn, prefer yarn, instead of yarn, use bun, using bun, prefer bun,
  instead of bun, use pip, using pip, prefer pip, instead of pip, use uv, using uv, prefer uv, instead of uv,
  use poetry, using poetry, prefer poetry, instead of poetry, dependency~, lockfile~, lock file~,
  package lock.json, pnpm lock.yaml, yarn.lock, poetry.lock, uv.lock, cargo.lock, go.sum, go.mod,
  peer dependency~, package manager~, node modules, npm install, npm ci, pnpm install, pnpm add, npm add,
  yarn add, pip install, uv sync, uv add, uv pip, cargo add, go get, go mod, composer install, bundle install,
  vendor~, third party, install~, package.json, requirements.txt, frozen lockfile, library~, cannot find module,
  modulenotfounderror, no module named, renovate, dependabot
version technical: version~, semver, upgrade~, downgrade~, pin~, pinned, backward compatible,
  backwards compatible, deprecated, breaking change~
cache technical: cache~, caching, stale, invalidate~, memoize~, cdn
database technical: database~, db, postgres, postgresql, psql, mysql, mariadb, sqlite, mongodb, mongo,
  database table~, column~, sqlstate, connection pool~, pool~, dynamodb, bigquery, timescale, replication
migration technical: migration~, migrate~, alembic, flyway, liquibase, schema change~, database schema,
  db schema, schema.prisma, backfill~, add column~, new column~, relation does not exist
transaction coding: transaction~, rollback segment~, isolation level~, outbox, commit the transaction
query coding: query~, n 1, where clause~, full scan, sequential scan, explain analyze, add an index,
  adding an index, create index~, creating an index, build an index, built an index, index on, unique index,
  partial index, composite index
performance coding: performance, slow, slower, faster, speed up, profile~, profiling, benchmark~, latency,
  throughput, bottleneck~, optimize~, freezes, downsample, vectorise, iterrows, bundle size
queue technical: queue~, job~, worker~, bullmq, celery, sidekiq, consumer~, dead letter, message broker~
cron technical: cron, crontab~, cronjob~, scheduled job~, scheduled task~, schedules
logging technical: log~, logs, logger~, log level~, console.log, structured logging, stdout, stderr, println
monitoring technical: metric~, alert~, dashboard~, trace~, traceparent, stack trace~, prometheus, grafana,
  opentelemetry, sentry, datadog, on call, incident~, outage~
terminal technical: terminal~, tty, ansi, no color, color output, interactive, non interactive, prompts for,
  pager~
cli coding: cli, command line, subcommand~, argv, flag~, argument~, stdin, help text~, usage text~
file-system technical: file system~, filesystem~, atomic rename, fsync, temp file~, temporary file~,
  file descriptor~, too many open files, emfile, inotify
stream coding: stream~, buffer~, pipe~, backpressure, chunk~, broken pipe
component coding: component~, props, state management, render~, rerender~, accessibility, aria, screen reader~,
  data testid, role
i18n coding: i18n, locale~, translation~, translate~, localization, l10n
image technical: picture~, thumbnail~, png, svg, sharp, alt text, upload~
search technical: grep, rg, ripgrep, search index~, full text search, trigram
state coding: global state, mutable state, shared state, singleton~, side effect~
access-control coding: access control, role based, rbac, acl, row level security
privacy technical: pii, personal data, gdpr, e mail address~, email address~
license process: license~, licence~, gpl, copyright
infrastructure technical: infrastructure, load balancer~, autoscaling, scaling, vm, cloud
mock coding: mock~, stub out, fake~, spy, vi.mock, msw, test double~, monkeypatch~
snapshot coding: snapshot~, golden file~, golden~, .snap, approval test~
flaky-test coding: flaky, flake~, intermittent, intermittently, nondeterministic, quarantine~
fixture coding: fixture~, seed~, test data, sample data, factory~, testdata
coverage technical: coverage, uncovered
e2e technical: e2e, end to end, playwright, cypress, selenium, integration test~, integration suite~,
  smoke test~
lint technical: lint~, linter~, make lint, eslint, golangci, ruff, clippy, rubocop, shellcheck, staticcheck,
  go vet, flake8, pylint, biome
formatting technical: format~, formatter~, make fmt, gofmt, prettier, rustfmt, indentation, whitespace, tab~,
  reformat~, code style, terraform fmt, cargo fmt, go fmt
naming coding: naming, rename~, camelcase, snake case, identifier~, variable name~, file name~, function name~,
  misnamed
comment coding: comment~, docstring~, doc comment~, todo~, fixme
dead-code coding: dead code, unused, no longer used, commented out, commenting it out
refactoring coding: refactor~, extract~, duplication, duplicate code, duplicated code, simplify~, abstraction~,
  rewrite~
history process: amend~, force push~, force pushing, force pushed, push force, force with lease, squash~,
  rewrite history, rewriting history, reset hard, git reset, filter branch, rebase~, reflog
branch process: branch~, feature branch~, default branch, main branch, upstream branch~, merge conflict~,
  conflict~, merge commit~, rebase~, checkout, worktree~
hook technical: pre commit, pre push, git hook~, husky, .husky, no verify, commit hook~, hook~, lefthook
commit process: commit~, out of git, into git, commit message~, commit subject~, conventional commit~,
  conventional commits, staged, unstaged, git add, co authored by, changeset~
push process: push~, git push, before pushing
review process: review~, reviewer~, code review~, pull request~, merge request~, pr, prs, diff~, gh pr
release process: release~, publish~, changelog~, tag a version, release tag~, release notes, git tag,
  changeset~, ship~, beta, prerelease~
deploy technical: deploy~, deployment~, roll out, rollout~, roll back, rolling back, rollback~, staging,
  production, prod, canary~, blue green
ci technical: ci, pipeline~, workflow file~, github actions, workflows, jenkins, circleci, build server~,
  continuous integration, gitlab ci
build technical: build~, built, builds, compile~, compiler~, compilation, rebuild~, bundle, tsc, artifact~,
  make build, go build, docker build, cargo build, webpack, transpile~, linker~
test technical: test~, unit test~, make test, make check, test suite~, pytest, jest, vitest, junit, rspec,
  phpunit, mocha, go test, spec, specs, assertion~, assert~, tdd, test case~, afterall, beforeall, beforeeach,
  testscript
debug technical: debug~, debugger~, breakpoint~, reproduce~, root cause~, bisect, stack trace~, traceback~,
  investigate~, diagnose~
documentation process: documentation, docs, readme, document~, adr, adrs, runbook~, tutorial page~, docstring~,
  jsdoc, godoc
ask process: ask~, confirm with, permission from, ask first, approval, check with, consult~, confirmation,
  sign off
plan process: plan~, planning, design doc~, proposal~, roadmap~, step by step, before starting, checklist~
scope process: out of scope, in scope, scope creep, unrelated change~, unrelated file~, not asked for,
  small change~, minimal change~, minimal diff, nobody asked
verify process: verify~, double check~, sanity check~, confirm~, guess~, assume~, assumption~, check before,
  before claiming, claim~, untested, not tested, evidence
report process: reporting, report back, final report~, summarize~, summary, summaries, status update~, say what,
  tell the user, hand off, handoff
read-first process: read first, read the file~, reading the file, before editing, read the docs, read the code,
  file before editing, file has not been read
edit process: edit~, generated files, editing by hand, by hand, overwrite~, old string, string to replace,
  replace all
delete technical: delete~, remove~, rm rf, rm, git clean, drop table, truncate~, destructive, wipe~
background technical: in the background, daemon~, nohup, foreground, long running, dev server~, server running,
  zombie process, kill the process
backup technical: backup~, restore~, recover~, snapshot volume~
undo process: undo~, revert~, git revert, git restore
security technical: security, vulnerability~, cve, sandbox~, untrusted, exploit~, audit~, csrf, xss
issue process: issue~, ticket~, jira, linear issue~, bug report~
tone communications: tone, wording, jargon, emoji~, concise, polite, apologize~, apology, reader~, audience,
  phrase~, bullet~, sentence~, prose, writing style
email communications: email~, e mail~, newsletter~, inbox, mjml, subject line~
messaging communications: slack, message the team, chat message~, announcement~, announce~, reply to,
  notify the team, presentation~, blog post~
meeting scheduling: meeting~, appointment~, agenda~, standup~, one on one, calendar invite~, invite~,
  reschedule~
calendar scheduling: calendar~, calendar invite~, time slot~, monday~, tuesday~, wednesday~, thursday~, friday~,
  weekend~, afternoon~, morning~
deadline scheduling: deadline~, due date~, reminder~, milestone~, overdue, time estimate~, priority, priorities
money finance: invoice~, budget~, expense~, tax, taxes, accounting, bookkeeping, vat, payroll, bank~, price~,
  pricing, subscription~, refund~
investment finance: portfolio~, stock price~, dividend~, interest rate~, mortgage~, loan~
study learning: course~, tutorial~, flashcard~, study, studying, exercise~, textbook~, lecture~,
  spaced repetition, curriculum
learning learning: learn~, teach~, explain~, explanation~, understand~, mental model~, first principles
`
