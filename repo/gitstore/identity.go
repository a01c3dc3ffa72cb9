package gitstore

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"mem/fault"
	"mem/repo/disk"
)

// fallback is the identity of mem itself, for machines where git has none.
var fallback = Identity{Name: "mem", Email: "mem@localhost"}

// ReadCommitter returns who commits in the repository d are by, and what signs them: what git reads of its
// configuration in the folder project, with all that it includes, and what that of d itself says. A hook of another
// repository cannot lend the identity of its commit.
func ReadCommitter(d *disk.Dir, project string, environ []string) (By, Signer) {
	set := askGit(d, cmp.Or(project, d.Path()), environ)
	if set == nil { // the folder is gone, or git trusts only its own; where git is not there, nothing is known but the environment
		set = askGit(d, d.Path(), environ)
	}
	isLent := find(environ, "GIT_DIR")+find(environ, "GIT_INDEX_FILE") != ""
	who := func(role string) (id Identity) {
		if !isLent {
			id = Identity{Name: cleanName(find(environ, "GIT_"+role+"_NAME")), Email: cleanName(find(environ, "GIT_"+role+"_EMAIL"))}
		}
		role = strings.ToLower(role)
		id.Name = cmp.Or(id.Name, cleanName(set[role+".name"]), cleanName(set["user.name"]))
		id.Email = cmp.Or(id.Email, cleanName(set[role+".email"]), cleanName(set["user.email"]), cleanName(find(environ, "EMAIL")))
		if id.Name == "" || id.Email == "" {
			return fallback
		}
		return id
	}
	by := By{Author: who("AUTHOR"), Committer: who("COMMITTER")}
	return by, newSigner(d, set, by.Committer, environ)
}

// askGit returns what git reads of identities and signing in a folder, and in d; nil if git does not say.
func askGit(d *disk.Dir, folder string, environ []string) map[string]string {
	cmd := Command(context.Background(), folder, environ, "-c", "include.path="+filepath.Join(d.Path(), gitDir, "config"),
		"config", "-z", "--get-regexp", `^((user|author|committer)\.(name|email)|user\.signingkey|commit\.gpgsign|gpg\..*)$`)
	for _, kv := range environ {
		if strings.HasPrefix(kv, "GIT_CONFIG_") && !strings.HasPrefix(kv, "GIT_CONFIG_PARAMETERS=") {
			cmd.Env = append(cmd.Env, kv)
		}
	}
	out, err := cmd.Output()
	if err != nil && cmd.ProcessState.ExitCode() != 1 {
		return nil
	}
	set := map[string]string{}
	for line := range strings.SplitSeq(string(out), "\x00") {
		key, value, hasValue := strings.Cut(line, "\n")
		if set[key] = value; !hasValue { // the last counts
			set[key] = "true"
		}
	}
	return set
}

func find(environ []string, name string) string {
	i := slices.IndexFunc(environ, func(kv string) bool { return strings.HasPrefix(kv, name+"=") })
	if i < 0 {
		return ""
	}
	return environ[i][len(name)+1:]
}

// cleanName removes what would break the line of a commit that holds a name.
func cleanName(s string) string {
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if r < ' ' || r == '<' || r == '>' || r == 0x7f {
			return -1
		}
		return r
	}, s))
}

// ErrUnsigned is wrapped when git's configuration demands signed commits, and one could not be signed.
var ErrUnsigned = fault.New(fault.Later, "git's configuration demands signed commits (commit.gpgsign), and this one could not be signed",
	"let the program that signs have its key, such as by 'ssh-add' or a commit of your own, then run any mem command; in a terminal it can ask you")

// maxSigning is how long a program may take that has no person to ask; the memory is locked meanwhile.
const maxSigning = 20 * time.Second

// A Signer signs commits as git would, if the configuration demands it, by the program that it names. Git itself signs
// only what it commits itself.
type Signer struct {
	format, program, key string
	d                    *disk.Dir
	environ              []string
}

func newSigner(d *disk.Dir, set map[string]string, who Identity, environ []string) Signer {
	on, isSet := set["commit.gpgsign"]
	n, err := strconv.Atoi(on)
	if !isSet || !slices.Contains([]string{"true", "yes", "on"}, strings.ToLower(on)) && (err != nil || n == 0) {
		return Signer{}
	}
	s := Signer{format: cmp.Or(set["gpg.format"], "openpgp"), key: set["user.signingkey"], d: d, environ: environ}
	usual := map[string]string{"openpgp": cmp.Or(set["gpg.program"], "gpg"), "x509": "gpgsm", "ssh": "ssh-keygen"}
	s.program = expandHome(cmp.Or(set["gpg."+s.format+".program"], usual[s.format]), environ)
	if s.format != "ssh" {
		s.key = cmp.Or(s.key, who.Name+" <"+who.Email+">")
	}
	return s
}

func expandHome(path string, environ []string) string {
	if rest, ok := strings.CutPrefix(path, "~/"); ok {
		return filepath.Join(cmp.Or(find(environ, "HOME"), find(environ, "USERPROFILE")), rest)
	}
	return path
}

// Sign returns the signature of what a commit holds; nil if none is demanded. Only with mayAsk can the program ask for a
// passphrase. An error wraps ErrUnsigned.
func (s Signer) Sign(content []byte, mayAsk bool) (signature []byte, err error) {
	if s.format == "" {
		return nil, nil
	}
	args, err := s.args(mayAsk)
	if err != nil {
		return nil, fmt.Errorf("%[2]w: %[1]w", err, ErrUnsigned)
	}
	signature, said, err := s.run(args, content, mayAsk)
	if err == nil && s.format != "ssh" && !strings.Contains("\n"+said, "\n[GNUPG:] SIG_CREATED ") {
		err = errors.New("it made no signature")
	}
	if err != nil {
		lines := strings.FieldsFunc(said, func(r rune) bool { return r == '\n' || r == '\r' })
		lines = slices.DeleteFunc(lines, func(line string) bool { return strings.HasPrefix(line, "[GNUPG:]") })
		return nil, fmt.Errorf("%[3]w: %[2]s: %[1]w", err, strings.Join(append([]string{s.program}, lines[max(0, len(lines)-1):]...), ": "), ErrUnsigned)
	}
	return bytes.ReplaceAll(signature, []byte("\r\n"), []byte("\n")), nil
}

func (s Signer) run(args []string, content []byte, mayAsk bool) (printed []byte, said string, err error) {
	ctx, cancel := context.Background(), func() {}
	if !mayAsk {
		ctx, cancel = context.WithTimeout(ctx, maxSigning)
	}
	defer cancel()
	var out bytes.Buffer
	cmd := exec.CommandContext(ctx, s.program, args...)
	cmd.Dir, cmd.Env, cmd.Stdin, cmd.Stderr = s.d.Path(), slices.Clone(s.environ), bytes.NewReader(content), &out
	if !mayAsk { // then ssh has the word from a program, which is none
		cmd.Env = append(slices.DeleteFunc(cmd.Env, func(kv string) bool { return strings.HasPrefix(kv, "SSH_ASKPASS") }), "SSH_ASKPASS_REQUIRE=force", "SSH_ASKPASS=false")
	}
	printed, err = cmd.Output()
	return printed, out.String(), err
}

func (s Signer) args(mayAsk bool) ([]string, error) {
	switch s.format {
	case "openpgp", "x509":
		args := []string{"--status-fd=2", "-bsau", s.key}
		if !mayAsk {
			args = append([]string{"--batch", "--no-tty", "--pinentry-mode=error"}, args...)
		}
		return args, nil
	case "ssh":
	default:
		return nil, fmt.Errorf("gpg.format %q is unknown", s.format)
	}
	key, isLiteral := strings.CutPrefix(s.key, "key::")
	switch {
	case key == "":
		return nil, errors.New("user.signingkey names no key")
	case !isLiteral && !strings.HasPrefix(key, "ssh-"):
		return []string{"-Y", "sign", "-n", "git", "-f", expandHome(key, s.environ)}, nil
	}
	const file = gitDir + "/mem/tmp/signingkey" // whose other half an agent has
	if err := s.d.WriteLoose(file, []byte(key+"\n")); err != nil {
		return nil, err
	}
	return []string{"-Y", "sign", "-n", "git", "-U", "-f", filepath.Join(s.d.Path(), filepath.FromSlash(file))}, nil
}
