package topic

// What goes wrong, and what it goes wrong with.
const things = `
out-of-memory      technical    out of memory, oom, oomkilled, heap out of memory, exit code 137,
                                max old space size, memory limit~, memory leak~
disk-space         technical    disk space, enospc, no space left, disk full, inode~
exit-code          coding       exit code~, exit status~, exitcode
time-zone          coding       time zone~, timezone~, utc, gmt, dst, daylight saving, iana, clock change~,
                                clocks change~, summer time, localtime, local time, europe amsterdam
date               coding       date~, timestamp~, calendar day~, leap year~, rfc 3339, iso 8601, midnight,
                                unix time, epoch, instant, datetime~, moment.js, dayjs
clock              coding       clock~, fake timer~, usefaketimers, freeze time, frozen time, time.now,
                                date.now, freezegun
encoding           coding       encoding~, utf 8, utf8, utf 16, unicode, bom, byte order mark~, latin 1,
                                charset~, mojibake, surrogate~, ascii, codepoint~, normalization, encode~,
                                decode~, unicodedecodeerror
line-ending        coding       line ending~, crlf, lf, autocrlf, carriage return~, newline~,
                                trailing newline~, line break~
number             coding       float~, floating point, decimal~, rounding, round, integer~, overflow~,
                                precision, bigint, money
null-handling      coding       null~, nil, undefined is not, optional chaining, none type, nonetype,
                                nullable, null pointer~, nil pointer~, nullpointerexception, panic~
type-check         coding       type check~, typecheck~, type error~, type safe, tsc, mypy, pyright, as any,
                                any type~, unknown type~, cast~, $any, to any, strict mode, strict,
                                type hint~, type annotation~, generic~, infer~, narrow~, typeerror, enum~
concurrency        coding       concurrent, concurrently, concurrency, race, data race~, race condition~,
                                deadlock~, goroutine~, mutex~, thread~, parallel, lock~, locking,
                                in parallel, simultaneous, async, await, promise~
error-handling     coding       error handling, ignore the error~, ignore error~, ignored error~,
                                check each error, check every error, check the error~, returned error~,
                                wrap error~, wrapped error~, wrap~, unwrap~, swallow~, catch, try catch,
                                except clause~, bare except, unhandled, exception~, errors.is
regex              coding       regex~, regexp~, regular expression~
json               coding       json, jsonl, json.parse, ndjson
yaml               coding       yaml, yml
toml               coding       toml
csv                coding       csv, csv parse
xml                coding       xml
html               coding       html
markdown           technical    markdown, mdx
import             coding       import~, require, barrel~, circular import~, import cycle~,
                                module not found, cannot find module, err module not found,
                                modulenotfounderror, no module named, import path~, default import~, export~
generated-code     coding       generated, generator~, codegen, code generation, regenerate~, generate~,
                                stub~, prisma generate, go generate, api generate, buf generate, protoc
api                coding       api~, endpoint~, rest api~, openapi, swagger, breaking change~, public api~,
                                api client~, webhook~, route~
http               coding       http, get request~, post request~, http status, 404, 500, 401, 403,
                                status code~, header~, cookie~, fetch~, multipart, content type~,
                                request body~, idempotency key~, middleware
cors               coding       cors, preflight, access control allow origin
csrf               coding       csrf, xsrf
pagination         coding       pagination, paginate~, offset, cursor~
retry              coding       retry~, backoff, at least once, idempotent, idempotency,
                                come twice, sent twice, run twice, created twice, delivered twice,
                                processed twice, customers twice
rate-limit         technical    rate limit~, rate limited, 429, throttle~, requests a minute, requests per,
                                too many requests
validation         coding       validate~, validation~, sanitize~, schema validation~, zod, pydantic,
                                whitelist~, allowlist~
injection          coding       sql injection~, injection~, xss, escape~, escaping, parameterized,
                                prepared statement~, placeholder~
auth               coding       auth, authentication, authorization, login~, sign in, oauth, jwt~, aud,
                                session token~, access token~, bearer, sso, requirescope, scope claim~
secret             technical    secret~, api key~, password~, credential~, token leak~, .env, sops, vault,
                                keychain, .pem, private key~, redact~
tls                technical    tls, ssl, certificate~, cert~, x509, self signed, mkcert,
                                err cert date invalid
dns                technical    dns, enotfound, getaddrinfo, hostname~, no such host
port               technical    port~, eaddrinuse, address already in use, lsof, localhost, 127.0.0.1
network            technical    network~, connection refused, econnrefused, connection reset, econnreset,
                                refused connection~, connection~, socket~, firewall~, vpn, proxy~,
                                unreachable, offline, dial tcp
timeout            technical    timeout~, time out, times out, timed out, deadline exceeded, etimedout,
                                hang~, hung, hangs, never returns, never finishes, stuck, watch mode,
                                watches
signal             coding       sigterm, sigint, sigkill, ctrl c, graceful shutdown, shutdown
permission         technical    permission~, permission denied, eacces, eperm, chmod, chown, sudo,
                                root user, as root, access denied, read only, not permitted, executable bit
working-directory  technical    working directory, current directory, another directory, other directory,
                                cwd, cd, pwd, relative path~, repository root, repo root, project root
path               technical    path~, absolute path~, relative path~, working directory, cwd, directory~,
                                folder~, no such file, enoent, file not found, not found in path, symlink~,
                                home directory, cd, glob~, pwd
platform           technical    windows, macos, mac, macbook, linux, alpine, ubuntu, debian, arm64, amd64,
                                exec format error~, powershell, wsl, cross platform, bsd, gnu
environment        technical    environment variable~, environment, environ, env, .env, env var~,
                                process.env, dotenv, direnv, pythonpath, gopath
config             technical    config~, configuration~, setting~, configure~, .toml, .ini, default value~,
                                appsettings
feature-flag       technical    feature flag~, behind a flag, feature toggle~, launchdarkly, flag on,
                                flag off
dependency         technical    use npm, using npm, prefer npm, instead of npm, use pnpm, using pnpm,
                                prefer pnpm, instead of pnpm, use yarn, using yarn, prefer yarn,
                                instead of yarn, use bun, using bun, prefer bun, instead of bun, use pip,
                                using pip, prefer pip, instead of pip, use uv, using uv, prefer uv,
                                instead of uv, use poetry, using poetry, prefer poetry, instead of poetry,
                                dependency~, lockfile~, lock file~, package lock.json, pnpm lock.yaml,
                                yarn.lock, poetry.lock, uv.lock, cargo.lock, go.sum, go.mod,
                                peer dependency~, package manager~, node modules, npm install, npm ci,
                                pnpm install, pnpm add, npm add, yarn add, pip install, uv sync, uv add,
                                uv pip, cargo add, go get, go mod, composer install, bundle install,
                                vendor~, third party, install~, package.json, requirements.txt,
                                frozen lockfile, library~, cannot find module, modulenotfounderror,
                                no module named, renovate, dependabot
version            technical    version~, semver, upgrade~, downgrade~, pin~, pinned, backward compatible,
                                backwards compatible, deprecated, breaking change~
cache              technical    cache~, caching, stale, invalidate~, memoize~, cdn
database           technical    database~, db, postgres, postgresql, psql, mysql, mariadb, sqlite, mongodb,
                                mongo, database table~, column~, sqlstate, connection pool~, pool~,
                                dynamodb, bigquery, timescale, replication
migration          technical    migration~, migrate~, alembic, flyway, liquibase, schema change~,
                                database schema, db schema, schema.prisma, backfill~, add column~,
                                new column~, relation does not exist
transaction        coding       transaction~, rollback segment~, isolation level~, outbox,
                                commit the transaction
query              coding       query~, n 1, where clause~, full scan, sequential scan, explain analyze,
                                add an index, adding an index, create index~, creating an index,
                                build an index, built an index, index on, unique index, partial index,
                                composite index
performance        coding       performance, slow, slower, faster, speed up, profile~, profiling,
                                benchmark~, latency, throughput, bottleneck~, optimize~, freezes,
                                downsample, vectorise, iterrows, bundle size
queue              technical    queue~, job~, worker~, bullmq, celery, sidekiq, consumer~, dead letter,
                                message broker~
cron               technical    cron, crontab~, cronjob~, scheduled job~, scheduled task~, schedules
logging            technical    log~, logs, logger~, log level~, console.log, structured logging, stdout,
                                stderr, println
monitoring         technical    metric~, alert~, dashboard~, trace~, traceparent, stack trace~, prometheus,
                                grafana, opentelemetry, sentry, datadog, on call, incident~, outage~
terminal           technical    terminal~, tty, ansi, no color, color output, interactive, non interactive,
                                prompts for, pager~
cli                coding       cli, command line, subcommand~, argv, flag~, stdin, help text~, usage text~
file-system        technical    file system~, filesystem~, atomic rename, fsync, temp file~,
                                temporary file~, file descriptor~, too many open files, emfile, inotify
stream             coding       stream~, buffer~, pipe~, backpressure, chunk~, broken pipe
component          coding       component~, props, state management, render~, rerender~, accessibility,
                                aria, screen reader~, data testid, role
i18n               coding       i18n, locale~, translation~, translate~, localization, l10n
image              technical    picture~, thumbnail~, png, svg, sharp, alt text, upload~
search             technical    grep, rg, ripgrep, search index~, full text search, trigram
state              coding       global state, mutable state, shared state, singleton~, side effect~
access-control     coding       access control, role based, rbac, acl, row level security
privacy            technical    pii, personal data, gdpr, e mail address~, email address~
license            process      license~, licence~, gpl, copyright
infrastructure     technical    infrastructure, load balancer~, autoscaling, scaling, vm, cloud
`
