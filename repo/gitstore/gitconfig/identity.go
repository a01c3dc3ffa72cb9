package gitconfig

import (
	"cmp"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"mem/repo/disk"
	"mem/repo/gitstore/object"
)

// fallback is the identity of mem itself, for machines where git has none.
var fallback = object.Identity{Name: "mem", Email: "mem@localhost"}

// ReadIdentity returns who commits in the repository d are by: what git reads of its configuration
// there, with all that it includes. What git reads in the folder project counts where it reads in d
// only what it reads there, too. A hook of another repository cannot lend the identity of its commit.
func ReadIdentity(d *disk.Dir, project string, environ []string) object.By {
	there := make(chan map[string][]string, 1)
	go func() { there <- askGit(project, environ) }()
	own := askGit(d.Path(), environ)
	outer := <-there
	if own == nil { // git is not there, or refuses
		own = readFiles(d, environ)
	}
	get := func(key string) string {
		list := own[key]
		if len(list) == 0 || slices.Contains(outer[key], list[len(list)-1]) {
			list = slices.Concat(list, outer[key])
		}
		all := strings.Join(list, "\x00")
		return cleanName(all[strings.LastIndexByte(all, 0)+1:])
	}
	isLent := find(environ, "GIT_DIR")+find(environ, "GIT_INDEX_FILE") != ""
	who := func(role string) (id object.Identity) {
		if !isLent {
			id = object.Identity{Name: cleanName(find(environ, "GIT_"+role+"_NAME")), Email: cleanName(find(environ, "GIT_"+role+"_EMAIL"))}
		}
		role = strings.ToLower(role)
		id.Name = cmp.Or(id.Name, get(role+".name"), get("user.name"))
		id.Email = cmp.Or(id.Email, get(role+".email"), get("user.email"), cleanName(find(environ, "EMAIL")))
		if id.Name == "" || id.Email == "" {
			return fallback
		}
		return id
	}
	return object.By{Author: who("AUTHOR"), Committer: who("COMMITTER")}
}

// askGit returns what git reads of identities in a folder, the last of which counts, each after
// where it is from; nil if git does not say.
func askGit(dir string, environ []string) map[string][]string {
	if dir == "" {
		return nil
	}
	cmd := Command(context.Background(), dir, environ, "config", "-z", "--show-origin", "--get-regexp", `^(user|author|committer)\.(name|email)$`)
	for _, kv := range environ {
		if strings.HasPrefix(kv, "GIT_CONFIG_") && !strings.HasPrefix(kv, "GIT_CONFIG_PARAMETERS=") {
			cmd.Env = append(cmd.Env, kv)
		}
	}
	out, err := cmd.Output()
	if err != nil && cmd.ProcessState.ExitCode() != 1 {
		return nil
	}
	all, found := strings.Split(string(out), "\x00"), map[string][]string{}
	for i := 0; i+1 < len(all); i += 2 {
		key, value, _ := strings.Cut(all[i+1], "\n")
		found[key] = append(found[key], all[i]+"\x00"+value)
	}
	return found
}

// readFiles is askGit by the files that most people have, for machines without git.
func readFiles(d *disk.Dir, environ []string) map[string][]string {
	home, found := cmp.Or(find(environ, "HOME"), find(environ, "USERPROFILE")), map[string][]string{}
	xdg := cmp.Or(find(environ, "XDG_CONFIG_HOME"), filepath.Join(home, ".config"))
	for _, name := range []string{filepath.Join(xdg, "git", "config"), filepath.Join(home, ".gitconfig"), filepath.Join(d.Path(), gitDir, "config")} {
		data, err := os.ReadFile(name)
		c, err2 := parseConfig(data)
		if err != nil || err2 != nil {
			continue
		}
		for _, key := range []string{"name", "email"} {
			if user := c.Section("user"); user.HasOption(key) {
				found["user."+key] = append(found["user."+key], name+"\x00"+user.Option(key))
			}
		}
	}
	return found
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
