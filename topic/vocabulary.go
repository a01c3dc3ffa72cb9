package topic

// The vocabulary. A topic is a tag, the domain that it speaks for, and the
// words that stand for it, the most specific topics first: when a text has
// more than MaxTags, the first ones are kept. Indented lines go on with the
// topic before.
//
// A word stands alone, in any case. "commit~" is all its forms: commits,
// committed, committing. "$go" counts at the beginning of code in backticks,
// for names that are ordinary words as well. A dot is one, as in ".py" and
// "go.mod"; a space is any other gap, as in pull-request. The longest phrase
// counts, and hides the words in it that are not names. A word may stand for
// several topics.
//
// The tags that let a rule be applied without asking, such as import-order,
// are missing on purpose: somebody has to say those.

// Languages, libraries, programs and services.
const names = `
go                 coding       golang, goroutine~, go test, go build, go mod, go vet, go run, go get,
                                go install, go generate, go tool, go work, go code, go module~, .go, go.mod,
                                go.sum, gofmt, gopls, gorm, staticcheck, $go
python             coding       python, python3, .py, pytest, pip, pip3, poetry, uv run, uv sync,
                                virtualenv~, venv, pyproject, requirements.txt, mypy, ruff, django, flask,
                                fastapi, pandas, numpy, polars, conda, jupyter, notebook~, tox, pyenv,
                                traceback~, modulenotfounderror, asyncio, pydantic, sqlalchemy, alembic
typescript         coding       typescript, tsc, .ts, .tsx, tsconfig, tsconfig.json, ts, tsx, zod
javascript         coding       javascript, .js, .mjs, .cjs, .jsx, jsx, es modules, esm, commonjs, cjs,
                                jest, vitest, mocha, eslint, prettier, node modules, node.js, nodejs, npx,
                                lodash, express, package.json, err module not found, $node
rust               coding       rust, rustc, cargo, clippy, .rs, crate~, borrow checker, rustfmt, tokio,
                                serde
java               coding       java, jvm, maven, mvn, gradle, gradlew, spring boot, junit, .java,
                                nullpointerexception, classpath~
kotlin             coding       kotlin, .kt
swift              coding       swift, xcode, xcodebuild, swiftui, cocoapods, .swift
c                  coding       gcc, clang, cmake, .cpp, .hpp, segfault~, segmentation fault~, valgrind,
                                undefined reference~, linker error~
csharp             coding       csharp, dotnet, nuget, .cs, asp.net
ruby               coding       ruby, rails, rspec, rubocop, bundler, bundle exec, bundle install, gemfile~,
                                .rb, rake
php                coding       php, composer install, composer update, laravel, symfony, phpunit, .php
elixir             coding       elixir, phoenix, mix test, mix deps, .exs
react              coding       react, useeffect, usestate, jsx, react hook~, hydration, redux, next.js,
                                nextjs
vue                coding       vue, nuxt, pinia
svelte             coding       svelte, sveltekit
css                coding       css, scss, sass, tailwind, stylesheet~, flexbox
sql                coding       sql, .sql, join~, left join~, group by
shell              technical    bash, zsh, shell, shell script~, shellcheck, set euo pipefail, pipefail,
                                .sh, sed, awk, xargs, heredoc~, subshell~, quoting
graphql            coding       graphql, apollo
grpc               coding       grpc, protobuf, proto, protoc, .proto, buf generate, buf breaking, $buf
npm                technical    npm, npm install, npx, package lock.json, .npmrc
pnpm               technical    pnpm, pnpm lock.yaml, pnpm workspace~
yarn               technical    yarn, yarn.lock
bun                technical    bun, bunx, bun.lockb
node               technical    nvm, fnm, nvmrc, .nvmrc, node version~, node module version, node options,
                                nodejs
pip                technical    pip, pip3, requirements.txt
uv                 technical    uv, uvx, uv.lock, uv sync, uv run
poetry             technical    poetry, poetry.lock
cargo              technical    cargo, cargo.toml, cargo.lock
gradle             technical    gradle, gradlew
maven              technical    maven, mvn, pom.xml
make               technical    makefile~, make test, make check, make build, make lint, make install, $make
cmake              technical    cmake, cmakelists.txt
bazel              technical    bazel, bazelisk
nix                technical    nix, flake.nix, nixos, nixpkgs
docker             technical    docker, docker compose, dockerfile~, container~, mounted volume~,
                                docker volume~, bind mount~, dockerd, podman, colima, docker image~,
                                compose.yaml, compose.yml, compose up, $compose
kubernetes         technical    kubernetes, k8s, kubectl, helm, pod~, cluster~, kubeconfig, replica~,
                                readiness probe~, liveness probe~, ingress
helm               technical    helm, helmfile, chart.yaml
terraform          technical    terraform, tofu, tfstate, .tf, terragrunt
ansible            technical    ansible, playbook~
aws                technical    aws, s3, ec2, lambda function~, dynamodb, cloudwatch, cloudformation,
                                iam role~, sqs
gcp                technical    gcp, gcloud, bigquery, cloud run
azure              technical    azure
vercel             technical    vercel, netlify
cloudflare         technical    cloudflare, wrangler
nginx              technical    nginx, caddy, traefik
postgres           technical    postgres, postgresql, psql, pg, pg dump, pg restore, timescale, hypertable~,
                                plpgsql, sqlstate
mysql              technical    mysql, mariadb
sqlite             technical    sqlite, sqlite3
mongodb            technical    mongodb, mongo, mongoose
redis              technical    redis, valkey
kafka              technical    kafka, rabbitmq, nats
elastic            technical    elasticsearch, opensearch
orm                coding       prisma, gorm, sqlalchemy, hibernate, drizzle, typeorm, activerecord, orm
git                technical    git, .gitignore, gitignore, git lfs, lfs, git hook~, worktree~, work tree~,
                                submodule~, stash~, bisect, cherry pick~, detached head, .husky, husky
github             technical    github, gh pr, gh run, gh issue, github actions, $gh
gitlab             technical    gitlab, glab
browser            coding       browser~, chrome, chromium, firefox, safari, dom, devtools, service worker~,
                                localstorage
playwright         technical    playwright, cypress, selenium, puppeteer
vite               technical    vite, webpack, esbuild, rollup, turbopack, swc, babel, bundler~,
                                source map~, tree shaking
ssh                technical    ssh, scp, rsync, known hosts
systemd            technical    systemd, systemctl, journalctl
brew               technical    brew, homebrew
apt                technical    apt, apt get, dpkg
curl               technical    curl, wget, httpie
prometheus         technical    prometheus, grafana, opentelemetry, sentry, datadog
llm                technical    llm~, claude, openai, anthropic, gpt, ollama, prompt~, token limit~,
                                subagent~, sub agent~, mcp
`
