package topic

// What people and agents do.
const doings = `
mock               coding       mock~, stub out, fake~, spy, vi.mock, msw, test double~, monkeypatch~
snapshot           coding       snapshot~, golden file~, golden~, .snap, approval test~
flaky-test         coding       flaky, flake~, intermittent, intermittently, nondeterministic, quarantine~
fixture            coding       fixture~, seed~, test data, sample data, factory~, testdata
coverage           technical    coverage, uncovered
e2e                technical    e2e, end to end, playwright, cypress, selenium, integration test~,
                                integration suite~, smoke test~
lint               technical    lint~, linter~, make lint, eslint, golangci, ruff, clippy, rubocop,
                                shellcheck, staticcheck, go vet, flake8, pylint, biome
formatting         technical    format~, formatter~, make fmt, gofmt, prettier, rustfmt, indentation,
                                whitespace, tab~, reformat~, code style, terraform fmt, cargo fmt, go fmt
naming             coding       naming, rename~, camelcase, snake case, identifier~, variable name~,
                                file name~, function name~, misnamed
comment            coding       comment~, docstring~, doc comment~, todo~, fixme
dead-code          coding       dead code, unused, no longer used, commented out, commenting it out
refactoring        coding       refactor~, extract~, duplication, duplicate code, duplicated code,
                                simplify~, abstraction~, rewrite~
history            process      amend~, force push~, force pushing, force pushed, push force,
                                force with lease, squash~, rewrite history, rewriting history, reset hard,
                                git reset, filter branch, rebase~, reflog
branch             process      branch~, feature branch~, default branch, main branch, upstream branch~,
                                merge conflict~, conflict~, merge commit~, rebase~, checkout, worktree~
hook               technical    pre commit, pre push, git hook~, husky, .husky, no verify, commit hook~,
                                hook~, lefthook
commit             process      commit~, out of git, into git, commit message~, commit subject~,
                                conventional commit~, conventional commits, staged, unstaged, git add,
                                co authored by, changeset~
push               process      push~, git push, before pushing
review             process      review~, reviewer~, code review~, pull request~, merge request~, pr, prs,
                                diff~, gh pr
release            process      release~, publish~, changelog~, tag a version, release tag~, release notes,
                                git tag, changeset~, ship~
deploy             technical    deploy~, deployment~, roll out, rollout~, roll back, rolling back,
                                rollback~, staging, production, prod, canary~, blue green
ci                 technical    ci, pipeline~, workflow file~, github actions, workflows, jenkins, circleci,
                                build server~, continuous integration, gitlab ci
build              technical    build~, built, builds, compile~, compiler~, compilation, rebuild~, bundle,
                                tsc, artifact~, make build, go build, docker build, cargo build, webpack,
                                transpile~, linker~
test               technical    test~, unit test~, make test, make check, test suite~, pytest, jest, vitest,
                                junit, rspec, phpunit, mocha, go test, spec, specs, assertion~, assert~,
                                tdd, test case~, afterall, beforeall, beforeeach, testscript
debug              technical    debug~, debugger~, breakpoint~, reproduce~, root cause~, bisect,
                                stack trace~, traceback~, investigate~, diagnose~
documentation      process      documentation, docs, readme, document~, adr, adrs, runbook~, tutorial page~,
                                docstring~, jsdoc, godoc
ask                process      ask~, confirm with, permission from, ask first, approval, check with,
                                consult~, confirmation, sign off
plan               process      plan~, planning, design doc~, proposal~, roadmap~, step by step,
                                before starting, checklist~
scope              process      out of scope, in scope, scope creep, unrelated change~, unrelated file~,
                                not asked for, small change~, minimal change~, minimal diff, nobody asked
verify             process      verify~, double check~, sanity check~, confirm~, guess~, assume~,
                                assumption~, check before, before claiming, claim~, untested, not tested,
                                evidence
report             process      reporting, report back, final report~, summarize~, summary, summaries,
                                status update~, say what, tell the user, hand off, handoff
read-first         process      read first, read the file~, reading the file, before editing, read the docs,
                                read the code, file before editing, file has not been read
edit               process      edit~, generated files, editing by hand, by hand, overwrite~, old string,
                                string to replace, replace all
delete             technical    delete~, remove~, rm rf, rm, git clean, drop table, truncate~, destructive,
                                wipe~
background         technical    in the background, daemon~, nohup, foreground, long running, dev server~,
                                server running, zombie process, kill the process
backup             technical    backup~, restore~, recover~, snapshot volume~
undo               process      undo~, revert~, git revert, git restore
security           technical    security, vulnerability~, cve, sandbox~, untrusted, exploit~, audit~, csrf,
                                xss
issue              process      issue~, ticket~, jira, linear issue~, bug report~
tone               communications tone, wording, jargon, emoji~, concise, polite, apologize~, apology,
                                reader~, audience, phrase~, bullet~, sentence~, prose, writing style
email              communications email~, e mail~, newsletter~, inbox, mjml, subject line~
messaging          communications slack, message the team, chat message~, announcement~, announce~, reply to,
                                notify the team, presentation~, blog post~
meeting            scheduling   meeting~, appointment~, agenda~, standup~, one on one, calendar invite~,
                                invite~, reschedule~
calendar           scheduling   calendar~, calendar invite~, time slot~, monday~, tuesday~, wednesday~,
                                thursday~, friday~, weekend~, afternoon~, morning~
deadline           scheduling   deadline~, due date~, reminder~, milestone~, overdue, time estimate~,
                                priority, priorities
money              finance      invoice~, budget~, expense~, tax, taxes, accounting, bookkeeping, vat,
                                payroll, bank~, price~, pricing, subscription~, refund~
investment         finance      portfolio~, stock price~, dividend~, interest rate~, mortgage~, loan~
study              learning     course~, tutorial~, flashcard~, study, studying, exercise~, textbook~,
                                lecture~, spaced repetition, curriculum
learning           learning     learn~, teach~, explain~, explanation~, understand~, mental model~,
                                first principles
`
