package gitstore

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"
	"time"

	"github.com/go-git/go-git/v5/plumbing"
)

// A Commit is one step of the history.
type Commit struct {
	Hash    Hash
	Tree    Hash
	Parents []Hash
	Author  Identity
	When    time.Time // of the committer, in UTC
	Message string
}

// Subject is the first line of the message.
func (c Commit) Subject() string {
	subject, _, _ := strings.Cut(c.Message, "\n")
	return subject
}

// Trailers returns the values of the "Key: value" lines in the last
// paragraph of the message, in order.
func (c Commit) Trailers() map[string][]string {
	message := strings.TrimRight(c.Message, "\n")
	last := message[strings.LastIndex(message, "\n\n")+1:]
	trailers := map[string][]string{}
	for line := range strings.Lines(last) {
		key, value, ok := strings.Cut(strings.TrimRight(line, "\n"), ": ")
		if ok && key != "" && !strings.ContainsAny(key, " \t") {
			trailers[key] = append(trailers[key], value)
		}
	}
	return trailers
}

// Commit adds a commit object and returns its name. Hash is ignored.
func (w *Writer) Commit(c Commit) (Hash, error) {
	var b bytes.Buffer
	fmt.Fprintf(&b, "tree %s\n", c.Tree)
	for _, p := range c.Parents {
		fmt.Fprintf(&b, "parent %s\n", p)
	}
	who := signature(c.Author, c.When)
	fmt.Fprintf(&b, "author %s\ncommitter %s\n\n%s", who, who, strings.TrimRight(c.Message, "\n")+"\n")
	return w.add(plumbing.CommitObject, b.Bytes())
}

// signature says who did something when. Git knows no time before 1970.
func signature(who Identity, when time.Time) string {
	return fmt.Sprintf("%s <%s> %d +0000", who.Name, who.Email, max(0, when.Unix()))
}

// Commit reads a commit.
func (s *Store) Commit(h Hash) (Commit, error) {
	data, err := s.read(plumbing.CommitObject, h)
	if err != nil {
		return Commit{}, err
	}
	c := Commit{Hash: h}
	head, message, _ := strings.Cut(string(data), "\n\n")
	c.Message = message
	for line := range strings.Lines(head) {
		key, value, _ := strings.Cut(strings.TrimRight(line, "\n"), " ")
		switch key {
		case "tree":
			c.Tree = plumbing.NewHash(value)
		case "parent":
			c.Parents = append(c.Parents, plumbing.NewHash(value))
		case "author":
			c.Author, _ = parseSignature(value)
		case "committer":
			_, c.When = parseSignature(value)
		}
	}
	if c.Tree.IsZero() {
		return Commit{}, fmt.Errorf("%w: commit %s has no tree", ErrDamaged, h)
	}
	return c, nil
}

func parseSignature(s string) (Identity, time.Time) {
	name, rest, _ := strings.Cut(s, " <")
	email, date, _ := strings.Cut(rest, "> ")
	seconds, _, _ := strings.Cut(date, " ")
	n, err := strconv.ParseInt(seconds, 10, 64)
	if err != nil {
		return Identity{name, email}, time.Time{}
	}
	return Identity{name, email}, time.Unix(n, 0).UTC()
}

// History calls f for the commits from tip back along first parents, newest
// first, until f returns false or the history ends. That of a shallow clone
// ends where the clone does.
func (s *Store) History(tip Hash, f func(Commit) bool) error {
	shallow, err := s.shallow()
	if err != nil {
		return err
	}
	for !tip.IsZero() {
		c, err := s.Commit(tip)
		if err != nil {
			return err
		}
		if !f(c) || len(c.Parents) == 0 || shallow[tip] {
			return nil
		}
		tip = c.Parents[0]
	}
	return nil
}

// shallow returns the commits whose parents a shallow clone does not have.
func (s *Store) shallow() (map[Hash]bool, error) {
	list, err := s.d.Read(gitDir+"/shallow", 64*maxSmall)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read history: %w", err)
	}
	ends := map[Hash]bool{}
	for line := range strings.Lines(string(list)) {
		if h, ok := parseHash(strings.TrimSpace(line)); ok {
			ends[h] = true
		}
	}
	return ends, nil
}
