package remote

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/text/unicode/norm"

	"mem/repo/disk"
	"mem/repo/gitstore"
	"mem/workspace"
)

// Limits of one exchange.
const (
	idleLimit = 30 * time.Second // without a word of git
	timeLimit = 10 * time.Minute // of one command: a side can talk for ever
	maxBlob   = 64 << 20
	maxFiles  = 200_000
	maxAnswer = 64 << 20
)

// A gitCLI runs the git program in a folder, because git knows how to reach hosts and sign in to them. It asks
// no questions, runs no hooks, and does not wait for a side that has gone silent. Fetched content is checked
// before a branch gets it.
type gitCLI struct {
	Folder  string
	Environ []string
	Idle    time.Duration // see idleLimit; zero is that
	Limit   time.Duration // see timeLimit; zero is that
}

// quiet are settings that keep git from asking, and from doing more than it is told.
var quiet = []string{
	"core.askPass=", "credential.interactive=false",
	"fetch.recurseSubmodules=false", "push.recurseSubmodules=no", "push.gpgSign=false", "push.followTags=false", "transfer.fsckObjects=true",
	"http.lowSpeedLimit=1", "http.lowSpeedTime=30",
}

// run runs git and returns its output. A command that talks to a host names the
// remote: it is stopped when git says nothing for a while.
func (g gitCLI) run(ctx context.Context, remote string, args ...string) ([]byte, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var all []string
	for _, setting := range quiet {
		all = append(all, "-c", setting)
	}
	cmd := gitstore.Command(ctx, g.Folder, nil, append(all, args...)...)
	if cmd.Err != nil {
		return nil, fmt.Errorf("find git: %w", cmd.Err)
	}
	cmd.Env, cmd.SysProcAttr = append(cmd.Env, g.environ(ctx, remote)...), disk.NoTerminal()
	cmd.WaitDelay = time.Second
	cmd.Cancel = func() error { // asked to end, git ends what it started
		if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
			return cmd.Process.Kill()
		}
		return nil
	}
	var out, said bytes.Buffer
	idle, limit := cmp.Or(g.Idle, idleLimit), cmp.Or(g.Limit, timeLimit)
	late := time.AfterFunc(limit, func() { cancel(fmt.Errorf("not done after %s: %w", limit, errOffline)) })
	defer late.Stop()
	silent := time.AfterFunc(idle, func() { cancel(fmt.Errorf("no word for %s: %w", idle, errOffline)) })
	defer silent.Stop()
	heard := func() { silent.Reset(idle) }
	cmd.Stdout, cmd.Stderr = &watched{&out, heard}, &watched{&said, heard}
	err := cmd.Run()
	if cause := context.Cause(ctx); err != nil && cause != nil {
		return nil, fmt.Errorf("git: %w", cause)
	}
	if err != nil {
		return out.Bytes(), explain(said.String(), remote, err)
	}
	return out.Bytes(), nil
}

// watched passes on git's output, up to a limit, and reports each sign of life.
type watched struct {
	to    *bytes.Buffer
	heard func()
}

func (w *watched) Write(p []byte) (int, error) {
	if w.heard(); w.to.Len()+len(p) > maxAnswer {
		return 0, io.ErrShortWrite
	}
	return w.to.Write(p)
}

// environ returns the person's environment, without variables that point git at another repository, and with
// settings that keep git, ssh and password helpers from asking.
func (g gitCLI) environ(ctx context.Context, remote string) []string {
	ssh := "ssh"
	env := slices.DeleteFunc(slices.Clone(g.Environ), func(kv string) bool {
		key, value, _ := strings.Cut(kv, "=")
		if key == "GIT_SSH_COMMAND" {
			ssh = value
		}
		keeps := []string{"GIT_SSH_VARIANT", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM", "GIT_EXEC_PATH", "GIT_SSL_CAINFO", "GIT_PROXY_COMMAND"}
		return strings.HasPrefix(key, "GIT_") && !slices.Contains(keeps, key) || key == "SSH_ASKPASS"
	})
	if remote != "" && ssh == "ssh" {
		if own, err := g.run(ctx, "", "config", "--default=ssh", "--get", "core.sshCommand"); err == nil {
			ssh = cmp.Or(strings.TrimSpace(string(own)), ssh)
		}
	}
	return append(env, "GIT_TERMINAL_PROMPT=0", "GCM_INTERACTIVE=never", "GIT_ASKPASS=", "SSH_ASKPASS_REQUIRE=never",
		"GIT_SSH_COMMAND="+ssh+" -oBatchMode=yes -oConnectTimeout=15", "GIT_ALLOW_PROTOCOL=file:git:http:https:ssh", "LC_ALL=C")
}

// fetch fetches a ref of a remote into the ref tracking here, and returns its commit; "" if the remote does not
// have it. What git brought is durable: mem commits on top of it.
func (g gitCLI) fetch(ctx context.Context, d *disk.Dir, remote, ref, tracking string) (tip string, err error) {
	refs, err := g.listRefs(ctx, remote, ref)
	if err != nil || refs[ref] == "" {
		return "", err
	}
	_, err = g.run(ctx, remote, "fetch", "--progress", "--no-tags", "--no-write-fetch-head", "--no-recurse-submodules", "--end-of-options", remote, "+"+ref+":"+tracking)
	if err = errors.Join(err, gitstore.Flush(d)); err != nil {
		return "", err
	}
	out, err := g.run(ctx, "", "for-each-ref", "--format=%(objecttype) %(objectname)", tracking)
	kind, tip, _ := strings.Cut(strings.TrimSpace(string(out)), " ")
	if err == nil && kind != "commit" { // what a ref names here is read as a commit
		err = errors.Join(fmt.Errorf("%s is a %s: %w", ref, kind, errRefused), g.dropRef(ctx, tracking))
	}
	return tip, err
}

// listRefs returns the refs of a remote that match patterns, with their commits.
func (g gitCLI) listRefs(ctx context.Context, remote string, patterns ...string) (map[string]string, error) {
	out, err := g.run(ctx, remote, append([]string{"ls-remote", "--end-of-options", remote}, patterns...)...)
	refs := map[string]string{}
	for line := range strings.Lines(string(out)) {
		if id, ref, ok := strings.Cut(strings.TrimSpace(line), "\t"); ok {
			refs[ref] = id
		}
	}
	return refs, err
}

// push moves a ref of a remote forward to a commit, never back. If seen is given, it instead replaces whatever the
// ref holds, provided that is still seen. It wraps errRace if the remote has commits that this clone has not fetched.
func (g gitCLI) push(ctx context.Context, remote, tip, ref, seen string) error {
	how := "--no-force"
	if seen != "" {
		how = "--force-with-lease=" + ref + ":" + seen
	}
	out, err := g.run(ctx, remote, "push", how, "--porcelain", "--progress", "--no-verify", "--no-follow-tags", "--end-of-options", remote, tip+":"+ref)
	for line := range strings.Lines(string(out)) {
		if reason, is := strings.CutPrefix(line, "!\t"); is && err != nil {
			_, reason, _ = strings.Cut(strings.TrimSpace(reason), "\t")
			return explainRejected(reason, err)
		}
	}
	return err
}

func (g gitCLI) dropRef(ctx context.Context, ref string) error {
	_, err := g.run(ctx, "", "update-ref", "-d", "--end-of-options", ref)
	return err
}

// findBase returns the newest commit that two have in common; "" if there is none.
func (g gitCLI) findBase(ctx context.Context, a, b string) (string, error) {
	out, err := g.run(ctx, "", "merge-base", a, b)
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) && exit.ExitCode() == 1 {
		err = nil
	}
	return strings.TrimSpace(string(out)), err
}

func (g gitCLI) countCommits(ctx context.Context, since, tip string) (int, error) {
	args := []string{"rev-list", "--count", tip}
	if since != "" {
		args = append(args, "^"+since)
	}
	out, err := g.run(ctx, "", args...)
	if err != nil {
		return 0, err
	}
	return strconv.Atoi(strings.TrimSpace(string(out)))
}

// listAdded calls f for changes in these paths by commits of tip that are not in since: with "" for each
// changed file, and with each added line. A merge counts only for lines that no parent has.
func (g gitCLI) listAdded(ctx context.Context, since, tip string, paths []string, f func(file, line string)) error {
	args := []string{"log", "-p", "-c", "-U0", "--format=", "--diff-filter=d", "--src-prefix=a/", "--dst-prefix=b/", "--no-color", "--no-ext-diff", "--no-textconv", "--no-renames", "--text", tip}
	if since != "" {
		args = append(args, "^"+since)
	}
	out, err := g.run(ctx, "", append(append(args, "--"), paths...)...)
	file, mark := "", "\x00"
	for line := range strings.Lines(string(out)) {
		line = strings.TrimRight(line, "\n")
		signs := len(line) - len(strings.TrimLeft(line, "@"))
		kind, name, isHead := strings.Cut(line, " ")
		switch isHead = isHead && kind == "diff"; {
		case isHead:
			if kind, name, _ = strings.Cut(name, " "); kind == "--git" { // it names the file twice
				name = name[len(name)/2+1:]
			}
			if plain, err := strconv.Unquote(name); err == nil {
				name = plain
			}
			file, mark = strings.TrimPrefix(name, "b/"), "\x00" // no line of the head has it
			f(file, "")
		case signs > 1:
			mark = strings.Repeat("+", signs-1)
		case strings.HasPrefix(line, mark):
			f(file, line[len(mark):])
		}
	}
	return err
}

// checkTree refuses a commit whose files cannot be a memory's: links, submodules, too large or too many files, or names
// that Windows or macOS treat as the same. There core/INDEX.JSON would overwrite core/index.json and read as a hand edit.
func (g gitCLI) checkTree(ctx context.Context, tip string) error {
	out, err := g.run(ctx, "", "ls-tree", "-r", "-l", "-z", "--full-tree", tip)
	if err != nil {
		return err
	}
	files := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
	if len(files) > maxFiles {
		return fmt.Errorf("%d files: %w", len(files), errRefused)
	}
	names := map[string]string{}
	for _, file := range files {
		about, name, _ := strings.Cut(file, "\t")
		fields := strings.Fields(about)
		if len(fields) != 4 {
			continue
		}
		size, _ := strconv.Atoi(fields[3])
		what := map[string]string{"120000": "is a link", "160000": "is a submodule"}[fields[0]]
		if size > maxBlob {
			what = fmt.Sprintf("has %d bytes", size)
		}
		for at := name; at != "."; at = path.Dir(at) {
			folded := norm.NFC.String(strings.ToLower(strings.TrimRight(at, ". ")))
			if other := cmp.Or(names[folded], at); other != at {
				what = cmp.Or(what, fmt.Sprintf("is one file with %q on Windows or macOS", other))
			}
			names[folded] = at
		}
		if what != "" {
			return fmt.Errorf("%q %s: %w", name, what, errRefused)
		}
	}
	return nil
}

// FindNewest asks the repository at an address for its newest version: of the tags such as v1.2.3 the highest.
func FindNewest(ctx context.Context, w workspace.World, address string) (newest string, err error) {
	refs, err := gitCLI{Folder: ".", Environ: w.Environ}.listRefs(ctx, address, "refs/tags/v*")
	for ref := range refs {
		if tag := strings.TrimPrefix(ref, "refs/tags/"); !strings.Contains(tag, "-") && workspace.IsNewer(tag, cmp.Or(newest, "v0.0.0")) {
			newest = tag
		}
	}
	return newest, err
}

// answersAnyone reports whether an address lists its refs to someone who does not sign in.
func (g gitCLI) answersAnyone(ctx context.Context, address string) bool {
	bare := g
	bare.Environ = slices.DeleteFunc(slices.Clone(g.Environ), func(kv string) bool { // no .netrc, no cookies
		return strings.HasPrefix(kv, "HOME=") || strings.HasPrefix(kv, "USERPROFILE=") || strings.HasPrefix(kv, "XDG_CONFIG_HOME=")
	})
	bare.Idle = idleLimit / 3
	_, err := bare.run(ctx, address, "-c", "credential.helper=", "-c", "http.extraHeader=", "-c", "http.cookieFile=", "ls-remote", "--end-of-options", address)
	return err == nil
}
