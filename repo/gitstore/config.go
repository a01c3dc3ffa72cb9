package gitstore

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/go-git/go-git/v5/plumbing/format/config"
)

// An Identity is who a commit is by.
type Identity struct{ Name, Email string }

// Fallback is the identity of mem itself, for machines where git has none.
var fallback = Identity{Name: "mem", Email: "mem@localhost"}

// Identity returns who commits are by: the user.name and user.email of the
// repository, else of the person's git configuration in home or xdg, else
// mem's own. The environment has no say, so that a hook that runs inside
// another repository's commit cannot lend its identity.
func (s *Store) Identity(home, xdg string) Identity {
	var id Identity
	take := func(c *config.Config, err error) {
		if err != nil {
			return
		}
		user := c.Section("user")
		if id.Name == "" {
			id.Name = tame(user.Option("name"))
		}
		if id.Email == "" {
			id.Email = tame(user.Option("email"))
		}
	}
	take(s.readConfig(gitDir + "/config"))
	if home != "" {
		take(readConfigFile(filepath.Join(home, ".gitconfig")))
		if xdg == "" {
			xdg = filepath.Join(home, ".config")
		}
	}
	if xdg != "" {
		take(readConfigFile(filepath.Join(xdg, "git", "config")))
	}
	if id.Name == "" || id.Email == "" {
		return fallback
	}
	return id
}

// tame removes what would break the line of a commit that holds a name.
func tame(s string) string {
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if r < ' ' || r == '<' || r == '>' || r == 0x7f {
			return -1
		}
		return r
	}, s))
}

func (s *Store) readConfig(name string) (*config.Config, error) {
	data, err := s.d.Read(name, maxSmall)
	if errors.Is(err, fs.ErrNotExist) {
		return config.New(), nil
	}
	if err != nil {
		return nil, fmt.Errorf("read git configuration: %w", err)
	}
	return parseConfig(data)
}

func readConfigFile(name string) (*config.Config, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	return parseConfig(data)
}

func parseConfig(data []byte) (*config.Config, error) {
	c := config.New()
	if err := config.NewDecoder(bytes.NewReader(data)).Decode(c); err != nil {
		return nil, fmt.Errorf("%w: git configuration: %w", ErrDamaged, err)
	}
	return c, nil
}
