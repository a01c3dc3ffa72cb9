package transport

import (
	"context"
	"errors"
	"strings"

	"mem/repo/gitstore/gitconfig"
)

// ListRemotes returns the remotes of the repository's own configuration, with their
// addresses.
func (g Git) ListRemotes(ctx context.Context) (map[string]string, error) {
	out, err := g.ask(ctx, "config", "--local", "-z", "--get-regexp", `^remote\..*\.url$`)
	remotes := map[string]string{}
	for entry := range strings.SplitSeq(string(out), "\x00") {
		key, value, _ := strings.Cut(entry, "\n")
		if name := strings.TrimSuffix(strings.TrimPrefix(key, "remote."), ".url"); value != "" && remotes[name] == "" {
			remotes[name] = value
		}
	}
	return remotes, err
}

// NamesRemote reports whether the repository's own configuration says anything of a remote.
func (g Git) NamesRemote(ctx context.Context, name string) (bool, error) {
	out, err := g.ask(ctx, "config", "--local", "--get-regexp", `^(remote\.`+name+`\.|branch\..*\.remote$)`)
	for line := range strings.Lines(string(out)) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		if strings.HasPrefix(key, "remote.") || value == name {
			return true, err
		}
	}
	return false, err
}

// RemoveRemote takes a remote out of the repository's own configuration, and what was
// fetched of it.
func (g Git) RemoveRemote(ctx context.Context, name string) error {
	out, err := g.run(ctx, "", "for-each-ref", "--format=%(refname)", "refs/remotes/"+name+"/")
	for ref := range strings.Lines(string(out)) {
		err = errors.Join(err, g.DropRef(ctx, strings.TrimSpace(ref)))
	}
	return errors.Join(err, gitconfig.DropRemote(g.Folder, name))
}
