package gitstore

import (
	"cmp"
	"context"
	"path/filepath"
	"slices"
	"strings"

	"mem/repo/disk"
)

// fallback is the identity of mem itself, for machines where git has none.
var fallback = Identity{Name: "mem", Email: "mem@localhost"}

// ReadCommitter returns who commits in the repository d are by, and what signs them: what git reads of its
// configuration in the folder project, with all that it includes, and what that of d itself says. A hook of another
// repository cannot lend the identity of its commit.
func ReadCommitter(d *disk.Dir, project string, environ []string) (By, Signer) {
	set := askGit(d, cmp.Or(project, d.Path()), environ)
	if set == nil { // the folder is gone, or git trusts only its own
		set = askGit(d, d.Path(), environ)
	}
	if set == nil { // git is not there
		set = readFiles(d, environ)
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

// readFiles is askGit by the files that most people have, for machines without git.
func readFiles(d *disk.Dir, environ []string) map[string]string {
	home, set := cmp.Or(find(environ, "HOME"), find(environ, "USERPROFILE")), map[string]string{}
	xdg := cmp.Or(find(environ, "XDG_CONFIG_HOME"), filepath.Join(home, ".config"))
	for _, name := range []string{filepath.Join(xdg, "git", "config"), filepath.Join(home, ".gitconfig"), filepath.Join(d.Path(), gitDir, "config")} {
		for _, setting := range []string{"user.name", "user.email", "user.signingkey", "commit.gpgsign", "gpg.format", "gpg.program"} {
			section, key, _ := strings.Cut(setting, ".")
			for _, value := range ListValues(section, key, name)[""] {
				set[setting] = value // the last counts
			}
		}
	}
	return set
}

// find returns the value of a variable.
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
